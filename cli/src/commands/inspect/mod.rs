//! `actforge inspect`: every field of a set, in words.

mod json;
mod meaning;
mod text;

use std::path::PathBuf;

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
fn profile<'s>(set: &'s FunctionSet, entry: &FunctionEntry) -> Result<&'s Profile, Failure> {
    set.profile(entry)
        .ok_or_else(|| Failure::internal(format!("function {} has no profile", entry.name)))
}

/// The bits `lsb..=msb` of a profile.
fn raw_bits(bytes: &[u8], lsb: u32, msb: u32) -> u64 {
    let bit = |at: u32| {
        bytes
            .get(at as usize / 8)
            .map_or(0, |byte| u64::from(byte >> (at % 8) & 1))
    };
    (lsb..=msb).rev().fold(0, |value, at| value << 1 | bit(at))
}

/// The floor of the error of bucket `index` of the pool, if the set's notes have it.
fn bound(entry: &FunctionEntry, index: usize) -> Option<f64> {
    let place = index.checked_sub(entry.buckets.start)?;
    entry.notes.bucket_bounds.get(place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_from_bit_0_of_byte_0() {
        let bytes = [0b1000_0001, 0xff, 0x00, 0x80];
        assert_eq!(raw_bits(&bytes, 0, 0), 1);
        assert_eq!(raw_bits(&bytes, 7, 15), 0x1ff);
        assert_eq!(raw_bits(&bytes, 31, 31), 1);
        assert_eq!(raw_bits(&bytes, 28, 40), 8);
    }
}
