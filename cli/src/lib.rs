//! What the `actforge` binary is made of and what can be tested without running it: the readers of its inputs.
#![forbid(unsafe_code)]

pub mod framework_names;
pub mod model;
pub mod spec;
