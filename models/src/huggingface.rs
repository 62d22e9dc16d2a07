//! Hugging Face configurations: the activations that a `config.json` names, and what a transformer implies.

use serde_json::{Map, Value};

use super::error::ModelError;
use super::needs::{Collector, ModelFormat, ModelNeeds};
use crate::framework_names::by_framework_name;
use crate::shown::quoted;

/// Keys whose value names an activation.
const ACTIVATION_KEYS: &[&str] = &[
    "act",
    "act_fn",
    "act_function",
    "activation",
    "activation_fn",
    "activation_function",
    "classifier_activation",
    "conv_act",
    "decoder_activation_function",
    "dense_act_fn",
    "encoder_activation_function",
    "expert_activation",
    "feat_extract_activation",
    "feed_forward_proj",
    "ffn_act_fn",
    "ffn_activation",
    "gate_act",
    "hidden_act",
    "hidden_activation",
    "hidden_activation_function",
    "mlp_act",
    "mlp_activation",
    "mlp_hidden_act",
    "pooler_act",
    "pooler_hidden_act",
    "projection_hidden_act",
    "projector_hidden_act",
    "scoring_func",
    "summary_activation",
];

/// What the presence of a key implies.
struct Implication {
    keys: &'static [&'static str],
    functions: &'static [&'static str],
    why: &'static str,
}

const IMPLICATIONS: &[Implication] = &[
    Implication {
        keys: &[
            "attention_heads",
            "decoder_attention_heads",
            "encoder_attention_heads",
            "n_head",
            "n_heads",
            "num_attention_heads",
            "num_heads",
        ],
        functions: SOFTMAX,
        why: "attention has a softmax",
    },
    Implication {
        keys: &["n_routed_experts", "num_experts", "num_local_experts"],
        functions: SOFTMAX,
        why: "routing to experts has a softmax",
    },
    Implication {
        keys: &[
            "batch_norm_eps",
            "group_norm_eps",
            "layer_norm_eps",
            "layer_norm_epsilon",
            "layernorm_epsilon",
            "ln_eps",
            "norm_eps",
            "norm_epsilon",
            "rms_norm_eps",
        ],
        functions: &["reciprocal_sqrt"],
        why: "normalisation divides by a root",
    },
    Implication {
        keys: &["attn_logit_softcapping", "final_logit_softcapping"],
        functions: &["tanh"],
        why: "soft capping is a tanh",
    },
];

const SOFTMAX: &[&str] = &["exp", "reciprocal"];

/// Keys that mark a JSON object as a model configuration even when it names no activation.
const MARKS: &[&str] = &["architectures", "model_type"];

/// Objects that describe something else than the model's layers.
const FOREIGN_OBJECTS: &[&str] = &[
    "auto_map",
    "compression_config",
    "id2label",
    "label2id",
    "quantization_config",
    "rope_scaling",
    "task_specific_params",
];

/// The functions that a configuration needs.
pub(super) fn needs(file: &str, text: &[u8]) -> Result<ModelNeeds, ModelError> {
    let root: Map<String, Value> =
        serde_json::from_slice(text).map_err(|error| ModelError::Json {
            file: file.to_owned(),
            line: error.line(),
            column: error.column(),
            found: error.to_string().replace('\n', " "),
        })?;
    let mut walk = Walk {
        collector: Collector::new(),
        activations: 0,
        implications: 0,
    };
    walk.object("", &root);
    let marked = MARKS.iter().any(|key| root.contains_key(*key));
    if walk.activations == 0 && walk.implications == 0 && !marked {
        let found = if root.is_empty() {
            "an empty JSON object".to_owned()
        } else {
            let keys: Vec<_> = root.keys().take(3).map(|key| quoted(key)).collect();
            format!("a JSON object with other keys: {}", keys.join(", "))
        };
        return Err(ModelError::NotAModel {
            file: file.to_owned(),
            found,
        });
    }
    if walk.activations == 0 {
        let model = root.get("model_type").and_then(Value::as_str).map_or_else(
            || "no activation key".to_owned(),
            |model| {
                format!(
                    "no activation key; model_type {} has it in its code",
                    quoted(model)
                )
            },
        );
        walk.collector
            .unknown("the activation of the feed-forward layers", &model, None);
    }
    Ok(walk.collector.finish(ModelFormat::HuggingFaceConfig))
}

struct Walk {
    collector: Collector,
    activations: usize,
    implications: usize,
}

impl Walk {
    /// Recursion is bounded by the parser, which refuses more than 128 levels.
    fn object(&mut self, path: &str, object: &Map<String, Value>) {
        for (key, value) in object {
            if ACTIVATION_KEYS.contains(&key.as_str()) {
                self.activation(&join(path, key), value);
            } else if let Some(implication) = IMPLICATIONS
                .iter()
                .find(|rule| rule.keys.contains(&key.as_str()))
            {
                self.implication(&join(path, key), value, implication);
            } else if !FOREIGN_OBJECTS.contains(&key.as_str()) {
                self.nested(&join(path, key), value);
            }
        }
    }

    fn nested(&mut self, path: &str, value: &Value) {
        match value {
            Value::Object(object) => self.object(path, object),
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.nested(&format!("{path}[{index}]"), element);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The value of an activation key: a name, a list of names, or an object with a name.
    fn activation(&mut self, path: &str, value: &Value) {
        match value {
            Value::String(name) => self.named(path, name),
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.activation(&format!("{path}[{index}]"), element);
                }
            }
            Value::Object(object) => match object.get("name").or_else(|| object.get("type")) {
                Some(name @ Value::String(_)) => self.activation(path, name),
                _ => self.object(path, object),
            },
            // Switched off, or not a name at all.
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn named(&mut self, path: &str, name: &str) {
        self.activations += 1;
        let reason = format!("{path} = {}", quoted(name));
        if name.eq_ignore_ascii_case("softmax") {
            for function in SOFTMAX {
                self.collector.need(function, &reason, None);
            }
            return;
        }
        match by_framework_name(name) {
            Some(known) if known.remark.is_empty() => {
                self.collector.need(known.function, &reason, None)
            }
            Some(known) => {
                let reason = format!("{reason} ({})", known.remark);
                self.collector.need(known.function, &reason, None);
            }
            None => self.collector.unknown(name, &reason, None),
        }
    }

    fn implication(&mut self, path: &str, value: &Value, rule: &Implication) {
        // A count of zero and a null switch the layer off; lists give a count per stage.
        let present = match value {
            Value::Number(number) => number.as_f64().is_some_and(|number| number > 0.0),
            Value::Array(elements) => !elements.is_empty(),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Object(_) => false,
        };
        if !present {
            return;
        }
        self.implications += 1;
        let shown = match value {
            Value::Number(number) => number.to_string(),
            _ => "[...]".to_owned(),
        };
        for function in rule.functions {
            self.collector
                .need(function, &format!("{path} = {shown} ({})", rule.why), None);
        }
    }
}

fn join(path: &str, key: &str) -> String {
    let plain = key.len() <= 60
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let key = if plain { key.to_owned() } else { quoted(key) };
    if path.is_empty() {
        key
    } else {
        format!("{path}.{key}")
    }
}

#[cfg(test)]
mod tests {
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
        let found = read(r#"{"model_type": "bloom", "n_head": 16}"#);
        assert_eq!(found.needs.len(), 2);
        assert_eq!(found.unknown.len(), 1);
        assert!(found.unknown[0].reasons[0].contains("\"bloom\""));
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
            "config.json: expected an ONNX model or a Hugging Face config.json, found a JSON object with other keys: \
             \"metadata\", \"weight_map\""
        );
        assert!(refused("{\"hidden_act\": \"gelu\"").starts_with("config.json:1:"));
        assert!(refused("{\"a\": 1}\n x").starts_with("config.json:2:"));
        let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(refused(&deep).contains("recursion limit"));
    }
}
