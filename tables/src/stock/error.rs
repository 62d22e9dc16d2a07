//! Why stock files cannot be written or read.

use crate::lint::Finding;
use crate::set::SetError;

/// Stock files that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StockError {
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
    /// Files of which no use can be made.
    #[error("{finding}{}", further(*.count))]
    Finding {
        /// The first fault that makes them useless.
        finding: Box<Finding>,
        /// How many faults there are in all.
        count: usize,
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

fn further(count: usize) -> String {
    match count.saturating_sub(1) {
        0 => String::new(),
        others => format!(" and {others} more"),
    }
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
