//! Why an archive is refused.

use std::io;

use actforge_reports::document::DocumentError;
use actforge_reports::gate::{BaselineError, ResultError};
use actforge_reports::{ReplayError, ReportError};
use actforge_tables::ContainerError;

/// An archive that cannot be read, or is not one that `actforge release` writes.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Reading or unpacking failed.
    #[error("cannot be read as a zstd-compressed tar file: {0}")]
    Read(#[from] io::Error),
    /// A tar entry that is not in the one form, counted from 0.
    #[error("entry {index}: {field}: expected {expected}, found {found}")]
    Entry {
        /// Its place in the archive.
        index: usize,
        /// The field of the entry.
        field: &'static str,
        /// What has to be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A file whose content is not what it has to be.
    #[error("{file}: {field}: expected {expected}, found {found}")]
    Content {
        /// The file's path in the archive.
        file: String,
        /// The field or line.
        field: String,
        /// What has to be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A JSON file that does not have its structure.
    #[error("{file}: {source}")]
    Json {
        /// The file's path in the archive.
        file: String,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
    /// Budgets or waivers that cannot be read.
    #[error(transparent)]
    Budgets(#[from] DocumentError),
    /// Figures of the last release that cannot be read.
    #[error("{file}: {source}")]
    Baseline {
        /// The file's path in the archive.
        file: String,
        /// What is wrong.
        source: Box<BaselineError>,
    },
    /// A report that cannot be read, or is not what a replay of its set gives.
    #[error("{file}: {source}")]
    Report {
        /// The file's path in the archive.
        file: String,
        /// What is wrong.
        source: Box<ReportError>,
    },
    /// A stored result of the gate that cannot be read.
    #[error("{file}: {source}")]
    Result {
        /// The file's path in the archive.
        file: String,
        /// What is wrong.
        source: ResultError,
    },
    /// Sets that cannot be judged.
    #[error("the sets cannot be judged: {0}")]
    Judge(#[from] ReplayError),
    /// A set that is not valid.
    #[error("sets/{set}: {source}")]
    Set {
        /// The set.
        set: String,
        /// What is wrong.
        source: ContainerError,
    },
}

impl ArchiveError {
    pub(super) fn entry(
        index: usize,
        field: &'static str,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Self::Entry {
            index,
            field,
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    pub(super) fn content(
        file: &str,
        field: impl ToString,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Self::Content {
            file: file.to_owned(),
            field: field.to_string(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}
