//! The exhaustive sweep: every one of the 2^32 inputs, in seconds.
//!
//! The table is walked instead of the inputs. A [`Piece`] is a contiguous stretch of inputs that one
//! cubic serves and one polynomial of the surrogate describes: coefficients stay in registers, nothing
//! is gathered, and both sides of the comparison are straight-line arithmetic on lanes. What that
//! arithmetic cannot decide (the exact maximum, a rounding on the very tie) is decided in MPFR.
//!
//! Determinism: pieces and blocks are cut by the table and the function alone, sums are fixed-point
//! integers over fixed lanes, and everything else is a count or a maximum. The answer therefore does
//! not depend on threads, vector width or how the work was split into shards.

mod block;
mod constant;
mod judge;
mod piece;
mod plan;
mod rounding;
mod tally;
mod total;
mod worst;

pub(crate) use constant::constant_result;
pub(crate) use piece::{Subject, measure_piece};
pub(crate) use plan::{Piece, plan};

pub(crate) use rounding::round_results;
pub(crate) use tally::{CANDIDATES, Candidate, HISTOGRAM_EDGES, MOST_INPUTS, Tally, mean, share};
pub(crate) use total::{Total, total_piece};
pub use worst::SweepJudge;
