//! Waivers: a limit that is lifted for a while, to a ceiling, for a reason, by somebody.

use actforge_reference::Format;
use jiff::civil::Date;

use super::limit::Limit;

/// One waiver. It does not skip a check: it lifts one limit to a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiver {
    /// What it is called, in tickets and in results.
    pub id: String,
    /// The function.
    pub function: String,
    /// The set; any when `None`.
    pub set: Option<String>,
    /// The output type; any when `None`.
    pub dtype: Option<Format>,
    /// The type of the inputs; any when `None`.
    pub input: Option<Format>,
    /// The range of inputs, as the rule has it; any when `None`.
    pub range: Option<[f32; 2]>,
    /// The limit that is lifted, of budgets and of the baseline alike.
    pub limit: Limit,
    /// What is allowed instead.
    pub ceiling: f64,
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The last day on which it holds.
    pub expires: Date,
    /// The file it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
}

impl Waiver {
    /// Whether the waiver is about this limit of these results.
    pub fn covers(
        &self,
        set: &str,
        function: &str,
        dtype: Format,
        input: Format,
        range: Option<[f32; 2]>,
        limit: Limit,
    ) -> bool {
        self.limit == limit
            && self.function == function
            && self.set.as_ref().is_none_or(|own| own == set)
            && self.dtype.is_none_or(|own| own == dtype)
            && self.input.is_none_or(|own| own == input)
            && (self.range.is_none() || self.range == range)
    }

    /// Whether it no longer holds on a day.
    pub fn is_expired(&self, on: Date) -> bool {
        on > self.expires
    }
}
