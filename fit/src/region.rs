//! Regions: how far a single cubic about zero, or the asymptote, serves.

use actforge_reference::{CellKind, Format};
use actforge_tables::Bucket;

use crate::bucket::{BucketFitter, FittedBucket};
use crate::minimax::{TERMS, minimax};
use crate::request::Method;
use crate::sample::{Sample, Stretch, value_at};
use crate::taylor::taylor;

/// A saturation bucket and the inputs it is to serve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FittedRegion {
    pub(crate) bucket: Bucket,
    /// `None` for a region that serves nothing.
    pub(crate) stretch: Option<Stretch>,
}

impl FittedRegion {
    /// The small region up to the last power of two that it serves or just does not; none below the least normal
    /// number.
    pub(crate) fn ending_at_power(self) -> Self {
        let stretch = self.stretch.and_then(|stretch| {
            let last = (stretch.last + 1) & !MANTISSA;
            (stretch.first <= last).then_some(Stretch { last, ..stretch })
        });
        Self { stretch, ..self }
    }
}

/// Magnitude bits without the sign.
const MAGNITUDE: u32 = 0x7fff_ffff;

/// The bits of the mantissa.
const MANTISSA: u32 = 0x007f_ffff;

/// A small region's threshold lies on one of so many steps of an octave.
const STEPS: u32 = 8;

/// Inputs in a window through which a region is watched while its threshold is sought. Neighbours have much the same
/// error where the function is nearly linear, so many narrow windows see more than a few wide ones.
const WINDOW: u32 = 32;

/// Windows in each of the octaves next to the threshold, where the error is largest, and in each of the others.
const NEAR_OCTAVES: u32 = 10;
const NEAR_WINDOWS: u32 = 48;
const FAR_WINDOWS: u32 = 3;

/// Every input is swept for so many bit patterns from the threshold: four octaves.
const SWEPT: u32 = 4 << 23;

/// How many inputs from a threshold on decide, at first, whether it is right.
const LOOK: u32 = 1 << 14;

/// 2^32 over the golden ratio: multiples of it spread evenly.
const GOLDEN: u32 = 0x9e37_79b9;

/// Which end of a region its threshold is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threshold {
    /// Of a large region: the least magnitude it serves.
    First,
    /// Of a small region: the greatest.
    Last,
}

/// One side of a function as regions see it.
#[derive(Clone, Copy)]
pub(crate) struct SideView<'a> {
    pub(crate) fitter: BucketFitter<'a>,
    pub(crate) negative: bool,
    /// The largest magnitude that matters.
    pub(crate) limit: u32,
    /// The least magnitude that matters, at least 1.
    pub(crate) least: u32,
}

impl SideView<'_> {
    fn sign(&self) -> u32 {
        u32::from(self.negative) << 31
    }

    /// The largest error over a few windows of a stretch, most of them in the octaves next to its threshold.
    fn glance(&self, bucket: &Bucket, stretch: Stretch, end: Threshold, give_up_above: f64) -> f64 {
        let (low, high) = (stretch.first & MAGNITUDE, stretch.last & MAGNITUDE);
        let mut starts = vec![high.saturating_sub(WINDOW - 1).max(low), low];
        for octave in low >> 23..=high >> 23 {
            let distance = match end {
                Threshold::Last => (high >> 23) - octave,
                Threshold::First => octave - (low >> 23),
            };
            let windows = if distance < NEAR_OCTAVES {
                NEAR_WINDOWS
            } else {
                FAR_WINDOWS
            };
            // Places that lie evenly, and differently in each octave, so that no mantissa is always missed.
            starts.extend((0..windows).map(|window| {
                let place = (window + 1).wrapping_mul(GOLDEN) ^ octave.wrapping_mul(GOLDEN << 7);
                octave << 23 | place >> 9
            }));
        }
        let mut worst = 0.0_f64;
        for start in starts
            .into_iter()
            .filter(|start| (low..=high).contains(start))
        {
            let first = start.max(1) | self.sign();
            let last = (start + (WINDOW - 1)).min(high) | self.sign();
            let seen = match self.fitter.surrogate.format() {
                Format::Fp32 => self
                    .fitter
                    .measure(bucket, Stretch { first, last }, give_up_above),
                _ => self.real_error(bucket, first),
            };
            worst = worst.max(seen);
            if worst > give_up_above {
                break;
            }
        }
        worst
    }

    /// What a narrow output type makes of a cubic at its worst: its distance from the function, and the final rounding.
    /// Only inputs next to a tie show that much, so windows of results would miss it; binary32's own roundings, on the
    /// other hand, hardly count.
    fn real_error(&self, bucket: &Bucket, bits: u32) -> f64 {
        let t = f64::from(f32::from_bits(bits)) - f64::from(bucket.x0);
        let [d0, d1, d2, d3] = bucket.d.map(f64::from);
        let result = d3.mul_add(t, d2).mul_add(t, d1).mul_add(t, d0);
        match value_at(self.fitter.surrogate, bits) {
            // A constant is rounded once and for all, and then only as far off as the function moves.
            Some((value, ulp)) if [d1, d2, d3] == [0.0; 3] => {
                (self.fitter.surrogate.format().round_f64(d0) - value).abs() / ulp
            }
            Some((value, ulp)) => 0.5 + (result - value).abs() / ulp,
            // Overflow and missing values are for the judge.
            None => self.fitter.measure(
                bucket,
                Stretch {
                    first: bits,
                    last: bits,
                },
                f64::INFINITY,
            ),
        }
    }

    /// The bucket for a stretch; its errors are those of the inputs that matter.
    pub(crate) fn fit(&self, stretch: Stretch, wanted: f64) -> FittedBucket {
        let fitted = self.fitter.fit(stretch, wanted);
        match self.that_matters(stretch) {
            Some(_) => fitted,
            None => FittedBucket {
                measured: 0.0,
                floor: 0.0,
                ..fitted
            },
        }
    }

    /// The part of a stretch at or above the least magnitude that matters.
    fn that_matters(&self, stretch: Stretch) -> Option<Stretch> {
        let first = (stretch.first & MAGNITUDE).max(self.least) | self.sign();
        (first <= stretch.last).then_some(Stretch { first, ..stretch })
    }

    /// The largest error over every input of the octaves next to a threshold, and a glance at those beyond.
    pub(crate) fn measure(&self, region: &FittedRegion, end: Threshold, give_up_above: f64) -> f64 {
        let Some(stretch) = region
            .stretch
            .and_then(|stretch| self.that_matters(stretch))
        else {
            return 0.0;
        };
        let seen = self.glance(&region.bucket, stretch, end, give_up_above);
        if seen > give_up_above {
            return seen;
        }
        let (low, high) = (stretch.first & MAGNITUDE, stretch.last & MAGNITUDE);
        let (low, high) = match end {
            Threshold::Last => (high.saturating_sub(SWEPT).max(low), high),
            Threshold::First => (low, low.saturating_add(SWEPT).min(high)),
        };
        let near = Stretch {
            first: low | self.sign(),
            last: high | self.sign(),
        };
        seen.max(self.fitter.measure(&region.bucket, near, give_up_above))
    }

    /// The largest error over every input. Values beyond the largest finite number of the format are left out where results
    /// are infinite: to the judge that is infinitely wrong, but next to the overflow it is half an ulp.
    pub(crate) fn sweep(&self, region: &FittedRegion) -> f64 {
        let Some(stretch) = region
            .stretch
            .and_then(|stretch| self.that_matters(stretch))
        else {
            return 0.0;
        };
        let swept = |stretch| self.fitter.measure(&region.bucket, stretch, f64::INFINITY);
        let whole = swept(stretch);
        if whole.is_finite() {
            return whole;
        }
        let largest = self.fitter.surrogate.format().max_finite();
        let is_below = |bits| {
            value_at(self.fitter.surrogate, bits).is_some_and(|(value, _)| value.abs() < largest)
        };
        if !is_below(stretch.first) || is_below(stretch.last) {
            return whole;
        }
        let (mut below, mut above) = (stretch.first, stretch.last);
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if is_below(middle) {
                below = middle;
            } else {
                above = middle;
            }
        }
        swept(Stretch {
            last: below,
            ..stretch
        })
    }

    /// The cubic that the function approaches, as far as the toolkit knows: a constant, a multiple of x, or x squared.
    fn asymptotes(&self) -> Vec<Bucket> {
        let far = self.sign() | self.limit;
        let surrogate = self.fitter.surrogate;
        let constant = match surrogate.cell_of(far).map(|cell| &cell.kind) {
            Some(CellKind::Overflow { negative: true }) => f32::NEG_INFINITY,
            Some(CellKind::Overflow { negative: false }) => f32::INFINITY,
            Some(CellKind::Undefined) => f32::NAN,
            _ => value_at(surrogate, far).map_or(0.0, |(value, _)| value as f32),
        };
        // A vanishing value ends at plus zero, so that the constant is zero whatever the sign of its inputs.
        let constant = if constant.abs() < f32::MIN_POSITIVE {
            0.0
        } else {
            constant
        };
        let mut all = vec![Bucket::constant(constant)];
        // The farthest inputs may overflow a narrow format: the slope shows where values are still finite.
        let magnitudes = (0..=self.limit >> 23).map(|octave| self.limit - (octave << 23));
        let finite = magnitudes
            .map(|magnitude| magnitude | self.sign())
            .find_map(|bits| {
                Some((
                    f64::from(f32::from_bits(bits)),
                    value_at(surrogate, bits)?.0,
                ))
            });
        if let Some((x, value)) = finite {
            all.push(Bucket::linear(0.0, (value / x) as f32));
        }
        all.push(Bucket {
            d: [0.0, 0.0, 1.0, 0.0],
            x0: 0.0,
        });
        all
    }

    /// The whole side in one saturation bucket: the best of the asymptotes, and its error at a glance.
    pub(crate) fn without_table(&self) -> (Bucket, f64) {
        let whole = Stretch {
            first: self.sign() | 1,
            last: self.sign() | self.limit,
        };
        let judged = self.asymptotes().into_iter().map(|bucket| {
            (
                bucket,
                self.glance(&bucket, whole, Threshold::First, f64::INFINITY),
            )
        });
        judged
            .reduce(|best, next| if next.1 < best.1 { next } else { best })
            .unwrap_or((Bucket::constant(0.0), f64::INFINITY))
    }

    /// The large region: from the least magnitude from which on the asymptote is within `wanted` ulp.
    pub(crate) fn large(&self, wanted: f64) -> FittedRegion {
        let mut best = FittedRegion {
            bucket: Bucket::constant(0.0),
            stretch: None,
        };
        for bucket in self.asymptotes() {
            best.bucket = if best.stretch.is_none() {
                bucket
            } else {
                best.bucket
            };
            if let Some(first) = self.first_served(&bucket, wanted)
                && best
                    .stretch
                    .is_none_or(|stretch| first < stretch.first & MAGNITUDE)
            {
                let stretch = Stretch {
                    first: first | self.sign(),
                    last: self.limit | self.sign(),
                };
                best = FittedRegion {
                    bucket,
                    stretch: Some(stretch),
                };
            }
        }
        best
    }

    /// A bisection over magnitudes: far out the asymptote is right, and its error grows towards zero. Which octaves
    /// are served is found at a glance, the place inside the first one by a look at every input from there on.
    fn first_served(&self, bucket: &Bucket, wanted: f64) -> Option<u32> {
        let octave_end = |octave: u32| (octave << 23 | 0x7f_ffff).min(self.limit);
        let serves_octave = |octave: u32| {
            let stretch = Stretch {
                first: (octave << 23).max(1),
                last: octave_end(octave),
            };
            self.glance(bucket, stretch, Threshold::First, wanted) <= wanted
        };
        let top = self.limit >> 23;
        let mut octave = top;
        loop {
            if !serves_octave(octave) {
                break;
            }
            if octave == 0 {
                return Some(1);
            }
            octave -= 1;
        }
        // `octave` is not served as a whole; perhaps its upper part is.
        let end = octave_end(octave);
        // The error falls away from zero, so a look at the next inputs usually decides; what was found is then swept to
        // the end of the octave, and sought again in full where that disagrees.
        let serves = |first: u32, last: u32| {
            let stretch = Stretch {
                first: first | self.sign(),
                last: last | self.sign(),
            };
            // A narrow type shows no more than that of the first input only next to a tie: what it may come to counts.
            let may_be = match self.fitter.surrogate.format() {
                Format::Fp32 => 0.0,
                _ => self.real_error(bucket, stretch.first),
            };
            may_be <= wanted && self.fitter.measure(bucket, stretch, wanted) <= wanted
        };
        if !serves(end, end) {
            return (octave < top).then_some(end + 1);
        }
        let least = |serves_from: &dyn Fn(u32) -> bool| {
            let (mut outside, mut inside) = (octave << 23, end);
            while inside - outside > 1 {
                let middle = outside + (inside - outside) / 2;
                if serves_from(middle) {
                    inside = middle
                } else {
                    outside = middle
                }
            }
            inside
        };
        let found = least(&|first| serves(first, end.min(first.saturating_add(LOOK))));
        Some(if serves(found, end) {
            found
        } else {
            least(&|first| serves(first, end))
        })
    }

    /// The small region: up to the greatest magnitude up to which a cubic about zero is within `wanted` ulp, among the
    /// eighths of octaves below `ceiling`.
    pub(crate) fn small(&self, wanted: f64, ceiling: u32) -> FittedRegion {
        let region = self.small_from_zero(wanted, ceiling);
        let served = region.stretch.map_or(0, |stretch| stretch.last & MAGNITUDE);
        let below = self.least - 1;
        if served >= below {
            return region;
        }
        // Magnitudes below those that matter cost nothing: the region takes them, whatever it makes of them.
        let stretch = Stretch {
            first: 1 | self.sign(),
            last: below | self.sign(),
        };
        FittedRegion {
            stretch: Some(stretch),
            ..region
        }
    }

    fn small_from_zero(&self, wanted: f64, ceiling: u32) -> FittedRegion {
        let zero = self.fitter.surrogate.function().specials().zero;
        let nothing = FittedRegion {
            bucket: Bucket::constant(zero),
            stretch: None,
        };
        // With a large region that begins at the least input there is nothing left to serve.
        if !zero.is_finite() || ceiling == 0 {
            return nothing;
        }
        let up_to = |last: u32| Stretch {
            first: 1 | self.sign(),
            last: last | self.sign(),
        };
        let if_within = |bucket: Bucket, last: u32| {
            let region = FittedRegion {
                bucket,
                stretch: Some(up_to(last)),
            };
            (self.measure(&region, Threshold::Last, wanted) <= wanted).then_some(region)
        };
        let try_up_to = |last: u32| if_within(self.cubic_about_zero(zero, last)?, last);
        // Down octave by octave until one holds, then up again by eighths.
        let mut exponent = ((ceiling >> 23) as i32).min(127 + 3);
        while exponent >= 0 {
            let last = (exponent as u32) << 23 | 0x7f_ffff;
            if last <= ceiling
                && let Some(region) = try_up_to(last)
            {
                let eighth = (1 << 23) / STEPS;
                let finer = (1..STEPS)
                    .rev()
                    .map(|step| last + step * eighth)
                    .filter(|last| *last <= ceiling);
                return finer.into_iter().find_map(try_up_to).unwrap_or(region);
            }
            exponent -= 1;
        }
        // Where the slope at zero is no float, its rounding error grows with the distance from the breakpoint. Subnormals
        // all have the same ulp, so that a breakpoint in their middle halves it, and one octave less needs a control word.
        let subnormals = 0x7f_ffff.min(ceiling);
        let fitted = self.fitter.fit(up_to(subnormals), wanted);
        if_within(fitted.bucket, subnormals).unwrap_or(nothing)
    }

    /// A cubic in x without breakpoint, best in ulp over all magnitudes up to `last`; each coefficient is rounded and
    /// those after it are fitted again to what that leaves.
    fn cubic_about_zero(&self, zero: f32, last: u32) -> Option<Bucket> {
        if self.fitter.method == Method::Taylor {
            return taylor(self.fitter.surrogate.function(), 0.0).map(|bucket| {
                let [_, d1, d2, d3] = bucket.d;
                Bucket {
                    d: [zero, d1, d2, d3],
                    x0: 0.0,
                }
            });
        }
        let half = f64::from(f32::from_bits(last));
        let mut samples = self.samples_towards_zero(last, half);
        let unit = samples.last()?.weight.recip();
        for sample in &mut samples {
            sample.y = (sample.y - f64::from(zero)) / unit;
            sample.weight *= unit;
        }
        let mut d = [zero, 0.0, 0.0, 0.0];
        #[expect(
            clippy::needless_range_loop,
            reason = "the power counts, not only its place"
        )]
        for lowest in 1..TERMS {
            let powers: Vec<usize> = (lowest..TERMS).collect();
            let best = minimax(&samples, &powers);
            let scale = unit / half.powi(lowest as i32);
            let rounded = (best.coefficients[lowest] * scale) as f32;
            d[lowest] = if rounded.is_finite() { rounded } else { 0.0 };
            for sample in &mut samples {
                sample.y -= f64::from(d[lowest]) / scale * sample.v.powi(lowest as i32);
            }
        }
        Some(Bucket { d, x0: 0.0 })
    }

    /// Samples dense in the top octaves and sparse below, with `v` as share of the largest input and errors in absolute
    /// value and ulp.
    fn samples_towards_zero(&self, last: u32, half: f64) -> Vec<Sample> {
        let mut places: Vec<u32> = Vec::new();
        for octave in 0..10_u32 {
            let top = last.saturating_sub(octave << 23);
            places.extend((0..24).map(|k| top.saturating_sub(k * ((1 << 23) / 24))));
        }
        places.extend(
            (10..250_u32)
                .step_by(8)
                .map(|octave| last.saturating_sub(octave << 23)),
        );
        places.retain(|place| *place > 0);
        places.sort_unstable();
        places.dedup();
        let sample = |magnitude: u32| {
            let bits = magnitude | self.sign();
            let (y, ulp) = value_at(self.fitter.surrogate, bits)?;
            Some(Sample {
                bits,
                v: f64::from(f32::from_bits(magnitude)) / half,
                y,
                weight: 1.0 / ulp,
            })
        };
        let sign = if self.negative { -1.0 } else { 1.0 };
        places
            .into_iter()
            .filter_map(sample)
            .map(|s| Sample { v: sign * s.v, ..s })
            .collect()
    }
}
