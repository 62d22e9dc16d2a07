//! The spellings, as data.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::super::formula::Polynomial;

/// How a function is spelt: a curve of an argument in `x`, and a result in `x` and the curve.
pub(super) struct Spelling {
    pub(super) function: &'static str,
    pub(super) shown: &'static str,
    /// The name of the curve: an operator, or one of [`curves`](super::curves).
    pub(super) curve: &'static str,
    /// Terms `(degree of x, 0, coefficient)`.
    pub(super) argument: &'static [Term],
    /// Terms `(degree of x, degree of the curve, coefficient)`.
    pub(super) result: &'static [Term],
}

/// `(degree of x, degree of the curve, coefficient)`
pub(super) type Term = (usize, usize, f64);

/// The polynomial that has these terms.
pub(super) fn polynomial(terms: &[Term]) -> Polynomial {
    let terms = terms
        .iter()
        .map(|(i, j, coefficient)| Polynomial::term(*i, *j, *coefficient));
    terms.fold(Polynomial::default(), Polynomial::plus)
}

const X: &[Term] = &[(1, 0, 1.0)];
const CURVE: &[Term] = &[(0, 1, 1.0)];
const X_TIMES_CURVE: &[Term] = &[(1, 1, 1.0)];
/// `0.5 * x * (1 + curve)`
const HALF_X_TIMES_ONE_PLUS_CURVE: &[Term] = &[(1, 0, 0.5), (1, 1, 0.5)];
const ROOT_2_OVER_PI: f64 = FRAC_2_SQRT_PI * FRAC_1_SQRT_2;

/// The curve `Clip` to [0, 6].
pub(super) const CLIP_TO_SIX: &str = "Clip to [0, 6]";
/// The curve `Clip` to [0, 1].
pub(super) const CLIP_TO_ONE: &str = "Clip to [0, 1]";
/// The curve `HardSigmoid` with slope 1/6.
pub(super) const HARD_SIGMOID: &str = "HardSigmoid";
/// The curve `Tanh(Softplus(x))`.
pub(super) const TANH_OF_SOFTPLUS: &str = "Tanh(Softplus)";

/// Every spelling. Of two that could match, the first is taken.
#[rustfmt::skip]
pub(super) const SPELLINGS: &[Spelling] = &[
    Spelling {
        function: "gelu",
        shown: "0.5 * x * (1 + Erf(x / sqrt(2)))",
        curve: "Erf",
        argument: &[(1, 0, FRAC_1_SQRT_2)],
        result: HALF_X_TIMES_ONE_PLUS_CURVE,
    },
    Spelling {
        function: "gelu_apprx_tanh",
        shown: "0.5 * x * (1 + Tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))",
        curve: "Tanh",
        argument: &[(1, 0, ROOT_2_OVER_PI), (3, 0, ROOT_2_OVER_PI * 0.044715)],
        result: HALF_X_TIMES_ONE_PLUS_CURVE,
    },
    Spelling {
        function: "gelu_apprx_tanh",
        shown: "x * Sigmoid(sqrt(8/pi) * (x + 0.044715 * x^3))",
        curve: "Sigmoid",
        argument: &[(1, 0, 2.0 * ROOT_2_OVER_PI), (3, 0, 2.0 * ROOT_2_OVER_PI * 0.044715)],
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "gelu_apprx_sigmoid",
        shown: "x * Sigmoid(1.702 * x)",
        curve: "Sigmoid",
        argument: &[(1, 0, 1.702)],
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "silu",
        shown: "x * Sigmoid(x)",
        curve: "Sigmoid",
        argument: X,
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "silu",
        shown: "0.5 * x * (1 + Tanh(x / 2))",
        curve: "Tanh",
        argument: &[(1, 0, 0.5)],
        result: HALF_X_TIMES_ONE_PLUS_CURVE,
    },
    Spelling {
        function: "mish",
        shown: "x * Tanh(Softplus(x))",
        curve: TANH_OF_SOFTPLUS,
        argument: X,
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "hard_swish",
        shown: "x * HardSigmoid(x) with slope 1/6",
        curve: HARD_SIGMOID,
        argument: X,
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "hard_swish",
        shown: "x * Clip(x + 3, 0, 6) / 6",
        curve: CLIP_TO_SIX,
        argument: &[(0, 0, 3.0), (1, 0, 1.0)],
        result: &[(1, 1, 1.0 / 6.0)],
    },
    Spelling {
        function: "hard_swish",
        shown: "x * Clip(x / 6 + 0.5, 0, 1)",
        curve: CLIP_TO_ONE,
        argument: &[(0, 0, 0.5), (1, 0, 1.0 / 6.0)],
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "hard_sigmoid",
        shown: "Clip(x + 3, 0, 6) / 6",
        curve: CLIP_TO_SIX,
        argument: &[(0, 0, 3.0), (1, 0, 1.0)],
        result: &[(0, 1, 1.0 / 6.0)],
    },
    Spelling {
        function: "hard_sigmoid",
        shown: "Clip(x / 6 + 0.5, 0, 1)",
        curve: CLIP_TO_ONE,
        argument: &[(0, 0, 0.5), (1, 0, 1.0 / 6.0)],
        result: CURVE,
    },
    Spelling {
        function: "hard_sigmoid",
        shown: "Clip(0.2 * x + 0.5, 0, 1), of x scaled by 1.2",
        curve: CLIP_TO_ONE,
        argument: &[(0, 0, 0.5), (1, 0, 0.2)],
        result: CURVE,
    },
    Spelling {
        function: "squared_relu",
        shown: "Relu(x)^2",
        curve: "Relu",
        argument: X,
        result: &[(0, 2, 1.0)],
    },
];
