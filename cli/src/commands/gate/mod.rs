//! `actforge gate`: whether the sets of a release keep what was promised of them.

mod baseline;
mod explain;
mod measure;
mod outputs;
mod text;
mod update;

use std::path::{Path, PathBuf};

use actforge_reports::budget::{BudgetError, Budgets, SCHEMA};
use actforge_reports::document::read_text;
use actforge_reports::gate::{Circumstances, GateResult, GatedSet, Plan, judge};
use actforge_tables::FunctionSet;
use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;

pub(super) use self::baseline::{LastRelease, read as last_release};
use self::outputs::{OutputArguments, Outputs};
pub(super) use self::text::show;
use super::reports::{read_text as read_stored, replay_failure};
use super::sets::read_set;
use crate::args::DatapathArgument;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Check the sets of a release against budgets and the last release: exit code 0 for PASS, 1 for FAIL
///
/// Each rule of the budgets file is held against a replay over every input it covers (or a stored report of exactly
/// that); --baseline demands besides that no figure is worse than in the last release. A limit that is not kept is
/// shown with an input that shows it, its result and the right one, and a command that shows it again. NaN results and
/// wrong special inputs fail whatever the limits are.
///
/// The gate also fails when a function has no rule, when a rule covers nothing, when a waiver has expired, and when
/// there was nothing to check or to compare. Sets and reports are verified before anything is judged.
#[derive(Debug, Args)]
#[command(after_help = "\
A budgets file:
  [[rule]]                  # for every function
  function = \"*\"
  max_ulp = 1.0

  [[rule]]                  # wins over the rule above, limit by limit
  function = \"tanh\"
  max_ulp = 0.6
  min_correctly_rounded = 0.8
  symmetry = \"odd\"

  [[waiver]]                # lifts one limit for a while
  id = \"GELU-12\"
  function = \"gelu\"
  limit = \"max_ulp\"
  ceiling = 1.3
  reason = \"waits for the new layout\"
  owner = \"tables team\"
  expires = 2030-12-31

Every key is explained in docs/gate.md, and --schema prints a JSON Schema for editors.

Examples:
  actforge gate out --budgets budgets.toml
  actforge gate core attention --budgets budgets.toml --baseline last/ --junit gate.xml --json gate.json
  actforge gate out --budgets budgets.toml --explain
  actforge gate out --budgets budgets.toml --report report.json --report-only
  actforge gate --from gate.json --sarif gate.sarif")]
pub(crate) struct Arguments {
    /// Directories of the sets
    #[arg(value_name = "DIR", required_unless_present_any = ["from", "schema"])]
    sets: Vec<PathBuf>,

    /// The budgets file
    #[arg(long, value_name = "FILE", required_unless_present_any = ["from", "schema"])]
    budgets: Option<PathBuf>,

    /// A file with more waivers, and nothing else
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,

    /// The last release: a stored report or gate result, or a directory with some of them; no figure may be worse
    #[arg(long, value_name = "DIR|FILE")]
    baseline: Option<PathBuf>,

    /// Use this stored report where it answers a rule; may be given several times, each must be of one of the sets
    #[arg(long = "report", value_name = "FILE", conflicts_with = "datapath")]
    reports: Vec<PathBuf>,

    /// Replay nothing: what no stored report answers is an error
    #[arg(long, requires = "reports")]
    report_only: bool,

    /// Hold waivers against this day instead of today (UTC)
    #[arg(long, value_name = "DATE")]
    as_of: Option<Date>,

    #[command(flatten)]
    datapath: DatapathArgument,

    /// Say which rule gives each limit, and measure nothing
    #[arg(
        long,
        conflicts_with_all = ["baseline", "update", "reports", "json", "junit", "sarif", "markdown", "github"]
    )]
    explain: bool,

    /// Tighten the limits of the budgets file to what was measured, in place; never in CI
    #[arg(long)]
    update: bool,

    /// Write the outputs of a stored result (--json) again, instead of gating
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["sets", "budgets", "waivers", "baseline", "reports", "as_of", "datapath", "explain", "update"]
    )]
    from: Option<PathBuf>,

    /// Print the JSON Schema of budgets files
    #[arg(long, exclusive = true)]
    schema: bool,

    #[command(flatten)]
    outputs: OutputArguments,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.schema {
        output.text(SCHEMA.as_bytes())?;
        return Ok(Exit::Success);
    }
    if let Some(path) = &arguments.from {
        let outputs = Outputs::check(&arguments.outputs)?;
        let result = stored(path)?;
        outputs.write(&result, output)?;
        return Ok(verdict(&result));
    }
    let Some(file) = &arguments.budgets else {
        return Err(Failure::internal("a gate without budgets"));
    };
    if arguments.update && in_ci() {
        return Err(Failure::usage(
            "--update does not work where CI is set: a pipeline must not change what it is judged by",
            "run it on your machine, and commit the file",
        ));
    }
    let sets = read_sets(&arguments.sets)?;
    let text = read_text(file).map_err(|error| refused(error.into()))?;
    let budgets = read_budgets(file, &text, arguments.waivers.as_deref())?;
    let gated = sets.iter().map(|(directory, set)| GatedSet {
        directory,
        set,
        datapath: arguments.datapath.datapath.unwrap_or(set.datapath),
    });
    let failed = |error| replay_failure(arguments.sets.first().unwrap_or(file), &error);
    let plan = Plan::new(gated.collect(), &budgets).map_err(failed)?;
    if arguments.explain {
        explain::show(&plan, output)?;
        return Ok(Exit::Success);
    }
    let outputs = Outputs::check(&arguments.outputs)?;
    let rewritten = arguments.update.then(|| update::check(file)).transpose()?;
    let baseline = arguments
        .baseline
        .as_deref()
        .map(baseline::read)
        .transpose()?;
    let judged_by = [Some(file), arguments.waivers.as_ref()].into_iter();
    let judged_by = judged_by.flatten().chain(&arguments.reports);
    let earlier = baseline.iter().flat_map(|last| &last.files);
    let judged_by: Vec<PathBuf> = judged_by.chain(earlier).cloned().collect();
    outputs.check_apart(&judged_by)?;
    let reports = measure::reports(&plan, &arguments.reports, arguments.report_only)?;
    let circumstances = Circumstances {
        as_of: arguments.as_of.unwrap_or_else(today),
        in_ci: in_ci(),
    };
    let baseline = baseline.as_ref().map(|last| &last.baseline);
    let result = judge(&plan, &reports, baseline, circumstances).map_err(failed)?;
    outputs.write(&result, output)?;
    if let Some(rewritten) = rewritten {
        update::tighten(&plan, &result, &text, &rewritten, output)?;
    }
    Ok(verdict(&result))
}

fn verdict(result: &GateResult) -> Exit {
    if result.passed {
        Exit::Success
    } else {
        Exit::Failed
    }
}

/// The sets with their directories as the user named them. Two of one name could not be told apart by rules.
fn read_sets(directories: &[PathBuf]) -> Result<Vec<(String, FunctionSet)>, Failure> {
    let mut sets: Vec<(String, FunctionSet)> = Vec::new();
    for directory in directories {
        let set = read_set(directory)?;
        let directory = directory.display().to_string();
        if let Some((first, _)) = sets.iter().find(|(_, other)| other.name == set.name) {
            return Err(Failure::usage(
                format!("{first} and {directory} both hold a set {}", set.name),
                "the sets of a release have different names",
            ));
        }
        sets.push((directory, set));
    }
    Ok(sets)
}

/// Budgets with the waivers of another file.
pub(super) fn read_budgets(
    file: &Path,
    text: &str,
    waivers: Option<&Path>,
) -> Result<Budgets, Failure> {
    let budgets = Budgets::parse(&file.display().to_string(), text);
    let mut budgets = budgets.map_err(|error| refused(error.into()))?;
    if let Some(waivers) = waivers {
        budgets.read_waivers(waivers).map_err(refused)?;
    }
    Ok(budgets)
}

pub(super) fn refused(error: BudgetError) -> Failure {
    Failure::invalid(
        error,
        "`actforge gate --help` shows a budgets file, docs/gate.md every key",
    )
}

/// Reads a stored result.
fn stored(path: &Path) -> Result<GateResult, Failure> {
    const HINT: &str = "expected a file that `actforge gate --json FILE` wrote";
    GateResult::from_json(&read_stored(path, HINT)?)
        .map_err(|error| Failure::invalid(format!("{}: {error}", path.display()), HINT))
}

/// Whether this is an automatic run, by the variable that every CI system sets.
fn in_ci() -> bool {
    std::env::var_os("CI")
        .is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// The day, in UTC.
pub(super) fn today() -> Date {
    jiff::Timestamp::now()
        .to_zoned_datetime(TimeZone::UTC)
        .date()
}
