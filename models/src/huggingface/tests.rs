use super::*;

fn read(text: &str) -> ModelNeeds {
    needs("config.json", text.as_bytes()).unwrap()
}

fn functions(text: &str) -> Vec<String> {
    read(text)
        .needs
        .into_iter()
        .map(|need| need.function)
        .collect()
}

fn refused(text: &str) -> String {
    needs("config.json", text.as_bytes())
        .unwrap_err()
        .to_string()
}

#[test]
fn a_transformer_needs_its_activation_a_softmax_and_a_norm() {
    let found = read(
        r#"{"model_type": "bert", "hidden_act": "gelu", "num_attention_heads": 2, "layer_norm_eps": 1e-12}"#,
    );
    assert_eq!(found.format, ModelFormat::HuggingFaceConfig);
    let needs: Vec<_> = found
        .needs
        .iter()
        .map(|need| (need.function.as_str(), need.reasons.join("; ")))
        .collect();
    assert_eq!(
        needs,
        [
            (
                "exp",
                "num_attention_heads = 2 (attention has a softmax)".to_owned()
            ),
            ("gelu", "hidden_act = \"gelu\"".to_owned()),
            (
                "reciprocal",
                "num_attention_heads = 2 (attention has a softmax)".to_owned()
            ),
            (
                "reciprocal_sqrt",
                "layer_norm_eps = 1e-12 (normalisation divides by a root)".to_owned()
            ),
        ]
    );
    assert!(found.unknown.is_empty());
}

#[test]
fn nested_configurations_are_read_and_name_their_path() {
    let found = read(
        r#"{"model_type": "x", "text_config": {"hidden_act": "silu"}, "vision_config": {"hidden_act": "quick_gelu"},
            "stages": [{"ffn_config": {"ffn_act_fn": {"name": "relu"}}}]}"#,
    );
    let needs: Vec<_> = found
        .needs
        .iter()
        .map(|need| (need.function.as_str(), need.reasons.join("; ")))
        .collect();
    assert_eq!(
        needs,
        [
            (
                "gelu_apprx_sigmoid",
                "vision_config.hidden_act = \"quick_gelu\"".to_owned()
            ),
            (
                "relu",
                "stages[0].ffn_config.ffn_act_fn = \"relu\"".to_owned()
            ),
            ("silu", "text_config.hidden_act = \"silu\"".to_owned()),
        ]
    );
}

#[test]
fn activation_names_are_translated() {
    for (name, function) in [
        ("gelu", "gelu"),
        ("gelu_10", "gelu"),
        ("gelu_new", "gelu_apprx_tanh"),
        ("gelu_fast", "gelu_apprx_tanh"),
        ("gelu_pytorch_tanh", "gelu_apprx_tanh"),
        ("quick_gelu", "gelu_apprx_sigmoid"),
        ("swish", "silu"),
        ("relu2", "squared_relu"),
        ("gated-gelu", "gelu_apprx_tanh"),
        ("linear", "identity"),
    ] {
        assert_eq!(
            functions(&format!(r#"{{"hidden_act": "{name}"}}"#)),
            [function],
            "{name}"
        );
    }
    assert_eq!(
        functions(r#"{"scoring_func": "softmax"}"#),
        ["exp", "reciprocal"]
    );
}

#[test]
fn an_activation_without_a_name_of_ours_is_said() {
    let found = read(r#"{"hidden_act": "xielu", "act": "bad\nname"}"#);
    assert!(found.needs.is_empty());
    let unknown: Vec<_> = found
        .unknown
        .iter()
        .map(|activation| activation.name.as_str())
        .collect();
    assert_eq!(unknown, ["bad\\nname", "xielu"]);
    assert_eq!(found.unknown[1].reasons, ["hidden_act = \"xielu\""]);
}

#[test]
fn a_configuration_that_names_no_activation_says_so() {
    let found = read(r#"{"model_type": "wonder", "n_head": 16}"#);
    assert_eq!(found.needs.len(), 2);
    assert_eq!(found.unknown.len(), 1);
    assert!(found.unknown[0].reasons[0].contains("\"wonder\""));
}

#[test]
fn values_that_switch_off_are_no_need() {
    let found = read(
        r#"{"model_type": "x", "hidden_act": "relu", "summary_activation": null, "num_experts": 0,
            "final_logit_softcapping": null, "quantization_config": {"activation": "int8"}}"#,
    );
    assert_eq!(found.needs.len(), 1);
    assert!(found.unknown.is_empty());
}

#[test]
fn other_json_is_no_model() {
    assert!(refused("{}").contains("found an empty JSON object"));
    let message = refused(r#"{"metadata": {}, "weight_map": {}}"#);
    assert_eq!(
        message,
        "config.json: expected an ONNX model, a Hugging Face config.json or a list of functions, found a JSON object without a key that names an activation, with \
         \"metadata\", \"weight_map\""
    );
    assert!(refused("{\"hidden_act\": \"gelu\"").starts_with("config.json:1:"));
    assert!(refused("{\"a\": 1}\n x").starts_with("config.json:2:"));
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refused(&deep).contains("recursion limit"));
}

/// The loops of a program, as `place count: functions`, and single steps as their function.
fn order(found: &ModelNeeds) -> Vec<String> {
    use crate::program::Step;
    let name = |step: &Step| match step {
        Step::Use(place) => found.program.function_of(*place).unwrap().to_owned(),
        _ => "?".to_owned(),
    };
    let shown = |step: &Step| match step {
        Step::Loop {
            place,
            iterations,
            body,
        } => {
            let body: Vec<String> = body.iter().map(name).collect();
            format!("{place} {iterations:?}: {}", body.join(" "))
        }
        step => name(step),
    };
    found.program.steps.iter().map(shown).collect()
}

#[test]
fn a_layer_is_norm_attention_norm_and_activation() {
    let found = read(
        r#"{"model_type": "gemma2", "hidden_activation": "gelu_pytorch_tanh", "num_hidden_layers": 26, "rms_norm_eps": 1e-6,
            "num_attention_heads": 8, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}"#,
    );
    assert_eq!(
        order(&found),
        [
            "layers Some(26): reciprocal_sqrt tanh exp reciprocal reciprocal_sqrt gelu_apprx_tanh",
            "reciprocal_sqrt",
            "tanh",
        ]
    );
}

#[test]
fn parts_of_a_model_follow_each_other() {
    let found = read(
        r#"{"model_type": "bart", "activation_function": "gelu", "encoder_layers": 12, "decoder_layers": 6,
            "num_hidden_layers": 12, "pooler_act": "tanh"}"#,
    );
    assert_eq!(
        order(&found),
        ["layers Some(12): gelu", "layers Some(6): gelu", "tanh"]
    );
    let found = read(
        r#"{"model_type": "clip", "vision_config": {"hidden_act": "relu", "num_hidden_layers": 3},
            "text_config": {"hidden_act": "silu"}}"#,
    );
    assert_eq!(
        order(&found),
        ["vision_config Some(3): relu", "text_config None: silu"]
    );
}

#[test]
fn a_number_of_layers_that_is_none_is_refused_with_its_key() {
    for wrong in [
        "-3",
        "0",
        "2.5",
        "12.0",
        "1000000001",
        "18446744073709551616",
        "1e30",
        "\"12\"",
        "true",
        "[12]",
    ] {
        for key in [
            "num_hidden_layers",
            "n_layer",
            "num_layers",
            "decoder_layers",
        ] {
            let message = refused(&format!(
                r#"{{"text_config": {{"hidden_act": "gelu", "{key}": {wrong}}}}}"#
            ));
            // Numbers beyond 64 bits are shown as the parser keeps them.
            let shown = match wrong {
                "18446744073709551616" => "1.8446744073709552e+19",
                "1e30" => "1e+30",
                wrong => wrong,
            };
            assert_eq!(
                message,
                format!(
                    "config.json: text_config.{key}: expected a whole number of layers from 1 to 1000000000, found {shown}"
                )
            );
        }
    }
    // Nothing runs in what this counts.
    read(r#"{"hidden_act": "gelu", "tracker": {"num_layers": -1}}"#);
}

#[test]
fn each_stack_is_counted_once() {
    let counts =
        |keys: &str| order(&read(&format!(r#"{{"hidden_act": "gelu", {keys}}}"#))).join(", ");
    for (keys, expected) in [
        (r#""num_hidden_layers": null"#, "layers None: gelu"),
        // Two spellings of one number.
        (
            r#""num_layers": 40, "num_hidden_layers": 40"#,
            "layers Some(40): gelu",
        ),
        (
            r#""num_layers": 8, "num_decoder_layers": 6"#,
            "layers Some(8): gelu, layers Some(6): gelu",
        ),
        (
            r#""decoder_layers": 6, "num_hidden_layers": 6"#,
            "layers Some(6): gelu",
        ),
        // A part that is switched off.
        (
            r#""encoder_layers": 0, "decoder_layers": 12"#,
            "layers Some(12): gelu",
        ),
    ] {
        assert_eq!(counts(keys), expected, "{keys}");
    }
}
