//! The best polynomial that binary32 coefficients can hold.
//!
//! Far from 1 the higher coefficients of a steep function overflow, and those of a flat one vanish: the third derivative of
//! 1/x is beyond binary32 below 2^-32. There a polynomial of a lower degree does better than what is left of a cubic.

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
