//! ONNX models: the operators of all graphs, branches and loops and of the functions that are called.

mod attributes;
mod composites;
mod envelope;
mod formula;
mod graph;
mod interval;
pub mod messages;
mod operators;
mod order;
mod ranges;
mod shapes;
mod softmax;
mod walk;

use prost::Message;
use prost::bytes::Bytes;

use super::error::ModelError;
use super::needs::{ModelFormat, ModelNeeds};
use messages::ModelProto;

/// The functions that an ONNX model needs.
pub(super) fn needs(file: &str, bytes: Vec<u8>) -> Result<ModelNeeds, ModelError> {
    envelope::check(file, &bytes)?;
    // Decoding from `Bytes` shares the weights instead of copying them.
    let model = ModelProto::decode(Bytes::from(bytes)).map_err(|error| ModelError::Malformed {
        file: file.to_owned(),
        found: error.to_string(),
    })?;
    if model.graph.is_none() {
        let found = "protobuf without an ONNX graph (TensorFlow and Core ML models look like this)"
            .to_owned();
        return Err(ModelError::NotAModel {
            file: file.to_owned(),
            found,
        });
    }
    let (collector, program) = walk::walk(&model).map_err(|error| ModelError::Malformed {
        file: file.to_owned(),
        found: error.to_string(),
    })?;
    Ok(collector.finish(ModelFormat::Onnx, program))
}

#[cfg(test)]
mod tests;
