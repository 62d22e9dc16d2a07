//! Stretches over which the result does not change.

use actforge_engine::{Route, RunKernel};
use actforge_reference::{CellKind, steps};

use super::block::power_of_two;
use super::judge::true_sign;
use super::piece::Subject;
use super::plan::Piece;
use super::tally::{Candidate, Tally};

/// The result of a route over `first..=last` when it is the same, bit for bit, for every input there.
///
/// That is so when the cubic is a constant and no term of it overflows, which the farthest of the inputs (an end)
/// would show. Zeros of both signs may alternate inside unless all coefficients are +0.
pub(crate) fn constant_result(
    kernel: &RunKernel,
    route: &Route,
    first: u32,
    last: u32,
) -> Option<f32> {
    match route {
        Route::Cubic { bucket, .. } => {
            let [_, d1, d2, d3] = bucket.d;
            let farthest = f32::from_bits(last).abs() + bucket.x0.abs();
            if d1 != 0.0 || d2 != 0.0 || d3 != 0.0 || !farthest.is_finite() {
                return None;
            }
        }
        Route::Bypass => return None,
        _ => {}
    }
    let mut ends = [0.0_f32; 2];
    let (low, high) = ends.split_at_mut(1);
    kernel.eval(first, low);
    kernel.eval(last, high);
    let [result, other] = ends;
    let alternates = result == 0.0 && !constant_is_plain_zero(route);
    (result.to_bits() == other.to_bits() && !alternates).then_some(result)
}

/// A constant result against a constant (or infinite, or missing) value: the ends tell everything, however long the
/// piece is. Most of the inputs of a saturating function are of this kind.
pub(super) fn measure_constant(
    subject: &Subject<'_>,
    piece: &Piece<'_>,
    kernel: &RunKernel,
) -> Option<Tally> {
    let format = subject.surrogate.format();
    let result = format.round_f32(constant_result(
        kernel,
        &piece.route,
        piece.first,
        piece.last,
    )?);
    let mut tally = Tally::default();
    match &piece.cell.kind {
        CellKind::Overflow { negative } if result.is_infinite() && (result < 0.0) == *negative => {
            tally.add_equal(0.0, piece.first, result, piece.inputs(), true);
        }
        CellKind::Undefined if result.is_nan() => {
            tally.add_equal(0.0, piece.first, result, piece.inputs(), true)
        }
        CellKind::Polynomial(polynomial) if polynomial.degree == 0 && result.is_finite() => {
            let value = polynomial.at(0.0);
            let error = (f64::from(result) * power_of_two(-polynomial.ulp_exponent) - value).abs();
            if (error - 0.5).abs() <= 2.0 * polynomial.bound {
                return None;
            }
            tally.add_equal(error, piece.first, result, piece.inputs(), error <= 0.5);
            // The value still moves by less than the bound: one of the ends is the worst.
            tally.propose(Candidate {
                error,
                bits: piece.last,
                result: result.to_bits(),
            });
            if error > 0.5 {
                let right = format.round_f64(value * power_of_two(polynomial.ulp_exponent)) as f32;
                tally.propose_steps(steps(format, result, right).unwrap_or(0), piece.first);
            }
            tally.propose_absolute(error * power_of_two(polynomial.ulp_exponent), piece.first);
            if !polynomial.subnormal {
                tally.propose_relative(error / value.abs(), piece.first);
            }
            let out_of_range = subject
                .value_bounds
                .is_some_and(|(low, high)| result < low || result > high);
            tally.out_of_range = if out_of_range { piece.inputs() } else { 0 };
            let sign = true_sign(subject, piece);
            let count_if = |condition: bool| if condition { piece.inputs() } else { 0 };
            tally.wrong_sign = count_if(result * sign < 0.0);
            tally.zero_sign = count_if(result == 0.0 && result.signum() * sign < 0.0);
        }
        _ => return None,
    }
    Some(tally)
}

/// Whether a route computes +0 from +0 coefficients alone.
fn constant_is_plain_zero(route: &Route) -> bool {
    match route {
        Route::Cubic { bucket, unfold, .. } => !unfold && bucket.d.iter().all(|d| d.to_bits() == 0),
        _ => true,
    }
}
