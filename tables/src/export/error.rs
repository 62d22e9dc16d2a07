//! Why a set cannot be exported.

use crate::error::EntryError;
use crate::set::SetError;
use crate::target::Table;

/// A set that cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The set is not valid.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A value that JSON cannot carry.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl ExportError {
    /// An entry that its table cannot store.
    pub(super) fn entry(table: Table, index: usize, source: EntryError) -> Self {
        Self::Set(SetError::Entry {
            table,
            index,
            source,
        })
    }
}
