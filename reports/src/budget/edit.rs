//! Tightening a budgets file in place: the numbers change, everything else stays, comments included.

use toml_edit::{DocumentMut, Item, Value};

use super::limit::Limit;

/// A limit that can be brought down to what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Tightening {
    /// Which rule, counted from 0 in the order of the file.
    pub rule: usize,
    /// Which of its limits.
    pub limit: Limit,
    /// What it allows at present.
    pub from: f64,
    /// What was measured.
    pub to: f64,
}

/// Why a budgets file cannot be edited. After it was read as [`Budgets`](super::Budgets) this is a defect of ours, or the
/// file was changed in between.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The text is not TOML.
    #[error("not valid TOML: {0}")]
    Syntax(#[from] toml_edit::TomlError),
    /// There is no such rule, or it has no such limit.
    #[error("rule {} has no {}: was the file changed in the meantime?", rule + 1, limit.key())]
    Missing {
        /// The rule, counted from 0.
        rule: usize,
        /// The limit.
        limit: Limit,
    },
}

/// The text of a budgets file with some limits tightened.
///
/// # Errors
/// See [`EditError`].
pub fn tighten(text: &str, changes: &[Tightening]) -> Result<String, EditError> {
    let mut document: DocumentMut = text.parse()?;
    for change in changes {
        let missing = EditError::Missing {
            rule: change.rule,
            limit: change.limit,
        };
        let value = rule_value(&mut document, change).ok_or(missing)?;
        let decor = value.decor().clone();
        *value = written(change.limit, change.to);
        *value.decor_mut() = decor;
    }
    Ok(document.to_string())
}

/// The value of a limit, whether rules are written as `[[rule]]` or as an array of inline tables.
fn rule_value<'d>(document: &'d mut DocumentMut, change: &Tightening) -> Option<&'d mut Value> {
    let key = change.limit.key();
    match document.get_mut("rule")? {
        Item::ArrayOfTables(tables) => tables.get_mut(change.rule)?.get_mut(key)?.as_value_mut(),
        Item::Value(Value::Array(tables)) => tables
            .get_mut(change.rule)?
            .as_inline_table_mut()?
            .get_mut(key),
        _ => None,
    }
}

/// A number such that reading it gives the same number again: counts whole, others with a decimal point.
fn written(limit: Limit, value: f64) -> Value {
    if limit.is_count() {
        Value::from(value as i64)
    } else {
        // Inputs are binary32 numbers, and no longer than they need be.
        let is_input = matches!(limit, Limit::SaturatedAbove | Limit::SaturatedBelow);
        let shortest = (value as f32).to_string().parse().ok().filter(|_| is_input);
        Value::from(shortest.unwrap_or(value))
    }
}
