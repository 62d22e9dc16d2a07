//! `actforge merge`: the shards of a replay, put together.

use std::path::PathBuf;

use actforge_reports::{MergeError, ShardReport, merge};
use clap::Args;

use super::reports::{Destinations, read_text};
use crate::args::ReportFiles;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Join the parts of a replay that was cut with --shard
///
/// The report is the same, byte for byte, as that of the whole replay. All parts have to be there, once each, in any
/// order.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  for i in 1 2 3 4; do actforge replay out --shard $i/4 --json shard-$i.json; done
  actforge merge shard-*.json --json report.json")]
pub(crate) struct Arguments {
    /// The parts, as `actforge replay --shard I/N --json FILE` wrote them
    #[arg(value_name = "SHARD", required = true)]
    shards: Vec<PathBuf>,

    #[command(flatten)]
    files: ReportFiles,
}

const HINT: &str = "expected a file that `actforge replay --shard I/N --json FILE` wrote";

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let files = Destinations::check(&arguments.files)?;
    let mut shards = Vec::new();
    for path in &arguments.shards {
        let shard = ShardReport::from_json(&read_text(path, HINT)?).map_err(|error| {
            let message = format!("{}: not a part of a replay: {error}", path.display());
            Failure::invalid(message, HINT)
        })?;
        shards.push(shard);
    }
    let report = merge(shards).map_err(|error| {
        let hint = match error {
            MergeError::Incomplete { .. } => "give every part once",
            MergeError::Mismatch { .. } => "give parts of one replay: the same set, options and N",
            _ => "replay the parts again",
        };
        Failure::invalid(error, hint)
    })?;
    files.write(&report, output)?;
    Ok(Exit::Success)
}
