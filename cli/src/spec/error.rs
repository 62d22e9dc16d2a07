//! Why a specification cannot be used.

use actforge_reports::document::{DocumentError, ReadError, ValueError};

/// Why a specification cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The file cannot be read as text.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Something in the file is wrong; the message names file, line, column and key.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A specification from flags holds a value that is refused.
    #[error("{key}: {error}")]
    Flags {
        /// What the value is for: a key as in a file, `function[tanh].max_ulp`.
        key: String,
        /// Why it is refused.
        error: ValueError,
    },
}

impl SpecError {
    /// Lines that show where in a longer value the fault is; none for most errors.
    pub fn drawing(&self) -> &[String] {
        match self {
            Self::Read(_) => &[],
            Self::Document(error) => error.drawing(),
            Self::Flags { error, .. } => &error.drawing,
        }
    }
}
