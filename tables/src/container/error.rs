//! Why a container cannot be read or written.

use std::io;
use std::path::PathBuf;

use crate::error::EntryError;
use crate::set::SetError;

/// A container that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ContainerError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was to be done with it.
        action: &'static str,
        /// Why it was refused.
        source: io::Error,
    },
    /// A directory that is not empty and holds no set: it is left alone.
    #[error("{}: expected an empty directory or a function set to replace, found other files and no set.json", path.display())]
    NotASet {
        /// The directory.
        path: PathBuf,
    },
    /// A file whose content is not what it has to be.
    #[error("{file}: {field}: expected {expected}, found {found}")]
    Content {
        /// The file's name within the set.
        file: &'static str,
        /// The field, entry or line.
        field: String,
        /// What has to be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A file that is longer than any of its kind.
    #[error("{file}: length: expected at most {longest} bytes, found more")]
    TooLong {
        /// The file's name within the set.
        file: &'static str,
        /// The most bytes that it may have.
        longest: usize,
    },
    /// A JSON file that does not have the manifest's structure.
    #[error("{file}: {source}")]
    Json {
        /// The file's name within the set.
        file: &'static str,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
    /// A table entry that the format does not allow.
    #[error("{file}: entry {index}: {source}")]
    Entry {
        /// The file's name within the set.
        file: &'static str,
        /// The entry's index in the table.
        index: usize,
        /// What is wrong with it.
        source: EntryError,
    },
    /// Tables, or tables and manifest, that contradict each other.
    #[error(transparent)]
    Set(#[from] SetError),
}

impl ContainerError {
    pub(super) fn content(
        file: &'static str,
        field: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Self::Content {
            file,
            field: field.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}
