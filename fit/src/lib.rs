//! fit
#![forbid(unsafe_code)]
