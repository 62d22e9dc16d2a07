//! The arithmetic of one block of consecutive inputs.
//!
//! Everything here is a plain loop over arrays of fixed length, always inlined, so that a kernel which
//! [`Level::dispatch`](actforge_engine::Level::dispatch) runs gets it in vector instructions. The order of the
//! operations is fixed by the number of [`LANES`], not by the vector width: all levels give the same bits.

use actforge_reference::CellPolynomial;

/// Inputs in a block: results and errors of one stay in the first-level cache.
pub(crate) const BLOCK: usize = 1024;

/// Partial sums and maxima are kept in this many lanes, whatever the width of the vectors.
pub(crate) const LANES: usize = 16;

/// The results and errors of one block; entries beyond its length are zero.
pub(crate) struct Block {
    /// The results, rounded to the output format.
    pub(crate) results: [f32; BLOCK],
    /// Their signed distances from the surrogate (result less value), in ulp.
    pub(crate) errors: [f64; BLOCK],
}

impl Block {
    pub(crate) fn new() -> Box<Self> {
        Box::new(Self {
            results: [0.0; BLOCK],
            errors: [0.0; BLOCK],
        })
    }
}

/// `2^exponent` for the exponents of ulps, as a double.
#[inline(always)]
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Fills `errors` with result less value in ulp, for the inputs whose variables are `start`, `start + 1`, ...
#[inline(always)]
pub(crate) fn distances(polynomial: &CellPolynomial, start: f64, block: &mut Block, length: usize) {
    match polynomial.degree {
        0 | 1 => distances_of_degree::<1>(polynomial, start, block, length),
        2 | 3 => distances_of_degree::<3>(polynomial, start, block, length),
        4 | 5 => distances_of_degree::<5>(polynomial, start, block, length),
        6..=8 => distances_of_degree::<8>(polynomial, start, block, length),
        _ => distances_of_degree::<11>(polynomial, start, block, length),
    }
}

#[inline(always)]
fn distances_of_degree<const DEGREE: usize>(
    polynomial: &CellPolynomial,
    start: f64,
    block: &mut Block,
    length: usize,
) {
    let scale = power_of_two(-polynomial.ulp_exponent);
    let coefficients = polynomial.coefficients;
    for k in 0..BLOCK {
        let variable = start + f64::from(k as i32);
        let mut value = coefficients[DEGREE];
        for power in (0..DEGREE).rev() {
            value = value.mul_add(variable, coefficients[power]);
        }
        block.errors[k] = f64::from(block.results[k]).mul_add(scale, -value);
    }
    block.errors[length..].fill(0.0);
}

/// The largest error of a block and the sum of all, in magnitude; an infinite or NaN error makes the largest infinite.
#[inline(always)]
pub(crate) fn largest_and_sum(errors: &[f64; BLOCK]) -> (f64, f64) {
    let mut largest = [0.0_f64; LANES];
    let mut sum = [0.0_f64; LANES];
    for row in errors.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let error = row[lane].abs();
            // Written so that a NaN is kept as the largest.
            largest[lane] = if error <= largest[lane] {
                largest[lane]
            } else {
                error
            };
            sum[lane] += error;
        }
    }
    let finite = largest.iter().all(|error| error.is_finite());
    let largest = if finite {
        largest.iter().copied().fold(0.0, f64::max)
    } else {
        f64::INFINITY
    };
    (largest, sum.iter().sum())
}

/// How many errors are above each of three edges in magnitude.
///
/// Three named counters of half the lanes stay in registers, where an array of counters would not.
#[inline(always)]
pub(crate) fn count_above(errors: &[f64; BLOCK], edges: [f64; 3]) -> [u64; 3] {
    const COUNT_LANES: usize = LANES / 2;
    let [low, middle, high] = edges;
    let mut above_low = [0_u64; COUNT_LANES];
    let mut above_middle = [0_u64; COUNT_LANES];
    let mut above_high = [0_u64; COUNT_LANES];
    for row in errors.as_chunks::<COUNT_LANES>().0 {
        for lane in 0..COUNT_LANES {
            let error = row[lane].abs();
            above_low[lane] += u64::from(error > low);
            above_middle[lane] += u64::from(error > middle);
            above_high[lane] += u64::from(error > high);
        }
    }
    [above_low, above_middle, above_high].map(|count| count.iter().sum())
}

/// Calls `found` with the place of every error above `bar` in magnitude.
#[inline(always)]
pub(crate) fn for_each_above(errors: &[f64; BLOCK], bar: f64, mut found: impl FnMut(usize)) {
    for (place, row) in errors.as_chunks::<LANES>().0.iter().enumerate() {
        let mut any = false;
        for error in row {
            any |= error.abs() > bar;
        }
        if any {
            for (lane, error) in row.iter().enumerate() {
                if error.abs() > bar {
                    found(place * LANES + lane);
                }
            }
        }
    }
}

/// What the results of a block tell by themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultSummary {
    /// The first result.
    pub(crate) first: f32,
    /// The last result.
    pub(crate) last: f32,
    /// The least result; NaN results are not seen here (they show as infinite errors).
    pub(crate) least: f32,
    /// The greatest result.
    pub(crate) greatest: f32,
    /// Neighbours where the second is less than the first.
    pub(crate) falls: u32,
    /// Neighbours where the second is greater than the first.
    pub(crate) rises: u32,
}

/// Reduces the first `length` results of a block; at least one.
#[inline(always)]
pub(crate) fn summarise_results(results: &[f32; BLOCK], length: usize) -> ResultSummary {
    let used = &results[..length];
    let (mut falls, mut rises) = (0_u32, 0_u32);
    for (before, after) in used.iter().zip(&used[1..]) {
        falls += u32::from(after < before);
        rises += u32::from(after > before);
    }
    let (first, last) = (used[0], used[length - 1]);
    let (mut least, mut greatest) = (first.min(last), first.max(last));
    // Monotone results have their extremes at the ends, and most blocks are monotone.
    if falls > 0 && rises > 0 {
        for result in used {
            least = least.min(*result);
            greatest = greatest.max(*result);
        }
    }
    ResultSummary {
        first,
        last,
        least,
        greatest,
        falls,
        rises,
    }
}
