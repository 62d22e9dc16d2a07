//! What a plot is about, in its heading and in its data.

use serde_json::{Value, json};

use super::number;
use crate::report::{FunctionReport, Report};

/// The function of a report, for the data of a plot.
pub(super) fn about(report: &Report, function: &FunctionReport) -> Vec<(&'static str, Value)> {
    vec![
        ("set", json!(report.set)),
        ("target", json!(report.target)),
        ("datapath", json!(report.datapath)),
        ("function", json!(function.name)),
        ("dtype", json!(function.dtype)),
        ("input_dtype", json!(function.input_dtype)),
        ("inputs", json!(function.inputs)),
    ]
}

/// The line of facts below the title.
pub(super) fn facts(report: &Report, function: &FunctionReport) -> String {
    let mut facts = vec![format!("set {}, target {}", report.set, report.target)];
    let words = |count: u32, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    facts.push(format!(
        "{}, {}",
        words(function.buckets, "bucket", "buckets"),
        words(function.control_words, "control word", "control words")
    ));
    if let Some(floor) = function.lower_bound_ulp {
        facts.push(format!("floor {} ulp", number::ulp(floor)));
    }
    facts.push(format!("mean {} ulp", number::ulp(function.mean_ulp)));
    facts.push(format!(
        "{} correctly rounded",
        number::percentage(function.correctly_rounded)
    ));
    facts.push(format!(
        "{} {} inputs",
        number::grouped(function.inputs),
        function.input_dtype
    ));
    facts.join(" \u{b7} ")
}
