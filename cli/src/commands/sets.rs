//! Reading and writing sets, and finding a function in one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use actforge_reports::document::{did_you_mean, quoted};
use actforge_tables::container::{FILES, MANIFEST};
use actforge_tables::{ContainerError, FunctionEntry, FunctionSet};

use crate::atomic::{check_directory, check_set_directory, new_directory, replace_directory};
use crate::exit::Failure;

/// Reads and validates the set in directory `path`.
pub(super) fn read_set(path: &Path) -> Result<FunctionSet, Failure> {
    FunctionSet::read_dir(path).map_err(|error| match error {
        ContainerError::Io { .. } => Failure::invalid(
            error,
            "expected the directory of a set, as `actforge build -o DIR` makes it",
        ),
        error => {
            let message = format!("{}: {error}", path.display());
            Failure::invalid(message, "the set is damaged or was edited; build it again")
        }
    })
}

/// Writes a set as directory `path`: new, empty, or that of an earlier set, which is replaced as a whole.
pub(super) fn write_set(set: &FunctionSet, path: &Path) -> Result<(), Failure> {
    set.write_dir(path).map_err(refused)
}

/// Checks that sets of these names can be written into directory `out`, so that long work is not for nothing.
pub(super) fn check_sets<'n>(
    names: impl IntoIterator<Item = &'n str>,
    out: &Path,
    force: bool,
) -> Result<(), Failure> {
    check_directory(out)?;
    for name in names {
        let place = out.join(name);
        if place.exists() && !force {
            return Err(Failure::invalid(
                format!("{}: is there already", place.display()),
                "choose another directory, or give --force to replace it; nothing was written",
            ));
        }
        check_set_directory(&place)?;
    }
    Ok(())
}

/// Writes sets into directory `out`, each under its own name there. If it is new or empty, it appears with all of them
/// at once; otherwise each set is written as a whole, and none if one of the names is taken and not to be replaced.
pub(super) fn write_sets(
    sets: &[(String, &FunctionSet)],
    out: &Path,
    force: bool,
) -> Result<(), Failure> {
    let is_empty = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_none());
    if is_empty || !out.exists() {
        let mut files = Vec::new();
        for (name, set) in sets {
            files.extend(files_of(set, &format!("{name}/"))?);
        }
        return new_directory(out, borrowed(&files));
    }
    check_sets(sets.iter().map(|(name, _)| name.as_str()), out, force)?;
    sets.iter()
        .try_for_each(|(name, set)| write_set(set, &out.join(name)))
}

/// The files of a set with their paths below a directory.
fn files_of(set: &FunctionSet, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let blobs = set.to_blobs().map_err(refused)?;
    let files = blobs.files().into_iter();
    Ok(files
        .map(|(file, bytes)| (format!("{prefix}{file}"), bytes.to_vec()))
        .collect())
}

fn borrowed(files: &[(String, Vec<u8>)]) -> impl Iterator<Item = (&str, &[u8])> {
    files
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
}

/// What `actforge build` can have left in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Earlier {
    /// Nothing, or no directory.
    Nothing,
    /// One set.
    Set,
    /// Several sets of one model: directories `NAME-0`, `NAME-1`, ... below it.
    Parts,
}

/// What an earlier build of sets of this name left in directory `out`; an error names the first thing that is of someone else.
/// A set is known by its manifest; with `is_whole` there may be nothing else beside its files.
pub(super) fn earlier(out: &Path, name: &str, is_whole: bool) -> Result<Earlier, Failure> {
    let names = |directory: &Path| -> Result<Vec<String>, Failure> {
        let read = || -> std::io::Result<Vec<String>> {
            let names = fs::read_dir(directory)?.map(|entry| {
                let name = entry?.file_name();
                Ok(name.to_string_lossy().into_owned())
            });
            let mut names = names.collect::<Result<Vec<_>, std::io::Error>>()?;
            names.sort_unstable();
            Ok(names)
        };
        read().map_err(|error| {
            Failure::invalid(
                format!("{}: cannot be read: {error}", directory.display()),
                OTHER_PLACE,
            )
        })
    };
    let foreign = |directory: &Path, files: &[String]| {
        let other = files.iter().find(|file| !FILES.contains(&file.as_str()));
        other.map(|file| directory.join(file))
    };
    let refuse = |found: &Path| {
        Err(Failure::invalid(
            format!(
                "{}: expected only what an earlier build wrote, found {}",
                out.display(),
                found.display()
            ),
            OTHER_PLACE,
        ))
    };
    if !out.is_dir() {
        return Ok(Earlier::Nothing);
    }
    let entries = names(out)?;
    if entries.is_empty() {
        return Ok(Earlier::Nothing);
    }
    if out.join(MANIFEST).is_file() {
        return match foreign(out, &entries) {
            Some(found) if is_whole => refuse(&found),
            _ => Ok(Earlier::Set),
        };
    }
    let parts: BTreeSet<String> = (0..entries.len())
        .map(|part| format!("{name}-{part}"))
        .collect();
    for entry in &entries {
        let place = out.join(entry);
        // A link is of someone else, wherever it leads.
        let is_directory = fs::symlink_metadata(&place).is_ok_and(|found| found.is_dir());
        if !parts.contains(entry) || !is_directory || !place.join(MANIFEST).is_file() {
            return refuse(&place);
        }
        if let Some(found) = foreign(&place, &names(&place)?) {
            return refuse(&found);
        }
    }
    Ok(Earlier::Parts)
}

const OTHER_PLACE: &str = "give another directory; nothing was written";

/// Puts one set, or several each in a directory of its own, in the place of what an earlier build left in directory `out`.
pub(super) fn replace_earlier(sets: &[(String, &FunctionSet)], out: &Path) -> Result<(), Failure> {
    let mut files = Vec::new();
    for (name, set) in sets {
        let prefix = match sets.len() {
            1 => String::new(),
            _ => format!("{name}/"),
        };
        files.extend(files_of(set, &prefix)?);
    }
    replace_directory(out, borrowed(&files))
}

fn refused(error: ContainerError) -> Failure {
    match error {
        ContainerError::Io { .. } | ContainerError::NotASet { .. } => {
            Failure::invalid(error, "the earlier content is as it was")
        }
        ContainerError::Set(error) => Failure::invalid(error, "`actforge lint` shows more"),
        error => Failure::internal(error),
    }
}

/// The function of this name in a set.
pub(super) fn function<'s>(set: &'s FunctionSet, name: &str) -> Result<&'s FunctionEntry, Failure> {
    set.function(name).ok_or_else(|| {
        let names: Vec<&str> = set
            .functions
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let message = format!("set {} has no function {}", quoted(&set.name), quoted(name));
        Failure::usage(message, held(name, &names))
    })
}

/// Checks that a set holds all of the named functions.
pub(super) fn check_functions(set: &FunctionSet, names: &[String]) -> Result<(), Failure> {
    names
        .iter()
        .try_for_each(|name| function(set, name).map(drop))
}

/// Checks that a slope, where one is given, has a function to go to.
pub(super) fn check_alpha(set: &FunctionSet, alpha: Option<f32>) -> Result<(), Failure> {
    match alpha {
        Some(_) if !set.functions.iter().any(FunctionEntry::takes_slope) => Err(Failure::usage(
            format!(
                "set {} has no function that takes --alpha",
                quoted(&set.name)
            ),
            "parametric_relu alone does; leave the option out",
        )),
        _ => Ok(()),
    }
}

fn held(name: &str, names: &[&str]) -> String {
    let all = names.join(", ");
    match did_you_mean(name, names) {
        Some(near) => format!("did you mean {near}? the set holds {all}"),
        None => format!("the set holds {all}"),
    }
}
