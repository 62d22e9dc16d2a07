//! Other forms of a set, for those who use its numbers elsewhere (docs/exports.md).
//!
//! Each module takes a valid set and gives whole files. Nothing here is read back: the
//! containers are what sets travel in.

mod c;
mod error;
mod json;
mod memh;
mod npy;

pub use c::c_source;
pub use error::ExportError;
pub use json::{SCHEMA_VERSION, json};
pub use memh::memh;
pub use npy::npy;

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Its name. Files of two sets have different names, unless the sets' names agree in
    /// all letters and digits; files that every set shares have the same content.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A set's name as a part of identifiers and file names: letters, digits and `_`.
///
/// The names of valid sets also know `-` and `.`, which become `_`.
pub fn identifier(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_no_punctuation() {
        assert_eq!(identifier("core-v1.2_b"), "core_v1_2_b");
    }
}
