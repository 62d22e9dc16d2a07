//! Why a set cannot be built.

use actforge_reference::{CatalogueError, DefineError, SurrogateError};

/// Why a set cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A function is not in the catalogue.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// An expression is no function that tables can be made for.
    #[error(transparent)]
    Define(#[from] DefineError),
    /// A function cannot be followed.
    #[error(transparent)]
    Surrogate(#[from] SurrogateError),
    /// A field of the request makes no sense.
    #[error("function `{function}`, field {field}: expected {expected}, found {found}")]
    Request {
        /// The function.
        function: String,
        /// The field.
        field: &'static str,
        /// What would make sense.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A target that no number of buckets meets.
    #[error("{function} cannot be within {wanted} {dtype} ulp: {reason}")]
    Unreachable {
        /// The function.
        function: String,
        /// What was asked for, in ulp.
        wanted: f64,
        /// The output type.
        dtype: &'static str,
        /// Why.
        reason: String,
    },
    /// A function that no cubics follow somewhere: about a pole, or where it is too steep.
    #[error(
        "{function} cannot be followed by cubics between {from:?} and {to:?}, not even within {within:.0} ulp"
    )]
    NotFollowed {
        /// The function.
        function: String,
        /// The first input of the octave.
        from: f32,
        /// The last one.
        to: f32,
        /// The coarsest error that is tried, in ulp.
        within: f64,
    },
    /// A function alone does not fit.
    #[error("{function} at {wanted} {dtype} ulp needs {needed} {resource}; {limit}")]
    TooLarge {
        /// The function.
        function: String,
        /// The error asked for, in ulp.
        wanted: f64,
        /// The output type.
        dtype: &'static str,
        /// How many it needs.
        needed: usize,
        /// Of what: "buckets" or "control words".
        resource: &'static str,
        /// What there is, in words.
        limit: String,
    },
    /// No layout has exactly so many buckets and control words.
    #[error(
        "{function} cannot be laid out in exactly {buckets} buckets and {control_words} control words: {reason}"
    )]
    Inexact {
        /// The function.
        function: String,
        /// The buckets of its octaves.
        buckets: usize,
        /// Its control words.
        control_words: usize,
        /// Why.
        reason: String,
    },
    /// The functions together do not fit.
    #[error("the set needs {needed} {resource} ({breakdown}); target {target} has {capacity}")]
    SetTooLarge {
        /// How many are needed.
        needed: usize,
        /// Of what.
        resource: &'static str,
        /// Who needs how many.
        breakdown: String,
        /// The target.
        target: &'static str,
        /// How many there are.
        capacity: usize,
    },
    /// No functions.
    #[error("set `{0}` has no functions")]
    Empty(String),
}

impl FitError {
    /// Whether the request is well-formed but cannot be met.
    pub fn is_impossible(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::NotFollowed { .. }
                | Self::TooLarge { .. }
                | Self::Inexact { .. }
                | Self::SetTooLarge { .. }
        )
    }
}
