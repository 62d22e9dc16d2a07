//! What the stock files say of a function beyond its PROFILE.

use serde::{Deserialize, Serialize};

/// The fields of the stock files that no PROFILE field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StockNotes {
    /// N of the name `<func>_<N>p`: the variant that the compiler asks for. A name, not a
    /// number of buckets.
    pub selector: u32,
    /// `imm_bias`.
    pub imm_bias: u32,
    /// `lower_bound`, the bits of a binary32 number.
    pub lower_bound: u32,
    /// `upper_bound`, the bits of a binary32 number.
    pub upper_bound: u32,
    /// `use_multipass`.
    pub use_multipass: u32,
    /// `max_diff` of the function's own file, the bits of a binary32 number.
    pub max_diff: u32,
}
