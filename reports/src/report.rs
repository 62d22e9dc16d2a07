//! The report of a replay: stable JSON, one row an octave and a bucket, nothing that depends on the machine.
//!
//! `docs/report.md` explains every field. Numbers are rounded to a millionth of an ulp, far above the surrogate's
//! bound, so that what is printed is exact.

mod error;
mod possible;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

pub use error::ReportError;
pub(crate) use possible::from_hex;

/// The version of this layout; it changes when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

/// The definition of an error that all `*_ulp` fields use.
pub const REAL_METRIC: &str = "|result - value| / ulp(value), value the real number, ulp(value) = 2^(max(floor(log2 |value|), emin) - (p - 1)); correctly rounded results have at most 0.5";

/// The definition of an error that `max_steps` uses.
pub const STEP_METRIC: &str = "representable numbers between the result and the correctly rounded one; correctly rounded results have 0";

/// What a replay of a set found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Name of the set.
    pub set: String,
    /// SHA-256 of the set, the `manifest_sha256` of its `set.json`; none for tables that cannot be written as a set.
    pub set_sha256: Option<String>,
    /// Hardware generation.
    pub target: String,
    /// Rounding schedule of the cubic in this replay.
    pub datapath: String,
    /// The two metrics, in words.
    pub metrics: Metrics,
    /// The functions, in the order of the set.
    pub functions: Vec<FunctionReport>,
}

/// The definitions behind the numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// [`REAL_METRIC`].
    pub ulp: String,
    /// [`STEP_METRIC`].
    pub steps: String,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            ulp: REAL_METRIC.to_owned(),
            steps: STEP_METRIC.to_owned(),
        }
    }
}

/// An input that reaches a maximum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The input, `0x` and eight hexadecimal digits.
    pub bits: String,
    /// The input as the shortest decimal that reads back as it.
    pub value: String,
    /// The result, rounded to the output type, as binary32 bits.
    pub got: String,
    /// The correctly rounded result, as binary32 bits.
    pub want: String,
}

/// What a replay found of one function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionReport {
    /// Name in the catalogue.
    pub name: String,
    /// Id that an instruction carries.
    pub func_id: u8,
    /// Output type in whose ulp errors count.
    pub dtype: String,
    /// Type of the inputs; all of its values were replayed.
    pub input_dtype: String,
    /// How many inputs were judged: 4294967296 for all of binary32.
    pub inputs: u64,
    /// The formula that the function was judged by, with its parameters, where that is not one of the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The inputs that were judged, first and last, when that was not all of them.
    pub range: Option<[String; 2]>,
    /// The largest error in ulp; null when there is a NaN where a number is right.
    pub max_ulp: Option<f64>,
    /// Where.
    pub max_ulp_at: Option<Witness>,
    /// The floor of the fit: 0.5 and the largest minimax error of a bucket; null when the set does not say.
    pub lower_bound_ulp: Option<f64>,
    /// The most steps from the correctly rounded result.
    pub max_steps: u64,
    /// Where.
    pub max_steps_at: Option<String>,
    /// The mean error in ulp.
    pub mean_ulp: f64,
    /// The sum of all errors in units of 2^-24 ulp, as decimal digits (JSON numbers would lose some). No rounding
    /// hides the error of a single input here, as it would in the mean. Errors above 2^40 ulp count as that.
    pub error_sum: String,
    /// The share of correctly rounded results, 0 to 1.
    pub correctly_rounded: f64,
    /// The largest absolute error and its input.
    pub max_absolute: Option<Extreme>,
    /// The largest relative error over normal true values, and its input.
    pub max_relative: Option<Extreme>,
    /// Buckets, saturation buckets included.
    pub buckets: u32,
    /// Control words.
    pub control_words: u32,
    /// Upper edges of the histogram in ulp; the last bin, above them all, has none.
    pub histogram_edges: Vec<f64>,
    /// Inputs in each bin. The bins up to one half hold the correctly rounded results and no others.
    pub histogram: Vec<u64>,
    /// What went wrong in kind rather than in size.
    pub violations: Violations,
    /// Inputs whose true value is subnormal (or zero after rounding).
    pub subnormal_results: GroupReport,
    /// From where each side is saturated.
    pub saturation: Vec<Saturation>,
    /// Jumps of the error between neighbours that different buckets serve.
    pub seams: Seams,
    /// One row an octave of inputs, negative side first, away from zero last.
    pub octaves: Vec<OctaveReport>,
    /// One row a bucket.
    pub bucket_rows: Vec<BucketReport>,
    /// The special inputs.
    pub special: Vec<SpecialReport>,
    /// The largest distance of the reference polynomials from the function, in ulp.
    pub reference_bound_ulp: f64,
    /// Inputs that were decided in MPFR.
    pub decided_in_mpfr: u64,
    /// The mean error where inputs really fall, when a histogram was given. It stands beside the maximum and replaces
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted: Option<WeightedReport>,
    /// Seconds the replay took, when asked for; null otherwise, so that reports compare byte for byte.
    pub seconds: Option<f64>,
}

/// The mean error under a histogram of inputs ([`Histogram`](crate::histogram::Histogram)).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedReport {
    /// How many bins the histogram has for the function.
    pub bins: u32,
    /// The sum of their counts.
    pub count: f64,
    /// The mean error in ulp over the weight that is inside; null when nothing is, or when a result with weight is NaN
    /// where a number is right.
    pub mean_ulp: Option<f64>,
    /// The same of absolute errors: each error in ulp times the ulp of its true value.
    pub mean_absolute: Option<f64>,
    /// The share of the count on inputs that the function is made for and has a value at, 0 to 1 in steps of 10^-12.
    pub inside: f64,
    /// The share on other inputs, which is not in the means.
    pub outside: f64,
    /// The share in bins with an infinite end, which is not in the means either: nothing can be spread evenly over them.
    pub open: f64,
}

/// A maximum that is not an ulp error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extreme {
    /// The value.
    pub error: f64,
    /// The input, as bits.
    pub at: String,
}

/// Counts of inputs whose result is wrong in kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Violations {
    /// NaN where a number is right.
    pub nan_results: u64,
    /// Infinite where a finite result is right.
    pub infinite_results: u64,
    /// Outside the function's own range of values, rounded.
    pub out_of_range: u64,
    /// Of the wrong sign.
    pub wrong_sign: u64,
    /// A zero whose sign is not that of the true value (no error in ulp; the hardware often cannot do better).
    pub zero_sign: u64,
    /// Steps against the function's direction between neighbouring inputs.
    pub non_monotone: u64,
    /// Inputs whose mirror image does not give the mirrored result, for an odd or even function.
    pub asymmetric: u64,
}

/// The statistics of a group of inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupReport {
    /// How many inputs.
    pub inputs: u64,
    /// The largest error in ulp; null for a NaN where a number is right.
    pub max_ulp: Option<f64>,
    /// Where.
    pub max_ulp_at: Option<Witness>,
    /// The mean error in ulp.
    pub mean_ulp: f64,
    /// The share of correctly rounded results, 0 to 1.
    pub correctly_rounded: f64,
}

/// One octave of inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OctaveReport {
    /// Sign of the inputs.
    pub negative: bool,
    /// Exponent: inputs are `2^exponent` to `2^(exponent + 1)` in magnitude; -127 stands for all subnormals.
    pub exponent: i32,
    /// Buckets that inputs of the octave reach, regions included.
    pub buckets: u32,
    /// The floor of the fit among those buckets.
    pub lower_bound_ulp: Option<f64>,
    /// Steps against the function's direction.
    pub non_monotone: u64,
    /// Its statistics.
    #[serde(flatten)]
    pub group: GroupReport,
}

/// One bucket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketReport {
    /// Index in the pool.
    pub index: u32,
    /// The region it serves as saturation bucket, if it does.
    pub region: Option<String>,
    /// The inputs it serves, as bits of the first and last; none for a bucket that no input reaches.
    pub reached: Option<[String; 2]>,
    /// The floor of the fit.
    pub lower_bound_ulp: Option<f64>,
    /// The largest absolute error of its inputs, and where; none where no result is finite, and in reports of versions
    /// that did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_absolute: Option<Extreme>,
    /// Its statistics.
    #[serde(flatten)]
    pub group: GroupReport,
}

/// One special input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialReport {
    /// What it is: "+0", "quiet nan", ...
    pub input: String,
    /// How many bit patterns belong to it.
    pub inputs: u64,
    /// A bit pattern of it.
    pub bits: String,
    /// The result.
    pub got: String,
    /// What is right.
    pub want: String,
    /// Whether they agree (zeros of either sign do, and NaNs of any kind).
    pub ok: bool,
}

/// From where on a side gives its limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saturation {
    /// The side.
    pub negative: bool,
    /// The limit, as bits.
    pub limit: String,
    /// The input of least magnitude from which on every result is the limit; none if there is none.
    pub first: Option<String>,
    /// The input from which on the limit is the correctly rounded result.
    pub right: Option<String>,
}

/// Jumps of the error where neighbouring inputs are served by different cubics, in ulp.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seams {
    /// Between buckets of an octave.
    pub bucket: Seam,
    /// Between octaves.
    pub octave: Seam,
    /// Into or out of a region.
    pub region: Seam,
}

/// The seams of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// How many there are.
    pub count: u64,
    /// The largest jump: how far the step between the two results is from the step between the two true values.
    pub max_jump_ulp: f64,
    /// The input before it.
    pub at: Option<String>,
    /// How many of them step against the function's direction.
    pub non_monotone: u64,
}

/// Bits as `0x` and eight digits.
pub(crate) fn hex(bits: u32) -> String {
    format!("{bits:#010x}")
}

impl FunctionReport {
    /// A refusal of what it says.
    pub(crate) fn impossible(
        &self,
        field: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> ReportError {
        ReportError::Impossible {
            function: self.name.clone(),
            field: field.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}

impl Report {
    /// Reads what [`Report::to_json`] wrote, and nothing that no replay can find.
    ///
    /// # Errors
    /// See [`ReportError`].
    pub fn from_json(text: &str) -> Result<Self, ReportError> {
        /// The version first: other versions may have other keys. And what tells our other documents from a report.
        #[derive(Deserialize)]
        struct Head {
            schema_version: u32,
            shard: Option<IgnoredAny>,
            checks: Option<IgnoredAny>,
        }
        let head: Head = serde_json::from_str(text)?;
        if head.shard.is_some() {
            return Err(ReportError::Part);
        }
        if head.checks.is_some() {
            return Err(ReportError::GateResult);
        }
        if head.schema_version != SCHEMA_VERSION {
            return Err(ReportError::Version {
                found: head.schema_version,
            });
        }
        let report: Self = serde_json::from_str(text)?;
        let Metrics { ulp, steps } = &report.metrics;
        for (found, own) in [(ulp, REAL_METRIC), (steps, STEP_METRIC)] {
            if found != own {
                return Err(ReportError::Metric {
                    found: found.clone(),
                });
            }
        }
        report.check()?;
        Ok(report)
    }

    /// The report as JSON text, with a newline at the end.
    ///
    /// # Errors
    /// Only those of the serialiser.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }
}
