//! Telling by its first bytes what a file is; names and extensions say nothing reliable.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest configuration that is read, in bytes. Real ones have a few thousand.
pub const MAX_CONFIG_BYTES: u64 = 16 << 20;

/// What a file holds.
pub(super) enum Content<'b> {
    /// JSON text (without a byte order mark), as far as its beginning tells.
    Json(&'b [u8]),
    /// Text that is no JSON object.
    Text(&'b str),
    /// Something we can name and cannot use.
    Other(String),
    /// Anything else: perhaps protobuf.
    Binary,
}

/// Files that are taken for models: offset and bytes of their mark, and what they are.
const MARKS: &[(usize, &[u8], &str)] = &[
    (
        0,
        b"PK\x03\x04",
        "a ZIP archive (PyTorch and Keras checkpoints are such)",
    ),
    (0, b"\x1f\x8b", "gzip-compressed data"),
    (0, b"\x89HDF", "an HDF5 file (a Keras model is one)"),
    (0, b"GGUF", "a GGUF file"),
    (4, b"TFL3", "a TensorFlow Lite model"),
    (
        4,
        b"ORTM",
        "an ONNX Runtime .ort model, which is not protobuf",
    ),
    (
        0,
        b"\x80\x02",
        "a Python pickle (an old PyTorch checkpoint is one)",
    ),
    (0, b"\x80\x03", "a Python pickle"),
    (0, b"\x80\x04", "a Python pickle"),
    (0, b"\x80\x05", "a Python pickle"),
    (0, b"\x7fELF", "an executable"),
    (
        0,
        b"version https://git-lfs",
        "a Git LFS pointer: the model itself has not been fetched",
    ),
];

/// The configuration in a directory or beside a safetensors file; any other path as it is.
pub(super) fn file_of(path: &Path) -> PathBuf {
    const CONFIG: &str = "config.json";
    if path.is_dir() {
        return path.join(CONFIG);
    }
    // What is read of a pipe would be gone.
    if !path.is_file() {
        return path.to_owned();
    }
    // Only its beginning is read: it may be larger than any model file we take.
    let mut beginning = [0; 9];
    let is_safetensors = File::open(path)
        .and_then(|mut file| file.read_exact(&mut beginning))
        .is_ok_and(|()| {
            let length = beginning
                .first_chunk()
                .map(|bytes| u64::from_le_bytes(*bytes));
            length.is_some_and(|length| (2..1 << 32).contains(&length))
                && beginning.last() == Some(&b'{')
        });
    let beside = path.with_file_name(CONFIG);
    if is_safetensors && beside.is_file() {
        return beside;
    }
    path.to_owned()
}

pub(super) fn sniff(bytes: &[u8]) -> Content<'_> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    match first {
        None => {
            return Content::Other(
                if bytes.is_empty() {
                    "an empty file"
                } else {
                    "blank text"
                }
                .to_owned(),
            );
        }
        // No field of an ONNX model begins with the byte of a brace.
        Some(b'{') => return Content::Json(text),
        Some(_) => {}
    }
    let marked = MARKS.iter().find(|(offset, mark, _)| {
        bytes
            .get(*offset..)
            .is_some_and(|rest| rest.starts_with(mark))
    });
    if let Some((_, _, what)) = marked {
        return Content::Other((*what).to_owned());
    }
    if is_safetensors(bytes) {
        return Content::Other(
            "a safetensors file, which holds weights only, and no config.json beside it".to_owned(),
        );
    }
    if looks_like_text(bytes) {
        return match std::str::from_utf8(text) {
            Ok(text) if bytes.len() as u64 <= MAX_CONFIG_BYTES => Content::Text(text),
            _ => Content::Other("text that is not a JSON object".to_owned()),
        };
    }
    Content::Binary
}

/// The header of a safetensors file is a JSON object after its length in eight bytes, little-endian.
fn is_safetensors(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return false;
    };
    rest.first() == Some(&b'{') && u64::from_le_bytes(*length) <= rest.len() as u64
}

/// Whether the first bytes are all printable. The tags and lengths of protobuf are not, except by accident in a
/// file of a few bytes.
fn looks_like_text(bytes: &[u8]) -> bool {
    const SAMPLE: usize = 512;
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    sample
        .iter()
        .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte >= 0x80)
        && sample.iter().any(u8::is_ascii_graphic)
}
