//! Why a replay cannot be done.

use actforge_engine::EngineError;
use actforge_reference::SurrogateError;
use actforge_tables::SetError;

use crate::reference::ReferenceError;

/// Why a replay cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// A function was asked for that the set does not hold.
    #[error("set `{set}` has no function `{function}`; it holds {}", known.join(", "))]
    NotInSet {
        /// The function.
        function: String,
        /// The set.
        set: String,
        /// What the set holds.
        known: Vec<String>,
    },
    /// The set holds a function that nobody can judge.
    #[error("no reference to judge by: {0}")]
    Reference(#[from] ReferenceError),
    /// The tables would lead the engine astray.
    #[error("function `{function}`: {source}")]
    Engine {
        /// The function.
        function: String,
        /// What is wrong.
        source: EngineError,
    },
    /// The manifest names an output type that does not exist.
    #[error(
        "function `{function}`, field dtype: expected fp32, bf16, fp16, fp8e4m3 or fp8e5m2, found `{found}`"
    )]
    Dtype {
        /// The function.
        function: String,
        /// The text.
        found: String,
    },
    /// None of the inputs that are asked for is judged.
    #[error(
        "function `{function}` is judged by no input of the range asked for: what is left of it runs from {lowest:?} to {highest:?}"
    )]
    Range {
        /// The function.
        function: String,
        /// Where the rest would begin.
        lowest: f32,
        /// Where it would end.
        highest: f32,
    },
    /// The operand of `parametric_relu` is none, or finds no room.
    #[error(transparent)]
    Operand(#[from] SetError),
    /// The reference cannot follow the function.
    #[error(transparent)]
    Surrogate(#[from] SurrogateError),
    /// The ulp metric does not pass its own test.
    #[error("the ulp metric fails its self-test: {0}")]
    Metric(String),
    /// A defect of the replay itself.
    #[error("internal error: {0}")]
    Internal(String),
}
