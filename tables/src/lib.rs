//! tables
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]
