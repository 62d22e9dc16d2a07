//! `actforge export`: sets in the forms that others read.

mod files;
mod stock;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use self::files::{ExportFile, OutputDirectory};
use super::sets::read_set;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Write sets in a form that other tools read
///
/// The files go to a directory of their own, all of them or none. Files of an earlier export are replaced with
/// --force only.
#[derive(Debug, Args)]
#[command(after_help = "\
Formats:
  stock   what the vendor's packager reads: all sets in one directory, in the order given; the sets must have been
          built for target stock-trainium or stock-with-ln

Examples:
  actforge build --functions tanh,relu --target stock-trainium --set-name tanh_and_relu -o sets/tanh_and_relu
  actforge export --format stock sets/* -o stock")]
pub(crate) struct Arguments {
    /// Directories of sets
    #[arg(value_name = "DIR", required = true)]
    sets: Vec<PathBuf>,

    /// What to write
    #[arg(long, value_name = "FORMAT")]
    format: ExportFormat,

    /// Directory for the files
    #[arg(short = 'o', long = "out", value_name = "OUT")]
    out: PathBuf,

    /// Replace files that are there already
    #[arg(long)]
    force: bool,
}

/// The forms, one module each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// The vendor's container
    Stock,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let directory = OutputDirectory::check(&arguments.out)?;
    let sets = arguments
        .sets
        .iter()
        .map(|path| read_set(path))
        .collect::<Result<Vec<_>, Failure>>()?;
    let files: Vec<ExportFile> = match arguments.format {
        ExportFormat::Stock => stock::files(&sets)?,
    };
    directory.write(&files, arguments.force)?;
    output.line(format!(
        "{} files written to {}",
        files.len(),
        arguments.out.display()
    ))?;
    Ok(Exit::Success)
}
