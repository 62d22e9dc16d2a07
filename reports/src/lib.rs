//! What a table is worth: exhaustive error measurement, statistics, plots and budgets.
//!
//! [`replay`] walks all 2^32 inputs of every function of a set and writes a [`report::Report`]; [`budget`] holds what a
//! release may cost in ulp; [`SweepJudge`] lends the same sweep to the fit.
#![forbid(unsafe_code)]

pub mod budget;
pub mod diff;
pub mod document;
pub mod gate;
pub mod histogram;
mod legible;
mod level;
pub mod number;
pub mod octave_csv;
pub mod page;
pub mod plot;
pub mod profile_words;
mod reference;
pub mod replacement;
mod replay;
pub mod report;
mod sweep;
pub mod vectors;

pub use level::choose_level;
pub use reference::{ReferenceError, reference};
pub use replay::{
    Course, CoursePoint, Judgement, MergeError, Observer, Outside, Probe, Progress, ReplayError,
    ReplayOptions, Shard, ShardReport, course, is_whole, judge_inputs, merge, replay, replay_shard,
    weigh, weigh_function,
};
pub use report::{Report, ReportError};
pub use sweep::SweepJudge;
