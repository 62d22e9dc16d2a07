//! The commands, one module each: its options (`Arguments`) and what it does (`run`).
//!
//! A command writes its results through [`Output`](crate::output::Output) and its files through
//! [`OutputFile`](crate::atomic::OutputFile), and says how it ended with an [`Exit`](crate::exit::Exit) or a
//! [`Failure`](crate::exit::Failure).

pub(crate) mod build;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod functions;
pub(crate) mod gate;
pub(crate) mod import;
pub(crate) mod inspect;
pub(crate) mod lint;
pub(crate) mod merge;
pub(crate) mod pareto;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod release;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod stock;
pub(crate) mod verify;

mod histogram;
mod models;
mod reports;
mod sets;
mod tailored;
