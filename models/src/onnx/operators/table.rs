//! Operators that always need the same functions.

pub(super) const SOFTMAX: &[&str] = &["exp", "reciprocal"];
pub(super) const LOG_SOFTMAX: &[&str] = &["exp", "ln"];
/// `x^a` is `exp(a * ln(x))`.
pub(super) const POWER: &[&str] = &["ln", "exp"];
pub(super) const NORM: &[&str] = &["reciprocal_sqrt"];

/// Operators that need the same functions whatever their attributes; sorted by name.
///
/// Those of ONNX and of ONNX Runtime (`com.microsoft`) share the table: no name means two things.
pub(super) const OPERATORS: &[(&str, &[&str])] = &[
    ("Abs", &["abs"]),
    ("Acos", &["acos"]),
    ("Acosh", &["acosh"]),
    ("Asin", &["asin"]),
    ("Asinh", &["asinh"]),
    ("Atan", &["arctan"]),
    ("Atanh", &["atanh"]),
    ("BiasGelu", &["gelu"]),
    ("BiasGeluGrad_dX", &["derivative_gelu"]),
    ("BiasFastGeluGrad_dX", &["derivative_gelu_apprx_tanh"]),
    ("BiasSoftmax", SOFTMAX),
    ("BiasSplitGelu", &["gelu"]),
    ("Cos", &["cos"]),
    ("Cosh", &["cosh"]),
    ("DecoderAttention", SOFTMAX),
    ("DecoderMaskedMultiHeadAttention", SOFTMAX),
    ("DecoderMaskedSelfAttention", SOFTMAX),
    ("EmbedLayerNormalization", NORM),
    ("Erf", &["erf"]),
    ("Exp", &["exp"]),
    ("FastGelu", &["gelu_apprx_tanh"]),
    ("FastGeluGrad", &["derivative_gelu_apprx_tanh"]),
    ("FlexAttention", SOFTMAX),
    ("GatedRelativePositionBias", &["sigmoid"]),
    ("GeluGrad", &["derivative_gelu"]),
    ("GroupNormalization", NORM),
    ("HardSwish", &["hard_swish"]),
    ("InstanceNormalization", NORM),
    ("LRN", POWER),
    ("LayerNormalization", NORM),
    ("Log", &["ln"]),
    ("LogSoftmax", LOG_SOFTMAX),
    ("LongformerAttention", SOFTMAX),
    ("MeanVarianceNormalization", NORM),
    ("Mish", &["mish"]),
    ("MultiHeadAttention", SOFTMAX),
    ("PackedAttention", SOFTMAX),
    ("PackedMultiHeadAttention", SOFTMAX),
    ("PagedAttention", SOFTMAX),
    ("QAttention", SOFTMAX),
    ("QLinearSigmoid", &["sigmoid"]),
    ("QLinearSoftmax", SOFTMAX),
    ("QOrderedAttention", SOFTMAX),
    ("QOrderedGelu", &["gelu"]),
    ("QOrderedLayerNormalization", NORM),
    ("QuickGeluGrad", &["derivative_gelu_apprx_sigmoid"]),
    ("RMSNormalization", NORM),
    ("Reciprocal", &["reciprocal"]),
    ("ReduceL1", &["abs"]),
    ("ReduceL2", &["sqrt"]),
    ("ReduceLogSum", &["ln"]),
    ("ReduceLogSumExp", LOG_SOFTMAX),
    ("ReduceSumSquare", &["square"]),
    ("Relu", &["relu"]),
    ("ReluGrad", &["derivative_relu"]),
    ("Sigmoid", &["sigmoid"]),
    ("SigmoidGrad", &["derivative_sigmoid"]),
    ("Sign", &["sign"]),
    ("SimplifiedLayerNormalization", NORM),
    ("Sin", &["sin"]),
    ("Sinh", &["sinh"]),
    ("SkipLayerNormalization", NORM),
    ("SkipSimplifiedLayerNormalization", NORM),
    ("Softmax", SOFTMAX),
    ("SoftmaxCrossEntropyLoss", LOG_SOFTMAX),
    ("Softplus", &["softplus"]),
    ("Softsign", &["softsign"]),
    ("SparseAttention", SOFTMAX),
    ("Sqrt", &["sqrt"]),
    ("Tan", &["tan"]),
    ("Tanh", &["tanh"]),
    ("TanhGrad", &["derivative_tanh"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_stands_once() {
        for (index, (name, functions)) in OPERATORS.iter().enumerate() {
            assert!(!functions.is_empty(), "{name}");
            assert!(
                OPERATORS
                    .iter()
                    .skip(index + 1)
                    .all(|(other, _)| other != name),
                "{name} stands twice"
            );
        }
    }
}
