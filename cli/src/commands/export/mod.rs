//! `actforge export`: sets in the forms that others read.

mod files;
mod per_set;
mod stock;

use std::path::PathBuf;

use actforge_tables::export;
use clap::{Args, ValueEnum};

pub(crate) use self::files::{ExportFile, OutputDirectory};
use super::sets::read_set;
use crate::args::DatapathArgument;
use crate::exit::{Exit, Failure};
use crate::numbers::counted;
use crate::output::Output;

/// Write sets in a form that other tools read
///
/// The files go to a directory of their own, all of them or none. Files of an earlier export are replaced with
/// --force only.
#[derive(Debug, Args)]
#[command(after_help = "\
Formats:
  stock    what the vendor's packager reads: all sets in one directory, in the order given; the sets must have been
           built for target stock-trainium or stock-with-ln
  c        C11: the tables as data, and a reference evaluator that gives the engine's bits
  memh     $readmemh files for simulators of the hardware, one per table
  npy      numpy arrays, one per table
  vectors  CSV of inputs with the engine's results, chosen to hit every bucket, seam, region edge and special input
  json     one document per set, every field decoded

Examples:
  actforge export --format c out -o c && cc -std=c11 -c c/*.c
  actforge export --format vectors out --datapath mixed -o vectors
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

    #[command(flatten)]
    datapath: DatapathArgument,

    /// Replace files that are there already
    #[arg(long)]
    force: bool,

    /// Print the paths of the files as JSON
    #[arg(long)]
    json: bool,
}

/// The forms, one module each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// The vendor's container
    Stock,
    /// C11 data and evaluator
    C,
    /// `$readmemh` files
    Memh,
    /// numpy arrays
    Npy,
    /// Golden vectors as CSV
    Vectors,
    /// Everything decoded
    Json,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let datapath = arguments.datapath.datapath;
    if datapath.is_some() && arguments.format != ExportFormat::Vectors {
        return Err(Failure::usage(
            "--datapath is for --format vectors: only vectors hold results",
            "leave it out; the other forms hold the tables, which every datapath shares",
        ));
    }
    let directory = OutputDirectory::check(&arguments.out)?;
    let sets = arguments
        .sets
        .iter()
        .map(|path| read_set(path))
        .collect::<Result<Vec<_>, Failure>>()?;
    let files: Vec<ExportFile> = match arguments.format {
        ExportFormat::Stock => stock::files(&sets)?,
        ExportFormat::C => per_set::files(&sets, export::c_source)?,
        ExportFormat::Memh => per_set::files(&sets, export::memh)?,
        ExportFormat::Npy => per_set::files(&sets, export::npy)?,
        ExportFormat::Vectors => per_set::vectors(&sets, datapath)?,
        ExportFormat::Json => per_set::files(&sets, |set| Ok(vec![export::json(set)?]))?,
    };
    directory.write(&files, arguments.force)?;
    if arguments.json {
        let paths: Vec<PathBuf> = files
            .iter()
            .map(|file| arguments.out.join(file.path()))
            .collect();
        output.files(&paths, true)?;
        return Ok(Exit::Success);
    }
    output.line(format!(
        "{} written to {}",
        counted(files.len(), "file"),
        arguments.out.display()
    ))?;
    Ok(Exit::Success)
}
