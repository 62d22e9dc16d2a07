//! Which functions an operator needs.

mod table;

use super::attributes::Attributes;
use super::composites::has_slope_of_a_sixth;
use super::formula::about;
use super::graph::Graph;
use super::messages::NodeProto;
use crate::framework_names::by_framework_name;
use table::{NORM, OPERATORS, POWER, SOFTMAX};

/// What an operator needs.
pub(super) enum Finding {
    /// A function of ours, and how the operator is to be called in the reason.
    Need(&'static str, String),
    /// An activation we have no name for.
    Unknown(String),
}

/// Domains whose operators we know; the others' cannot be judged.
pub(super) fn is_known_domain(domain: &str) -> bool {
    const PREFIXES: [&str; 3] = ["ai.onnx", "com.microsoft", "com.ms.internal"];
    domain.is_empty() || PREFIXES.iter().any(|prefix| domain.starts_with(prefix))
}

/// What a node of a known domain needs; nothing for operators that are no activations.
pub(super) fn findings(
    node: &NodeProto,
    attributes: Attributes<'_>,
    graph: &Graph<'_, '_>,
) -> Vec<Finding> {
    let operator = node.op_type.as_str();
    if let Some((_, functions)) = OPERATORS.iter().find(|(name, _)| *name == operator) {
        return needs(functions, operator);
    }
    let float = |name, default| attributes.float(name, default);
    match operator {
        "Gelu" => match attributes.text("approximate", "none").as_str() {
            "none" => needs(&["gelu"], "Gelu (approximate none)"),
            "tanh" => needs(&["gelu_apprx_tanh"], "Gelu (approximate tanh)"),
            other => unknown(format!("Gelu (approximate {other:.20})")),
        },
        "LeakyRelu" | "QLinearLeakyRelu" => leaky(operator, float("alpha", 0.01)),
        "Elu" => scaled("elu", operator, &[("alpha", float("alpha", 1.0), 1.0)]),
        "Celu" => scaled("celu", operator, &[("alpha", float("alpha", 1.0), 1.0)]),
        "Selu" => scaled(
            "selu",
            operator,
            &[
                ("alpha", float("alpha", 1.673_263_2), 1.673_263_2),
                ("gamma", float("gamma", 1.050_701), 1.050_701),
            ],
        ),
        "HardSigmoid" if has_slope_of_a_sixth(attributes) => {
            needs(&["hard_sigmoid"], "HardSigmoid (slope 1/6)")
        }
        "HardSigmoid" => hard_sigmoid(operator, float("alpha", 0.2), float("beta", 0.5)),
        "PRelu" => parametric(node, graph),
        "BatchNormalization" => batch_normalisation(node, attributes, graph),
        "Div" => inverse(node, graph),
        "Swish" | "SwiGLU" => swish(operator, float("alpha", 1.0)),
        "QuickGelu" => swish(operator, float("alpha", 1.702)),
        "ThresholdedRelu" => unknown(format!("ThresholdedRelu (alpha {})", float("alpha", 1.0))),
        "Shrink" => unknown(format!(
            "Shrink (lambd {}, bias {})",
            float("lambd", 0.5),
            float("bias", 0.0)
        )),
        "Clip" => clip(node, attributes, graph),
        "Pow" => power(node, graph),
        "LpNormalization" => match attributes.integer("p", 2) {
            1 => needs(&["abs", "reciprocal"], "LpNormalization (p 1)"),
            _ => needs(NORM, "LpNormalization (p 2)"),
        },
        "LpPool" | "GlobalLpPool" => match attributes.integer("p", 2) {
            1 => needs(&["abs"], &format!("{operator} (p 1)")),
            2 => needs(&["square", "sqrt"], &format!("{operator} (p 2)")),
            p => needs(POWER, &format!("{operator} (p {p}, by exp and ln)")),
        },
        "Normalizer" => match attributes.text("norm", "MAX").as_str() {
            "L1" => needs(&["abs", "reciprocal"], "Normalizer (norm L1)"),
            "L2" => needs(NORM, "Normalizer (norm L2)"),
            _ => needs(&["reciprocal"], "Normalizer (norm MAX)"),
        },
        "LinearAttention"
            if attributes
                .text("update_rule", "gated_delta")
                .starts_with("gated") =>
        {
            needs(&["exp"], "LinearAttention (its decay)")
        }
        "Attention" | "GroupQueryAttention" => attention(operator, attributes),
        "GroupNorm" | "SkipGroupNorm" => {
            let silu = attributes.integer("activation", 0) == 1;
            let mut found = needs(NORM, operator);
            found.extend(silu.then(|| Finding::Need("silu", format!("{operator} (activation 1)"))));
            found
        }
        "MoE" | "QMoE" => {
            let mut found = needs(SOFTMAX, operator);
            found.extend(named(operator, &attributes.text("activation_type", "relu")));
            found
        }
        "LSTM" | "DynamicQuantizeLSTM" => recurrent(operator, attributes, &["Sigmoid", "Tanh"]),
        "GRU" => recurrent(operator, attributes, &["Sigmoid", "Tanh"]),
        "RNN" => recurrent(operator, attributes, &["Tanh"]),
        _ => fused(operator, attributes),
    }
}

fn needs(functions: &'static [&'static str], reason: &str) -> Vec<Finding> {
    functions
        .iter()
        .map(|function| Finding::Need(function, reason.to_owned()))
        .collect()
}

fn unknown(name: String) -> Vec<Finding> {
    vec![Finding::Unknown(name)]
}

/// A function that an operator is only with the usual values of its attributes.
fn scaled(function: &'static str, operator: &str, attributes: &[(&str, f32, f32)]) -> Vec<Finding> {
    if attributes
        .iter()
        .all(|(_, found, usual)| about((*found).into(), (*usual).into()))
    {
        return vec![Finding::Need(function, operator.to_owned())];
    }
    let shown: Vec<String> = attributes
        .iter()
        .map(|(name, found, _)| format!("{name} {found}"))
        .collect();
    unknown(format!("{operator} ({})", shown.join(", ")))
}

/// The slope of our leaky_relu is fixed at 0.01; any other is parametric_relu's parameter.
fn leaky(operator: &str, slope: f32) -> Vec<Finding> {
    let function = if about(slope.into(), 0.01) {
        "leaky_relu"
    } else {
        "parametric_relu"
    };
    vec![Finding::Need(
        function,
        format!("{operator} (alpha {slope})"),
    )]
}

/// `x * sigmoid(alpha * x)`.
fn swish(operator: &str, alpha: f32) -> Vec<Finding> {
    let reason = format!("{operator} (alpha {alpha})");
    if about(alpha.into(), 1.0) {
        vec![Finding::Need("silu", reason)]
    } else if about(alpha.into(), 1.702) {
        vec![Finding::Need("gelu_apprx_sigmoid", reason)]
    } else {
        unknown(reason)
    }
}

/// `max(0, min(1, alpha * x + beta))` is ours of `6 * alpha * x + 6 * (beta - 0.5)`, and an Activate instruction scales and
/// shifts its input by itself.
fn hard_sigmoid(operator: &str, alpha: f32, beta: f32) -> Vec<Finding> {
    let reason = format!("{operator} (alpha {alpha}, beta {beta}: scaled and shifted)");
    vec![Finding::Need("hard_sigmoid", reason)]
}

/// The slope may be a number, one for each channel, or computed.
fn parametric(node: &NodeProto, graph: &Graph<'_, '_>) -> Vec<Finding> {
    let Some(slope) = node.input.get(1) else {
        return needs(&["parametric_relu"], "PRelu");
    };
    match graph.constant(slope) {
        Some(slope) => leaky("PRelu", slope as f32),
        None if graph.is_fixed(slope) => needs(&["parametric_relu"], "PRelu (slopes of its own)"),
        None => needs(
            &["parametric_relu"],
            "PRelu (slopes computed from the data)",
        ),
    }
}

/// Outside of training, scale and variance are weights, and the root is taken once and for all.
fn batch_normalisation(
    node: &NodeProto,
    attributes: Attributes<'_>,
    graph: &Graph<'_, '_>,
) -> Vec<Finding> {
    let is_training = attributes.integer("training_mode", 0) != 0;
    match node.input.get(4) {
        Some(variance) if !is_training && graph.is_fixed(variance) => Vec::new(),
        _ => needs(NORM, "BatchNormalization (variance not a weight)"),
    }
}

/// A constant over a value is its inverse; a value over a value is a division, which is no activation.
fn inverse(node: &NodeProto, graph: &Graph<'_, '_>) -> Vec<Finding> {
    match node.input.as_slice() {
        [dividend, divisor] if graph.constant(dividend).is_some() && !graph.is_fixed(divisor) => {
            needs(&["reciprocal"], "Div of a constant")
        }
        _ => Vec::new(),
    }
}

/// The bounds of a `Clip`; each `None` where there is none or it is no constant. They were attributes before opset 11, and
/// are inputs since.
pub(super) fn clip_bounds(
    node: &NodeProto,
    attributes: Attributes<'_>,
    graph: &Graph<'_, '_>,
) -> (Option<f64>, Option<f64>) {
    let bound = |name: &str, index: usize| {
        let attribute = attributes
            .get(name)
            .map(|attribute| f64::from(attribute.f.unwrap_or_default()));
        attribute.or_else(|| graph.constant(node.input.get(index)?))
    };
    (bound("min", 1), bound("max", 2))
}

/// Clipping to [0, 6] is relu6, to [0, infinity) relu; other clips are no activation.
fn clip(node: &NodeProto, attributes: Attributes<'_>, graph: &Graph<'_, '_>) -> Vec<Finding> {
    let has_upper = node.input.get(2).is_some_and(|name| !name.is_empty());
    match clip_bounds(node, attributes, graph) {
        (Some(0.0), Some(6.0)) => needs(&["relu6"], "Clip to [0, 6]"),
        (Some(0.0), None) if !has_upper => needs(&["relu"], "Clip to [0, infinity)"),
        (Some(0.0), Some(upper)) if upper >= f64::from(f32::MAX) => {
            needs(&["relu"], "Clip to [0, infinity)")
        }
        _ => Vec::new(),
    }
}

/// Powers with a constant exponent that are functions of ours.
fn power(node: &NodeProto, graph: &Graph<'_, '_>) -> Vec<Finding> {
    let base = node.input.first().and_then(|name| graph.constant(name));
    if base.is_some_and(|base| base > 0.0) {
        return needs(&["exp"], "Pow (of a constant, by exp)");
    }
    match node.input.get(1).and_then(|name| graph.constant(name)) {
        Some(2.0) => needs(&["square"], "Pow (exponent 2)"),
        Some(0.5) => needs(&["sqrt"], "Pow (exponent 0.5)"),
        Some(-0.5) => needs(NORM, "Pow (exponent -0.5)"),
        Some(-1.0) => needs(&["reciprocal"], "Pow (exponent -1)"),
        // Whole powers are multiplications; others go by exp and ln.
        Some(exponent) if exponent.fract() == 0.0 => Vec::new(),
        _ => needs(POWER, "Pow (by exp and ln)"),
    }
}

fn attention(operator: &str, attributes: Attributes<'_>) -> Vec<Finding> {
    let mut found = needs(SOFTMAX, operator);
    if attributes.float("softcap", 0.0) != 0.0 {
        found.push(Finding::Need("tanh", format!("{operator} (softcap)")));
    }
    found
}

/// Whether an operator repeats its activations for every element of a sequence.
pub(super) fn is_recurrent(operator: &str) -> bool {
    matches!(operator, "LSTM" | "DynamicQuantizeLSTM" | "GRU" | "RNN")
}

fn recurrent(operator: &str, attributes: Attributes<'_>, default: &[&str]) -> Vec<Finding> {
    let names = attributes.texts("activations");
    let names = names.unwrap_or_else(|| default.iter().map(|name| (*name).to_owned()).collect());
    let mut distinct: Vec<&String> = Vec::new();
    for name in &names {
        // Both directions and several gates repeat the names; the node is still one node.
        if !distinct
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name))
        {
            distinct.push(name);
        }
    }
    distinct
        .into_iter()
        .flat_map(|name| named(operator, name))
        .collect()
}

/// Operators with an activation or a final step built in: fused convolutions and products, classifiers.
fn fused(operator: &str, attributes: Attributes<'_>) -> Vec<Finding> {
    let built_in = named(operator, &attributes.text("activation", ""));
    if !built_in.is_empty() {
        return built_in;
    }
    // Classifiers of ai.onnx.ml.
    match attributes.text("post_transform", "NONE").as_str() {
        "LOGISTIC" => needs(
            &["sigmoid"],
            &format!("{operator} (post_transform LOGISTIC)"),
        ),
        "SOFTMAX" | "SOFTMAX_ZERO" => {
            needs(SOFTMAX, &format!("{operator} (post_transform SOFTMAX)"))
        }
        "PROBIT" => unknown(format!("{operator} (post_transform PROBIT)")),
        _ => Vec::new(),
    }
}

/// An activation that an attribute names.
fn named(operator: &str, name: &str) -> Vec<Finding> {
    let reason = format!("{operator} (activation {name:.20})");
    match name.to_ascii_lowercase().as_str() {
        // Linear functions, and clips without their bounds.
        "" | "none" | "affine" | "identity" | "clip" => Vec::new(),
        "scaledtanh" => vec![Finding::Need("tanh", reason)],
        // Their slopes are in further attributes.
        "hardsigmoid" => vec![Finding::Need(
            "hard_sigmoid",
            format!("{reason}, scaled and shifted"),
        )],
        "leakyrelu" => vec![Finding::Need("parametric_relu", reason)],
        _ => match by_framework_name(name) {
            Some(known) => vec![Finding::Need(known.function, reason)],
            None => unknown(reason),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_of_others_are_not_judged() {
        assert!(
            is_known_domain("")
                && is_known_domain("ai.onnx.ml")
                && is_known_domain("com.microsoft")
        );
        assert!(!is_known_domain("com.example") && !is_known_domain("pkg.torch"));
    }
}
