//! Replaying a set: every input of every function against the reference.

mod against;
mod course;
mod each;
mod error;
mod finish;
mod judged;
mod measure;
mod probe;
mod saturation;
mod seams;
mod shard;
mod single;
mod special;
mod symmetry;
mod weighted;

use std::borrow::Cow;

use actforge_engine::{EngineConfig, Function as Table, Level};
use actforge_reference::{Format, Function, Surrogate, metric_self_test};
use actforge_tables::{DEFAULT_SLOPE, Datapath, FunctionEntry, FunctionSet};

pub use course::{Course, CoursePoint, course};
pub use error::ReplayError;
pub use probe::{Outside, Probe};
pub use shard::{MergeError, Shard, ShardReport, merge, replay_shard};
pub use single::{Judgement, judge_inputs};
pub use weighted::{weigh, weigh_function};

pub(crate) use self::finish::millionths;
pub(crate) use self::judged::{Judged, count_inputs, fewest_inputs, most_inputs};
use crate::level::chosen_level;
use crate::reference::reference;
use crate::report::{FunctionReport, Metrics, Report, SCHEMA_VERSION};

/// What to replay, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayOptions {
    /// The functions, by name; all of the set when empty.
    pub functions: Vec<String>,
    /// Another datapath than the set's.
    pub datapath: Option<Datapath>,
    /// The output type in whose ulp errors count; each function's own when `None`.
    pub output: Option<Format>,
    /// The type of the inputs: every value of it is replayed.
    pub input: Format,
    /// Only inputs from the first to the second of these, both included; all when `None`. The special inputs are judged
    /// in any case. (Infinite ends stand for the greatest finite numbers.)
    pub range: Option<[f32; 2]>,
    /// The slope of `parametric_relu`, an operand of its instruction; [`DEFAULT_SLOPE`] when `None`.
    pub slope: Option<f32>,
    /// Whether reports say how long the replay took. They then no longer compare byte for byte.
    pub timing: bool,
    /// The vector instructions to use; the best of this machine when `None`. The report does not depend on them.
    pub level: Option<Level>,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self {
            functions: Vec::new(),
            datapath: None,
            output: None,
            input: Format::Fp32,
            range: None,
            slope: None,
            timing: false,
            level: None,
        }
    }
}

/// How far a replay has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The function that is being replayed.
    pub function: &'a str,
    /// Inputs that are done, of this function.
    pub done: u64,
    /// Inputs in all, of this function.
    pub total: u64,
}

/// Called from several threads, after each piece of work.
pub type Observer<'a> = &'a (dyn Fn(Progress<'_>) + Sync);

/// Replays a set over all inputs.
///
/// # Errors
/// [`ReplayError`] for a function that the set or the catalogue does not hold, for tables that the engine refuses, and
/// when the ulp metric fails its own test.
pub fn replay(
    set: &FunctionSet,
    options: &ReplayOptions,
    observer: Observer<'_>,
) -> Result<Report, ReplayError> {
    merge(vec![replay_shard(set, options, Shard::WHOLE, observer)?])
        .map_err(|error| ReplayError::Internal(error.to_string()))
}

/// The set with the operand that a function of it may take at run time.
pub(crate) fn with_operand<'s>(
    set: &'s FunctionSet,
    options: &ReplayOptions,
) -> Result<Cow<'s, FunctionSet>, ReplayError> {
    Ok(set.with_slope(options.slope.unwrap_or(DEFAULT_SLOPE))?)
}

/// Whether a report of a function is over all the inputs that a replay without options judges.
///
/// # Errors
/// As [`replay`].
pub fn is_whole(set: &FunctionSet, report: &FunctionReport) -> Result<bool, ReplayError> {
    let subject = Subject::new(set, &report.name, &ReplayOptions::default())?;
    Ok(report.input_dtype == subject.input.name()
        && report.range == subject.range.map(Judged::stated)
        && report.inputs == count_inputs(subject.input, subject.range))
}

/// One function of a set with everything that a replay needs of it.
struct Subject<'a> {
    entry: &'a FunctionEntry,
    table: Table<'a>,
    function: Cow<'static, Function>,
    output: Format,
    input: Format,
    level: Level,
    /// The inputs to judge, as values; all when `None`.
    range: Option<Judged>,
}

impl<'a> Subject<'a> {
    fn new(set: &'a FunctionSet, name: &str, options: &ReplayOptions) -> Result<Self, ReplayError> {
        let entry = set.function(name).ok_or_else(|| ReplayError::NotInSet {
            function: name.to_owned(),
            set: set.name.clone(),
            known: set
                .functions
                .iter()
                .map(|entry| entry.name.clone())
                .collect(),
        })?;
        let function = reference(name, &entry.notes)?;
        let config = EngineConfig::from(options.datapath.unwrap_or(set.datapath));
        let table = Table::from_set(set, entry, config).map_err(|source| ReplayError::Engine {
            function: name.to_owned(),
            source,
        })?;
        let own = own_format(entry)?;
        let range = Judged::new(entry, &function, options.range);
        if let Some(range) = range.filter(|range| range.is_empty()) {
            let [lowest, highest] = range.ends();
            return Err(ReplayError::Range {
                function: name.to_owned(),
                lowest,
                highest,
            });
        }
        Ok(Self {
            entry,
            table,
            function,
            output: options.output.unwrap_or(own),
            input: options.input,
            level: options.level.unwrap_or_else(chosen_level),
            range,
        })
    }

    fn surrogate(&self) -> Result<Surrogate, ReplayError> {
        let inputs = self.range.map_or((f32::MIN, f32::MAX), Judged::hull);
        Ok(Surrogate::within(&self.function, self.output, inputs)?)
    }

    /// The result at one input, rounded to the output type.
    fn result(&self, x: f32) -> f32 {
        self.output.round_f32(self.table.eval(x))
    }

    fn is_judged(&self, x: f32) -> bool {
        self.range.is_none_or(|range| range.contains(x))
    }
}

/// The output type that a function was fitted for.
pub(crate) fn own_format(entry: &FunctionEntry) -> Result<Format, ReplayError> {
    match &entry.notes.dtype {
        Some(text) => text.parse().map_err(|_| ReplayError::Dtype {
            function: entry.name.clone(),
            found: text.clone(),
        }),
        None => Ok(Format::Fp32),
    }
}

/// The functions to replay, in the order of the set.
fn selected<'a>(set: &'a FunctionSet, options: &'a ReplayOptions) -> Vec<&'a str> {
    if options.functions.is_empty() {
        set.functions
            .iter()
            .map(|entry| entry.name.as_str())
            .collect()
    } else {
        options.functions.iter().map(String::as_str).collect()
    }
}

/// The frame of a report, without functions.
fn empty_report(set: &str, set_sha256: Option<String>, target: &str, datapath: &str) -> Report {
    Report {
        schema_version: SCHEMA_VERSION,
        set: set.to_owned(),
        set_sha256,
        target: target.to_owned(),
        datapath: datapath.to_owned(),
        metrics: Metrics::default(),
        functions: Vec::new(),
    }
}

fn check_metric() -> Result<(), ReplayError> {
    metric_self_test().map_err(ReplayError::Metric)
}
