//! Whether the last release is of these sets, and nothing of it is gone.

use super::baseline::{Baseline, BaselineEntry, BaselineSet};
use super::codes::{Code, Level};
use super::plan::{GatedSet, Plan};
use super::result::{CheckResult, Finding, LimitResult, Source};

/// What is wrong with the release as a whole.
pub(super) fn against_release(
    plan: &Plan<'_>,
    baseline: &Baseline,
    checks: &[CheckResult],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_known = false;
    for old in baseline.sets() {
        match plan.sets.iter().find(|gated| gated.set.name == old.name) {
            Some(gated) => {
                is_known = true;
                findings.extend(against_set(gated, old, baseline, checks));
            }
            None => {
                let message = format!("set {} of the last release was not given", old.name);
                findings.push(of_set(old, Code::SetDropped, message));
            }
        }
    }
    if !is_known {
        let message = format!("{}: none of the sets is in it", baseline.origin);
        findings.push(Finding::new(Code::NothingCompared, Level::Error, message));
    }
    findings
}

fn against_set(
    gated: &GatedSet<'_>,
    old: &BaselineSet,
    baseline: &Baseline,
    checks: &[CheckResult],
) -> Vec<Finding> {
    let name = &old.name;
    let mut findings = Vec::new();
    for (field, before, now) in [
        ("target", &old.target, gated.set.target.to_string()),
        ("datapath", &old.datapath, gated.datapath.to_string()),
    ] {
        if *before != now {
            let message =
                format!("set {name}: the last release is for {field} {before}, this is for {now}");
            findings.push(of_set(old, Code::BaselineMismatch, message));
        }
    }
    let mut functions: Vec<&str> = Vec::new();
    for entry in baseline.entries(name) {
        if !functions.contains(&entry.function.as_str()) {
            functions.push(&entry.function);
        }
        if gated.set.function(&entry.function).is_some() {
            findings.extend(unmeasured(entry, old, checks));
        }
    }
    for function in functions {
        let finding = |code, message| Finding {
            function: Some(function.to_owned()),
            ..of_set(old, code, message)
        };
        if gated.set.function(function).is_none() {
            let message =
                format!("set {name} no longer holds {function}, which the last release had");
            findings.push(finding(Code::FunctionDropped, message));
            continue;
        }
        // A function that was made for another range or type cannot slip past the last release that way.
        let is_compared = checks.iter().any(|check| {
            let from_baseline = |limit: &LimitResult| limit.source == Source::Baseline;
            check.set == *name
                && check.function == function
                && check.limits.iter().any(from_baseline)
        });
        if !is_compared {
            let message = format!(
                "{function} of set {name}: the last release has no figures of what was measured now"
            );
            findings.push(finding(Code::NothingCompared, message));
        }
    }
    findings
}

/// A promise that the last release kept and that nobody asks for any more.
fn unmeasured(entry: &BaselineEntry, old: &BaselineSet, checks: &[CheckResult]) -> Option<Finding> {
    let is_measured = checks.iter().any(|check| {
        let is_function = check.set == entry.set && check.function == entry.function;
        let is_type = check.dtype == entry.dtype && check.input_dtype == entry.input_dtype;
        let is_over = check.range == entry.range && check.inputs == entry.inputs;
        is_function && is_type && is_over
    });
    let inputs = match &entry.range {
        Some([first, last]) => format!("{} from {first} to {last}", entry.input_dtype),
        None => format!("all {}", entry.input_dtype),
    };
    let message = format!(
        "{} of set {}: the last release has figures in {} over {inputs}, which no rule asks for",
        entry.function, entry.set, entry.dtype
    );
    (!is_measured).then(|| Finding {
        level: Level::Warning,
        function: Some(entry.function.clone()),
        dtype: Some(entry.dtype.clone()),
        ..of_set(old, Code::BaselineUnused, message)
    })
}

fn of_set(old: &BaselineSet, code: Code, message: String) -> Finding {
    Finding {
        set: Some(old.name.clone()),
        ..Finding::new(code, Level::Error, message)
    }
}
