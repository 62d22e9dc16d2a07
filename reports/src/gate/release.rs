//! Whether the last release is of these sets, and nothing of it is gone.

use super::baseline::{Baseline, BaselineSet};
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
    let mut dropped: Vec<&str> = baseline
        .entries(name)
        .map(|entry| entry.function.as_str())
        .filter(|function| gated.set.function(function).is_none())
        .collect();
    dropped.dedup();
    for function in dropped {
        let message = format!("set {name} no longer holds {function}, which the last release had");
        findings.push(Finding {
            function: Some(function.to_owned()),
            ..of_set(old, Code::FunctionDropped, message)
        });
    }
    let is_compared = checks.iter().any(|check| {
        let from_baseline = |limit: &LimitResult| limit.source == Source::Baseline;
        check.set == *name && check.limits.iter().any(from_baseline)
    });
    if !is_compared {
        let message =
            format!("set {name}: the last release has no figures of what was measured now");
        findings.push(of_set(old, Code::NothingCompared, message));
    }
    findings
}

fn of_set(old: &BaselineSet, code: Code, message: String) -> Finding {
    Finding {
        set: Some(old.name.clone()),
        ..Finding::new(code, Level::Error, message)
    }
}
