//! The files of an export: a new directory as a whole, or file by file into one that is there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::atomic::{OutputFile, check_directory, new_directory};
use crate::exit::Failure;
use crate::output::Output;

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExportFile {
    /// Below the output directory, parts separated by `/`.
    path: String,
    bytes: Vec<u8>,
}

impl ExportFile {
    pub(crate) fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
        }
    }

    /// Below the output directory.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

/// A directory for an export. That there is one means that files can be made in it.
pub(crate) struct OutputDirectory {
    path: PathBuf,
}

impl OutputDirectory {
    pub(crate) fn check(path: &Path) -> Result<Self, Failure> {
        check_directory(path)?;
        Ok(Self {
            path: path.to_owned(),
        })
    }

    /// Writes the files. A directory that is new or empty gets all of them at once; in another one each file is written
    /// as a whole, and none if one of them is there already and is not to be replaced.
    pub(crate) fn write(&self, files: &[ExportFile], force: bool) -> Result<(), Failure> {
        let is_empty = fs::read_dir(&self.path).is_ok_and(|mut entries| entries.next().is_none());
        if is_empty || !self.path.exists() {
            let contents = files
                .iter()
                .map(|file| (file.path.as_str(), file.bytes.as_slice()));
            return new_directory(&self.path, contents);
        }
        let places = files
            .iter()
            .map(|file| {
                let place = self.path.join(&file.path);
                if place.exists() && !force {
                    return Err(Failure::invalid(
                        format!("{}: is there already", place.display()),
                        "choose another directory, or give --force to replace it; nothing was written",
                    ));
                }
                OutputFile::check(&place)
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        let mut output = Output::stdout();
        for (place, file) in places.iter().zip(files) {
            place.write(&file.bytes, &mut output)?;
        }
        Ok(())
    }
}
