//! The `actforge` command line: readers of what users write, one module per command, and how a run ends.
//!
//! [`run`] is the whole program. Every command follows the same course: read its inputs, check that its outputs can be
//! written, work, write files through [`atomic`] and results through [`output`], and end with one of the five exit
//! codes of [`exit`].
#![forbid(unsafe_code)]

pub mod archive;
mod args;
mod atomic;
mod colour;
mod commands;
mod exit;
mod level;
mod numbers;
mod output;
mod progress;
mod run;
pub mod spec;

pub use run::run;
