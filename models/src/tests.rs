use super::*;
use onnx_messages::{AttributeProto, GraphProto, ModelProto, NodeProto};
use proptest::prelude::*;
use prost::Message;

fn message(bytes: &[u8]) -> String {
    parse("f", bytes.to_vec()).unwrap_err().to_string()
}

fn small_model() -> Vec<u8> {
    let node = NodeProto {
        op_type: "Tanh".to_owned(),
        output: vec!["y".to_owned()],
        ..NodeProto::default()
    };
    let graph = GraphProto {
        node: vec![node],
        name: "graph".to_owned(),
        ..GraphProto::default()
    };
    ModelProto {
        ir_version: Some(10),
        graph: Some(graph),
        ..ModelProto::default()
    }
    .encode_to_vec()
}

#[test]
fn the_content_decides_what_a_file_is() {
    assert_eq!(
        parse("m.json", small_model()).unwrap().format,
        ModelFormat::Onnx
    );
    let config = b"\xef\xbb\xbf \n{\"hidden_act\": \"gelu\"}".to_vec();
    assert_eq!(
        parse("m.onnx", config).unwrap().format,
        ModelFormat::HuggingFaceConfig
    );
}

#[test]
fn files_taken_for_models_are_named() {
    for (bytes, expected) in [
        (&b""[..], "an empty file"),
        (b" \n", "blank text"),
        (b"PK\x03\x04rest", "a ZIP archive"),
        (b"\x89HDF\r\n", "an HDF5 file"),
        (b"GGUF\x03", "a GGUF file"),
        (b"\x1c\0\0\0TFL3", "a TensorFlow Lite model"),
        (b"\x80\x02}q\x00", "a Python pickle"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "a Git LFS pointer",
        ),
        (
            b"\x10\0\0\0\0\0\0\0{\"__metadata__\":1}",
            "a safetensors file",
        ),
        (
            b"[1, 2]",
            "text that is neither a JSON object nor a list of functions",
        ),
        (
            b"<html>",
            "text that is neither a JSON object nor a list of functions",
        ),
        (b"\x0a\x05token\xff\xff", "data of an unknown kind"),
        (b"\x08\x01\x12\x03abc", "protobuf without an ONNX graph"),
    ] {
        let message = message(bytes);
        assert!(
            message.contains(
                "expected an ONNX model, a Hugging Face config.json or a list of functions, found "
            ),
            "{message}"
        );
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_model_that_ends_too_early_says_where() {
    let bytes = small_model();
    for length in 1..bytes.len() {
        let error = parse("f", bytes[..length].to_vec()).unwrap_err();
        // After the version and before the graph the rest is a whole message, only not a model.
        let is_right = matches!(error, ModelError::Truncated { .. })
            || length == 2 && matches!(error, ModelError::NotAModel { .. });
        assert!(is_right, "{length}: {error}");
    }
    assert_eq!(
        message(&bytes[..bytes.len() - 1]),
        format!(
            "f: truncated ONNX model: the field at byte 4 needs {} bytes, {} are left",
            bytes.len() - 4,
            bytes.len() - 5
        )
    );
}

#[test]
fn a_damaged_model_is_malformed() {
    // A graph whose node is cut off inside: only the decoder can see that.
    assert!(matches!(
        parse("f", vec![0x3a, 2, 0x0a, 9]),
        Err(ModelError::Malformed { .. })
    ));
    assert!(matches!(
        parse("f", vec![0x08, 1, 0x0f]),
        Err(ModelError::Malformed { .. })
    ));
    assert!(matches!(
        parse("f", [&[0x08][..], &[0xff; 11]].concat()),
        Err(ModelError::Malformed { .. })
    ));
}

#[test]
fn bodies_nested_without_end_are_refused() {
    let mut graph = GraphProto::default();
    for _ in 0..2000 {
        let attribute = AttributeProto {
            g: Some(std::mem::take(&mut graph)),
            ..AttributeProto::default()
        };
        graph.node.push(NodeProto {
            attribute: vec![attribute],
            ..NodeProto::default()
        });
    }
    let bytes = ModelProto {
        graph: Some(graph),
        ..ModelProto::default()
    }
    .encode_to_vec();
    assert!(message(&bytes).contains("recursion limit"));
}

#[test]
fn files_that_cannot_be_read_or_are_too_large_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(
        read(directory.path()),
        Err(ModelError::Unreadable { .. })
    ));
    let path = directory.path().join("model.onnx");
    assert!(matches!(read(&path), Err(ModelError::Unreadable { .. })));
    // A sparse file: it takes no space and is never read.
    std::fs::File::create(&path)
        .unwrap()
        .set_len(MAX_MODEL_BYTES + 1)
        .unwrap();
    assert!(matches!(
        read(&path),
        Err(ModelError::TooLarge {
            limit: MAX_MODEL_BYTES,
            ..
        })
    ));
    let mut config = b"{".to_vec();
    config.resize(MAX_CONFIG_BYTES as usize + 1, b' ');
    assert!(matches!(
        parse("f", config),
        Err(ModelError::TooLarge {
            limit: MAX_CONFIG_BYTES,
            ..
        })
    ));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
        let _ = parse("f", bytes);
    }

    #[test]
    fn no_fields_of_a_model_make_it_panic(graph in proptest::collection::vec(any::<u8>(), 0..128)) {
        let mut bytes = vec![0x3a, graph.len() as u8];
        bytes.extend(graph);
        let _ = parse("f", bytes);
    }

    #[test]
    fn no_flipped_byte_makes_it_panic(at in 0usize..400, value in any::<u8>()) {
        let mut bytes = include_bytes!("../../examples/models/mlp.onnx").to_vec();
        let at = at % bytes.len();
        bytes[at] = value;
        let _ = parse("f", bytes);
    }

    #[test]
    fn no_json_makes_it_panic(text in "\\{\"(hidden_act|act|n_head|a)\": [-0-9a-z\"\\[\\]{}:,]{0,24}\\}") {
        let _ = parse("f", text.into_bytes());
    }
}

#[test]
fn the_example_models_need_what_their_readme_says() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/models");
    let of = |name: &str| {
        let found = read(&directory.join(name)).unwrap();
        assert!(found.unknown.is_empty(), "{name}: {:?}", found.unknown);
        found
            .needs
            .into_iter()
            .map(|need| need.function)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("mlp.onnx"),
        [
            "exp",
            "gelu",
            "gelu_apprx_tanh",
            "reciprocal",
            "reciprocal_sqrt",
            "silu"
        ]
    );
    assert_eq!(
        of("bert-tiny-config.json"),
        ["exp", "gelu", "reciprocal", "reciprocal_sqrt"]
    );
}
