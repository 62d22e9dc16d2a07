//! Finding the figures of the last release.

use std::fs;
use std::path::{Path, PathBuf};

use actforge_reports::gate::Baseline;

use crate::commands::reports::read_text;
use crate::exit::Failure;

const HINT: &str =
    "expected a report, a gate result, or a directory with gate.json, report.json or */report.json";

/// What is known of the last release.
pub(in crate::commands) struct LastRelease {
    /// Its figures.
    pub(in crate::commands) baseline: Baseline,
    /// The files that they are from, at least one.
    pub(in crate::commands) files: Vec<PathBuf>,
    /// What these say.
    pub(in crate::commands) texts: Vec<String>,
}

/// Reads the last release: a file, or the files of a directory.
///
/// A directory's `gate.json` says everything; without one, its `report.json` and those one level below are taken.
pub(in crate::commands) fn read(path: &Path) -> Result<LastRelease, Failure> {
    let mut baseline = Baseline::new(&path.display().to_string());
    let files = if path.is_dir() {
        files_of(path)?
    } else {
        vec![path.to_owned()]
    };
    let mut texts = Vec::new();
    for file in &files {
        let text = read_text(file, HINT)?;
        baseline.add(&text).map_err(|error| refused(file, error))?;
        texts.push(text);
    }
    Ok(LastRelease {
        baseline,
        files,
        texts,
    })
}

fn files_of(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let result = directory.join("gate.json");
    if result.is_file() {
        return Ok(vec![result]);
    }
    let entries = fs::read_dir(directory).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| refused(directory, error))?;
    let below = entries
        .into_iter()
        .map(|entry| entry.path().join("report.json"));
    let mut files: Vec<PathBuf> = below.filter(|file| file.is_file()).collect();
    files.sort();
    files.splice(
        0..0,
        Some(directory.join("report.json")).filter(|file| file.is_file()),
    );
    if files.is_empty() {
        return Err(refused(directory, "no figures of a release in it"));
    }
    Ok(files)
}

fn refused(path: &Path, cause: impl std::fmt::Display) -> Failure {
    Failure::invalid(format!("{}: {cause}", path.display()), HINT)
}
