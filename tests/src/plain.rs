//! A replay the slow way: every input through the scalar engine and through MPFR, one after the other.
//!
//! It shares nothing with the sweep but the scalar engine, the reference's enclosures and the definition of an error.
//! What the sweep derives from runs, polynomials and lanes must come out the same.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use actforge_engine::{EngineConfig, Function as Table, Route};
use actforge_reference::{Format, Function, Monotone, Truth, lookup, steps, ulp_error};
use actforge_tables::FunctionSet;
use rayon::prelude::*;

/// Upper edges of the histogram's bins, as in the report.
pub const EDGES: [f64; 20] = [
    0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0, 1.25, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0,
    64.0, 256.0, 4096.0, 65536.0,
];

/// What the slow way finds out about one input.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// The input, as bits.
    pub bits: u32,
    /// The result, rounded to the output type.
    pub result: f32,
    /// Its error in ulp.
    pub error: f64,
    /// The correctly rounded result.
    pub right: f32,
    /// Steps between the two.
    pub steps: u64,
    /// The true value as a double; NaN where there is none.
    pub value: f64,
    /// Whether the true value is below the format's least normal number (a double may not tell).
    pub subnormal: bool,
    /// The sign of the true value, -1, 0 or 1.
    pub sign: f32,
    /// The bucket, as index in the pool.
    pub bucket: Option<u32>,
}

impl Single {
    /// Whether the result is the correctly rounded one.
    pub fn is_right(&self) -> bool {
        self.result == self.right || self.result.is_nan() && self.right.is_nan()
    }
}

/// The statistics of a group of inputs.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// How many.
    pub inputs: u64,
    /// The largest error.
    pub worst: f64,
    /// The sum of the errors.
    pub sum: f64,
    /// How many results are not correctly rounded.
    pub incorrect: u64,
}

impl Group {
    fn add(&mut self, single: &Single) {
        self.inputs += 1;
        self.worst = self.worst.max(single.error);
        self.sum += single.error;
        self.incorrect += u64::from(!single.is_right());
    }
}

/// The statistics of a stretch of inputs.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    /// All of them, and the two zeros.
    pub all: Group,
    /// Those with a subnormal true value.
    pub subnormal: Group,
    /// By sign and exponent.
    pub octaves: BTreeMap<(bool, i32), Group>,
    /// By bucket.
    pub buckets: BTreeMap<u32, Group>,
    /// How many errors are above each edge, a result that is not correctly rounded counting as above one half.
    pub above: [u64; EDGES.len()],
    /// How many errors are so close to each edge that their side is open.
    pub near: [u64; EDGES.len()],
    /// The most steps.
    pub most_steps: u64,
    /// The largest absolute error.
    pub absolute: f64,
    /// The largest relative error where the value is normal.
    pub relative: f64,
    /// NaN where a number is right.
    pub nan_results: u64,
    /// Infinite where a finite result is right.
    pub infinite_results: u64,
    /// Outside the function's values.
    pub out_of_range: u64,
    /// Of the wrong sign.
    pub wrong_sign: u64,
    /// Zeros of the wrong sign.
    pub zero_sign: u64,
    /// Steps against the direction.
    pub non_monotone: u64,
}

impl Plain {
    fn count_bins(&mut self, single: &Single, uncertainty: f64) {
        for (k, edge) in EDGES.iter().enumerate() {
            // One half parts the correctly rounded results from the others.
            let above = match edge.total_cmp(&0.5) {
                Ordering::Less => single.error > *edge || !single.is_right(),
                Ordering::Equal => !single.is_right(),
                Ordering::Greater => single.error > *edge && !single.is_right(),
            };
            self.above[k] += u64::from(above);
            let tolerance = uncertainty + edge * 2.0_f64.powi(-23);
            self.near[k] += u64::from((single.error - edge).abs() <= tolerance);
        }
    }
}

/// One function of a set, to be judged the slow way.
pub struct Slow<'a> {
    table: Table<'a>,
    function: &'static Function,
    format: Format,
}

impl<'a> Slow<'a> {
    /// A function of a set, its errors in ulp of a format.
    ///
    /// # Panics
    /// When the set or the catalogue does not hold it.
    pub fn new(set: &'a FunctionSet, name: &str, format: Format) -> Self {
        let entry = set.function(name).expect("the set holds the function");
        let config = EngineConfig::from(set.datapath);
        Self {
            table: Table::from_set(set, entry, config).expect("the set is valid"),
            function: lookup(name)
                .expect("the catalogue holds the function")
                .function(),
            format,
        }
    }

    /// One input.
    pub fn judge(&self, bits: u32) -> Single {
        let x = f32::from_bits(bits);
        let result = self.format.round_f32(self.table.eval(x));
        let truth = self.function.enclose(x, 80);
        let right = self
            .function
            .round(x, self.format)
            .expect("MPFR can round it");
        let sign = match &truth {
            Truth::Value(value) if *value.low() < 0 && *value.high() <= 0 => -1.0,
            Truth::Value(value) if *value.high() > 0 && *value.low() >= 0 => 1.0,
            _ => 0.0,
        };
        let least_normal = 2.0_f64.powi(self.format.min_exponent());
        Single {
            bits,
            result,
            subnormal: matches!(&truth, Truth::Value(value) if value.smallest_magnitude() < least_normal),
            error: ulp_error(self.format, result, &truth),
            right,
            steps: steps(self.format, result, right).unwrap_or(u64::MAX),
            value: truth.to_f64(),
            sign,
            bucket: match self.table.route(x) {
                Route::Cubic { index, .. } => Some(index),
                _ => None,
            },
        }
    }

    /// Every finite non-zero input between two, ends included, the positive side first.
    pub fn inputs_between(low: f32, high: f32) -> Vec<u32> {
        let positive = (low.max(f32::from_bits(1)).to_bits()..=high.max(0.0).to_bits())
            .filter(move |_| high > 0.0);
        let negative = (high.min(-f32::from_bits(1)).to_bits()..=low.min(-0.0).to_bits())
            .filter(move |_| low < 0.0);
        positive.chain(negative).collect()
    }

    /// All statistics of a list of inputs and the zeros; `uncertainty` is what the sweep's errors may be off by.
    pub fn replay(&self, inputs: &[u32], uncertainty: f64) -> Plain {
        let singles: Vec<Single> = inputs.par_iter().map(|bits| self.judge(*bits)).collect();
        let bounds = self.function.value_bounds(self.format);
        let mut plain = Plain::default();
        for single in &singles {
            let exponent = (single.bits >> 23 & 0xff) as i32 - 127;
            plain.all.add(single);
            let octave = (single.bits >> 31 == 1, exponent);
            plain.octaves.entry(octave).or_default().add(single);
            if let Some(bucket) = single.bucket {
                plain.buckets.entry(bucket).or_default().add(single);
            }
            if single.subnormal {
                plain.subnormal.add(single);
            }
            plain.count_bins(single, uncertainty);
            plain.most_steps = plain.most_steps.max(single.steps);
            let difference = (f64::from(single.result) - single.value).abs();
            let judged = single.value.abs() < self.format.overflow_threshold();
            if judged && difference.is_finite() {
                plain.absolute = plain.absolute.max(difference);
                if !single.subnormal {
                    plain.relative = plain.relative.max(difference / single.value.abs());
                }
            }
            let (got, right) = (single.result, single.right);
            if right.is_nan() {
                continue;
            }
            plain.nan_results += u64::from(got.is_nan());
            plain.infinite_results += u64::from(got.is_infinite() && right.is_finite());
            plain.out_of_range +=
                u64::from(bounds.is_some_and(|(low, high)| got < low || got > high));
            plain.wrong_sign += u64::from(got * single.sign < 0.0);
            plain.zero_sign += u64::from(got == 0.0 && got.signum() * single.sign < 0.0);
        }
        // The zeros count in the whole, though in no octave and no bucket.
        for zero in [0.0_f32, -0.0].map(f32::to_bits) {
            let single = self.judge(zero);
            plain.all.add(&single);
            plain.count_bins(&single, uncertainty);
        }
        plain.non_monotone = singles
            .windows(2)
            .filter(|pair| self.is_step_back(&pair[0], &pair[1]))
            .count() as u64;
        plain
    }

    fn is_step_back(&self, before: &Single, after: &Single) -> bool {
        if after.bits != before.bits + 1 {
            return false;
        }
        // In ascending order of values.
        let (low, high) = if after.bits >> 31 == 0 {
            (before, after)
        } else {
            (after, before)
        };
        let [first, second] = [low, high].map(|s| self.function.direction(f32::from_bits(s.bits)));
        match (first, second) {
            (Some(Monotone::Rising), Some(Monotone::Rising)) => high.result < low.result,
            (Some(Monotone::Falling), Some(Monotone::Falling)) => high.result > low.result,
            _ => false,
        }
    }
}
