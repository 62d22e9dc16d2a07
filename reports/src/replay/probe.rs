//! Single inputs of a replayed function, and searches over the engine's results alone: what a verdict needs to name an
//! input, and the demands that a report does not answer.

use actforge_engine::{Kernel, Route, RunKernel};
use actforge_reference::{Format, Monotone, Parity, ulp_error};
use actforge_tables::FunctionSet;
use rayon::prelude::*;

use super::{Judged, ReplayError, ReplayOptions, Subject};
use crate::sweep::round_results;

/// Inputs of one piece of work.
const CHUNK: u32 = 1 << 16;

/// One function as a replay with some options sees it.
pub struct Probe<'a> {
    subject: Subject<'a>,
}

/// Results outside of bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// How many.
    pub count: u64,
    /// The input of least bits among them.
    pub first: Option<u32>,
}

/// Consecutive inputs of one sign with one route.
struct Chunk {
    first: u32,
    last: u32,
    kernel: RunKernel,
}

impl<'a> Probe<'a> {
    /// Prepares a function of a set; of the options all but the list of functions count.
    ///
    /// # Errors
    /// As [`replay`](super::replay).
    pub fn new(
        set: &'a FunctionSet,
        function: &str,
        options: &ReplayOptions,
    ) -> Result<Self, ReplayError> {
        Ok(Self {
            subject: Subject::new(set, function, options)?,
        })
    }

    /// The result, rounded to the output type.
    pub fn result(&self, x: f32) -> f32 {
        self.subject.result(x)
    }

    /// The correctly rounded result; NaN where the function has no value.
    pub fn right(&self, x: f32) -> f32 {
        let right = self.subject.function.round(x, self.subject.output);
        right.unwrap_or(f32::NAN)
    }

    /// The error of the result in ulp; infinite for a NaN where a number is right.
    pub fn error_ulp(&self, x: f32) -> f64 {
        let truth = self.subject.function.enclose(x, 80);
        ulp_error(self.subject.output, self.result(x), &truth)
    }

    /// The index in the pool of the bucket that serves an input; none for special inputs and for a bypass.
    pub fn bucket(&self, x: f32) -> Option<u32> {
        match self.subject.table.route(x) {
            Route::Cubic { index, .. } => Some(index),
            _ => None,
        }
    }

    /// How the two sides of the function mirror each other.
    pub fn parity(&self) -> Parity {
        self.subject.function.parity()
    }

    /// The least and the greatest result of the function itself.
    pub fn value_bounds(&self) -> Option<(f32, f32)> {
        self.subject.function.value_bounds(self.subject.output)
    }

    /// Whether the direction of the function is known anywhere, so that steps against it can be counted.
    pub fn has_direction(&self) -> bool {
        let all = [f32::MIN, f32::MAX];
        let [low, high] = self.subject.range.map_or(all, Judged::ends);
        [low, high, low / 2.0 + high / 2.0, 1.0, -1.0]
            .into_iter()
            .filter(|x| *x != 0.0 && self.subject.is_judged(*x))
            .any(|x| self.subject.function.direction(x).is_some())
    }

    /// All judged inputs whose result is below `low` or above `high`. NaN is outside of nothing here: a NaN where a
    /// number is right has a count of its own.
    pub fn outside(&self, low: f32, high: f32) -> Outside {
        let is_outside = |result: &f32| *result < low || *result > high;
        let found = self.for_each(|first, results| {
            let count = results.iter().filter(|result| is_outside(result)).count() as u64;
            let place = results.iter().position(is_outside);
            Outside {
                count,
                first: place.map(|place| first + place as u32),
            }
        });
        found
            .into_iter()
            .fold(Outside::default(), |sum, part| Outside {
                count: sum.count + part.count,
                first: sum.first.or(part.first),
            })
    }

    /// The first input, by its bits, whose result is a step against the function's direction from the input before it
    /// (of the same sign); only where `octaves` (sign, unbiased exponent) says to look.
    pub fn first_step_back(&self, octaves: &[(bool, i32)]) -> Option<u32> {
        let wanted = |chunk: &Chunk| {
            let key = |bits: u32| (bits >> 31 == 1, (bits >> 23 & 0xff) as i32 - 127);
            let ends = [key(chunk.first), key(chunk.last)];
            octaves
                .iter()
                .any(|octave| octave.0 == ends[0].0 && (ends[0].1..=ends[1].1).contains(&octave.1))
        };
        self.first(wanted, |first, results| {
            let mut before = (first & 0x7fff_ffff > 1)
                .then(|| f32::from_bits(first - 1))
                .filter(|x| self.subject.is_judged(*x))
                .map(|x| self.result(x));
            let place = results.iter().enumerate().position(|(k, result)| {
                let last = before.replace(*result);
                last.is_some_and(|last| self.is_step_back(first + k as u32, last, *result))
            });
            place.map(|place| first + place as u32)
        })
    }

    fn is_step_back(&self, bits: u32, before: f32, result: f32) -> bool {
        if before == result || before.is_nan() || result.is_nan() {
            return false;
        }
        let function = &self.subject.function;
        let direction = function.direction(f32::from_bits(bits));
        if direction != function.direction(f32::from_bits(bits - 1)) {
            return false;
        }
        // Bit patterns ascend in magnitude: on the negative side that is towards smaller inputs.
        let rises = (result > before) != (bits >> 31 == 1);
        match direction {
            None => false,
            Some(Monotone::Rising) => !rises,
            Some(Monotone::Falling) => rises,
        }
    }

    /// The positive input of least bits whose mirror image does not give the mirrored result; none for a function that
    /// is neither odd nor even.
    pub fn first_asymmetric(&self) -> Option<u32> {
        let sign = match self.parity() {
            Parity::Odd => -1.0_f32,
            Parity::Even => 1.0,
            Parity::None | Parity::Point { .. } => return None,
        };
        self.first(
            |chunk| chunk.first >> 31 == 0,
            |first, results| {
                let place = results.iter().enumerate().position(|(k, right)| {
                    let x = -f32::from_bits(first + k as u32);
                    // Before the rounding to the output type, as the replay counts it.
                    let (left, right) = (
                        self.subject.table.eval(x),
                        match self.subject.output {
                            Format::Fp32 => *right,
                            _ => self.subject.table.eval(-x),
                        },
                    );
                    self.subject.is_judged(x)
                        && left != sign * right
                        && !(left.is_nan() && right.is_nan())
                });
                place.map(|place| first + place as u32)
            },
        )
    }

    /// Calls `visit` with the first input and the results of every chunk, and gives what it found in the order of the
    /// bits.
    fn for_each<T: Send>(&self, visit: impl Fn(u32, &[f32]) -> T + Sync) -> Vec<T> {
        if self.subject.input != Format::Fp32 {
            return self
                .values()
                .par_iter()
                .map(|bits| self.visit_value(*bits, &visit))
                .collect();
        }
        let chunks: Vec<Chunk> = self.chunks().collect();
        let buffer = || vec![0.0_f32; CHUNK as usize];
        chunks
            .par_iter()
            .map_init(buffer, |results, chunk| {
                self.visit_chunk(chunk, results, &visit)
            })
            .collect()
    }

    /// What `visit` finds first, in the order of the bits, in the chunks that are `wanted`.
    fn first(
        &self,
        wanted: impl Fn(&Chunk) -> bool + Sync,
        visit: impl Fn(u32, &[f32]) -> Option<u32> + Sync,
    ) -> Option<u32> {
        if self.subject.input != Format::Fp32 {
            let values = self.values();
            return values
                .par_iter()
                .find_map_first(|bits| self.visit_value(*bits, &visit));
        }
        let chunks: Vec<Chunk> = self.chunks().filter(wanted).collect();
        let buffer = || vec![0.0_f32; CHUNK as usize];
        chunks
            .par_iter()
            .map_init(buffer, |results, chunk| {
                self.visit_chunk(chunk, results, &visit)
            })
            .find_map_first(|found| found)
    }

    fn visit_chunk<T>(
        &self,
        chunk: &Chunk,
        results: &mut [f32],
        visit: &impl Fn(u32, &[f32]) -> T,
    ) -> T {
        let length = (chunk.last - chunk.first) as usize + 1;
        let results = results.get_mut(..length).unwrap_or_default();
        self.subject.level.dispatch(Fill {
            kernel: &chunk.kernel,
            output: self.subject.output,
            first: chunk.first,
            results,
        });
        visit(chunk.first, results)
    }

    fn visit_value<T>(&self, bits: u32, visit: &impl Fn(u32, &[f32]) -> T) -> T {
        visit(bits, &[self.result(f32::from_bits(bits))])
    }

    /// The judged values of a narrow input type, as bits in ascending order.
    fn values(&self) -> Vec<u32> {
        let mut values: Vec<u32> = (0..1_u32 << self.subject.input.width())
            .map(|code| self.subject.input.from_bits(code))
            .filter(|x| x.is_finite() && *x != 0.0 && self.subject.is_judged(*x))
            .map(f32::to_bits)
            .collect();
        values.sort_unstable();
        values
    }

    /// The judged finite inputs other than zero.
    fn chunks(&self) -> impl Iterator<Item = Chunk> {
        let judged = [false, true].map(|negative| match self.subject.range {
            Some(range) => range.side(negative).unwrap_or((1, 0)),
            None => (1, f32::MAX.to_bits()),
        });
        self.subject.table.runs().flat_map(move |run| {
            let sign = run.first & 1 << 31;
            // The magnitudes of this sign that are judged.
            let [positive, negative] = judged;
            let (nearest, farthest) = if sign == 0 { positive } else { negative };
            let first = (run.first & !(1 << 31)).max(nearest.max(1));
            let last = (run.last & !(1 << 31))
                .min(farthest)
                .min(f32::MAX.to_bits());
            let kernel = self.subject.table.run_kernel(&run.route);
            (first..=last)
                .step_by(CHUNK as usize)
                .map(move |start| Chunk {
                    first: sign | start,
                    last: sign | start.saturating_add(CHUNK - 1).min(last),
                    kernel,
                })
        })
    }
}

/// The results of consecutive inputs.
struct Fill<'a> {
    kernel: &'a RunKernel,
    output: Format,
    first: u32,
    results: &'a mut [f32],
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.kernel.eval(self.first, self.results);
        round_results(self.output, self.results);
    }
}
