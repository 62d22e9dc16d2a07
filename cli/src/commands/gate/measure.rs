//! The reports that a gate judges by: stored ones where they are of exactly what is asked, replays for the rest.

use std::path::{Path, PathBuf};

use actforge_reports::gate::{Check, Plan};
use actforge_reports::report::{FunctionReport, Report};
use actforge_reports::{ReportError, replay};

use crate::commands::reports::{read_report, replay_failure, report_failure};
use crate::exit::Failure;
use crate::progress::Progress;

/// One report for each check of the plan.
pub(super) fn reports(
    plan: &Plan<'_>,
    files: &[PathBuf],
    stored_only: bool,
) -> Result<Vec<FunctionReport>, Failure> {
    let mut stored = Vec::new();
    for path in files {
        let report = read_report(path)?;
        check_report(plan, path, &report)?;
        stored.push(report);
    }
    let progress = Progress::new();
    let mut found = Vec::new();
    for check in &plan.checks {
        let answer = stored.iter().find_map(|report| plan.answer(check, report));
        found.push(match answer {
            Some(answer) => answer.clone(),
            None if stored_only => return Err(missing(plan, check)),
            None => measure(plan, check, &progress)?,
        });
    }
    Ok(found)
}

fn measure(
    plan: &Plan<'_>,
    check: &Check<'_>,
    progress: &Progress,
) -> Result<FunctionReport, Failure> {
    let Some(gated) = plan.sets.get(check.set) else {
        return Err(Failure::internal(format!("no set {}", check.set)));
    };
    let report = replay(gated.set, &plan.options(check), &progress.of_replay());
    let report = report.map_err(|error| replay_failure(Path::new(gated.directory), &error))?;
    let function = report.functions.into_iter().next();
    function.ok_or_else(|| Failure::internal("a replay without a function"))
}

/// A report of another set, or of another build of this one, proves nothing; nor does one that says of these tables what
/// is not so.
fn check_report(plan: &Plan<'_>, path: &Path, report: &Report) -> Result<(), Failure> {
    let failed = |error| report_failure(path, &error);
    let of_name = plan.sets.iter().find(|gated| gated.set.name == report.set);
    match of_name {
        Some(gated) => report
            .check_against(gated.set, gated.datapath)
            .map_err(failed),
        None => {
            let names = plan.sets.iter().map(|gated| gated.set.name.as_str());
            Err(failed(ReportError::OfOther {
                field: "set",
                expected: names.collect::<Vec<_>>().join(" or "),
                found: report.set.clone(),
            }))
        }
    }
}

fn missing(plan: &Plan<'_>, check: &Check<'_>) -> Failure {
    let (name, directory) = plan
        .sets
        .get(check.set)
        .map_or(("", ""), |gated| (gated.set.name.as_str(), gated.directory));
    let (function, dtype) = (&check.entry.name, check.dtype.name());
    let range = match check.inputs.range {
        Some([low, high]) => format!(" --range {low:?},{high:?}"),
        None => String::new(),
    };
    Failure::invalid(
        format!(
            "no stored report of {function} of set {name}, {dtype}, over {}",
            check.inputs
        ),
        format!(
            "`actforge replay {directory} --function {function} --input {} --output {dtype}{range} --json FILE` makes it",
            check.inputs.dtype.name()
        ),
    )
}
