//! Judging inputs one by one, where the arithmetic on lanes leaves something open.

use std::cmp::Ordering;

use actforge_reference::{CellKind, CellPolynomial, Truth, overflow_error, steps, ulp_error};

use super::block::power_of_two;
use super::piece::{PieceKernel, Subject};
use super::plan::Piece;

impl PieceKernel<'_, '_> {
    /// How many of the errors too close to one half belong to results that are not correctly rounded.
    #[inline(never)]
    pub(super) fn decide_halves(
        &mut self,
        polynomial: &CellPolynomial,
        margin: f64,
        first: u32,
        length: usize,
    ) -> u64 {
        let (low, high) = super::piece::half_edges(margin);
        let mut wrong = 0;
        for k in 0..length {
            let magnitude = self.block.magnitudes[k];
            if magnitude > low && magnitude <= high {
                wrong += u64::from(!self.is_right(polynomial, margin, first, k));
            }
        }
        wrong
    }

    /// Whether result `k` of the block is the correctly rounded one.
    fn is_right(&mut self, polynomial: &CellPolynomial, margin: f64, first: u32, k: usize) -> bool {
        let (error, result) = (self.block.errors[k], self.block.results[k]);
        let past_half = error.abs() - 0.5;
        if past_half.abs() > margin {
            return past_half < 0.0;
        }
        let format = self.subject.surrogate.format();
        match polynomial.excess {
            // A tie exactly: the even neighbour is right.
            Some(Ordering::Equal) => format.to_bits(result) & 1 == 0,
            // A tie but for the excess: the neighbour on its side is right.
            Some(Ordering::Greater) => error > 0.0,
            Some(Ordering::Less) => error < 0.0,
            None => {
                self.tally.decided += 1;
                let x = f32::from_bits(first + k as u32);
                let right = self.subject.surrogate.function().round(x, format);
                right.is_ok_and(|right| right == result)
            }
        }
    }

    /// The correctly rounded result where the polynomial has this value (in ulp). Next to a tie, the polynomial's excess
    /// or MPFR decides.
    pub(super) fn right_result(
        &mut self,
        polynomial: &CellPolynomial,
        bits: u32,
        value: f64,
    ) -> f32 {
        let format = self.subject.surrogate.format();
        let value = match polynomial.excess {
            Some(Ordering::Equal) => value,
            Some(Ordering::Greater) => value.next_up(),
            Some(Ordering::Less) => value.next_down(),
            None if ((value - value.floor()) - 0.5).abs() > polynomial.bound => value,
            None => {
                self.tally.decided += 1;
                let right = self
                    .subject
                    .surrogate
                    .function()
                    .round(f32::from_bits(bits), format);
                return right.unwrap_or(f32::NAN);
            }
        };
        format.round_f64(value * power_of_two(polynomial.ulp_exponent)) as f32
    }

    /// A block that holds a NaN, an infinity or a huge error where a number is right: everything one by one.
    #[inline(never)]
    pub(super) fn with_bad_results(
        &mut self,
        polynomial: &CellPolynomial,
        margin: f64,
        first: u32,
        length: usize,
    ) {
        let format = self.subject.surrogate.format();
        if !self.has_bad_results {
            // All that were there before are numbers.
            self.propose_absolute_of_worst(polynomial);
            self.has_bad_results = true;
        }
        let unit = power_of_two(polynomial.ulp_exponent);
        let infinite = power_of_two(format.max_exponent() + 1 - polynomial.ulp_exponent);
        for k in 0..length {
            let bits = first + k as u32;
            let result = self.block.results[k];
            let value = polynomial.at(self.piece.cell.variable(bits));
            let error = if result.is_nan() {
                f64::INFINITY
            } else if result.is_infinite() {
                (infinite.copysign(f64::from(result)) - value).abs()
            } else {
                self.block.errors[k].abs()
            };
            let is_right = result.is_finite() && self.is_right(polynomial, margin, first, k);
            self.tally.add_equal(error, bits, result, 1, is_right);
            self.tally.nan_results += u64::from(result.is_nan());
            self.tally.infinite_results += u64::from(result.is_infinite());
            if !is_right {
                let right = self.right_result(polynomial, bits, value);
                let count = steps(format, result, right).unwrap_or(u64::MAX);
                self.tally.propose_steps(count, bits);
            }
            if result.is_finite() {
                self.tally.propose_absolute(error * unit, bits);
                if !polynomial.subnormal {
                    self.tally.propose_relative(error / value.abs(), bits);
                }
            }
            self.range_of_one(result);
        }
        self.count_signs(length);
    }

    fn range_of_one(&mut self, result: f32) {
        let outside = self
            .subject
            .value_bounds
            .is_some_and(|(low, high)| result < low || result > high);
        self.tally.out_of_range += u64::from(outside);
    }

    /// Inputs without a polynomial: overflow and missing values by their conventions, wild ones in MPFR.
    #[inline(never)]
    pub(super) fn one_by_one(&mut self, first: u32, length: usize) {
        let format = self.subject.surrogate.format();
        let function = self.subject.surrogate.function();
        for k in 0..length {
            let bits = first + k as u32;
            let result = self.block.results[k];
            let (error, right) = match &self.piece.cell.kind {
                CellKind::Overflow { negative } => {
                    let right = if *negative {
                        f32::NEG_INFINITY
                    } else {
                        f32::INFINITY
                    };
                    (overflow_error(format, result, *negative), right)
                }
                CellKind::Undefined => {
                    (if result.is_nan() { 0.0 } else { f64::INFINITY }, f32::NAN)
                }
                _ => {
                    self.tally.decided += 1;
                    let x = f32::from_bits(bits);
                    let right = function.round(x, format).unwrap_or(f32::NAN);
                    (ulp_error(format, result, &function.enclose(x, 80)), right)
                }
            };
            let is_right = result == right || result.is_nan() && right.is_nan();
            self.tally.add_equal(error, bits, result, 1, is_right);
            if !is_right {
                let count = steps(format, result, right).unwrap_or(u64::MAX);
                self.tally.propose_steps(count, bits);
            }
            if right.is_nan() {
                continue;
            }
            self.tally.nan_results += u64::from(result.is_nan());
            self.tally.infinite_results += u64::from(result.is_infinite() && right.is_finite());
            self.range_of_one(result);
        }
        if !matches!(self.piece.cell.kind, CellKind::Undefined) {
            self.count_signs(length);
        }
    }
}

/// The sign of the true value throughout a piece, as -1, 0 or 1. It is asked of MPFR: a polynomial need not have it
/// where the value is next to nothing.
pub(super) fn true_sign(subject: &Subject<'_>, piece: &Piece<'_>) -> f32 {
    let x = f32::from_bits(piece.first);
    match subject.surrogate.function().enclose(x, 16) {
        Truth::Value(interval) if *interval.high() <= 0 && *interval.low() < 0 => -1.0,
        Truth::Value(interval) if *interval.low() >= 0 && *interval.high() > 0 => 1.0,
        _ => 0.0,
    }
}
