//! `actforge inspect`: every field of a set, in words.

mod json;
mod text;

use std::path::PathBuf;

use actforge_reports::profile_words::{ProfileWord, profile_words};
use actforge_tables::{FunctionEntry, FunctionSet, Profile};
use clap::Args;

use super::sets::{check_functions, read_set};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Show every field of a set
///
/// The manifest, the CAM, and for each function its profile field by field, its control words with the inputs they
/// serve, and its saturation buckets. Reading a set validates it: lengths, digests, reserved bits, and that no input is
/// led outside its function's own entries.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge inspect out
  actforge inspect out --function tanh --buckets
  actforge inspect out --json | jq '.functions[] | {name, buckets: .buckets | length}'")]
pub(crate) struct Arguments {
    /// Directory of the set
    #[arg(value_name = "DIR")]
    set: PathBuf,

    /// Only this function; may be given several times
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,

    /// List every bucket: its cubic in hexadecimal and decimal, and the floor of its error (JSON always holds them)
    #[arg(long)]
    buckets: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let set = read_set(&arguments.set)?;
    check_functions(&set, &arguments.functions)?;
    let names = &arguments.functions;
    let shown: Vec<&FunctionEntry> = set
        .functions
        .iter()
        .filter(|entry| names.is_empty() || names.contains(&entry.name))
        .collect();
    if arguments.json {
        output.json(&json::set(&set, &shown)?)?;
    } else {
        text::set(&set, &shown, arguments.buckets, output)?;
    }
    Ok(Exit::Success)
}

/// The profile of a function; a set that was read has one.
pub(super) fn profile<'s>(
    set: &'s FunctionSet,
    entry: &FunctionEntry,
) -> Result<&'s Profile, Failure> {
    set.profile(entry)
        .ok_or_else(|| Failure::internal(format!("function {} has no profile", entry.name)))
}

/// Its fields, in words.
pub(super) fn words(set: &FunctionSet, entry: &FunctionEntry) -> Result<Vec<ProfileWord>, Failure> {
    profile_words(profile(set, entry)?)
        .map_err(|error| Failure::internal(format!("function {}: {error}", entry.name)))
}

/// The floor of the error of bucket `index` of the pool, if the set's notes have it.
fn bound(entry: &FunctionEntry, index: usize) -> Option<f64> {
    let place = entry.octave_buckets().position(|own| own == index)?;
    entry.notes.bucket_bounds.get(place).copied()
}
