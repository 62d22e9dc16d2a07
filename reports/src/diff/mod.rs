//! What differs between two sets, or between two reports.
//!
//! [`diff_sets`] compares the tables field by field and then, by the engine's own runs, all 2^32 results of each function:
//! the second says what the first is worth. [`diff_reports`] says how each figure moved.

mod figures;
mod inputs;
mod outputs;
mod sets;
mod tables;

use actforge_engine::EngineError;
use serde::Serialize;

pub use figures::{FunctionFigures, ReportDiff, RowChange, ValueChange, diff_reports};
pub use inputs::ServedInputs;
pub use outputs::{OutputChange, OutputChanges};
pub use sets::{FunctionDiff, SetDiff, SetTitle, diff_sets};
pub use tables::{EntryChange, FieldChange, Moved, Unmatched};

/// The version of both documents; it changes when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

/// Whether a function is in both, and the same there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// In both, with nothing to tell them apart.
    Equal,
    /// In both, and not the same.
    Changed,
    /// In the first alone.
    OnlyOld,
    /// In the second alone.
    OnlyNew,
}

/// A value as it is stored and as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// `0x` and hex digits; none for what is not stored as bits.
    pub bits: Option<String>,
    /// A float as the shortest decimal that reads back as it, a number, or text.
    pub value: String,
}

impl Shown {
    /// Text, or a number that has no bits of its own.
    pub(crate) fn text(value: impl ToString) -> Self {
        Self {
            bits: None,
            value: value.to_string(),
        }
    }

    /// An integer of `width` bits.
    pub(crate) fn integer(value: u32, width: u32) -> Self {
        let digits = width.div_ceil(4) as usize;
        Self {
            bits: Some(format!("0x{value:0digits$x}")),
            value: value.to_string(),
        }
    }
}

impl From<f32> for Shown {
    fn from(value: f32) -> Self {
        Self {
            bits: Some(format!("{:#010x}", value.to_bits())),
            value: if value.is_nan() {
                "nan".to_owned()
            } else {
                format!("{value:?}")
            },
        }
    }
}

/// Why two sets cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// The tables would lead the engine astray.
    #[error("set `{set}`, function `{function}`: {source}")]
    Engine {
        /// The set.
        set: String,
        /// The function.
        function: String,
        /// What is wrong.
        source: EngineError,
    },
    /// A function's octaves do not lie in its tables.
    #[error(transparent)]
    Set(#[from] actforge_tables::SetError),
    /// A report or a function's notes that have no form in JSON.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
}
