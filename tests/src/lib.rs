//! tests
#![forbid(unsafe_code)]
