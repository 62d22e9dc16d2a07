//! `--update`: limits of the budgets file brought down to what was measured.

use std::path::Path;

use actforge_reports::budget::tighten as tightened;
use actforge_reports::gate::{GateResult, Plan, tightenings};

use crate::atomic::OutputFile;
use crate::exit::Failure;
use crate::output::Output;

/// Checks that the budgets file can be written, before the work starts.
pub(super) fn check(file: &Path) -> Result<OutputFile, Failure> {
    OutputFile::check(file)
}

/// Writes the budgets file with every limit tightened that leaves something, and says which.
pub(super) fn tighten(
    plan: &Plan<'_>,
    result: &GateResult,
    text: &str,
    file: &OutputFile,
    output: &mut Output,
) -> Result<(), Failure> {
    let name = &plan.budgets.file;
    let changes = tightenings(plan, result);
    if changes.is_empty() {
        return output.line(format!("{name}: no limit can be tightened"));
    }
    let edited =
        tightened(text, &changes).map_err(|error| Failure::internal(format!("{name}: {error}")))?;
    file.write(edited.as_bytes(), output)?;
    for change in &changes {
        let line = plan.budgets.rules.get(change.rule).and_then(|rule| {
            let mut given = rule.given.iter();
            given.find(|given| given.limit == change.limit)
        });
        output.line(format!(
            "{name}:{}: {} = {} tightened to {}",
            line.map_or(0, |given| given.line),
            change.limit.key(),
            change.from,
            change.to
        ))?;
    }
    Ok(())
}
