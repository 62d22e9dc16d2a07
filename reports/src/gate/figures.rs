//! The figures of a report that have limits.

use std::collections::BTreeMap;

use crate::budget::Limit;
use crate::report::{Extreme, FunctionReport, from_hex};

/// The figures of a function: `None` where one is infinite, no entry where it was not measured.
pub(super) type Figures = BTreeMap<Limit, Option<f64>>;

/// Everything that a report says of what can be limited.
pub(super) fn figures(report: &FunctionReport) -> Figures {
    let violations = &report.violations;
    // An infinity one step from the right result is a rounding at the threshold of overflow, no fault.
    let is_infinite = violations.infinite_results > 0 && report.max_steps > 1;
    let has_bad_results = violations.nan_results > 0 || is_infinite;
    let is_exact = report.max_ulp == Some(0.0);
    // The reports leave out results that are NaN or infinite, which have no absolute error: that is no reason to pass.
    let largest = |extreme: &Option<Extreme>| match extreme {
        _ if has_bad_results => Some(None),
        Some(extreme) => Some(Some(extreme.error)),
        None => is_exact.then_some(Some(0.0)),
    };
    let count = |count: u64| Some(Some(count as f64));
    let is_fp32 = report.input_dtype == "fp32";
    let over_fp32 = |value: Option<Option<f64>>| value.filter(|_| is_fp32);
    let wrong = report.special.iter().filter(|special| !special.ok).count() as u64;
    let saturated = |negative: bool| {
        let side = report
            .saturation
            .iter()
            .find(|side| side.negative == negative)?;
        Some(side.first.as_deref().and_then(from_hex).map(f64::from))
    };
    [
        (Limit::NanResults, count(violations.nan_results)),
        (Limit::Special, count(wrong)),
        (Limit::MaxUlp, Some(report.max_ulp)),
        (
            Limit::MaxSteps,
            // Between a NaN and a number there are no steps: the report has the most that there can be.
            Some((report.max_steps != u64::MAX).then_some(report.max_steps as f64)),
        ),
        // The mean leaves out results that have no error, so it says nothing where there are any.
        (
            Limit::MeanUlp,
            Some(report.max_ulp.map(|_| report.mean_ulp)),
        ),
        (
            Limit::MinCorrectlyRounded,
            Some(Some(report.correctly_rounded)),
        ),
        (Limit::MaxAbs, largest(&report.max_absolute)),
        (Limit::MaxRel, largest(&report.max_relative)),
        (
            Limit::MaxNonMonotone,
            over_fp32(count(violations.non_monotone)),
        ),
        (Limit::Symmetry, over_fp32(count(violations.asymmetric))),
        (Limit::Bounds, count(violations.out_of_range)),
        (Limit::SaturatedAbove, saturated(false)),
        (Limit::SaturatedBelow, saturated(true)),
        (Limit::MaxBuckets, count(report.buckets.into())),
        (Limit::MaxControlWords, count(report.control_words.into())),
    ]
    .into_iter()
    .filter_map(|(limit, value)| Some((limit, value?)))
    .collect()
}
