//! Inputs of a narrow type, one by one: there are at most 65536 of them, so MPFR judges them all.

use actforge_engine::Route;
use actforge_reference::{Surrogate, Truth, steps, ulp_error};
use rayon::prelude::*;

use super::measure::{OctaveKey, Part};
use super::{Shard, Subject};
use crate::sweep::Tally;

/// Measures every finite non-zero value of the input type that is judged and falls to the shard.
pub(super) fn measure_each(
    subject: &Subject<'_>,
    surrogate: &Surrogate,
    shard: Shard,
) -> Vec<Part> {
    let count = 1_u32 << subject.input.width();
    let bounds = subject.function.value_bounds(subject.output);
    (0..count)
        .into_par_iter()
        .filter(|code| shard.owns(u64::from(*code), u64::from(count)))
        .map(|code| subject.input.from_bits(code))
        .filter(|x| x.is_finite() && *x != 0.0 && subject.is_judged(*x))
        .map(|x| measure_one(subject, surrogate, bounds, x))
        .collect()
}

fn measure_one(
    subject: &Subject<'_>,
    surrogate: &Surrogate,
    bounds: Option<(f32, f32)>,
    x: f32,
) -> Part {
    let result = subject.result(x);
    let truth = subject.function.enclose(x, 80);
    let error = ulp_error(subject.output, result, &truth);
    let right = subject
        .function
        .round(x, subject.output)
        .unwrap_or(f32::NAN);
    let bits = x.to_bits();
    let mut tally = Tally::default();
    let is_right = result == right || result.is_nan() && right.is_nan();
    tally.add_equal(error, bits, result, 1, is_right);
    tally.decided = 1;
    if !is_right {
        let count = steps(subject.output, result, right).unwrap_or(u64::MAX);
        tally.propose_steps(count, bits);
    }
    tally.nan_results = u64::from(result.is_nan() && !right.is_nan());
    tally.infinite_results = u64::from(result.is_infinite() && right.is_finite());
    tally.out_of_range = u64::from(bounds.is_some_and(|(low, high)| result < low || result > high));
    if let Truth::Value(_) = truth {
        let value = truth.to_f64();
        let absolute = (f64::from(result) - value).abs();
        if absolute.is_finite() {
            tally.propose_absolute(absolute, bits);
            if value.abs() >= 2.0_f64.powi(subject.output.min_exponent()) {
                tally.propose_relative(absolute / value.abs(), bits);
            }
        }
        tally.wrong_sign = u64::from(f64::from(result) * value < 0.0);
        tally.zero_sign =
            u64::from(result == 0.0 && value != 0.0 && result.is_sign_negative() != (value < 0.0));
    }
    let bucket = match subject.table.route(x) {
        Route::Cubic { index, .. } => Some(index),
        _ => None,
    };
    let cell = surrogate.cell_of(bits).and_then(|cell| cell.polynomial());
    Part {
        tally,
        octave: OctaveKey::of(bits),
        bucket,
        subnormal: cell.is_some_and(|polynomial| polynomial.subnormal),
    }
}
