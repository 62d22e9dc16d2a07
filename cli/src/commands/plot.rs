//! `actforge plot`: what a replay found, as pictures.

use std::path::{Path, PathBuf};

use actforge_reports::plot::{PlotError, PlotKind, PlotRequest, plot_report};
use actforge_reports::{Course, ReplayOptions, Report, replay};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::report::{courses, earlier};
use super::reports::{max_ulp_budgets, read_budgets, read_report, replay_failure};
use super::sets::{check_functions, read_set};
use crate::args::ReplayArguments;
use crate::atomic::check_directory;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;

/// Draw what a replay found, as PNG and SVG
///
/// Of each function: its error against the input (FUNCTION.png, .svg), the function with the results of its table and the
/// absolute error (FUNCTION-function), how many inputs have how large an error (FUNCTION-histogram), and where in an octave
/// the error is (FUNCTION-heat); with --against also the errors of both tables (FUNCTION-comparison). Maxima are those of
/// all inputs; nothing of them is sampled.
///
/// A set is replayed first, unless --report gives an earlier replay of it. A report alone is drawn in an instant, without
/// the plot of the function, for which its table is needed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge plot out -o plots
  actforge plot out --report report.json --budgets budgets.toml --data -o plots
  actforge plot report.json -o plots --function gelu --kind error
  actforge plot new.json --against old.json -o plots")]
pub(crate) struct Arguments {
    /// Directory of a set, or a report that `actforge replay --json FILE` wrote
    #[arg(value_name = "DIR|REPORT")]
    source: PathBuf,

    /// Directory for the pictures
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    out: PathBuf,

    /// Draw only this kind; may be given several times
    #[arg(long = "kind", value_name = "KIND", value_parser = kind_parser())]
    kinds: Vec<PlotKind>,

    /// Draw the set by this report of it instead of replaying
    #[arg(long, value_name = "REPORT", conflicts_with_all = ["datapath", "input", "output"])]
    report: Option<PathBuf>,

    /// The report of an older table to compare with
    #[arg(long, value_name = "REPORT")]
    against: Option<PathBuf>,

    /// A budgets file: the largest error that it allows is drawn as a line
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,

    /// Write what each picture shows beside it, as CSV and JSON
    #[arg(long)]
    data: bool,

    /// Print the paths of the files as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    replay: ReplayArguments,
}

/// A kind of plot by name.
fn kind_parser() -> impl TypedValueParser<Value = PlotKind> {
    PossibleValuesParser::new(PlotKind::ALL.map(PlotKind::as_str))
        .try_map(|name| name.parse::<PlotKind>())
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let source = &arguments.source;
    let older = arguments.against.as_deref().map(read_report).transpose()?;
    let budgets = arguments.budgets.as_deref().map(read_budgets).transpose()?;
    if older.is_none() && arguments.kinds == [PlotKind::Comparison] {
        return Err(Failure::usage(
            "--kind comparison needs another report to compare with",
            "give it with --against",
        ));
    }
    let is_set = source.is_dir() || arguments.report.is_some() && !source.is_file();
    let (report, courses) = if is_set {
        of_set(arguments)?
    } else {
        (of_report(arguments)?, Vec::new())
    };
    let request = PlotRequest {
        kinds: arguments.kinds.clone(),
        courses: &courses,
        older: older.as_ref(),
        budgets: budgets.map_or_else(Vec::new, |budgets| max_ulp_budgets(&budgets, &report)),
        with_data: arguments.data,
    };
    let drawn = plot_report(&report, &request, &arguments.out)
        .map_err(|error| plot_failure(source, error))?;
    output.files(&drawn, arguments.json)?;
    Ok(Exit::Success)
}

/// Replays a set, or reads its report, and follows the functions.
fn of_set(arguments: &Arguments) -> Result<(Report, Vec<Course>), Failure> {
    let source = &arguments.source;
    let options = arguments.replay.options();
    let set = read_set(source)?;
    check_functions(&set, &options.functions)?;
    let report = match &arguments.report {
        Some(path) => chosen(path, earlier(path, &set)?, &options.functions)?,
        None => {
            check_directory(&arguments.out)?;
            let progress = Progress::new();
            replay(&set, &options, &progress.of_replay())
                .map_err(|error| replay_failure(source, &error))?
        }
    };
    check_directory(&arguments.out)?;
    let courses = courses(source, &set, &report)?;
    Ok((report, courses))
}

fn of_report(arguments: &Arguments) -> Result<Report, Failure> {
    let options = arguments.replay.options();
    check_options(&options)?;
    if arguments.report.is_some() {
        return Err(Failure::usage(
            "--report is for sets, and a report is given already",
            "give the directory of the set, or leave --report out",
        ));
    }
    if arguments.kinds == [PlotKind::Function] {
        return Err(Failure::usage(
            "--kind function needs the table itself: a report does not hold it",
            "give the directory of the set, and the report with --report",
        ));
    }
    let source = &arguments.source;
    let report = chosen(source, read_report(source)?, &options.functions)?;
    check_directory(&arguments.out)?;
    Ok(report)
}

/// The named functions of a report; all when none is named.
pub(super) fn chosen(path: &Path, mut report: Report, names: &[String]) -> Result<Report, Failure> {
    let is_held = |name: &&String| report.functions.iter().any(|found| found.name == **name);
    if let Some(missing) = names.iter().find(|name| !is_held(name)) {
        return Err(Failure::usage(
            format!("{}: the report has no function `{missing}`", path.display()),
            "leave out --function to draw them all",
        ));
    }
    report
        .functions
        .retain(|function| names.is_empty() || names.contains(&function.name));
    Ok(report)
}

/// A picture that could not be drawn.
fn plot_failure(source: &Path, error: PlotError) -> Failure {
    match error {
        PlotError::Write { .. } => {
            Failure::invalid(error, "is there space, and may files be made there?")
        }
        PlotError::Font { .. }
        | PlotError::Drawing { .. }
        | PlotError::Encoding(_)
        | PlotError::Csv(_) => Failure::internal(error),
        // Whatever else is wrong is wrong with the report.
        error => Failure::invalid(
            format!("{}: {error}", source.display()),
            "the report was edited; replay the set again",
        ),
    }
}

/// Options of a replay say nothing about a report.
fn check_options(options: &ReplayOptions) -> Result<(), Failure> {
    let set = ReplayOptions {
        functions: options.functions.clone(),
        ..ReplayOptions::default()
    };
    if *options == set {
        return Ok(());
    }
    Err(Failure::usage(
        "--datapath, --input and --output are for sets: a report is already measured",
        "give the directory of the set, or leave these options out",
    ))
}
