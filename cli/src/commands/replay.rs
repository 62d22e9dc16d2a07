//! `actforge replay`: the error of every input.

use std::path::PathBuf;

use actforge_reports::{Shard, replay, replay_shard};
use clap::Args;

use super::histogram::GivenHistogram;
use super::reports::{Destinations, replay_failure};
use super::sets::{check_alpha, check_functions, read_set};
use crate::args::{HistogramArgument, ReplayArguments, ReportFiles, parse_shard};
use crate::atomic::OutputFile;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;

/// Measure a set over every input
///
/// Every value of the input type goes through the engine and is compared with the exact function; whatever could decide
/// a maximum is settled in MPFR. The table shows the largest error and where it is (input, result, correctly rounded
/// result), the floor that the fit could not get below, the mean, and what is wrong in kind: NaN results, steps against
/// the function's direction, wrong special results.
///
/// The exit code says only whether the replay could be done. `actforge gate` judges.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge replay out
  actforge replay out --function tanh --datapath mixed
  actforge replay out --input bf16 --output bf16 --json report.json --csv octaves.csv
  actforge replay out --histogram activations.csv
  actforge replay out --json - | jq '.functions[] | {name, max_ulp}'
  actforge replay out --shard 1/4 --json shard-1.json      then `actforge merge shard-*.json`")]
pub(crate) struct Arguments {
    /// Directory of the set
    #[arg(value_name = "DIR")]
    set: PathBuf,

    #[command(flatten)]
    replay: ReplayArguments,

    #[command(flatten)]
    histogram: HistogramArgument,

    #[command(flatten)]
    files: ReportFiles,

    /// Say how long each function took; reports then no longer compare byte for byte
    #[arg(long)]
    timing: bool,

    /// Replay only part I of N and write it to the --json file; `actforge merge` joins the parts
    #[arg(long, value_name = "I/N", value_parser = parse_shard, requires = "json", conflicts_with_all = ["csv", "histogram"])]
    shard: Option<Shard>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    GivenHistogram::check_all_inputs(&arguments.histogram, arguments.replay.range)?;
    let set = read_set(&arguments.set)?;
    let mut options = arguments.replay.options();
    options.timing = arguments.timing;
    check_functions(&set, &options.functions)?;
    check_alpha(&set, options.slope)?;
    let failed = |error| replay_failure(&arguments.set, &error);

    if let (Some(shard), Some(json)) = (arguments.shard, &arguments.files.json) {
        let file = OutputFile::check(json)?;
        let progress = Progress::new();
        let part = replay_shard(&set, &options, shard, &progress.of_replay()).map_err(failed)?;
        drop(progress);
        let text = part
            .to_json()
            .map_err(|error| Failure::internal(format!("shard: {error}")))?;
        file.write(text.as_bytes(), output)?;
        if !file.is_stdout() {
            output.line(format!(
                "part {}/{} written to {}",
                shard.index,
                shard.count,
                json.display()
            ))?;
        }
        return Ok(Exit::Success);
    }

    let files = Destinations::check(&arguments.files)?;
    let names: Vec<&str> = set
        .functions
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    let place = format!("set {}", set.name);
    let histogram = GivenHistogram::read(&arguments.histogram, &place, &names)?;
    let progress = Progress::new();
    let mut report = replay(&set, &options, &progress.of_replay()).map_err(failed)?;
    if let Some(histogram) = &histogram {
        histogram.weigh(&arguments.set, &set, &mut report, options.slope, &progress)?;
    }
    drop(progress);
    files.write(&report, output)?;
    if let Some(histogram) = &histogram
        && !files.take_stdout()
    {
        let functions = report.functions.iter();
        let names: Vec<&str> = functions.map(|function| function.name.as_str()).collect();
        histogram.say_without_bins(&names, output)?;
    }
    Ok(Exit::Success)
}
