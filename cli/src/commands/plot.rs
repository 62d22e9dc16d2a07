//! `actforge plot`: the error over all inputs, as pictures.

use std::path::PathBuf;

use actforge_reports::plot::{PlotError, plot_report};
use actforge_reports::{ReplayOptions, replay};
use clap::Args;

use super::reports::{read_report, replay_failure};
use super::sets::{check_functions, read_set};
use crate::args::ReplayArguments;
use crate::atomic::check_directory;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;

/// Draw the error of each function, as FUNCTION.png and FUNCTION.svg
///
/// A set is replayed first; a report is drawn as it is, in an instant.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge plot out -o plots
  actforge plot report.json -o plots --function gelu")]
pub(crate) struct Arguments {
    /// Directory of a set, or a report that `actforge replay --json FILE` wrote
    #[arg(value_name = "DIR|REPORT")]
    source: PathBuf,

    /// Directory for the pictures
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    replay: ReplayArguments,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let source = &arguments.source;
    let options = arguments.replay.options();
    let report = if source.is_dir() {
        let set = read_set(source)?;
        check_functions(&set, &options.functions)?;
        check_directory(&arguments.out)?;
        let progress = Progress::new();
        replay(&set, &options, &progress.of_replay())
            .map_err(|error| replay_failure(source, &error))?
    } else {
        check_options(&options)?;
        let mut report = read_report(source)?;
        let names = &options.functions;
        if let Some(missing) = names
            .iter()
            .find(|name| report.functions.iter().all(|found| found.name != **name))
        {
            return Err(Failure::usage(
                format!(
                    "{}: the report has no function `{missing}`",
                    source.display()
                ),
                "leave out --function to draw them all",
            ));
        }
        report
            .functions
            .retain(|function| names.is_empty() || names.contains(&function.name));
        check_directory(&arguments.out)?;
        report
    };
    let drawn = plot_report(&report, &arguments.out).map_err(|error| match error {
        PlotError::Write { .. } => {
            Failure::invalid(error, "is there space, and may files be made there?")
        }
        PlotError::Font { .. } | PlotError::Drawing { .. } | PlotError::Encoding(_) => {
            Failure::internal(error)
        }
        // Whatever else is wrong is wrong with the report.
        error => Failure::invalid(
            format!("{}: {error}", source.display()),
            "the report was edited; replay the set again",
        ),
    })?;
    for path in drawn {
        output.line(path.display())?;
    }
    Ok(Exit::Success)
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
