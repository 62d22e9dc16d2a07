//! What values a specification may hold, from a file or from flags.

use std::ops::RangeInclusive;

use actforge_reference::{DefineError, Definition, Format};
use actforge_reports::document::{ValueError, did_you_mean, quoted};

use super::{FunctionSpec, Spec, SpecError};
use crate::numbers::as_written;
use actforge_models::framework_names::by_framework_name;

/// Longest name of a set, in characters.
pub const LONGEST_NAME: usize = 31;

/// Buckets a function can be limited to: the four saturation buckets are always there, and no pool has more.
pub const BUCKETS: RangeInclusive<u16> = 4..=2048;

/// Output types that a specification can name.
pub const DTYPES: [Format; 3] = [Format::Fp32, Format::Bf16, Format::Fp16];

pub(super) const EXPECTED_SET_NAME: &str =
    "a name of 1 to 31 characters a-z, 0-9, _ and - that does not begin with -";
pub(super) const EXPECTED_NEW_NAME: &str =
    "a name of 1 to 31 characters a-z, 0-9 and _ that begins with a letter";
pub(super) const EXPECTED_EXPRESSION: &str = "an expression in x, as a string";
pub(super) const EXPECTED_PARAMS: &str = "a table of numbers, { a = 1.5 }";
pub(super) const EXPECTED_LIMITS: &str =
    "a table of numbers for zero, pos_inf and neg_inf, { pos_inf = 1.0 }";
pub(super) const EXPECTED_MAX_ULP: &str = "a finite number of ulp, at least a millionth";
pub(super) const EXPECTED_BUCKETS: &str = "a whole number of buckets from 4 to 2048";
pub(super) const EXPECTED_RANGE: &str = "an array [lowest, highest] with lowest < highest";
pub(crate) const EVERY_FUNCTION_ONCE: &str = "every function once";
pub(super) const EXPECTED_FUNCTIONS: &str = "at least one [[function]]";

pub(super) fn set_name(name: &str) -> Result<(), ValueError> {
    let allowed = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-'
    };
    // It becomes a directory: a dash in front would be an option to other tools.
    let is_name = (1..=LONGEST_NAME).contains(&name.len()) && !name.starts_with('-');
    if is_name && name.bytes().all(allowed) {
        Ok(())
    } else {
        Err(ValueError::new(EXPECTED_SET_NAME, quoted(name)))
    }
}

pub(super) fn function_name(name: &str, catalogue: &[&str]) -> Result<(), ValueError> {
    if catalogue.contains(&name) {
        return Ok(());
    }
    // What other frameworks call it is a better guess than what is spelt alike.
    let known = by_framework_name(name).map(|known| known.function);
    let synonym = known.filter(|function| catalogue.contains(function));
    Err(ValueError {
        expected: "a function of the catalogue".to_owned(),
        found: quoted(name),
        hint: synonym
            .or_else(|| did_you_mean(name, catalogue))
            .map(str::to_owned),
        drawing: Vec::new(),
    })
}

/// The name of a function by expression.
pub(super) fn new_name(name: &str, catalogue: &[&str]) -> Result<(), ValueError> {
    let mut bytes = name.bytes();
    let is_name = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && name.len() <= LONGEST_NAME;
    if !is_name {
        return Err(ValueError::new(EXPECTED_NEW_NAME, quoted(name)));
    }
    if catalogue.contains(&name) {
        return Err(ValueError::new(
            "a name that the catalogue does not have, for a function by expression",
            quoted(name),
        ));
    }
    Ok(())
}

/// The expression and the parameters of a function; the error comes with the key it concerns.
pub(super) fn definition(
    name: &str,
    definition: &Definition,
) -> Result<(), (&'static str, ValueError)> {
    definition.check(name).map_err(|error| match error {
        DefineError::Parse { error, .. } => {
            let place = format!("{} in column {}", error.found, error.column);
            let drawing = error.drawing().to_vec();
            let refused = ValueError::new(error.expected, place);
            ("expr", ValueError { drawing, ..refused })
        }
        DefineError::Parameter {
            param,
            expected,
            found,
            ..
        } => (
            "params",
            ValueError::new(
                format!("for {}, {expected}", quoted(&param)),
                quoted(&found),
            ),
        ),
        other => ("expr", ValueError::new("a function", other.to_string())),
    })
}

pub(super) fn dtype(dtype: Format) -> Result<(), ValueError> {
    if DTYPES.contains(&dtype) {
        Ok(())
    } else {
        Err(ValueError::not_one_of(
            dtype.name(),
            &DTYPES.map(Format::name),
        ))
    }
}

pub(super) fn max_ulp(value: f64) -> Result<(), ValueError> {
    // Errors are measured to a millionth.
    if value.is_finite() && value >= 1e-6 {
        Ok(())
    } else {
        Err(ValueError::new(EXPECTED_MAX_ULP, as_written(value)))
    }
}

pub(super) fn buckets(count: u64) -> Result<u16, ValueError> {
    let count16 = u16::try_from(count)
        .ok()
        .filter(|count| BUCKETS.contains(count));
    count16.ok_or_else(|| ValueError::new(EXPECTED_BUCKETS, count.to_string()))
}

pub(super) fn range([lowest, highest]: [f32; 2]) -> Result<(), ValueError> {
    if lowest < highest {
        Ok(())
    } else {
        Err(ValueError::new(
            EXPECTED_RANGE,
            format!("[{lowest:?}, {highest:?}]"),
        ))
    }
}

/// Checks a whole specification, value by value.
pub(super) fn check(spec: &Spec, catalogue: &[&str]) -> Result<(), SpecError> {
    let refuse = |key: &str| {
        let key = key.to_owned();
        move |error| SpecError::Flags { key, error }
    };
    set_name(&spec.set.name).map_err(refuse("set.name"))?;
    if spec.functions.is_empty() {
        return Err(refuse("function")(ValueError::new(
            EXPECTED_FUNCTIONS,
            "none",
        )));
    }
    for (index, function) in spec.functions.iter().enumerate() {
        let FunctionSpec {
            name,
            definition: formula,
            dtype: output,
            max_ulp: target,
            buckets: ceiling,
            range: valid,
            inputs,
            method: _,
        } = function;
        let refuse = |key: &str| refuse(&format!("function[{name}].{key}"));
        match formula {
            None => function_name(name, catalogue).map_err(refuse("name"))?,
            Some(formula) => {
                new_name(name, catalogue).map_err(refuse("name"))?;
                definition(name, formula).map_err(|(key, error)| refuse(key)(error))?;
            }
        }
        if spec
            .functions
            .iter()
            .take(index)
            .any(|earlier| earlier.name == *name)
        {
            return Err(refuse("name")(ValueError::new(
                EVERY_FUNCTION_ONCE,
                format!("{} again", quoted(name)),
            )));
        }
        dtype(*output).map_err(refuse("dtype"))?;
        target.map_or(Ok(()), max_ulp).map_err(refuse("max_ulp"))?;
        ceiling
            .map_or(Ok(4), |count| buckets(count.into()))
            .map_err(refuse("buckets"))?;
        valid.map_or(Ok(()), range).map_err(refuse("range"))?;
        inputs.map_or(Ok(()), range).map_err(refuse("inputs"))?;
    }
    Ok(())
}
