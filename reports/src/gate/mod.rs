//! The release gate: sets, budgets, waivers and the last release in, one result out.
//!
//! A [`Plan`] says which results have to be measured and which rule gives each of their limits. [`judge`] holds the
//! measured reports against it and gives a [`GateResult`], which is everything that any output shows: it can be stored,
//! and [`render`] writes all forms of it. `docs/gate.md` explains what is judged and how.

mod baseline;
mod codes;
mod demand;
mod describe;
mod figures;
mod judge;
mod plan;
mod release;
pub mod render;
mod reproduce;
mod result;
mod tighten;
mod waive;
mod witness;

pub use baseline::{Baseline, BaselineError};
pub use codes::{Code, Level};
pub use judge::{Circumstances, judge};
pub use plan::{Check, Chosen, GatedSet, Plan};
pub use reproduce::shell_word;
pub use result::{
    CanTighten, CheckResult, Finding, GateResult, LimitResult, Location, Outcome,
    RESULT_SCHEMA_VERSION, ResultError, SetResult, Source, WaiverResult, WaiverState,
};
pub use tighten::tightenings;
pub use witness::{Number, Witness};
