//! Batches of unrelated inputs: the same bits as [`Function::eval`], several lanes at a time.
//!
//! Each block of inputs passes three stages: bucket indices, bucket rows into one array per
//! coefficient, cubics. The first and the last are plain loops that the compiler vectorises
//! for the level; only the middle one, a transposition, is written by hand where it pays.
//! Infinities and NaNs are rare, so lanes that hold one are evaluated again one by one.

use crate::bits::{INFINITY, MAGNITUDE, SIGN, flush_subnormal, settle_nan};
use crate::cubic::{CubicPath, with_path};
use crate::error::LengthMismatch;
use crate::function::{Function, NO_BUCKET, Side};
use crate::word::Word;
use actforge_tables::Bucket;

/// Inputs per block: its arrays (2 KiB) stay in the nearest cache.
pub(crate) const BLOCK: usize = 64;

/// One array per bucket field, lane by lane: d0, d1, d2, d3, x0.
#[repr(align(64))]
pub(crate) struct Rows(pub(crate) [[f32; BLOCK]; 5]);

impl Function<'_> {
    /// Evaluates every input, with the best vector instructions of this CPU. The same bits as
    /// [`Function::eval`]; lanes do not influence each other.
    ///
    /// # Errors
    /// [`LengthMismatch`] when the slices differ in length; `out` is left as it was.
    pub fn eval_slice(&self, x: &[f32], out: &mut [f32]) -> Result<(), LengthMismatch> {
        #[cfg(feature = "std")]
        return self.eval_slice_at(crate::level::Level::detect(), x, out);
        #[cfg(not(feature = "std"))]
        {
            same_length(x, out)?;
            self.blocks(x, out, rows_one_by_one);
            Ok(())
        }
    }

    /// [`Function::eval_slice`] at a chosen level, for tests and measurements.
    ///
    /// # Errors
    /// [`LengthMismatch`] when the slices differ in length; `out` is left as it was.
    #[cfg(feature = "std")]
    pub fn eval_slice_at(
        &self,
        level: crate::level::Level,
        x: &[f32],
        out: &mut [f32],
    ) -> Result<(), LengthMismatch> {
        same_length(x, out)?;
        #[cfg(target_arch = "x86_64")]
        if crate::slice_avx2::eval(level, self, x, out) {
            return Ok(());
        }
        level.dispatch(Portable {
            function: self,
            x,
            out,
        });
        Ok(())
    }

    /// All blocks, with a given way to fetch the bucket rows.
    #[inline(always)]
    pub(crate) fn blocks(
        &self,
        x: &[f32],
        out: &mut [f32],
        rows: impl Fn(&[Bucket], &[u32; BLOCK], &mut Rows),
    ) {
        with_path!(self.config.datapath, P => self.blocks_in::<P>(x, out, rows));
    }

    #[inline(always)]
    fn blocks_in<P: CubicPath>(
        &self,
        x: &[f32],
        out: &mut [f32],
        rows: impl Fn(&[Bucket], &[u32; BLOCK], &mut Rows),
    ) {
        if self.bypass {
            out.copy_from_slice(x);
            return;
        }
        let (inputs, input_rest) = x.as_chunks::<BLOCK>();
        let (outputs, output_rest) = out.as_chunks_mut::<BLOCK>();
        let mut scratch = Rows([[0.0; BLOCK]; 5]);
        for (input, output) in inputs.iter().zip(outputs) {
            self.block::<P>(input, output, &mut scratch, &rows);
        }
        // The rest goes through a full block, so that every input takes the same code.
        let mut input = [0.0; BLOCK];
        let mut output = [0.0; BLOCK];
        for (lane, v) in input.iter_mut().zip(input_rest) {
            *lane = *v;
        }
        if !input_rest.is_empty() {
            self.block::<P>(&input, &mut output, &mut scratch, &rows);
        }
        for (r, lane) in output_rest.iter_mut().zip(output) {
            *r = lane;
        }
    }

    #[inline(always)]
    fn block<P: CubicPath>(
        &self,
        x: &[f32; BLOCK],
        out: &mut [f32; BLOCK],
        scratch: &mut Rows,
        rows: &impl Fn(&[Bucket], &[u32; BLOCK], &mut Rows),
    ) {
        let mut index = [0; BLOCK];
        let greatest = self.block_indices(x, &mut index);
        rows(self.buckets, &index, scratch);
        let Rows([d0, d1, d2, d3, x0]) = scratch;
        for k in 0..BLOCK {
            let bits = x[k].to_bits();
            let s = self.folding.fold(bits);
            let t = f32::from_bits(s) - x0[k];
            let r = P::polynomial([d0[k], d1[k], d2[k], d3[k]], t);
            let r = if s == bits { r } else { self.unfold.apply(r) };
            let r = settle_nan(r);
            out[k] = if bits & MAGNITUDE < self.zero_below {
                self.specials.zero
            } else {
                r
            };
        }
        if self.config.flush_subnormals {
            for (r, v) in out.iter_mut().zip(x) {
                if v.to_bits() & MAGNITUDE >= self.zero_below {
                    *r = flush_subnormal(*r);
                }
            }
        }
        if greatest >= INFINITY {
            for (r, v) in out.iter_mut().zip(x) {
                if !v.is_finite() {
                    *r = self.eval(*v);
                }
            }
        }
    }

    /// The bucket index of every lane and the greatest magnitude in the block. A special
    /// input gets an index that need not exist; its result does not depend on the bucket.
    #[inline(always)]
    fn block_indices(&self, x: &[f32; BLOCK], index: &mut [u32; BLOCK]) -> u32 {
        let [positive, negative] = self.sides.map(Bounds::from);
        let mut greatest = 0;
        for k in 0..BLOCK {
            let s = self.folding.fold(x[k].to_bits());
            let magnitude = (s & MAGNITUDE) as i32;
            greatest = magnitude.max(greatest);
            let is_negative = s & SIGN != 0;
            // Field by field: choosing a whole side would be a branch.
            let last_small = select(is_negative, negative.last_small, positive.last_small);
            let small = select(is_negative, negative.small, positive.small);
            let last_not_large = select(
                is_negative,
                negative.last_not_large,
                positive.last_not_large,
            );
            let large = select(is_negative, negative.large, positive.large);
            let word = select(magnitude > last_small, self.octave_word(s), small);
            let word = select(magnitude > last_not_large, large, word);
            index[k] = word.bucket_index(s);
        }
        greatest as u32
    }
}

#[inline(always)]
fn select<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

/// The regions of one side in signed terms, which vector comparisons have. No bound exceeds
/// 0x7fffffff, and -1 stands for a region that holds every magnitude, or none.
#[derive(Copy, Clone)]
struct Bounds {
    last_small: i32,
    last_not_large: i32,
    small: Word,
    large: Word,
}

impl From<Side> for Bounds {
    fn from(side: Side) -> Self {
        Self {
            last_small: side.small_below.wrapping_sub(1) as i32,
            last_not_large: side.large_from.wrapping_sub(1) as i32,
            small: side.small,
            large: side.large,
        }
    }
}

fn same_length(x: &[f32], out: &[f32]) -> Result<(), LengthMismatch> {
    if x.len() == out.len() {
        return Ok(());
    }
    Err(LengthMismatch {
        input: x.len(),
        output: out.len(),
    })
}

/// The rows of a block, one after the other.
#[inline(always)]
pub(crate) fn rows_one_by_one(buckets: &[Bucket], index: &[u32; BLOCK], rows: &mut Rows) {
    let Rows([d0, d1, d2, d3, x0]) = rows;
    for k in 0..BLOCK {
        let bucket = buckets.get(index[k] as usize).unwrap_or(&NO_BUCKET);
        [d0[k], d1[k], d2[k], d3[k]] = bucket.d;
        x0[k] = bucket.x0;
    }
}

/// The blocks as a kernel for any level.
#[cfg(feature = "std")]
struct Portable<'k, 'f, 'a> {
    function: &'k Function<'a>,
    x: &'f [f32],
    out: &'f mut [f32],
}

#[cfg(feature = "std")]
impl crate::level::Kernel for Portable<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.function.blocks(self.x, self.out, rows_one_by_one);
    }
}
