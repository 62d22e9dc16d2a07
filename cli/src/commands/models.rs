//! Models, as every command reads them and calls them.

use std::path::Path;

use actforge_models::{self as models, ModelError, ModelFormat, ModelNeeds};

use crate::exit::Failure;

/// Reads a model.
pub(super) fn read(path: &Path) -> Result<ModelNeeds, Failure> {
    models::read(path).map_err(|error| {
        let hint = match &error {
            ModelError::LayerCount { .. } => {
                "correct the number, or leave the key out if it is not known"
            }
            _ => "expected an ONNX model, a Hugging Face config.json or its folder, or a list of functions",
        };
        Failure::invalid(error, hint)
    })
}

/// What a model is, in words.
pub(super) const fn kind(format: ModelFormat) -> &'static str {
    match format {
        ModelFormat::Onnx => "ONNX model",
        ModelFormat::HuggingFaceConfig => "Hugging Face configuration",
        ModelFormat::FunctionList => "list of functions",
    }
}
