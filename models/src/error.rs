//! Why a file tells nothing about the functions a model needs.

use std::io;

/// Why a model file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The operating system refuses.
    #[error("{file}: cannot be read: {source}")]
    Unreadable {
        /// The file as the user named it.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// More bytes than a file of its kind may have.
    #[error("{file}: expected at most {limit} bytes, found more")]
    TooLarge {
        /// The file as the user named it.
        file: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// Nothing that says which functions a model runs.
    #[error(
        "{file}: expected an ONNX model, a Hugging Face config.json or a list of functions, found {found}"
    )]
    NotAModel {
        /// The file as the user named it.
        file: String,
        /// What it is instead, as far as its content tells.
        found: String,
    },
    /// An ONNX file that ends too early.
    #[error(
        "{file}: truncated ONNX model: the field at byte {offset} needs {needed} bytes, {available} are left"
    )]
    Truncated {
        /// The file as the user named it.
        file: String,
        /// Offset of the field's content.
        offset: usize,
        /// Bytes it announces.
        needed: u64,
        /// Bytes that are there.
        available: u64,
    },
    /// An ONNX file whose fields cannot be decoded.
    #[error("{file}: damaged ONNX model: {found}")]
    Malformed {
        /// The file as the user named it.
        file: String,
        /// What is wrong.
        found: String,
    },
    /// A configuration that is not JSON to its end.
    #[error("{file}:{line}:{column}: expected a JSON object, found {found}")]
    Json {
        /// The file as the user named it.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the JSON parser says.
        found: String,
    },
    /// A configuration whose number of layers is none.
    #[error("{file}: {key}: expected a whole number of layers from 1 to 1000000000, found {found}")]
    LayerCount {
        /// The file as the user named it.
        file: String,
        /// The key, with those of the objects around it.
        key: String,
        /// What stands there.
        found: String,
    },
}
