//! `actforge diff`: what differs between two sets, or between two reports.

mod text;

use std::path::{Path, PathBuf};

use actforge_reports::diff::{DiffError, diff_reports, diff_sets};
use actforge_reports::page::{report_diff_page, set_diff_page};
use clap::Args;

use super::report::page_failure;
use super::reports::read_report;
use super::sets::read_set;
use crate::atomic::OutputFile;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;

/// Say what differs between two sets, or between two reports
///
/// Of two sets: every field of every entry that differs, with the inputs that a bucket serves, and for each function how
/// many of its 2^32 results have other bits, which changes most, and which is the first. Results are not sampled:
/// wherever the two sets do not do the same work, every input is evaluated, each set in its own datapath. Entries that
/// only lie elsewhere are told as such. Where a set comes from (tool version, specification) is shown, and is no
/// difference.
///
/// Of two reports: every figure that moved, and by how much.
///
/// Exit code 0: equal. 1: different.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge diff out/before out/after
  actforge diff before.json after.json --html diff.html
  actforge diff out/before out/after --json | jq '.functions[] | {name, changed: .outputs.changed}'")]
pub(crate) struct Arguments {
    /// Directory of a set, or a report that `actforge replay --json FILE` wrote
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The same kind of thing, to be compared with it
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// Show every entry and row; without it a few of each function
    #[arg(long)]
    all: bool,

    /// Print JSON, which holds all of them
    #[arg(long, conflicts_with = "all")]
    json: bool,

    /// Write all of it as a web page to FILE; `-` is standard output, without the text
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let Arguments { old, new, .. } = arguments;
    let html = arguments
        .html
        .as_deref()
        .map(OutputFile::check)
        .transpose()?;
    if arguments.json && html.as_ref().is_some_and(OutputFile::is_stdout) {
        return Err(Failure::usage(
            "--json and --html - cannot share standard output",
            "write the page to a file",
        ));
    }
    let is_equal = match (old.is_dir(), new.is_dir()) {
        (true, true) => sets(arguments, html.as_ref(), output)?,
        (false, false) => reports(arguments, html.as_ref(), output)?,
        (old_is_set, _) => {
            let (set, report) = if old_is_set { (old, new) } else { (new, old) };
            return Err(mixed(set, report));
        }
    };
    Ok(if is_equal {
        Exit::Success
    } else {
        Exit::Failed
    })
}

/// A set and something else; a place where there is nothing is said first.
fn mixed(set: &Path, report: &Path) -> Failure {
    if let Err(error) = std::fs::metadata(report) {
        return Failure::invalid(
            format!("{}: cannot be read: {error}", report.display()),
            "expected the directory of a set, as `actforge build -o DIR` makes it",
        );
    }
    Failure::usage(
        format!(
            "{} is the directory of a set, {} is a file",
            set.display(),
            report.display()
        ),
        "compare two sets or two reports; `actforge replay DIR --json FILE` makes the report of a set",
    )
}

fn sets(
    arguments: &Arguments,
    html: Option<&OutputFile>,
    output: &mut Output,
) -> Result<bool, Failure> {
    let (old, new) = (read_set(&arguments.old)?, read_set(&arguments.new)?);
    let progress = Progress::new();
    let diff = diff_sets(&old, &new, &progress.of_comparison()).map_err(|error| match error {
        DiffError::Engine { .. } => Failure::invalid(error, "the set is damaged; build it again"),
        error => Failure::internal(error),
    })?;
    drop(progress);
    if let Some(html) = html {
        let page = set_diff_page(&diff).map_err(page_failure)?;
        html.write(page.as_bytes(), output)?;
    }
    if html.is_some_and(OutputFile::is_stdout) {
        return Ok(diff.equal);
    }
    if arguments.json {
        output.json(&diff)?;
    } else {
        text::sets(&diff, arguments.all, output)?;
    }
    Ok(diff.equal)
}

fn reports(
    arguments: &Arguments,
    html: Option<&OutputFile>,
    output: &mut Output,
) -> Result<bool, Failure> {
    let (old, new) = (read_report(&arguments.old)?, read_report(&arguments.new)?);
    let diff = diff_reports(&old, &new).map_err(Failure::internal)?;
    if let Some(html) = html {
        let page = report_diff_page(&diff, [&old, &new]).map_err(page_failure)?;
        html.write(page.as_bytes(), output)?;
    }
    if html.is_some_and(OutputFile::is_stdout) {
        return Ok(diff.equal);
    }
    if arguments.json {
        output.json(&diff)?;
    } else {
        text::reports(&diff, arguments.all, output)?;
    }
    Ok(diff.equal)
}
