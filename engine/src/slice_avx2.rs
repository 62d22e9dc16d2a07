//! The transposition of bucket rows with AVX2: the one stage of [`crate::slice`] that is
//! written by hand.
#![allow(unsafe_code)]

use crate::function::Function;
use crate::level::Level;
use crate::slice::{BLOCK, Rows};
use actforge_tables::Bucket;

/// Evaluates a batch; `level` must include AVX2 and FMA.
pub(crate) fn eval(_level: Level, function: &Function<'_>, x: &[f32], out: &mut [f32]) {
    // SAFETY: the level says so.
    unsafe { eval_avx2(function, x, out) }
}

#[target_feature(enable = "avx2,fma,f16c")]
fn eval_avx2(function: &Function<'_>, x: &[f32], out: &mut [f32]) {
    function.blocks(x, out, |b, i, r| rows_transposed(b, i, r));
}

#[target_feature(enable = "avx2,fma,f16c")]
fn rows_transposed(buckets: &[Bucket], index: &[u32; BLOCK], rows: &mut Rows) {
    crate::slice::rows_one_by_one(buckets, index, rows)
}
