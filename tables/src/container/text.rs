//! The one form of the JSON files.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::ContainerError;

/// SHA-256 in lowercase hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        for digit in [byte >> 4, byte & 0xf] {
            hex.extend(char::from_digit(digit.into(), 16));
        }
    }
    hex
}

/// No JSON file is longer: a manifest holds a few numbers per bucket at most.
pub(super) const LONGEST: usize = 4 << 20;

/// Indented JSON that ends in a newline.
pub(super) fn json(file: &'static str, value: &impl Serialize) -> Result<Vec<u8>, ContainerError> {
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|source| ContainerError::Json { file, source })?;
    text.push(b'\n');
    if text.len() > LONGEST {
        let expected = format!("at most {LONGEST} bytes");
        return Err(ContainerError::content(
            file,
            "length",
            expected,
            text.len(),
        ));
    }
    Ok(text)
}

/// Fails with the first line in which two texts differ.
pub(super) fn same(
    file: &'static str,
    expected: &[u8],
    found: &[u8],
) -> Result<(), ContainerError> {
    match first_other_line(expected, found) {
        None => Ok(()),
        Some(line) => Err(ContainerError::content(
            file,
            format!("line {}", line.number),
            line.expected,
            line.found,
        )),
    }
}

/// A line that is not the same in two texts, to be shown.
pub(super) struct OtherLine {
    /// From 1.
    pub(super) number: usize,
    pub(super) expected: String,
    pub(super) found: String,
}

/// The first line in which two texts differ.
pub(super) fn first_other_line(expected: &[u8], found: &[u8]) -> Option<OtherLine> {
    if expected == found {
        return None;
    }
    let mut expected = expected.split(|&byte| byte == b'\n');
    let mut found = found.split(|&byte| byte == b'\n');
    let mut number = 1;
    loop {
        let pair = (expected.next(), found.next());
        if pair.0 != pair.1 {
            return Some(OtherLine {
                number,
                expected: shown(pair.0),
                found: shown(pair.1),
            });
        }
        number += 1;
    }
}

/// A line for an error message: on one line itself, and not too long.
fn shown(line: Option<&[u8]>) -> String {
    const LONGEST: usize = 120;
    let Some(line) = line else {
        return "the end of the file".to_owned();
    };
    let text = String::from_utf8_lossy(line);
    let start: String = text.trim().chars().take(LONGEST).collect();
    format!(
        "`{}`",
        start.escape_debug().to_string().replace("\\\"", "\"")
    )
}
