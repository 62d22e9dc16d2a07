//! The outermost fields of an ONNX file, looked at before decoding.
//!
//! The decoder only says that something is wrong somewhere. Whether a file is cut off, or is no ONNX model at
//! all, shows in the list of its outermost fields.

use super::super::error::ModelError;

const VARINT: u64 = 0;
const EIGHT_BYTES: u64 = 1;
const LENGTH: u64 = 2;
const FOUR_BYTES: u64 = 5;

/// Field numbers and wire types of a `ModelProto`.
const MODEL_FIELDS: &[(u64, u64)] = &[
    (1, VARINT),  // ir_version
    (2, LENGTH),  // producer_name
    (3, LENGTH),  // producer_version
    (4, LENGTH),  // domain
    (5, VARINT),  // model_version
    (6, LENGTH),  // doc_string
    (7, LENGTH),  // graph
    (8, LENGTH),  // opset_import
    (14, LENGTH), // metadata_props
    (20, LENGTH), // training_info
    (25, LENGTH), // functions
    (26, LENGTH), // configuration
];

/// Checks that the outermost fields are those of a model and end where the file ends.
pub(super) fn check(file: &str, bytes: &[u8]) -> Result<(), ModelError> {
    let mut cursor = Cursor {
        file,
        bytes,
        offset: 0,
    };
    let mut first = true;
    while cursor.offset < bytes.len() {
        let start = cursor.offset;
        let key = cursor.varint()?;
        let (field, wire) = (key >> 3, key & 7);
        if first && !MODEL_FIELDS.contains(&(field, wire)) {
            return Err(cursor.not_a_model("data of an unknown kind"));
        }
        first = false;
        match wire {
            VARINT => {
                cursor.varint()?;
            }
            EIGHT_BYTES => cursor.skip(8)?,
            LENGTH => {
                let length = cursor.varint()?;
                cursor.skip(length)?;
            }
            FOUR_BYTES => cursor.skip(4)?,
            _ => {
                return Err(cursor.malformed(format!(
                    "wire type {wire} at byte {start}, expected 0, 1, 2 or 5"
                )));
            }
        }
    }
    Ok(())
}

struct Cursor<'b> {
    file: &'b str,
    bytes: &'b [u8],
    offset: usize,
}

impl Cursor<'_> {
    fn varint(&mut self) -> Result<u64, ModelError> {
        let start = self.offset;
        let mut value = 0;
        // Ten groups of seven bits hold any 64-bit number.
        for group in 0..10 {
            let Some(byte) = self.bytes.get(self.offset) else {
                return Err(self.truncated(1));
            };
            self.offset += 1;
            value |= u64::from(byte & 0x7f) << (7 * group);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.malformed(format!("a number of more than ten bytes at byte {start}")))
    }

    fn skip(&mut self, length: u64) -> Result<(), ModelError> {
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| self.offset.checked_add(length));
        match end {
            Some(end) if end <= self.bytes.len() => {
                self.offset = end;
                Ok(())
            }
            _ => Err(self.truncated(length)),
        }
    }

    fn truncated(&self, needed: u64) -> ModelError {
        ModelError::Truncated {
            file: self.file.to_owned(),
            offset: self.offset,
            needed,
            available: self.bytes.len().saturating_sub(self.offset) as u64,
        }
    }

    fn malformed(&self, found: String) -> ModelError {
        ModelError::Malformed {
            file: self.file.to_owned(),
            found,
        }
    }

    fn not_a_model(&self, found: &str) -> ModelError {
        ModelError::NotAModel {
            file: self.file.to_owned(),
            found: found.to_owned(),
        }
    }
}
