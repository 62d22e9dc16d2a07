//! The last release: the figures that nothing may fall behind.

use serde::Deserialize;

use super::figures::{Figures, figures};
use super::result::{GateResult, ResultError};
use crate::report::{FunctionReport, Report, ReportError};

/// What the last release reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// Where it is from, as the user named it.
    pub origin: String,
    sets: Vec<BaselineSet>,
    entries: Vec<BaselineEntry>,
}

/// A set of the last release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BaselineSet {
    pub(super) name: String,
    pub(super) target: String,
    pub(super) datapath: String,
}

/// The figures of one function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BaselineEntry {
    pub(super) set: String,
    pub(super) function: String,
    pub(super) dtype: String,
    pub(super) input_dtype: String,
    pub(super) range: Option<[String; 2]>,
    pub(super) inputs: u64,
    figures: Figures,
}

/// Why a file says nothing of the last release.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// It is neither a report nor the result of a gate.
    #[error(
        "expected a report of `actforge replay --json` or a result of `actforge gate --json`: {0}"
    )]
    Json(#[from] serde_json::Error),
    /// It is no result of a gate.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// It is no report.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Two files have figures of the same set.
    #[error("set {set} is in {first} already")]
    Twice {
        /// The set.
        set: String,
        /// The origin that has it.
        first: String,
    },
    /// There is nothing in it.
    #[error("no figures of any function")]
    Empty,
}

impl Baseline {
    /// No figures yet; `origin` is only what messages call them.
    pub fn new(origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            sets: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Adds the figures of a report, or of the stored result of a gate.
    ///
    /// # Errors
    /// See [`BaselineError`].
    pub fn add(&mut self, text: &str) -> Result<(), BaselineError> {
        /// What tells the two apart.
        #[derive(Deserialize)]
        struct Kind {
            checks: Option<serde::de::IgnoredAny>,
        }
        let kind: Kind = serde_json::from_str(text)?;
        if kind.checks.is_some() {
            return self.add_result(&GateResult::from_json(text)?);
        }
        self.add_report(&Report::from_json(text)?)
    }

    fn add_report(&mut self, report: &Report) -> Result<(), BaselineError> {
        self.add_set(&report.set, &report.target, &report.datapath)?;
        let entries = report.functions.iter().map(|function| BaselineEntry {
            set: report.set.clone(),
            function: function.name.clone(),
            dtype: function.dtype.clone(),
            input_dtype: function.input_dtype.clone(),
            range: function.range.clone(),
            inputs: function.inputs,
            figures: figures(function),
        });
        self.add_entries(entries.collect())
    }

    fn add_result(&mut self, result: &GateResult) -> Result<(), BaselineError> {
        for set in &result.sets {
            self.add_set(&set.name, &set.target, &set.datapath)?;
        }
        let entries = result.checks.iter().map(|check| BaselineEntry {
            set: check.set.clone(),
            function: check.function.clone(),
            dtype: check.dtype.clone(),
            input_dtype: check.input_dtype.clone(),
            range: check.range.clone(),
            inputs: check.inputs,
            figures: check.figures.clone(),
        });
        self.add_entries(entries.collect())
    }

    fn add_set(&mut self, name: &str, target: &str, datapath: &str) -> Result<(), BaselineError> {
        if self.set(name).is_some() {
            return Err(BaselineError::Twice {
                set: name.to_owned(),
                first: self.origin.clone(),
            });
        }
        self.sets.push(BaselineSet {
            name: name.to_owned(),
            target: target.to_owned(),
            datapath: datapath.to_owned(),
        });
        Ok(())
    }

    fn add_entries(&mut self, entries: Vec<BaselineEntry>) -> Result<(), BaselineError> {
        if entries.is_empty() {
            return Err(BaselineError::Empty);
        }
        self.entries.extend(entries);
        Ok(())
    }

    /// The sets of the release.
    pub(super) fn sets(&self) -> &[BaselineSet] {
        &self.sets
    }

    /// A set of the release.
    pub(super) fn set(&self, name: &str) -> Option<&BaselineSet> {
        self.sets.iter().find(|set| set.name == name)
    }

    /// The figures of the functions of a set.
    pub(super) fn entries<'b>(&'b self, set: &'b str) -> impl Iterator<Item = &'b BaselineEntry> {
        self.entries.iter().filter(move |entry| entry.set == set)
    }

    /// The figures of the same function in the same type over the same inputs.
    pub(super) fn figures(&self, set: &str, report: &FunctionReport) -> Option<&Figures> {
        let entry = self.entries.iter().find(|entry| {
            entry.set == set
                && entry.function == report.name
                && entry.dtype == report.dtype
                && entry.input_dtype == report.input_dtype
                && entry.range == report.range
                && entry.inputs == report.inputs
        });
        entry.map(|entry| &entry.figures)
    }
}
