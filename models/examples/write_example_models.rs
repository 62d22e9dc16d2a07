//! Writes `mlp.onnx`, the small model of `examples/models`, from nothing:
//! `cargo run -p actforge-models --example write_example_models -- examples/models`.
//!
//! The model is three layers of width 8 with the activation spelt differently in each. Its weights are given by a
//! formula: the file is there for its operators.

use std::path::PathBuf;
use std::process::ExitCode;

use actforge_models::onnx_messages::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    ValueInfoProto,
};
use prost::Message;

/// Width of every layer.
const WIDTH: i64 = 8;

/// ONNX's code for binary32 elements.
const FLOAT: i32 = 1;

/// ONNX's code for an attribute that is a string.
const STRING: i32 = 3;

/// The type of an input or output. The reader carries types without reading them, so the messages are only here.
#[derive(Clone, PartialEq, Message)]
struct TypeProto {
    #[prost(message, optional, tag = "1")]
    tensor_type: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
struct TensorType {
    #[prost(int32, optional, tag = "1")]
    elem_type: Option<i32>,
    #[prost(message, optional, tag = "2")]
    shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
struct Shape {
    #[prost(message, repeated, tag = "1")]
    dim: Vec<Dimension>,
}

#[derive(Clone, PartialEq, Message)]
struct Dimension {
    #[prost(int64, optional, tag = "1")]
    dim_value: Option<i64>,
}

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: write_example_models DIRECTORY");
        return ExitCode::from(2);
    };
    let path = directory.join("mlp.onnx");
    match std::fs::write(&path, model().encode_to_vec()) {
        Ok(()) => {
            println!("wrote {}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::from(3)
        }
    }
}

fn model() -> ModelProto {
    let node = vec![
        node("MatMul", &["input", "weight_0"], "hidden_0"),
        with_text(node("Gelu", &["hidden_0"], "gelu_0"), "approximate", "tanh"),
        node("LayerNormalization", &["gelu_0", "scale"], "norm_0"),
        // x * sigmoid(x)
        node("MatMul", &["norm_0", "weight_1"], "hidden_1"),
        node("Sigmoid", &["hidden_1"], "gate_1"),
        node("Mul", &["hidden_1", "gate_1"], "silu_1"),
        // 0.5 * x * (1 + erf(x / sqrt(2)))
        node("MatMul", &["silu_1", "weight_2"], "hidden_2"),
        node("Div", &["hidden_2", "sqrt_2"], "scaled_2"),
        node("Erf", &["scaled_2"], "erf_2"),
        node("Add", &["erf_2", "one"], "sum_2"),
        node("Mul", &["hidden_2", "sum_2"], "product_2"),
        node("Mul", &["product_2", "half"], "gelu_2"),
        node("Softmax", &["gelu_2"], "output"),
    ];
    let initializer = vec![
        matrix("weight_0"),
        matrix("weight_1"),
        matrix("weight_2"),
        tensor("scale", vec![WIDTH], vec![1.0; WIDTH as usize]),
        tensor("sqrt_2", Vec::new(), vec![std::f32::consts::SQRT_2]),
        tensor("one", Vec::new(), vec![1.0]),
        tensor("half", Vec::new(), vec![0.5]),
    ];
    ModelProto {
        ir_version: Some(9),
        graph: Some(GraphProto {
            node,
            name: "mlp".to_owned(),
            initializer,
            input: vec![row("input")],
            output: vec![row("output")],
        }),
        opset_import: vec![OperatorSetIdProto {
            domain: String::new(),
            version: 20,
        }],
        functions: Vec::new(),
    }
}

fn node(op_type: &str, input: &[&str], output: &str) -> NodeProto {
    NodeProto {
        name: format!("/{output}/{op_type}"),
        op_type: op_type.to_owned(),
        input: input.iter().map(|name| (*name).to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

fn with_text(node: NodeProto, name: &str, value: &str) -> NodeProto {
    let attribute = AttributeProto {
        name: name.to_owned(),
        s: Some(value.to_owned().into()),
        r#type: Some(STRING),
        ..AttributeProto::default()
    };
    NodeProto {
        attribute: vec![attribute],
        ..node
    }
}

/// An input or output of one row.
fn row(name: &str) -> ValueInfoProto {
    let dim = [1, WIDTH].map(|size| Dimension {
        dim_value: Some(size),
    });
    let tensor_type = TensorType {
        elem_type: Some(FLOAT),
        shape: Some(Shape { dim: dim.into() }),
    };
    let encoded = TypeProto {
        tensor_type: Some(tensor_type),
    }
    .encode_to_vec();
    ValueInfoProto {
        name: name.to_owned(),
        r#type: Some(encoded.into()),
    }
}

/// A matrix of small numbers of both signs.
fn matrix(name: &str) -> TensorProto {
    let elements = (0..WIDTH * WIDTH).map(|index| ((index * 7) % 13 - 6) as f32 / 16.0);
    tensor(name, vec![WIDTH, WIDTH], elements.collect())
}

fn tensor(name: &str, dims: Vec<i64>, float_data: Vec<f32>) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        dims,
        data_type: FLOAT,
        float_data,
        ..TensorProto::default()
    }
}
