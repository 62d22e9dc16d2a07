//! Cubics about a root of the function.
//!
//! Next to an input at which the function is zero errors are relative to values that vanish: ln at 1, sin at pi, the
//! derivative of silu at its minimum. Only a cubic about that very input follows the function there: its constant term is
//! the value at the float next to the root, so small that its rounding costs nothing, and what is left of the function
//! is `t` times something smooth.

use actforge_reference::{Format, Surrogate, Truth};
use actforge_tables::Bucket;

use crate::cubic::is_usable;
use crate::minimax::minimax;
use crate::sample::{Grid, Sample};

/// Cubics about the float next to a root.
pub(crate) struct Anchored {
    /// The error of the best one with real coefficients, in ulp.
    pub(crate) error: f64,
    /// With binary32 coefficients.
    pub(crate) buckets: Vec<Bucket>,
}

/// The best cubics about a root that lies among the samples or between them and the inputs next to them; `None` where
/// there is none.
pub(crate) fn anchored(surrogate: &Surrogate, grid: &Grid) -> Option<Anchored> {
    let (below, above) = next_to_root(surrogate, grid)?;
    let mut about: Vec<Anchored> = [below, above]
        .into_iter()
        .filter_map(|bits| about(surrogate, grid, bits))
        .collect();
    about.sort_by(|one, two| one.error.total_cmp(&two.error));
    Some(Anchored {
        error: about.first()?.error,
        buckets: about
            .into_iter()
            .flat_map(|anchored| anchored.buckets)
            .collect(),
    })
}

/// The cubics about one float.
fn about(surrogate: &Surrogate, grid: &Grid, bits: u32) -> Option<Anchored> {
    let x0 = f32::from_bits(bits);
    let d0 = surrogate.function().round(x0, Format::Fp32).ok()?;
    let distance = |bits: u32| f64::from(f32::from_bits(bits)) - f64::from(x0);
    let half = grid
        .samples
        .iter()
        .map(|sample| distance(sample.bits).abs())
        .fold(0.0, f64::max);
    // What is left of the function after the constant term, over t.
    let slopes: Vec<Sample> = grid
        .samples
        .iter()
        .filter(|sample| sample.bits != bits)
        .map(|sample| {
            let v = distance(sample.bits) / half;
            over_t(Sample { v, ..*sample }, f64::from(d0) / grid.unit)
        })
        .collect();
    let best = minimax(&slopes, &[0, 1, 2]);
    let to_float =
        |coefficient: f64, power: i32| (coefficient * grid.unit / half.powi(power)) as f32;
    let in_unit = |d: f32, power: i32| f64::from(d) * half.powi(power) / grid.unit;
    let slope = to_float(best.coefficients[0], 1);
    let buckets = [0_i32, -1, 1]
        .into_iter()
        .map(|step| {
            // The others are fitted anew to what the rounded ones leave.
            let d1 = f32::from_bits(slope.to_bits().wrapping_add_signed(step));
            let rest = less(&slopes, in_unit(d1, 1));
            let d2 = to_float(minimax(&rest, &[0, 1]).coefficients[0], 2);
            let rest = less(&rest, in_unit(d2, 2));
            let d3 = to_float(minimax(&rest, &[0]).coefficients[0], 3);
            Bucket {
                d: [d0, d1, d2, d3],
                x0,
            }
        })
        .filter(is_usable)
        .collect();
    Some(Anchored {
        error: best.error,
        buckets,
    })
}

/// Samples without their constant term, over t.
fn less(samples: &[Sample], constant: f64) -> Vec<Sample> {
    samples
        .iter()
        .map(|sample| over_t(*sample, constant))
        .collect()
}

/// A sample without its constant term, over t: powers of t from the first on become powers from 0 on, which are a Haar
/// system on both sides of the breakpoint. The weight makes up for it, so that errors stay what they are.
fn over_t(sample: Sample, constant: f64) -> Sample {
    Sample {
        y: (sample.y - constant) / sample.v,
        weight: sample.weight * sample.v.abs(),
        ..sample
    }
}

/// The inputs to both sides of a root, the same one twice where that is an exact zero.
fn next_to_root(surrogate: &Surrogate, grid: &Grid) -> Option<(u32, u32)> {
    let (first, last) = (grid.samples.first()?, grid.samples.last()?);
    let change = grid
        .samples
        .windows(2)
        .find(|pair| matches!(pair, [one, two] if one.y * two.y < 0.0 || (one.y == 0.0) != (two.y == 0.0)));
    let (mut low, mut high) = match change {
        Some([one, two]) => (one.bits, two.bits),
        _ if is_steep_towards(grid, first, grid.samples.get(1)) => {
            (first.bits.checked_sub(BEYOND)?, first.bits)
        }
        _ if is_steep_towards(grid, last, grid.samples.iter().rev().nth(1)) => {
            (last.bits, last.bits + BEYOND)
        }
        _ => return None,
    };
    let sign = |bits: u32| sign_at(surrogate, bits);
    let (sign_low, mut sign_high) = (sign(low)?, sign(high)?);
    if sign_low == sign_high {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match sign(middle)? {
            same if same == sign_low => low = middle,
            other => (high, sign_high) = (middle, other),
        }
    }
    Some(match (sign_low, sign_high) {
        (0, _) => (low, low),
        (_, 0) => (high, high),
        _ => (low, high),
    })
}

/// How many inputs beyond the samples a root is looked for: the region next to a bucket may have taken the last of them.
const BEYOND: u32 = 4;

/// Whether the function, followed from the next sample to the one at an end, would be zero a few inputs further on.
fn is_steep_towards(grid: &Grid, end: &Sample, next: Option<&Sample>) -> bool {
    let Some(next) = next else {
        return false;
    };
    let slope = (end.y - next.y) / f64::from(end.bits.abs_diff(next.bits));
    end.y.abs() <= f64::from(BEYOND) * slope.abs() && grid.samples.len() > 2
}

/// The sign of the function, 0 at an exact zero; `None` where it has no value.
fn sign_at(surrogate: &Surrogate, bits: u32) -> Option<i32> {
    match surrogate.function().enclose(f32::from_bits(bits), 64) {
        truth @ Truth::Value(_) => {
            let value = truth.to_f64();
            Some(if value == 0.0 {
                0
            } else {
                value.signum() as i32
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Stretch;
    use actforge_reference::lookup;

    fn root_in(name: &str, first: f32, last: f32) -> Option<(u32, u32)> {
        let surrogate = Surrogate::new(lookup(name).unwrap().function(), Format::Fp32).unwrap();
        let stretch = Stretch {
            first: first.to_bits(),
            last: last.to_bits() - 1,
        };
        next_to_root(&surrogate, &Grid::new(&surrogate, stretch))
    }

    #[test]
    fn roots_lie_at_a_float_between_two_or_just_outside() {
        let one = 1.0_f32.to_bits();
        assert_eq!(root_in("ln", 1.0, 1.125), Some((one, one)));
        assert_eq!(root_in("ln", 0.75, 1.0), Some((one, one)));
        assert_eq!(root_in("ln", 0.75, 1.25), Some((one, one)));
        assert_eq!(root_in("ln", 1.125, 1.25), None);
        // Zero from there on: the root is where that begins.
        let three = (-3.0_f32).to_bits();
        assert_eq!(root_in("hard_sigmoid", -2.75, -3.0), Some((three, three)));
        assert_eq!(root_in("hard_sigmoid", -2.75, -3.5), Some((three, three)));
        assert_eq!(root_in("hard_sigmoid", -3.25, -3.5), None);
        let below_pi = 0x4049_0fda;
        let at_pi = f32::from_bits(below_pi + 1);
        assert_eq!(root_in("sin", 3.0, at_pi), Some((below_pi, below_pi + 1)));
        let root = -1.278_464_5_f32;
        let (below, above) = root_in("derivative_silu", -1.25, -1.3125).unwrap();
        assert_eq!(above, below + 1);
        assert!((f32::from_bits(below) - root).abs() < 1e-6);
    }

    #[test]
    fn the_derivative_of_silu_is_followed_to_its_root() {
        let entry = lookup("derivative_silu").unwrap();
        let surrogate = Surrogate::new(entry.function(), Format::Fp32).unwrap();
        let stretch = Stretch {
            first: (-1.265_625_f32).to_bits(),
            last: (-1.281_25_f32).to_bits() - 1,
        };
        let grid = Grid::new(&surrogate, stretch);
        let anchored = anchored(&surrogate, &grid).unwrap();
        assert!(anchored.error < 0.5, "{}", anchored.error);
        let bucket = anchored.buckets.first().unwrap();
        assert!(bucket.d[0].abs() < 1e-7);
    }
}
