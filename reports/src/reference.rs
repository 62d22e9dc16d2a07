//! What the functions of a set are to be judged by.

use std::borrow::Cow;

use actforge_reference::{CatalogueError, DefineError, Definition, Function, GivenLimits, lookup};
use actforge_tables::{DefinitionNotes, FunctionNotes};

/// Why there is nothing to judge a function by.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReferenceError {
    /// It is not in the catalogue, and the set does not hold its expression.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The expression that the set holds is none.
    #[error(transparent)]
    Define(#[from] DefineError),
    /// The set holds a limit that is no binary32 number.
    #[error("function `{function}`, limit {key}: expected 0x and 8 hex digits, found `{found}`")]
    Limit {
        /// The function.
        function: String,
        /// The limit's key.
        key: &'static str,
        /// What is there.
        found: String,
    },
}

/// The function that an entry of a set stands for: that of its own expression, or that of the catalogue.
///
/// # Errors
/// [`ReferenceError`] when there is neither.
pub fn reference(
    name: &str,
    notes: &FunctionNotes,
) -> Result<Cow<'static, Function>, ReferenceError> {
    let Some(definition) = &notes.definition else {
        return Ok(Cow::Borrowed(lookup(name)?.function()));
    };
    let range = notes.range.map(|[low, high]| (low, high));
    let function = Function::define(name, &from_notes(name, definition)?, range)?;
    Ok(Cow::Owned(function))
}

fn from_notes(name: &str, notes: &DefinitionNotes) -> Result<Definition, ReferenceError> {
    let limit = |key: &'static str, text: &Option<String>| {
        text.as_ref()
            .map(|text| {
                text.strip_prefix("0x")
                    .filter(|digits| digits.len() == 8)
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .map(f32::from_bits)
                    .ok_or_else(|| ReferenceError::Limit {
                        function: name.to_owned(),
                        key,
                        found: text.chars().take(40).collect(),
                    })
            })
            .transpose()
    };
    Ok(Definition {
        expression: notes.expr.clone(),
        params: notes.params.clone(),
        limits: GivenLimits {
            zero: limit("zero", &notes.limits.zero)?,
            pos_inf: limit("pos_inf", &notes.limits.pos_inf)?,
            neg_inf: limit("neg_inf", &notes.limits.neg_inf)?,
        },
    })
}
