//! Why stock files cannot be written or read.

use std::io;
use std::path::PathBuf;

use crate::set::SetError;

/// Stock files that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StockError {
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
    /// A set that the stock container cannot hold.
    #[error("set {set}: {field}: expected {expected}, found {found}")]
    Layout {
        /// The set's name.
        set: String,
        /// What does not fit.
        field: String,
        /// What the container asks for.
        expected: String,
        /// What the set has.
        found: String,
    },
    /// A file whose content is not what it has to be.
    #[error("{file}: {key}: expected {expected}, found {found}")]
    Content {
        /// The file, below the directory.
        file: String,
        /// The key, entry or part.
        key: String,
        /// What has to be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A JSON text without the structure it has to have.
    #[error("{file}: {key}: {source}")]
    Json {
        /// The file, below the directory.
        file: String,
        /// The path of the key that could not be read; `.` for the text as a whole.
        key: String,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
    /// Tables that contradict each other.
    #[error("set {set}: {source}")]
    Set {
        /// The set's name.
        set: String,
        /// What is wrong.
        source: SetError,
    },
}

impl StockError {
    pub(super) fn layout(
        set: &str,
        field: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Self::Layout {
            set: set.to_owned(),
            field: field.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}
