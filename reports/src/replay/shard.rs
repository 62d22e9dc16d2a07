//! Cutting a replay into shards and putting it together again.

use std::str::FromStr;
use std::time::Instant;

use actforge_reference::Format;
use actforge_tables::FunctionSet;
use serde::{Deserialize, Serialize};

use super::finish::{Frame, finish};
use super::measure::{FunctionMeasurement, measure};
use super::{
    Observer, ReplayError, ReplayOptions, Subject, check_metric, empty_report, selected,
    with_operand,
};
use crate::report::{FunctionReport, Report, SCHEMA_VERSION};

/// One of several equal parts of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which one, from 1.
    pub index: u32,
    /// Of how many.
    pub count: u32,
}

impl Shard {
    /// The whole.
    pub const WHOLE: Self = Self { index: 1, count: 1 };

    /// Whether the input that follows `before` others, of `total`, belongs to this shard.
    pub(super) fn owns(self, before: u64, total: u64) -> bool {
        u128::from(before) * u128::from(self.count) / u128::from(total.max(1))
            == u128::from(self.index - 1)
    }
}

impl FromStr for Shard {
    type Err = String;

    /// `I/N`, with I from 1 to N.
    fn from_str(text: &str) -> Result<Self, String> {
        text.split_once('/')
            .and_then(|(index, count)| {
                Some(Self {
                    index: index.parse().ok()?,
                    count: count.parse().ok()?,
                })
            })
            .filter(|shard| shard.index >= 1 && shard.index <= shard.count)
            .ok_or_else(|| format!("expected I/N with I from 1 to N, found `{text}`"))
    }
}

/// What one shard measured: tallies, and what the final report needs besides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardReport {
    schema_version: u32,
    set: String,
    set_sha256: Option<String>,
    target: String,
    datapath: String,
    shard: Shard,
    functions: Vec<ShardFunction>,
}

/// A function in a shard. The frame holds what every shard finds in the same way; maxima are decided when shards are
/// merged, by the witnesses' results that the tallies carry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShardFunction {
    frame: Frame,
    measurement: FunctionMeasurement,
}

impl ShardReport {
    /// The shard as JSON text.
    ///
    /// # Errors
    /// Only those of the serialiser.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }

    /// Reads what [`ShardReport::to_json`] wrote.
    ///
    /// # Errors
    /// When the text is not JSON or not a shard, or counts what no replay can count.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let shard: Self = serde_json::from_str(text)?;
        shard.check().map_err(serde::de::Error::custom)?;
        Ok(shard)
    }

    /// What merging relies on.
    fn check(&self) -> Result<(), String> {
        let Shard { index, count } = self.shard;
        if index == 0 || index > count {
            return Err(format!(
                "shard: expected I/N with I from 1 to N, found {index}/{count}"
            ));
        }
        for ShardFunction { frame, measurement } in &self.functions {
            measurement
                .check()
                .and_then(|()| frame.check())
                .map_err(|reason| format!("function {:?}: {reason}", measurement.name))?;
        }
        Ok(())
    }
}

/// Replays one shard of a set.
///
/// # Errors
/// As [`replay`](super::replay).
pub fn replay_shard(
    set: &FunctionSet,
    options: &ReplayOptions,
    shard: Shard,
    observer: Observer<'_>,
) -> Result<ShardReport, ReplayError> {
    check_metric()?;
    // All names are checked before the first function is swept.
    let bound = with_operand(set, options)?;
    let subjects: Result<Vec<Subject<'_>>, ReplayError> = selected(set, options)
        .into_iter()
        .map(|name| Subject::new(&bound, name, options))
        .collect();
    let mut functions = Vec::new();
    for subject in subjects? {
        let start = Instant::now();
        let surrogate = subject.surrogate()?;
        let mut measurement = measure(&subject, &surrogate, shard, observer)?;
        let frame = Frame::new(&bound, &subject, &surrogate)?;
        measurement.seconds = options.timing.then(|| start.elapsed().as_secs_f64());
        functions.push(ShardFunction { frame, measurement });
    }
    Ok(ShardReport {
        schema_version: SCHEMA_VERSION,
        set: set.name.clone(),
        // Tables with an injected fault may be no valid set; they can be replayed all the same.
        set_sha256: set.digest().ok(),
        target: set.target.to_string(),
        datapath: options.datapath.unwrap_or(set.datapath).to_string(),
        shard,
        functions,
    })
}

/// Why shards do not make a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are none.
    #[error("no shards to merge")]
    Nothing,
    /// Two shards are of different replays.
    #[error("shard {index}/{count}: {field} is not that of the first shard")]
    Mismatch {
        /// The shard.
        index: u32,
        /// Of how many.
        count: u32,
        /// What differs.
        field: &'static str,
    },
    /// A shard is missing or there twice.
    #[error("shard {index}/{count} is there {times} times, expected once")]
    Incomplete {
        /// The shard.
        index: u32,
        /// Of how many.
        count: u32,
        /// How often it is there.
        times: usize,
    },
    /// A shard cannot be right.
    #[error("function `{function}`: {reason}")]
    Invalid {
        /// The function.
        function: String,
        /// Why.
        reason: String,
    },
}

/// Puts the shards of a replay together: the same report, byte for byte, as an undivided replay's.
///
/// # Errors
/// [`MergeError`] when shards are missing, doubled or of different replays.
pub fn merge(mut shards: Vec<ShardReport>) -> Result<Report, MergeError> {
    shards.sort_by_key(|shard| shard.shard.index);
    let mut rest = shards.into_iter();
    let first = rest.next().ok_or(MergeError::Nothing)?;
    let count = first.shard.count;
    let mut indices = vec![first.shard.index];
    let mut functions = first.functions;
    for shard in rest {
        let mismatch = |field| MergeError::Mismatch {
            index: shard.shard.index,
            count: shard.shard.count,
            field,
        };
        if shard.schema_version != first.schema_version {
            return Err(mismatch("schema_version"));
        }
        if (&shard.set, &shard.set_sha256, &shard.target)
            != (&first.set, &first.set_sha256, &first.target)
        {
            return Err(mismatch("set"));
        }
        if shard.datapath != first.datapath {
            return Err(mismatch("datapath"));
        }
        if shard.shard.count != count {
            return Err(mismatch("shard count"));
        }
        if shard.functions.len() != functions.len() {
            return Err(mismatch("functions"));
        }
        indices.push(shard.shard.index);
        for (whole, part) in functions.iter_mut().zip(shard.functions) {
            if whole.frame != part.frame {
                return Err(MergeError::Mismatch {
                    index: shard.shard.index,
                    count,
                    field: "function",
                });
            }
            whole.measurement.merge(part.measurement);
        }
    }
    for index in 1..=count {
        let times = indices.iter().filter(|found| **found == index).count();
        if times != 1 {
            return Err(MergeError::Incomplete {
                index,
                count,
                times,
            });
        }
    }
    let mut report = empty_report(&first.set, first.set_sha256, &first.target, &first.datapath);
    let finished: Result<Vec<FunctionReport>, MergeError> = functions
        .into_iter()
        .map(|function| finish(function.frame, function.measurement))
        .collect();
    report.functions = finished?;
    Ok(report)
}

/// Reads a format that a shard names.
pub(super) fn format_of(function: &str, text: &str) -> Result<Format, MergeError> {
    text.parse().map_err(|reason| MergeError::Invalid {
        function: function.to_owned(),
        reason,
    })
}
