//! What can be limited: one name for each figure, used as key of the budgets file, in baselines and in results.

use serde::{Deserialize, Serialize};

use crate::number::six_decimals;

/// A figure with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Results that are NaN where a number is right. Nobody has to ask for this one: none is allowed.
    NanResults,
    /// Zeros, infinities and NaNs as input: how many of them give another result than the right one, or than the one
    /// that the budget states. Always checked as well.
    Special,
    /// The largest error, in ulp of the output type.
    MaxUlp,
    /// The most representable numbers between a result and the correctly rounded one.
    MaxSteps,
    /// The mean error, in ulp of the output type.
    MeanUlp,
    /// The least share of correctly rounded results, 0 to 1.
    MinCorrectlyRounded,
    /// The largest absolute error.
    MaxAbs,
    /// The largest relative error over normal true values.
    MaxRel,
    /// Steps against the function's direction between neighbouring inputs.
    MaxNonMonotone,
    /// Inputs whose mirror image does not give the mirrored result.
    Symmetry,
    /// Results outside of the bounds.
    Bounds,
    /// Stated points whose result is another one.
    Exact,
    /// The input from which upward every result is the function's limit.
    SaturatedAbove,
    /// The input from which downward every result is the function's limit.
    SaturatedBelow,
    /// Buckets, saturation buckets included.
    MaxBuckets,
    /// Control words.
    MaxControlWords,
}

impl Limit {
    /// Every limit, in the order of results.
    pub const ALL: [Self; 16] = [
        Self::NanResults,
        Self::Special,
        Self::MaxUlp,
        Self::MaxSteps,
        Self::MeanUlp,
        Self::MinCorrectlyRounded,
        Self::MaxAbs,
        Self::MaxRel,
        Self::MaxNonMonotone,
        Self::Symmetry,
        Self::Bounds,
        Self::Exact,
        Self::SaturatedAbove,
        Self::SaturatedBelow,
        Self::MaxBuckets,
        Self::MaxControlWords,
    ];

    /// The key of the budgets file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::NanResults => "nan_results",
            Self::Special => "special",
            Self::MaxUlp => "max_ulp",
            Self::MaxSteps => "max_steps",
            Self::MeanUlp => "mean_ulp",
            Self::MinCorrectlyRounded => "min_correctly_rounded",
            Self::MaxAbs => "max_abs",
            Self::MaxRel => "max_rel",
            Self::MaxNonMonotone => "max_non_monotone",
            Self::Symmetry => "symmetry",
            Self::Bounds => "bounds",
            Self::Exact => "exact",
            Self::SaturatedAbove => "saturated_above",
            Self::SaturatedBelow => "saturated_below",
            Self::MaxBuckets => "max_buckets",
            Self::MaxControlWords => "max_control_words",
        }
    }

    /// What the figure is, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::NanResults => "results that are NaN where a number is right",
            Self::Special => "special inputs with a wrong result",
            Self::MaxUlp => "largest error in ulp",
            Self::MaxSteps => "most steps from the correctly rounded result",
            Self::MeanUlp => "mean error in ulp",
            Self::MinCorrectlyRounded => "share of correctly rounded results",
            Self::MaxAbs => "largest absolute error",
            Self::MaxRel => "largest relative error",
            Self::MaxNonMonotone => "steps against the function's direction",
            Self::Symmetry => "inputs whose mirror image does not give the mirrored result",
            Self::Bounds => "results outside of the bounds",
            Self::Exact => "exact points with another result",
            Self::SaturatedAbove => "input from which upward every result is the limit",
            Self::SaturatedBelow => "input from which downward every result is the limit",
            Self::MaxBuckets => "buckets",
            Self::MaxControlWords => "control words",
        }
    }

    /// Whether more is better: a limit from below.
    pub const fn is_at_least(self) -> bool {
        matches!(self, Self::MinCorrectlyRounded | Self::SaturatedBelow)
    }

    /// Whether the figure is a count, so a whole number.
    pub const fn is_count(self) -> bool {
        !matches!(
            self,
            Self::MaxUlp
                | Self::MeanUlp
                | Self::MinCorrectlyRounded
                | Self::MaxAbs
                | Self::MaxRel
                | Self::SaturatedAbove
                | Self::SaturatedBelow
        )
    }

    /// Whether the budgets file states a number for it, which can be tightened.
    pub const fn is_number(self) -> bool {
        !matches!(
            self,
            Self::NanResults | Self::Special | Self::Symmetry | Self::Bounds | Self::Exact
        )
    }

    /// Whether `measured` keeps `allowed`; a NaN keeps nothing.
    pub fn keeps(self, measured: f64, allowed: f64) -> bool {
        if self.is_at_least() {
            measured >= allowed
        } else {
            measured <= allowed
        }
    }

    /// How much is left of `allowed`; negative when it is exceeded.
    pub fn margin(self, measured: f64, allowed: f64) -> f64 {
        if self.is_at_least() {
            measured - allowed
        } else {
            allowed - measured
        }
    }

    /// The number as people read it: whole for counts, six decimals for ulps and shares (more where six
    /// would hide what is there), and all digits of the others.
    pub fn shown(self, value: f64) -> String {
        match self {
            Self::MaxUlp | Self::MeanUlp | Self::MinCorrectlyRounded => six_decimals(value),
            // Inputs are binary32 numbers: their shortest decimals are.
            Self::SaturatedAbove | Self::SaturatedBelow => (value as f32).to_string(),
            Self::MaxAbs | Self::MaxRel if value != 0.0 && value.is_finite() => {
                format!("{value:e}")
            }
            _ => value.to_string(),
        }
    }
}
