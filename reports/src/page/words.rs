//! What the words of a page mean.

use super::{Definition, SetPart};
use crate::report::Metrics;

/// The words in the order in which a reader meets them. The two definitions of an error are those of the reports.
pub(super) fn words(parts: &[SetPart<'_>]) -> Vec<Definition> {
    let default = Metrics::default();
    let metrics = parts.first().map_or(&default, |part| &part.report.metrics);
    let fixed = [
        ("ulp", metrics.ulp.as_str()),
        ("steps", metrics.steps.as_str()),
        (
            "bucket",
            "a cubic and its breakpoint: one entry of the pool. It serves part of an octave, or a region as saturation bucket.",
        ),
        (
            "octave",
            "inputs of one sign and exponent: magnitudes from a power of two to the next.",
        ),
        (
            "region",
            "inputs below or above thresholds of the profile, which one saturation bucket serves.",
        ),
        (
            "floor",
            "0.5 and the proven minimax error of the worst bucket: what no cubics on the same buckets can be expected to beat.",
        ),
        (
            "correctly rounded",
            "the share of results that are the number of the output type nearest to the true value.",
        ),
        (
            "decided in MPFR",
            "inputs that were too close to call with the fast reference, and were settled with as many digits as it took.",
        ),
        (
            "seam",
            "two neighbouring inputs that different cubics serve; its jump is how far the step between the results is from that between the true values.",
        ),
    ];
    let words = fixed.map(|(word, meaning)| (word.to_owned(), meaning.to_owned()));
    words.to_vec()
}
