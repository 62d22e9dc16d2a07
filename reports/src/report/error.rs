//! Why the text of a report is refused.

use super::SCHEMA_VERSION;
use crate::replay::ReplayError;

/// A report that cannot be read, that says what no replay can find, or that is of other tables.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It is no report.
    #[error("not a report: {0}")]
    Json(#[from] serde_json::Error),
    /// It is what `replay --shard` writes.
    #[error("not a report: a part of one")]
    Part,
    /// It is what `gate --json` writes.
    #[error("not a report: the result of a gate")]
    GateResult,
    /// A report of another version of the layout.
    #[error("schema_version: expected {SCHEMA_VERSION}, found {found}")]
    Version {
        /// The version of the report.
        found: u32,
    },
    /// Its errors are defined in another way.
    #[error("metrics: expected those of this version of actforge, found {found:?}")]
    Metric {
        /// The definition of the report.
        found: String,
    },
    /// A figure that no replay can find, or not of these tables.
    #[error("{function}: {field}: expected {expected}, found {found}")]
    Impossible {
        /// The function.
        function: String,
        /// The field of its report.
        field: String,
        /// What could be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// It is of another set, or of another build of this one: it proves nothing of these tables.
    #[error("not a report of this set: {field}: expected {expected}, found {found}")]
    OfOther {
        /// The field that tells them apart.
        field: &'static str,
        /// That of the set.
        expected: String,
        /// That of the report.
        found: String,
    },
    /// The set cannot be replayed, so that no report can be of it.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl ReportError {
    /// What helps.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Json(_) | Self::GateResult => {
                "expected a file that `actforge replay --json FILE` wrote"
            }
            Self::Part => "`actforge merge` joins the parts",
            Self::Version { .. } | Self::Metric { .. } => {
                "replay the set again with this version of actforge"
            }
            Self::Impossible { .. } => {
                "the report was edited or damaged, or is of another way to replay; replay the set again"
            }
            Self::OfOther { .. } => "replay the set again, or leave the report out",
            Self::Replay(_) => "the set is damaged; build it again",
        }
    }
}
