//! The `actforge` command.
#![forbid(unsafe_code)]
fn main() {}
