//! `actforge verify`: whether sets and releases are what they say, and what their specifications give.

mod set;

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use actforge_tables::container;
use clap::Args;
use serde::Serialize;

pub(super) use self::set::{VerifiedSet, verify_set};
use super::sets::read_set;
use crate::archive::{ArchiveError, MANIFEST, ROOT, Release, SUMS, read_archive};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Check sets and release archives: every digest, and that the recorded specification gives the same bytes again
///
/// A set directory is read with every byte accounted for, held against the invariants of `actforge lint`, built again
/// from its spec.toml and compared. Of an archive that `actforge release` made, every file is held against the manifest
/// and the list of digests as well, the sets are judged again by the budgets in it, and then each of them is verified.
///
/// The exit code is 1 when a set is not what its specification gives, or has none; 3 when something is damaged.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge verify out
  actforge verify release.tar.zst
  actforge verify sets/* --no-rebuild --json")]
pub(crate) struct Arguments {
    /// Directories of sets, and archives
    #[arg(value_name = "DIR|ARCHIVE", required = true)]
    paths: Vec<PathBuf>,

    /// Check digests and invariants alone
    #[arg(long)]
    no_rebuild: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The version of the JSON document.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document {
    schema_version: u32,
    passed: bool,
    verified: Vec<Verified>,
}

#[derive(Serialize)]
struct Verified {
    path: String,
    /// `set` or `archive`.
    kind: &'static str,
    /// How many files an archive holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    /// Whether an archive was gated; it passes, then.
    #[serde(skip_serializing_if = "Option::is_none")]
    gated: Option<bool>,
    sets: Vec<VerifiedSet>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let may_rebuild = !arguments.no_rebuild;
    let mut verified = Vec::new();
    for path in &arguments.paths {
        let one = if is_directory(path)? {
            check_is_set(path)?;
            let set = read_set(path)?;
            let shown = path.display().to_string();
            Verified {
                sets: vec![verify_set(&shown, &set, may_rebuild)?],
                path: shown,
                kind: "set",
                files: None,
                gated: None,
            }
        } else {
            archive(path, may_rebuild)?
        };
        if !arguments.json {
            show(&one, output)?;
            output.flush()?;
        }
        verified.push(one);
    }
    let passed = verified
        .iter()
        .flat_map(|one| &one.sets)
        .all(VerifiedSet::passed);
    if arguments.json {
        output.json(&Document {
            schema_version: SCHEMA_VERSION,
            passed,
            verified,
        })?;
    }
    Ok(if passed { Exit::Success } else { Exit::Failed })
}

fn is_directory(path: &Path) -> Result<bool, Failure> {
    let found = fs::metadata(path).map_err(|error| missing(path, &error))?;
    Ok(found.is_dir())
}

/// Refuses the directory that an archive was unpacked to: the archive is what can be verified.
fn check_is_set(path: &Path) -> Result<(), Failure> {
    let release = [path.to_owned(), path.join(ROOT)]
        .into_iter()
        .find(|place| place.join(MANIFEST).is_file() && place.join(SUMS).is_file());
    match release {
        Some(release) if !path.join(container::MANIFEST).is_file() => Err(Failure::invalid(
            format!(
                "{}: expected a set, found an unpacked release",
                path.display()
            ),
            format!(
                "verify the archive itself, or the sets alone: `actforge verify {}/*`",
                release.join("sets").display()
            ),
        )),
        _ => Ok(()),
    }
}

fn missing(path: &Path, error: &io::Error) -> Failure {
    Failure::invalid(
        format!("{}: cannot be read: {error}", path.display()),
        "expected the directory of a set, or an archive that `actforge release` made",
    )
}

fn archive(path: &Path, may_rebuild: bool) -> Result<Verified, Failure> {
    let file = File::open(path).map_err(|error| missing(path, &error))?;
    let members = read_archive(BufReader::new(file), Release::longest);
    let members = members.map_err(|error| unreadable(path, &error))?;
    let files = members.len();
    let release = Release::check(members).map_err(|error| unreadable(path, &error))?;
    let mut sets = Vec::new();
    for (record, set) in release.manifest.sets.iter().zip(&release.sets) {
        let place = format!("{}:{}", path.display(), record.directory);
        sets.push(verify_set(&place, set, may_rebuild)?.in_archive(path));
    }
    Ok(Verified {
        path: path.display().to_string(),
        kind: "archive",
        files: Some(files),
        gated: Some(release.manifest.gate.is_some()),
        sets,
    })
}

fn unreadable(path: &Path, error: &ArchiveError) -> Failure {
    Failure::invalid(
        format!("{}: {error}", path.display()),
        "expected the directory of a set, or an archive that `actforge release` made; get an undamaged copy",
    )
}

fn show(verified: &Verified, output: &mut Output) -> Result<(), Failure> {
    if let Some(files) = verified.files {
        let gate = match verified.gated {
            Some(true) => "judged again, it passes its gate",
            _ => "it was not gated",
        };
        output.line(format!(
            "PASS  {}: {files} files as the manifest says; {gate}",
            verified.path
        ))?;
    }
    verified.sets.iter().try_for_each(|set| set.show(output))
}
