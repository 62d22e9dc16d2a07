//! `actforge gate`: whether a set keeps its budgets.

mod verdict;

use std::path::{Path, PathBuf};

use actforge_reports::budget::Budgets;
use actforge_reports::report::Report;
use actforge_reports::{ReplayOptions, replay};
use actforge_tables::FunctionSet;
use clap::Args;

use self::verdict::Gate;
use super::reports::{read_report, replay_failure};
use super::sets::read_set;
use crate::args::{DatapathArgument, InputArgument};
use crate::atomic::check_all;
use crate::exit::{Exit, Failure};
use crate::output::{Output, json_text};
use crate::progress::Progress;

/// Check a set against budgets: exit code 0 for PASS, 1 for FAIL
///
/// The functions that have a budget are replayed over every input; each limit is shown with what was measured and the
/// margin. A function fails when it exceeds a limit, when a result is NaN where a number is right, or when a special
/// input (zeros, infinities, NaNs) gives a wrong result. The gate fails as a whole when a function does, when a budget
/// names a function that the set does not hold, and when there was nothing to check. Functions of the set without a
/// budget are named, but do not fail.
#[derive(Debug, Args)]
#[command(after_help = "\
A budgets file:
  [default]                 # optional: for every function without a table of its own
  max_ulp = 1.0

  [function.tanh]           # replaces the default for tanh
  max_ulp = 1.0
  mean_ulp = 0.3
  max_buckets = 256
  min_correctly_rounded = 0.8

Examples:
  actforge gate out --budgets budgets.toml
  actforge gate out --budgets budgets.toml --report report.json --json gate.json")]
pub(crate) struct Arguments {
    /// Directory of the set
    #[arg(value_name = "DIR")]
    set: PathBuf,

    /// The budgets file
    #[arg(long, value_name = "FILE")]
    budgets: PathBuf,

    /// Judge by this report instead of replaying; it must be one of this set
    #[arg(long, value_name = "FILE", conflicts_with_all = ["datapath", "input"])]
    report: Option<PathBuf>,

    #[command(flatten)]
    datapath: DatapathArgument,

    #[command(flatten)]
    input: InputArgument,

    /// Write the verdicts as JSON to FILE; `-` is standard output, without the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let set = read_set(&arguments.set)?;
    let budgets = Budgets::read(&arguments.budgets)
        .map_err(|error| Failure::invalid(error, "`actforge gate --help` shows a budgets file"))?;
    let [json] = check_all([arguments.json.as_deref()])?;
    let names: Vec<&str> = set
        .functions
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    let checked: Vec<String> = names
        .iter()
        .filter(|name| budgets.limits(name).is_some())
        .map(|name| (*name).to_owned())
        .collect();
    let report = match &arguments.report {
        Some(path) => {
            let report = read_report(path)?;
            check_report(path, &report, &set, &checked)?;
            Some(report)
        }
        // No names would mean all functions.
        None if checked.is_empty() => None,
        None => {
            let options = ReplayOptions {
                functions: checked.clone(),
                datapath: arguments.datapath.datapath,
                input: arguments.input.input,
                ..ReplayOptions::default()
            };
            let progress = Progress::new();
            let replayed = replay(&set, &options, &progress.of_replay());
            Some(replayed.map_err(|error| replay_failure(&arguments.set, &error))?)
        }
    };
    let measured = report.map_or_else(Vec::new, |report| report.functions);
    let gate = Gate::judge(&set, &budgets, &arguments.budgets, &measured);
    if let Some(json) = &json {
        json.write(json_text(&gate.as_json())?.as_bytes(), output)?;
    }
    if !json.is_some_and(|json| json.is_stdout()) {
        gate.show(output)?;
    }
    Ok(if gate.passes() {
        Exit::Success
    } else {
        Exit::Failed
    })
}

/// A report of another set, or of an older build of this one, proves nothing.
pub(super) fn check_report(
    path: &Path,
    report: &Report,
    set: &FunctionSet,
    checked: &[String],
) -> Result<(), Failure> {
    let same = |field: &str, expected: &str, found: &str| {
        if expected == found {
            return Ok(());
        }
        Err(Failure::invalid(
            format!(
                "{}: not a report of this set: {field}: expected {expected}, found {found}",
                path.display()
            ),
            "replay the set again, or leave out --report",
        ))
    };
    same("set", &set.name, &report.set)?;
    same("target", set.target.as_str(), &report.target)?;
    same("datapath", set.datapath.as_str(), &report.datapath)?;
    for function in &report.functions {
        let held = set
            .function(&function.name)
            .map_or("none", |entry| entry.name.as_str());
        same("function", held, &function.name)?;
    }
    for name in checked {
        let found = report
            .functions
            .iter()
            .find(|function| function.name == *name);
        let (Some(entry), Some(found)) = (set.function(name), found) else {
            return same("functions", name, "a report without it");
        };
        let field = |field: &str| format!("{name}: {field}");
        same(
            &field("func_id"),
            &entry.func_id.to_string(),
            &found.func_id.to_string(),
        )?;
        same(
            &field("dtype"),
            entry.notes.dtype.as_deref().unwrap_or("fp32"),
            &found.dtype,
        )?;
        // The octaves' buckets are in the report whether inputs reach them or not; saturation buckets only if so.
        let rows = |is_own: bool| {
            let rows = found.bucket_rows.iter().map(|row| row.index as usize);
            rows.filter(move |index| entry.buckets.contains(index) == is_own)
        };
        same(
            &field("buckets of octaves"),
            &entry.buckets.len().to_string(),
            &rows(true).count().to_string(),
        )?;
        let foreign = rows(false).find(|index| !entry.saturation.contains(index));
        let foreign = foreign.map_or_else(|| "none".to_owned(), |index| format!("bucket {index}"));
        same(&field("buckets that are not its own"), "none", &foreign)?;
    }
    Ok(())
}
