//! reference
#![forbid(unsafe_code)]
