//! `actforge report`: sets and what their replay found, as one web page.

use std::path::{Path, PathBuf};

use actforge_reports::budget::Budgets;
use actforge_reports::page::{PageError, SetPart, report_page};
use actforge_reports::{Course, ReplayOptions, Report, course, replay};
use actforge_tables::FunctionSet;
use clap::Args;

use super::histogram::GivenHistogram;
use super::plot::chosen;
use super::reports::{max_ulp_budgets, read_budgets, read_report, replay_failure, report_failure};
use super::sets::{check_functions, read_set};
use crate::args::{HistogramArgument, ReplayArguments};
use crate::atomic::OutputFile;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;

/// Write sets and their errors as one web page
///
/// The page is one file that loads nothing: a summary, and for each function its plots, octaves, buckets, special
/// inputs, seams, saturation and profile words, what the set takes of its target, where everything comes from
/// (versions, hashes, definitions) and the command that gives each number again. It reads without scripts; with them
/// tables sort and plots name the bucket under the pointer.
///
/// Each set is replayed over every input first, unless --replay gives the report of an earlier replay.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge report out -o report.html
  actforge report out --replay report.json --budgets budgets.toml -o report.html
  actforge report out/core out/extra -o both.html")]
pub(crate) struct Arguments {
    /// Directories of the sets
    #[arg(value_name = "DIR", required = true)]
    sets: Vec<PathBuf>,

    /// The page; `-` is standard output
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    out: PathBuf,

    /// A report that `actforge replay --json FILE` wrote, instead of a replay; once for each set, in the same order
    #[arg(long = "replay", value_name = "REPORT", conflicts_with_all = ["datapath", "input", "output", "range"])]
    replays: Vec<PathBuf>,

    #[command(flatten)]
    replay: ReplayArguments,

    #[command(flatten)]
    histogram: HistogramArgument,

    /// A budgets file: the largest error that it allows is shown beside what was measured
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,

    /// Print the path of the page as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let Arguments {
        sets: paths,
        replays,
        ..
    } = arguments;
    if !replays.is_empty() && replays.len() != paths.len() {
        return Err(Failure::usage(
            format!(
                "--replay: expected one report for each of {} sets, found {}",
                paths.len(),
                replays.len()
            ),
            "give --replay once for each set, in their order, or leave it out",
        ));
    }
    GivenHistogram::check_all_inputs(&arguments.histogram, arguments.replay.range)?;
    let sets: Result<Vec<FunctionSet>, Failure> = paths.iter().map(|path| read_set(path)).collect();
    let sets = sets?;
    let options = arguments.replay.options();
    for set in &sets {
        check_functions(set, &options.functions)?;
    }
    let budgets = arguments.budgets.as_deref().map(read_budgets).transpose()?;
    let file = OutputFile::check(&arguments.out)?;
    let names: Vec<&str> = sets
        .iter()
        .flat_map(|set| set.functions.iter().map(|entry| entry.name.as_str()))
        .collect();
    let histogram = GivenHistogram::read(&arguments.histogram, "the sets", &names)?;
    let progress = Progress::new();
    let mut measured = Vec::new();
    for (place, set) in sets.iter().enumerate() {
        let path = paths.get(place).map_or(Path::new(""), PathBuf::as_path);
        let mut report = match replays.get(place) {
            Some(replayed) => chosen(replayed, earlier(replayed, set)?, &options.functions)?,
            None => replay(set, &options, &progress.of_replay())
                .map_err(|error| replay_failure(path, &error))?,
        };
        if let Some(histogram) = &histogram {
            histogram.weigh(path, set, &mut report, options.slope, &progress)?;
        }
        let courses = courses(path, set, &report)?;
        let budgets = budgets_of(budgets.as_ref(), &report);
        measured.push((report, courses, budgets));
    }
    drop(progress);
    let parts: Vec<SetPart<'_>> = sets
        .iter()
        .zip(&measured)
        .map(|(set, (report, courses, budgets))| SetPart {
            set,
            report,
            courses,
            budgets,
        })
        .collect();
    let page = report_page(&parts).map_err(page_failure)?;
    file.write(page.as_bytes(), output)?;
    if !file.is_stdout() {
        output.files(&[&arguments.out], arguments.json)?;
    }
    Ok(Exit::Success)
}

/// The report of an earlier replay, if it is one of this set.
pub(super) fn earlier(path: &Path, set: &FunctionSet) -> Result<Report, Failure> {
    let report = read_report(path)?;
    report
        .check_against(set, set.datapath)
        .map_err(|error| report_failure(path, &error))?;
    Ok(report)
}

/// The courses of a report's functions, in the types and the datapath of the report.
pub(super) fn courses(
    path: &Path,
    set: &FunctionSet,
    report: &Report,
) -> Result<Vec<Course>, Failure> {
    let courses = report.functions.iter().map(|function| {
        let options = ReplayOptions {
            // What a report was made with has these names; an unknown one leaves the set's own.
            datapath: report.datapath.parse().ok(),
            output: function.dtype.parse().ok(),
            ..ReplayOptions::default()
        };
        course(set, &function.name, &options).map_err(|error| replay_failure(path, &error))
    });
    courses.collect()
}

fn budgets_of(budgets: Option<&Budgets>, report: &Report) -> Vec<(String, f64)> {
    budgets.map_or_else(Vec::new, |budgets| max_ulp_budgets(budgets, report))
}

/// A page that could not be made.
pub(super) fn page_failure(error: PageError) -> Failure {
    match error {
        PageError::Template(_) => Failure::internal(error),
        error => Failure::invalid(error, "the report was edited; replay the set again"),
    }
}
