//! Whether mirrored inputs give mirrored results.

use actforge_engine::{Kernel, Route, Run, RunKernel};
use actforge_reference::Parity;
use rayon::prelude::*;

use super::Subject;

/// Inputs of an odd or even function whose mirror image does not give the mirrored result. Zeros are equal whatever
/// their sign, and NaNs are equal.
pub(super) fn count(subject: &Subject<'_>) -> u64 {
    let odd = match subject.function.parity() {
        Parity::Odd => true,
        Parity::Even => false,
        Parity::None | Parity::Point { .. } => return 0,
    };
    let runs = |negative: bool| -> Vec<Run> {
        let finite = |run: &Run| {
            !matches!(
                run.route,
                Route::Zero | Route::PosInf | Route::NegInf | Route::Nan
            )
        };
        subject
            .table
            .runs()
            .filter(|run| (run.first >> 31 == 1) == negative && finite(run))
            .collect()
    };
    let (positive, negative) = (runs(false), runs(true));
    let Some((least, greatest)) = mirrored_inputs(subject) else {
        return 0;
    };
    // Both lists ascend in magnitude and hold the same inputs: walk them side by side.
    let mut pairs = Vec::new();
    let mut others = negative.iter();
    let mut other = others.next();
    for run in &positive {
        let mut first = run.first;
        while let Some(mirror) = other {
            let end = run.last.min(mirror.last & 0x7fff_ffff);
            if first <= end {
                let (low, high) = (first.max(least), end.min(greatest));
                if low <= high && !mirrors(subject, odd, &run.route, &mirror.route) {
                    pairs.push((low, high, run.route, mirror.route));
                }
                first = end.saturating_add(1);
            }
            if end == run.last && end != mirror.last & 0x7fff_ffff {
                break;
            }
            other = others.next();
            if end == run.last {
                break;
            }
        }
    }
    pairs
        .par_iter()
        .map(|(first, last, route, mirror)| {
            let (kernel, mirror) = (
                subject.table.run_kernel(route),
                subject.table.run_kernel(mirror),
            );
            subject.level.dispatch(PairKernel {
                kernel: &kernel,
                mirror: &mirror,
                odd,
                first: *first,
                last: *last,
            })
        })
        .sum()
}

/// The magnitudes, as bits, that are judged with either sign; none if there are none.
fn mirrored_inputs(subject: &Subject<'_>) -> Option<(u32, u32)> {
    match subject.range {
        Some(range) => range.both_signs(),
        None => Some((1, f32::MAX.to_bits())),
    }
}

/// Whether a fold makes one of two inputs the mirror image of the other: the same bucket at the same place, and an
/// unfolding that changes nothing but the sign (or nothing at all, for an even function).
fn mirrors(subject: &Subject<'_>, odd: bool, route: &Route, other: &Route) -> bool {
    match (route, other) {
        (
            Route::Cubic { index, unfold, .. },
            Route::Cubic {
                index: other_index,
                unfold: other_unfold,
                ..
            },
        ) => {
            let folding = subject.table.unfold();
            index == other_index
                && unfold != other_unfold
                && folding.invert_sign == odd
                && folding.point == 0.0
        }
        _ => false,
    }
}

struct PairKernel<'a> {
    kernel: &'a RunKernel,
    mirror: &'a RunKernel,
    odd: bool,
    first: u32,
    last: u32,
}

impl Kernel for PairKernel<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        const BLOCK: usize = 1024;
        let mut right = [0.0_f32; BLOCK];
        let mut left = [0.0_f32; BLOCK];
        let sign = if self.odd { -1.0_f32 } else { 1.0 };
        let mut count = 0;
        let mut first = u64::from(self.first);
        while first <= u64::from(self.last) {
            let length = (u64::from(self.last) - first + 1).min(BLOCK as u64) as usize;
            self.kernel.eval(first as u32, &mut right[..length]);
            self.mirror
                .eval(first as u32 | 1 << 31, &mut left[..length]);
            let mut differ = 0_u32;
            for (right, left) in right[..length].iter().zip(&left[..length]) {
                let both_nan = right.is_nan() & left.is_nan();
                differ += u32::from((*left != sign * *right) & !both_nan);
            }
            count += u64::from(differ);
            first += length as u64;
        }
        count
    }
}
