//! From a function to the buckets and profile words of its table.
#![forbid(unsafe_code)]

mod judge;

pub use judge::{Judge, Trial};
