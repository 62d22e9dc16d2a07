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

/// The results and errors of one block; errors beyond its length are zero.
pub(crate) struct Block {
    /// The results, rounded to the output format.
    pub(crate) results: [f32; BLOCK],
    /// Their signed distances from the surrogate (result less value), in ulp.
    pub(crate) errors: [f64; BLOCK],
    /// The same without sign, rounded to twice the lanes: what is counted against edges. Rounding keeps the order,
    /// so only errors within 2^-24 of an edge (relatively) may count as equal to it.
    pub(crate) magnitudes: [f32; BLOCK],
}

impl Block {
    pub(crate) fn new() -> Box<Self> {
        Box::new(Self {
            results: [0.0; BLOCK],
            errors: [0.0; BLOCK],
            magnitudes: [0.0; BLOCK],
        })
    }
}

/// `2^exponent` for the exponents of ulps, as a double.
#[inline(always)]
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Fills `errors` and `magnitudes` with result less value in ulp, for the inputs whose variables are `start`,
/// `start + 1`, ...
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
        let error = f64::from(block.results[k]).mul_add(scale, -value);
        block.errors[k] = error;
        block.magnitudes[k] = error.abs() as f32;
    }
    block.errors[length..].fill(0.0);
    block.magnitudes[length..].fill(0.0);
}

/// The sum of a block's errors, in magnitude.
#[inline(always)]
pub(crate) fn sum_of_magnitudes(errors: &[f64; BLOCK]) -> f64 {
    let mut sum = [0.0_f64; LANES];
    for row in errors.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            sum[lane] += row[lane].abs();
        }
    }
    sum.iter().sum()
}

/// The largest magnitude of a block and how many magnitudes are above each of five edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Survey {
    /// The largest, rounded as all of them are; infinite or NaN where an error is.
    pub(crate) largest: f32,
    /// How many are above each edge.
    pub(crate) above: [u64; 5],
}

/// Lanes of the passes over magnitudes: a counter of one vector for each edge stays in a register.
const COUNT_LANES: usize = 8;

/// Finds the largest magnitude and counts the others against edges, in one pass.
///
/// Counters with names of their own stay in registers, where an array of counters would not.
#[inline(always)]
pub(crate) fn survey(magnitudes: &[f32; BLOCK], edges: [f32; 5]) -> Survey {
    let mut largest = [0_i32; COUNT_LANES];
    let mut above_1 = [0_u32; COUNT_LANES];
    let mut above_2 = [0_u32; COUNT_LANES];
    let mut above_3 = [0_u32; COUNT_LANES];
    let mut above_4 = [0_u32; COUNT_LANES];
    let mut above_5 = [0_u32; COUNT_LANES];
    let [edge_1, edge_2, edge_3, edge_4, edge_5] = edges;
    for row in magnitudes.as_chunks::<COUNT_LANES>().0 {
        for lane in 0..COUNT_LANES {
            let magnitude = row[lane];
            // Magnitudes order as their bits do, and a NaN comes out as the largest.
            largest[lane] = largest[lane].max(magnitude.to_bits() as i32);
            above_1[lane] += u32::from(magnitude > edge_1);
            above_2[lane] += u32::from(magnitude > edge_2);
            above_3[lane] += u32::from(magnitude > edge_3);
            above_4[lane] += u32::from(magnitude > edge_4);
            above_5[lane] += u32::from(magnitude > edge_5);
        }
    }
    let largest = largest.iter().copied().fold(0, i32::max);
    Survey {
        largest: f32::from_bits(largest as u32),
        above: [above_1, above_2, above_3, above_4, above_5]
            .map(|count| u64::from(count.iter().sum::<u32>())),
    }
}

/// How many magnitudes are above an edge.
#[inline(always)]
pub(crate) fn count_above(magnitudes: &[f32; BLOCK], edge: f32) -> u32 {
    let mut above = [0_u32; COUNT_LANES];
    for row in magnitudes.as_chunks::<COUNT_LANES>().0 {
        for lane in 0..COUNT_LANES {
            above[lane] += u32::from(row[lane] > edge);
        }
    }
    above.iter().sum()
}

/// The largest error of a block in magnitude; an infinite or NaN error makes it infinite.
#[inline(always)]
pub(crate) fn largest_magnitude(errors: &[f64; BLOCK]) -> f64 {
    let mut largest = [0.0_f64; LANES];
    for row in errors.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let error = row[lane].abs();
            // Written so that a NaN is kept as the largest.
            largest[lane] = if error <= largest[lane] {
                largest[lane]
            } else {
                error
            };
        }
    }
    if largest.iter().all(|error| error.is_finite()) {
        largest.iter().copied().fold(0.0, f64::max)
    } else {
        f64::INFINITY
    }
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

/// The largest of |error / value| over the first `length` entries and its first place; values in ulp are the results
/// times `scale`, less the errors.
#[inline(always)]
pub(crate) fn largest_ratio(block: &Block, scale: f64, length: usize) -> (f64, usize) {
    let ratio = |k: usize| {
        let error = block.errors[k];
        (error / f64::from(block.results[k]).mul_add(scale, -error)).abs()
    };
    let mut largest = [0.0_f64; LANES];
    let whole = length / LANES * LANES;
    for first in (0..whole).step_by(LANES) {
        for (lane, largest) in largest.iter_mut().enumerate() {
            *largest = largest.max(ratio(first + lane));
        }
    }
    let largest = largest.iter().copied().fold(0.0, f64::max);
    let largest = (whole..length).map(ratio).fold(largest, f64::max);
    let place = (0..length).find(|k| ratio(*k) == largest).unwrap_or(0);
    (largest, place)
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
