//! What is our reading of the stock files and not known from their bytes, in one place.

use super::StockNotes;
use super::roster::function;
use crate::function::FunctionNotes;

/// The resident function whose slope is a run-time operand: it has no control words.
pub const PARAMETRIC_RELU: &str = "parametric_relu";

/// `exp_offset` of [`PARAMETRIC_RELU`]. As a biased exponent it just fits 8 bits.
pub const PARAMETRIC_RELU_EXP_OFFSET: i16 = 128;

/// The functions whose `imm_bias` is 1.
const IMM_BIAS: [&str; 4] = ["reciprocal", "copy", "memset_zero", "is_finite"];

/// The notes of a function that does not come from stock files.
///
/// - A function of the roster has its stock selector. Another one has the number of its
///   stored buckets, and 1 without any, as the stock functions without a table have.
/// - The bounds are the range that was asked for, and all finite inputs otherwise.
/// - What `max_diff` measures is not known: it is 0.
pub fn default_notes(name: &str, stored_buckets: usize, notes: &FunctionNotes) -> StockNotes {
    let selector = function(name).map_or_else(
        || u32::try_from(stored_buckets.max(1)).unwrap_or(u32::MAX),
        |function| function.selector,
    );
    let [lower, upper] = notes.range.unwrap_or([f32::MIN, f32::MAX]);
    StockNotes {
        selector,
        imm_bias: IMM_BIAS.contains(&name).into(),
        lower_bound: lower.to_bits(),
        upper_bound: upper.to_bits(),
        use_multipass: 0,
        max_diff: 0,
    }
}
