//! What is our reading of the stock files and not known from their bytes, in one place.

use super::StockNotes;
use super::roster::function;
use crate::bucket::Bucket;
use crate::function::{FunctionNotes, FunctionTable, Side, SpecialResults, Symmetry};

/// The resident function whose slope is a run-time operand: it has no control words.
pub const PARAMETRIC_RELU: &str = "parametric_relu";

/// `exp_offset` of [`PARAMETRIC_RELU`]. As a biased exponent it just fits 8 bits.
pub const PARAMETRIC_RELU_EXP_OFFSET: i16 = 128;

/// The table of [`PARAMETRIC_RELU`]: `x` everywhere. What the hardware multiplies negative
/// inputs with is an operand of the instruction, which no table holds.
pub fn parametric_relu() -> FunctionTable {
    let side = || Side::without_table(Bucket::linear(0.0, 1.0));
    FunctionTable {
        name: PARAMETRIC_RELU.to_owned(),
        func_id: function(PARAMETRIC_RELU).map_or(0, |function| function.sunda_id),
        symmetry: Symmetry::NONE,
        specials: SpecialResults {
            zero: 0.0,
            nan: f32::NAN,
            pos_inf: f32::INFINITY,
            neg_inf: f32::NEG_INFINITY,
        },
        positive: side(),
        negative: side(),
        notes: FunctionNotes::default(),
    }
}

/// The functions whose `imm_bias` is 1.
pub const IMM_BIAS: [&str; 4] = ["reciprocal", "copy", "memset_zero", "is_finite"];

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
