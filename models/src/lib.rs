//! Which functions a model runs, in which order, and what it costs to load the sets that hold them.
//!
//! ONNX files, Hugging Face configurations and lists of functions are told apart by their content. Nothing here knows the
//! catalogue: a [`Need`] carries our name for a function, and whether that function exists yet is the caller's question.
#![forbid(unsafe_code)]

pub mod approximations;
mod error;
pub mod framework_names;
mod huggingface;
mod list;
mod needs;
mod onnx;
pub mod plan;
pub mod program;
mod shown;
mod sniff;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use error::ModelError;
pub use needs::{ModelFormat, ModelNeeds, Need, UnknownActivation};
pub use onnx::messages as onnx_messages;
pub use sniff::MAX_CONFIG_BYTES;

/// The largest model file that is read, in bytes: the limit of protobuf itself. Larger ONNX models keep their
/// weights in files of their own.
pub const MAX_MODEL_BYTES: u64 = (1 << 31) - 1;

/// Reads a model file and lists the functions it needs. Of a directory, and of a safetensors file, the `config.json` in it or
/// beside it is read.
///
/// # Errors
/// See [`ModelError`].
pub fn read(path: &Path) -> Result<ModelNeeds, ModelError> {
    let path = &sniff::file_of(path);
    let file = path.display().to_string();
    let unreadable = |source| ModelError::Unreadable {
        file: file.clone(),
        source,
    };
    let open = File::open(path).map_err(unreadable)?;
    let size = open.metadata().map_err(unreadable)?.len();
    if size > MAX_MODEL_BYTES {
        return Err(ModelError::TooLarge {
            file,
            limit: MAX_MODEL_BYTES,
        });
    }
    let mut bytes = Vec::new();
    // Limited again while reading: a pipe has no size, and a file can grow.
    open.take(MAX_MODEL_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    parse(&file, bytes)
}

/// Lists the functions that the model in `bytes` needs; `file` is only what messages call it.
///
/// # Errors
/// See [`ModelError`]; no bytes make it panic.
pub fn parse(file: &str, bytes: Vec<u8>) -> Result<ModelNeeds, ModelError> {
    if bytes.len() as u64 > MAX_MODEL_BYTES {
        return Err(ModelError::TooLarge {
            file: file.to_owned(),
            limit: MAX_MODEL_BYTES,
        });
    }
    match sniff::sniff(&bytes) {
        sniff::Content::Json(_) if bytes.len() as u64 > MAX_CONFIG_BYTES => {
            Err(ModelError::TooLarge {
                file: file.to_owned(),
                limit: MAX_CONFIG_BYTES,
            })
        }
        sniff::Content::Json(text) => huggingface::needs(file, text),
        sniff::Content::Text(text) => list::needs(text).ok_or_else(|| ModelError::NotAModel {
            file: file.to_owned(),
            found: "text that is neither a JSON object nor a list of functions".to_owned(),
        }),
        sniff::Content::Other(found) => Err(ModelError::NotAModel {
            file: file.to_owned(),
            found,
        }),
        sniff::Content::Binary => onnx::needs(file, bytes),
    }
}

#[cfg(test)]
mod tests;
