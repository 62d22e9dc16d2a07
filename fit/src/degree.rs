//! The best polynomial that binary32 coefficients can hold.
//!
//! Far from 1 the higher coefficients of a steep function overflow, and those of a flat one vanish: the third derivative of
//! 1/x is beyond binary32 below 2^-32. There a polynomial of a lower degree does better than what is left of a cubic. And
//! next to an input at which the function is zero, as ln at 1, errors are relative: only a cubic without constant term
//! about that very input follows it there.

use actforge_reference::{Surrogate, Truth};
use actforge_tables::Bucket;

use crate::cubic::{RealCubic, is_usable, middle};
use crate::minimax::{Minimax, TERMS, minimax};
use crate::sample::{Grid, Sample, Stretch};

/// Rounding a coefficient that is a normal number costs less than this many ulp.
const ROUNDING: f64 = 2.0;

/// The best polynomial among those of all degrees, with what its coefficients lose in binary32.
pub(crate) struct Usable {
    pub(crate) best: Minimax,
    /// In ulp, beyond ordinary rounding; infinite where a coefficient overflows.
    pub(crate) loss: f64,
}

/// The degree with the least error once its coefficients are binary32 numbers. `cubic` is the best cubic.
pub(crate) fn best_usable(grid: &Grid, stretch: Stretch, cubic: &Minimax) -> Usable {
    let loss_of = |best: &Minimax| loss(grid, stretch, best);
    let mut chosen = Usable {
        loss: loss_of(cubic),
        best: cubic.clone(),
    };
    let powers = [0, 1, 2];
    for terms in (1..TERMS).rev() {
        if chosen.loss == 0.0 {
            break;
        }
        let Some(powers) = powers.get(..terms) else {
            break;
        };
        let best = minimax(&grid.samples, powers);
        let loss = loss_of(&best);
        if best.error + loss < chosen.best.error + chosen.loss
            || chosen.loss.is_infinite() && loss.is_finite()
        {
            chosen = Usable { best, loss };
        }
    }
    chosen
}

/// What rounding the coefficients about the middle costs at worst.
fn loss(grid: &Grid, stretch: Stretch, best: &Minimax) -> f64 {
    let x0 = middle(stretch.first, stretch.last);
    let cubic = RealCubic::new(grid, &best.coefficients);
    let bucket = cubic.rounded(x0);
    if !is_usable(&bucket) {
        return f64::INFINITY;
    }
    let weight = largest_weight(&grid.samples);
    let mut reach = 1.0;
    let mut lost = 0.0_f64;
    for (stored, wanted) in bucket.d.iter().zip(cubic.about(f64::from(x0))) {
        lost += (f64::from(*stored) / grid.unit - wanted).abs() * reach * weight;
        reach *= grid.half;
    }
    if lost <= ROUNDING { 0.0 } else { lost }
}

fn largest_weight(samples: &[Sample]) -> f64 {
    samples
        .iter()
        .map(|sample| sample.weight)
        .fold(0.0, f64::max)
}

/// The cubics without constant term about a zero of the function at the end of a stretch.
pub(crate) struct Anchored {
    /// The error of the best one with real coefficients, in ulp.
    pub(crate) error: f64,
    /// With binary32 coefficients.
    pub(crate) buckets: Vec<Bucket>,
}

/// `None` where the function is not zero at the first input or just past the last one.
pub(crate) fn anchored(surrogate: &Surrogate, stretch: Stretch, grid: &Grid) -> Option<Anchored> {
    let zero = [stretch.first, stretch.last + 1]
        .into_iter()
        .find(|bits| is_zero(surrogate, *bits, grid))?;
    let zero = f32::from_bits(zero);
    let about = |bits: u32| f64::from(f32::from_bits(bits)) - f64::from(zero);
    let half = grid
        .samples
        .iter()
        .map(|sample| about(sample.bits).abs())
        .fold(0.0, f64::max);
    let samples: Vec<Sample> = grid
        .samples
        .iter()
        .map(|sample| Sample {
            v: about(sample.bits) / half,
            ..*sample
        })
        .filter(|sample| sample.v != 0.0)
        .collect();
    if samples.len() <= TERMS {
        return None;
    }
    let best = minimax(&samples, &[1, 2, 3]);
    let to_float =
        |coefficient: f64, power: i32| (coefficient * grid.unit / half.powi(power)) as f32;
    let slope = to_float(best.coefficients[1], 1);
    let buckets = [0_i32, -1, 1]
        .into_iter()
        .map(|step| {
            // The others are fitted anew to what the rounded ones leave.
            let d1 = f32::from_bits(slope.to_bits().wrapping_add_signed(step));
            let rest = less(&samples, f64::from(d1) * half / grid.unit, 1);
            let d2 = to_float(minimax(&rest, &[2, 3]).coefficients[2], 2);
            let rest = less(&rest, f64::from(d2) * half.powi(2) / grid.unit, 2);
            let d3 = to_float(minimax(&rest, &[3]).coefficients[3], 3);
            Bucket {
                d: [0.0, d1, d2, d3],
                x0: zero,
            }
        })
        .filter(is_usable)
        .collect();
    Some(Anchored {
        error: best.error,
        buckets,
    })
}

/// Samples without one term.
fn less(samples: &[Sample], coefficient: f64, power: i32) -> Vec<Sample> {
    samples
        .iter()
        .map(|sample| Sample {
            y: sample.y - coefficient * sample.v.powi(power),
            ..*sample
        })
        .collect()
}

/// Next to a zero values are below this; only there the function itself is asked.
const SMALL: f64 = 1e-5;

fn is_zero(surrogate: &Surrogate, bits: u32, grid: &Grid) -> bool {
    let ends = [grid.samples.first(), grid.samples.last()];
    let near = ends
        .into_iter()
        .flatten()
        .any(|sample| (sample.y * grid.unit).abs() < SMALL);
    near && match surrogate.function().enclose(f32::from_bits(bits), 64) {
        truth @ Truth::Value(_) => truth.to_f64() == 0.0,
        _ => false,
    }
}
