//! The result of a gate: all that any of its outputs shows, and what `--json` stores.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::codes::{Code, Level};
use super::witness::Witness;
use crate::budget::Limit;
use crate::number::counted;

/// The version of this layout; it changes when a field changes its meaning or goes away.
pub const RESULT_SCHEMA_VERSION: u32 = 2;

/// What a gate found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateResult {
    /// [`RESULT_SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Whether there is no finding of level error.
    pub passed: bool,
    /// The budgets file, as the user named it.
    pub budgets: String,
    /// The last release, as the user named it; none without one.
    pub baseline: Option<String>,
    /// The day that waivers were held against; none without waivers.
    pub as_of: Option<String>,
    /// The sets that were gated.
    pub sets: Vec<SetResult>,
    /// What was measured, with every limit.
    pub checks: Vec<CheckResult>,
    /// What was found, the worst first.
    pub findings: Vec<Finding>,
    /// The waivers and what became of them.
    pub waivers: Vec<WaiverResult>,
    /// Limits that are looser than what was measured.
    pub can_tighten: Vec<CanTighten>,
}

/// A set that was gated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetResult {
    /// Its name.
    pub name: String,
    /// Its directory, as the user named it.
    pub directory: String,
    /// SHA-256 of the set, the `manifest_sha256` of its `set.json`.
    pub sha256: Option<String>,
    /// Its hardware generation.
    pub target: String,
    /// The rounding schedule that was judged.
    pub datapath: String,
}

/// The results of one function in one output type over one range of inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckResult {
    /// The set.
    pub set: String,
    /// The function.
    pub function: String,
    /// Output type in whose ulp errors count.
    pub dtype: String,
    /// Type of the inputs.
    pub input_dtype: String,
    /// The inputs that were judged, first and last as bits, when that was not all of them.
    pub range: Option<[String; 2]>,
    /// How many inputs were judged.
    pub inputs: u64,
    /// Whether every limit is kept or waived.
    pub passed: bool,
    /// Everything that was measured; null for what is infinite (a NaN where a number is right).
    pub figures: BTreeMap<Limit, Option<f64>>,
    /// The limits, in the order of [`Limit::ALL`], those of the last release after those of the rules.
    pub limits: Vec<LimitResult>,
}

/// Where a limit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A rule of the budgets file.
    Rule,
    /// It holds without being asked for.
    Always,
    /// The last release.
    Baseline,
}

/// What became of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is kept.
    Kept,
    /// It is not kept, but the ceiling of a waiver is.
    Waived,
    /// It is not kept.
    Exceeded,
    /// It cannot be judged, which is a failure.
    NotMeasured,
}

impl Outcome {
    /// Whether the gate can pass with it.
    pub const fn passes(self) -> bool {
        matches!(self, Self::Kept | Self::Waived)
    }

    /// The word for it at the beginning of a line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kept => "PASS",
            Self::Waived => "WAIVED",
            Self::Exceeded | Self::NotMeasured => "FAIL",
        }
    }
}

/// One limit with what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitResult {
    /// Which one.
    pub limit: Limit,
    /// Where it comes from.
    pub source: Source,
    /// The line of the rule's key, from 1; none for limits that no rule gives.
    pub line: Option<usize>,
    /// What is allowed (of the last release: its figure and the slack).
    pub allowed: f64,
    /// What was measured; null for infinite, and for what was not measured.
    pub measured: Option<f64>,
    /// How much is left; negative when it is exceeded.
    pub margin: Option<f64>,
    /// What became of it.
    pub outcome: Outcome,
    /// The id of the waiver that covers it, if it needs one.
    pub waiver: Option<String>,
}

/// Where in a file of the user something stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// The file, as the user named it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What it is.
    pub code: Code,
    /// How serious it is.
    pub level: Level,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What in the user's files it is about.
    pub location: Option<Location>,
    /// The set.
    pub set: Option<String>,
    /// The function.
    pub function: Option<String>,
    /// The output type.
    pub dtype: Option<String>,
    /// The place in [`GateResult::checks`] of the results it is about; none for findings about the release as a whole.
    pub check: Option<usize>,
    /// The limit.
    pub limit: Option<Limit>,
    /// Where the limit comes from.
    pub source: Option<Source>,
    /// What is allowed.
    pub allowed: Option<f64>,
    /// What was measured.
    pub measured: Option<f64>,
    /// An input that shows it.
    pub witness: Option<Witness>,
    /// A command that shows it.
    pub reproduce: Option<String>,
}

impl Finding {
    /// A finding that is no more than a sentence.
    pub fn new(code: Code, level: Level, message: impl Into<String>) -> Self {
        Self {
            code,
            level,
            message: message.into(),
            location: None,
            set: None,
            function: None,
            dtype: None,
            check: None,
            limit: None,
            source: None,
            allowed: None,
            measured: None,
            witness: None,
            reproduce: None,
        }
    }

    /// How far beyond its limit the figure is, as a ratio from 1; infinite where there is no ratio.
    pub fn excess(&self) -> f64 {
        match (self.measured, self.allowed, self.limit) {
            (Some(measured), Some(allowed), Some(limit)) => {
                // A share gets worse downwards; a point of saturation on the negative side away from zero.
                let ratio = if limit == Limit::MinCorrectlyRounded {
                    allowed / measured
                } else {
                    measured / allowed
                };
                if ratio.is_nan() {
                    f64::INFINITY
                } else {
                    ratio.abs()
                }
            }
            _ => f64::INFINITY,
        }
    }
}

/// What became of a waiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaiverState {
    /// It lifts a limit that is exceeded.
    Used,
    /// What it covers exceeds even its ceiling.
    Exceeded,
    /// There is nothing for it to do.
    Unused,
    /// It no longer holds.
    Expired,
}

impl WaiverState {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Exceeded => "exceeded",
            Self::Unused => "unused",
            Self::Expired => "expired",
        }
    }
}

/// A waiver and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaiverResult {
    /// Its id.
    pub id: String,
    /// What became of it.
    pub state: WaiverState,
    /// The function.
    pub function: String,
    /// The limit it lifts.
    pub limit: Limit,
    /// To what.
    pub ceiling: f64,
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The last day on which it holds.
    pub expires: String,
    /// Where it stands.
    pub location: Location,
}

/// A limit that is looser than what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanTighten {
    /// The set.
    pub set: String,
    /// The function.
    pub function: String,
    /// The output type.
    pub dtype: String,
    /// The limit.
    pub limit: Limit,
    /// Where the looser number comes from.
    pub source: Source,
    /// What it allows.
    pub allowed: f64,
    /// What was measured.
    pub measured: f64,
}

/// A text that is no result of a gate.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// Not JSON, or not this layout.
    #[error("not a result of `actforge gate --json`: {0}")]
    Json(#[from] serde_json::Error),
    /// Of another version of the layout.
    #[error("schema_version: expected {RESULT_SCHEMA_VERSION}, found {found}")]
    Version {
        /// The version of the text.
        found: u32,
    },
}

impl GateResult {
    /// Reads what was stored.
    ///
    /// # Errors
    /// See [`ResultError`].
    pub fn from_json(text: &str) -> Result<Self, ResultError> {
        /// The version first: other versions may have other keys.
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
        }
        let Version { schema_version } = serde_json::from_str(text)?;
        if schema_version != RESULT_SCHEMA_VERSION {
            return Err(ResultError::Version {
                found: schema_version,
            });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// The findings of a level.
    pub fn findings_of(&self, level: Level) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(move |finding| finding.level == level)
    }

    /// The verdict in a line: `PASS: 5 checks of core` or `FAIL: 2 findings in 5 checks of core`.
    pub fn summary(&self) -> String {
        let sets: Vec<&str> = self.sets.iter().map(|set| set.name.as_str()).collect();
        let checks = counted(self.checks.len(), "check");
        let waived = self
            .waivers
            .iter()
            .filter(|waiver| waiver.state == WaiverState::Used);
        let waived = match waived.count() {
            0 => String::new(),
            count => format!(", {} in use", counted(count, "waiver")),
        };
        let of = format!("{checks} of {}{waived}", sets.join(", "));
        match self.findings_of(Level::Error).count() {
            0 => format!("PASS: {of}"),
            errors => format!("FAIL: {} in {of}", counted(errors, "finding")),
        }
    }
}
