//! Reading the text of a document from disk.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest document that is read, in bytes. A specification has a few lines for each function; this is a
/// thousand times that, and small enough that a wrong file name cannot fill the memory.
pub const MAX_DOCUMENT_BYTES: u64 = 1 << 20;

/// A file that cannot be read as text.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system refuses.
    #[error("{file}: cannot be read: {source}")]
    Unreadable {
        /// The file as the user named it.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// More than [`MAX_DOCUMENT_BYTES`].
    #[error("{file}: expected at most {MAX_DOCUMENT_BYTES} bytes of TOML, found a larger file")]
    TooLarge {
        /// The file as the user named it.
        file: String,
    },
    /// Not UTF-8, which TOML always is.
    #[error("{file}: expected UTF-8 text, found other bytes at offset {offset}")]
    NotText {
        /// The file as the user named it.
        file: String,
        /// Offset of the first byte that is not UTF-8.
        offset: usize,
    },
}

/// Reads a whole document.
///
/// # Errors
/// See [`ReadError`].
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|open| open.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Err(source) => Err(ReadError::Unreadable { file, source }),
        Ok(length) if length as u64 > MAX_DOCUMENT_BYTES => Err(ReadError::TooLarge { file }),
        Ok(_) => String::from_utf8(bytes).map_err(|error| ReadError::NotText {
            file,
            offset: error.utf8_error().valid_up_to(),
        }),
    }
}
