//! The binary from outside: what it prints, what it writes and how it ends.
//!
//! The sets are small and loosely fitted, and most replays go over 16-bit inputs: the point here is the command line,
//! not the quality of the tables.
#![forbid(unsafe_code)]

mod archive;
mod archive_gate;
mod build;
mod damage;
mod diff;
mod eval;
mod export;
mod expression;
mod gate;
mod gate_breaks;
mod gate_formats;
mod histogram;
mod inspect;
mod interrupted;
mod pareto;
mod plan;
mod release;
mod replay;
mod report;
mod signatures;
mod stock;
mod support;
mod unwritable;
mod usage;
mod verify;
