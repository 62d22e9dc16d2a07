//! `actforge import`: from the vendor's files to sets.

use std::path::{Path, PathBuf};

use actforge_tables::FunctionSet;
use actforge_tables::stock::{ACT_INFO, StockError, import};
use clap::Args;
use serde_json::json;

use super::sets::write_sets;
use crate::atomic::check_directory;
use crate::exit::{Exit, Failure};
use crate::numbers::counted;
use crate::output::Output;

/// Read a directory of stock files, and write its sets for all other commands
///
/// Each set becomes a directory below OUT, named after its index and name, as OUT/00-exp_and_others. The sets are of
/// target stock-trainium or stock-with-ln, as the distance of their control words says. Functions that the catalogue
/// does not know are kept; there is nothing to replay them against.
///
/// Files that contradict themselves are refused; `actforge lint` lists all that is wrong with them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge import pwp_bin_trainium -o sets
  actforge replay sets/00-exp_and_others
  actforge export --format stock sets/* -o stock")]
pub(crate) struct Arguments {
    /// Directory with act_info.json
    #[arg(value_name = "DIR")]
    source: PathBuf,

    /// Directory for the sets
    #[arg(short = 'o', long = "out", value_name = "OUT")]
    out: PathBuf,

    /// Replace files that are there already
    #[arg(long)]
    force: bool,

    /// Print the directories of the sets, and the warnings, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let source = &arguments.source;
    check_directory(&arguments.out)?;
    let imported = import(source.as_path()).map_err(|error| refused(source, &error))?;
    if arguments.json {
        output.be_quiet();
    }
    for finding in imported.findings.all() {
        output.line(format!("warning: {finding}"))?;
    }
    let sets = imported.sets.iter().enumerate();
    let sets: Vec<(String, &FunctionSet)> = sets
        .map(|(index, set)| (set_directory(index, &set.name), set))
        .collect();
    write_sets(&sets, &arguments.out, arguments.force)?;
    if arguments.json {
        let sets = sets.iter().map(|(name, set)| {
            let path = arguments.out.join(name);
            json!({ "name": set.name, "path": path.display().to_string() })
        });
        let warnings = imported.findings.all().iter().map(ToString::to_string);
        output.json(&json!({
            "schema_version": 1,
            "sets": sets.collect::<Vec<_>>(),
            "warnings": warnings.collect::<Vec<_>>(),
        }))?;
    }
    output.line(format!(
        "{} written to {}",
        counted(imported.sets.len(), "set"),
        arguments.out.display()
    ))?;
    Ok(Exit::Success)
}

/// The directory of a set below that of its roster: a shell's `*` lists them in the order of their index.
pub(super) fn set_directory(index: usize, name: &str) -> String {
    format!("{index:02}-{name}")
}

fn refused(source: &Path, error: &StockError) -> Failure {
    let hint = if source.join(ACT_INFO).exists() {
        format!("`actforge lint {}` lists all of it", source.display())
    } else {
        format!("expected a directory of stock files, with {ACT_INFO}")
    };
    Failure::invalid(format!("{}: {error}", source.display()), hint)
}
