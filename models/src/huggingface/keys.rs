//! The keys of configurations, and what they say, as data.

use serde_json::Value;

use crate::framework_names::by_framework_name;

/// Keys whose value names an activation, whatever the name.
const ACTIVATION_KEYS: &[&str] = &[
    "act",
    "act_fn",
    "act_function",
    "activation",
    "activation_fn",
    "activation_function",
    "afn",
    "classifier_activation",
    "conv_act",
    "decoder_activation_function",
    "dense_act_fn",
    "encoder_activation_function",
    "expert_activation",
    "feat_extract_activation",
    "feed_forward_proj",
    "ff_activation",
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

/// Whether a key names an activation: one of those known, or one with a word for it whose value is a known name.
pub(super) fn is_activation(key: &str, value: &Value) -> bool {
    const WORDS: &[&str] = &["act", "activation", "afn", "glu"];
    ACTIVATION_KEYS.contains(&key)
        || value
            .as_str()
            .is_some_and(|name| by_framework_name(name).is_some())
            && key.split('_').any(|word| WORDS.contains(&word))
}

/// Where in a model a key's function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Before each part of a layer.
    Norm,
    /// In the attention of a layer, or its router.
    Attention,
    /// In the rest of a layer.
    Layer,
    /// Once, behind all layers.
    Head,
}

impl Place {
    /// Where the activation of a key runs.
    pub(super) fn of(key: &str) -> Self {
        const HEADS: &[&str] = &[
            "classifier",
            "head",
            "pooler",
            "projection",
            "projector",
            "summary",
        ];
        let mut words = key.split('_');
        if key == "scoring_func" {
            Self::Attention
        } else if words.any(|word| HEADS.contains(&word)) {
            Self::Head
        } else {
            Self::Layer
        }
    }
}

/// What the presence of a key implies.
pub(super) struct Implication {
    pub(super) keys: &'static [&'static str],
    pub(super) functions: &'static [&'static str],
    pub(super) why: &'static str,
    pub(super) place: Place,
}

/// Every implication.
pub(super) const IMPLICATIONS: &[Implication] = &[
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
        place: Place::Attention,
    },
    Implication {
        keys: &["n_routed_experts", "num_experts", "num_local_experts"],
        functions: SOFTMAX,
        why: "routing to experts has a softmax",
        place: Place::Attention,
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
        place: Place::Norm,
    },
    Implication {
        keys: &["attn_logit_softcapping"],
        functions: &["tanh"],
        why: "soft capping is a tanh",
        place: Place::Attention,
    },
    Implication {
        keys: &["final_logit_softcapping"],
        functions: &["tanh"],
        why: "soft capping is a tanh",
        place: Place::Head,
    },
];

/// What softmax runs.
pub(super) const SOFTMAX: &[&str] = &["exp", "reciprocal"];

/// Models whose activation stands in their code, by `model_type`.
pub(super) const CODE: &[(&str, &[&str])] = &[
    ("bloom", &["gelu_apprx_tanh"]),
    ("ctrl", &["relu"]),
    ("esm", &["gelu"]),
    ("levit", &["hard_swish"]),
    ("lfm2", &["silu"]),
    ("lfm2_moe", &["silu"]),
    ("mpt", &["gelu"]),
    ("rwkv", &["exp", "sigmoid", "squared_relu"]),
];

/// Keys that mark a JSON object as a model configuration even when it names no activation.
pub(super) const MARKS: &[&str] = &["architectures", "model_type"];

/// Objects that describe something else than the model's layers.
pub(super) const FOREIGN_OBJECTS: &[&str] = &[
    "auto_map",
    "compression_config",
    "id2label",
    "label2id",
    "quantization_config",
    "rope_scaling",
    "task_specific_params",
];
