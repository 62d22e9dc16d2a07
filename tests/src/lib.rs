//! What the cross-crate tests and the benchmarks share: sample tables and the plain, slow form of a replay.
#![forbid(unsafe_code)]

pub mod plain;
pub mod random;
pub mod samples;
pub mod trouble_spots;
