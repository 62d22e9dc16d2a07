//! Budgets: the limits that a set's measured error and size must keep, written by the people who rely on it.
//!
//! ```toml
//! [default]               # optional: for every function that has no limits of its own
//! max_ulp = 1.0
//!
//! [function.tanh]         # replaces the default for tanh, it does not add to it
//! max_ulp = 1.0
//! mean_ulp = 0.3
//! max_buckets = 256
//! min_correctly_rounded = 0.8
//! ```

mod limits;
mod parse;

use std::collections::BTreeMap;
use std::path::Path;

use crate::document::{DocumentError, ReadError, read_text};

pub use limits::{Breach, Limit, Limits, Measured};

/// A budgets file.
#[derive(Clone, Debug, PartialEq)]
pub struct Budgets {
    default: Option<Limits>,
    functions: BTreeMap<String, FunctionBudget>,
}

#[derive(Clone, Debug, PartialEq)]
struct FunctionBudget {
    limits: Limits,
    line: usize,
}

/// A budget for a function that the set does not hold: most likely a misspelt or outdated name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedBudget {
    /// The name in the budgets file.
    pub function: String,
    /// The line of the budgets file, from 1.
    pub line: usize,
}

/// Why a budgets file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BudgetError {
    /// The file cannot be read as text.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Something in it is wrong.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl Budgets {
    /// Reads and parses a budgets file.
    ///
    /// # Errors
    /// See [`BudgetError`].
    pub fn read(path: &Path) -> Result<Self, BudgetError> {
        let text = read_text(path)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Parses the text of a budgets file; `file` is only what messages call it.
    ///
    /// # Errors
    /// [`BudgetError::Document`]: not TOML, an unknown key, a value out of range, a table of limits without a
    /// limit, or a file without any limit (a gate that checks nothing must not pass).
    pub fn parse(file: &str, text: &str) -> Result<Self, BudgetError> {
        Ok(parse::parse(file, text)?)
    }

    /// The limits for a function: its own, else the default, else none.
    pub fn limits(&self, function: &str) -> Option<&Limits> {
        self.functions
            .get(function)
            .map(|budget| &budget.limits)
            .or(self.default.as_ref())
    }

    /// The budgets whose function is not among `functions`, in the order of the file.
    pub fn unused(&self, functions: &[&str]) -> Vec<UnusedBudget> {
        let mut unused: Vec<_> = self
            .functions
            .iter()
            .filter(|(name, _)| !functions.contains(&name.as_str()))
            .map(|(name, budget)| UnusedBudget {
                function: name.clone(),
                line: budget.line,
            })
            .collect();
        unused.sort_by_key(|budget| budget.line);
        unused
    }

    /// Those of `functions` that have no limits, in the given order.
    pub fn without_limits<'f>(&self, functions: &[&'f str]) -> Vec<&'f str> {
        functions
            .iter()
            .copied()
            .filter(|name| self.limits(name).is_none())
            .collect()
    }
}

#[cfg(test)]
mod tests;
