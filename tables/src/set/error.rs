//! Why functions do not make a set.

use crate::error::EntryError;
use crate::target::{Table, Target};

/// Functions that do not fit a target, or a set that contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// A table of the target is too small.
    #[error("the set needs {needed} {table} entries, target {target} has {capacity}")]
    Capacity {
        /// The table that overflows.
        table: Table,
        /// The target.
        target: Target,
        /// The entries that the functions need.
        needed: usize,
        /// The entries that the target has.
        capacity: usize,
    },
    /// A field of a profile that says yes or no in another way.
    #[error("set: profile {profile}: {field}: expected 0 or 1, found {found}")]
    Selector {
        /// The profile's slot.
        profile: usize,
        /// The field's name in the format.
        field: &'static str,
        /// What is there.
        found: u8,
    },
    /// Something about the set as a whole.
    #[error("set: {field}: expected {expected}, found {found}")]
    Set {
        /// What is wrong.
        field: String,
        /// What the format asks for.
        expected: String,
        /// What is there.
        found: String,
    },
    /// Something about one function.
    #[error("function {function}: {field}: expected {expected}, found {found}")]
    Function {
        /// The function's name.
        function: String,
        /// What is wrong.
        field: String,
        /// What the format asks for.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A table entry that cannot be stored.
    #[error("{table} table, entry {index}: {source}")]
    Entry {
        /// The table.
        table: Table,
        /// The entry's index.
        index: usize,
        /// Why it cannot be stored.
        source: EntryError,
    },
}

impl SetError {
    pub(crate) fn set(
        field: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Self::Set {
            field: field.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    pub(crate) fn function(
        function: &str,
        field: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Self::Function {
            function: function.to_owned(),
            field: field.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}
