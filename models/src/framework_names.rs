//! The names that frameworks and model configurations give to activations, and ours for the same function.

/// A name in use elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameworkName {
    /// The name, in lower case with `_` between its words.
    pub name: &'static str,
    /// Our name of the function.
    pub function: &'static str,
    /// What the framework does beside the function, or what distinguishes it; often empty.
    pub remark: &'static str,
}

/// Finds a name; letter case does not matter, and `-`, `.` and blanks count as `_`.
pub fn by_framework_name(name: &str) -> Option<&'static FrameworkName> {
    // Longer than every name of the table, so that hostile input is not copied.
    const LONGEST: usize = 40;
    if name.len() > LONGEST {
        return None;
    }
    let plain = name.to_lowercase().replace(['-', '.', ' '], "_");
    NAMES.iter().find(|known| known.name == plain)
}

const GATE: &str = "the gate of a gated linear unit";

const fn same(name: &'static str, function: &'static str) -> FrameworkName {
    FrameworkName {
        name,
        function,
        remark: "",
    }
}

const fn with(name: &'static str, function: &'static str, remark: &'static str) -> FrameworkName {
    FrameworkName {
        name,
        function,
        remark,
    }
}

/// Our own names come first, so that a name means its own function wherever we have one.
static NAMES: &[FrameworkName] = &[
    same("gelu", "gelu"),
    same("gelu_apprx_tanh", "gelu_apprx_tanh"),
    same("gelu_apprx_sigmoid", "gelu_apprx_sigmoid"),
    same("silu", "silu"),
    same("sigmoid", "sigmoid"),
    same("tanh", "tanh"),
    same("relu", "relu"),
    same("relu6", "relu6"),
    same("leaky_relu", "leaky_relu"),
    same("parametric_relu", "parametric_relu"),
    same("squared_relu", "squared_relu"),
    same("elu", "elu"),
    same("selu", "selu"),
    same("celu", "celu"),
    same("mish", "mish"),
    same("softplus", "softplus"),
    same("softsign", "softsign"),
    same("hard_sigmoid", "hard_sigmoid"),
    same("hard_swish", "hard_swish"),
    same("identity", "identity"),
    same("exp", "exp"),
    same("erf", "erf"),
    same("sin", "sin"),
    same("arctan", "arctan"),
    same("reciprocal", "reciprocal"),
    same("reciprocal_sqrt", "reciprocal_sqrt"),
    // gelu by erf
    same("gelu_python", "gelu"),
    same("gelu_erf", "gelu"),
    with("gelu_10", "gelu", "its result is then clipped to [-10, 10]"),
    with("geglu", "gelu", GATE),
    // gelu by tanh
    same("gelu_new", "gelu_apprx_tanh"),
    same("gelu_fast", "gelu_apprx_tanh"),
    same("gelu_pytorch_tanh", "gelu_apprx_tanh"),
    same("gelu_python_tanh", "gelu_apprx_tanh"),
    same("gelu_accurate", "gelu_apprx_tanh"),
    same("gelu_tanh", "gelu_apprx_tanh"),
    same("gelu_approximate", "gelu_apprx_tanh"),
    same("fast_gelu", "gelu_apprx_tanh"),
    same("fastgelu", "gelu_apprx_tanh"),
    same("openai_gelu", "gelu_apprx_tanh"),
    with(
        "gated_gelu",
        "gelu_apprx_tanh",
        "T5 configurations mean the tanh form by it",
    ),
    // gelu by sigmoid
    same("quick_gelu", "gelu_apprx_sigmoid"),
    same("quickgelu", "gelu_apprx_sigmoid"),
    // sigmoid and its products
    same("logistic", "sigmoid"),
    with("glu", "sigmoid", GATE),
    same("swish", "silu"),
    with("swiglu", "silu", GATE),
    with("gated_silu", "silu", GATE),
    same("hardsigmoid", "hard_sigmoid"),
    same("hardswish", "hard_swish"),
    same("hswish", "hard_swish"),
    // piecewise linear
    same("leakyrelu", "leaky_relu"),
    same("lrelu", "leaky_relu"),
    same("prelu", "parametric_relu"),
    same("relu2", "squared_relu"),
    same("relu_squared", "squared_relu"),
    with("reglu", "relu", GATE),
    with("gated_relu", "relu", GATE),
    same("linear", "identity"),
    // plain mathematics
    same("log", "ln"),
    same("atan", "arctan"),
    same("inverse", "reciprocal"),
    same("recip", "reciprocal"),
    same("rsqrt", "reciprocal_sqrt"),
    same("inverse_sqrt", "reciprocal_sqrt"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_differences_do_not_matter() {
        for spelling in [
            "gelu_pytorch_tanh",
            "GELU-PyTorch-Tanh",
            "gelu.pytorch tanh",
        ] {
            assert_eq!(
                by_framework_name(spelling).map(|found| found.function),
                Some("gelu_apprx_tanh")
            );
        }
        assert_eq!(
            by_framework_name("SiLU").map(|found| found.function),
            Some("silu")
        );
        assert_eq!(by_framework_name("xielu"), None);
        assert_eq!(by_framework_name(&"gelu".repeat(1 << 20)), None);
    }

    #[test]
    fn names_are_unique_and_in_the_spelling_that_is_looked_up() {
        for known in NAMES {
            assert_eq!(by_framework_name(known.name), Some(known), "{}", known.name);
        }
    }
}
