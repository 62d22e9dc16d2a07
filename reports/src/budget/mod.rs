//! Budgets: what the sets of a release must keep, written by the people who rely on them.
//!
//! ```toml
//! [[rule]]                  # for every function
//! function = "*"
//! max_ulp = 26.0
//!
//! [[rule]]                  # wins over the rule above, limit by limit
//! function = "tanh"
//! max_ulp = 1.0
//! min_correctly_rounded = 0.8
//!
//! [[rule]]                  # one more check, of a stretch of inputs
//! function = "tanh"
//! range = [-1.0, 1.0]
//! max_ulp = 0.6
//! ```
//!
//! `docs/gate.md` explains every key; [`SCHEMA`] is the JSON Schema of the file.

mod edit;
mod limit;
mod parse;
mod rule;
mod waiver;

use std::collections::BTreeMap;
use std::path::Path;

use actforge_reference::Format;
use actforge_tables::{Datapath, Target};

use crate::document::{DocumentError, ReadError, read_text};

pub use edit::{EditError, Tightening, tighten};
pub use limit::Limit;
pub use parse::{RULE_SCOPE, WAIVER_KEYS};
pub use rule::{Bounds, Demand, Given, Inputs, Point, Rule, SpecialInput, SpecialResult, Symmetry};
pub use waiver::Waiver;

/// The JSON Schema of a budgets file, for editors and other checkers. A test holds it against the parser.
pub const SCHEMA: &str = include_str!("budgets.schema.json");

/// A budgets file.
#[derive(Clone, Debug, PartialEq)]
pub struct Budgets {
    /// The file, as the user named it.
    pub file: String,
    /// Whether functions without a rule over all inputs are let through.
    pub allows_unlisted: bool,
    /// The sets that the release must hold, if the file says so; then it may hold no others.
    pub sets: BTreeMap<String, RequiredSet>,
    /// The rules, in the order of the file; at least one.
    pub rules: Vec<Rule>,
    /// How much worse than the baseline a figure may be; nothing where there is no entry.
    pub slack: BTreeMap<Limit, f64>,
    /// The waivers, in the order of the file.
    pub waivers: Vec<Waiver>,
}

/// What a set of the release must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredSet {
    /// Its hardware generation.
    pub target: Option<Target>,
    /// The rounding schedule it was fitted for.
    pub datapath: Option<Datapath>,
    /// Its functions, no more and no less.
    pub functions: Option<Vec<String>>,
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
        Ok(Self::parse(&path.display().to_string(), &text)?)
    }

    /// Parses the text of a budgets file; `file` is only what messages call it.
    ///
    /// # Errors
    /// Not TOML, an unknown key, a value out of range, a rule without a limit or with the scope of another, a limit that
    /// its inputs cannot answer, or a file without any rule (a gate that checks nothing must not pass).
    pub fn parse(file: &str, text: &str) -> Result<Self, DocumentError> {
        parse::budgets(file, text)
    }

    /// Adds the waivers of another file, which holds nothing else.
    ///
    /// # Errors
    /// As [`Budgets::read`]; also an id that the budgets file has already.
    pub fn read_waivers(&mut self, path: &Path) -> Result<(), BudgetError> {
        let text = read_text(path)?;
        Ok(self.add_waivers(&path.display().to_string(), &text)?)
    }

    /// The same with the text of the file.
    ///
    /// # Errors
    /// As [`Budgets::parse`].
    pub fn add_waivers(&mut self, file: &str, text: &str) -> Result<(), DocumentError> {
        parse::further_waivers(file, text, &mut self.waivers)
    }
}

impl Budgets {
    /// The largest error in ulp that the most specific rule allows these results; none where no rule says.
    pub fn max_ulp(
        &self,
        set: &str,
        function: &str,
        dtype: Format,
        inputs: &Inputs,
    ) -> Option<f64> {
        let covering = self
            .rules
            .iter()
            .filter(|rule| rule.covers(set, function, dtype, inputs));
        let given = covering.filter_map(|rule| {
            let mut given = rule.given.iter();
            let allowed = given
                .find(|given| given.limit == Limit::MaxUlp)?
                .demand
                .allowed();
            Some((rule.specificity(), allowed))
        });
        // No two rules have one scope, so there is one that is the most specific.
        given
            .max_by_key(|(specificity, _)| *specificity)
            .map(|(_, allowed)| allowed)
    }
}

#[cfg(test)]
mod tests;
