//! The sum of the errors of one piece.

use actforge_engine::{Kernel, RunKernel};
use actforge_reference::{CellKind, CellPolynomial, absolute_error, overflow_error, ulp_error};

use super::block::{BLOCK, Block, distances, power_of_two, sum_of_magnitudes};
use super::constant::constant_result;
use super::piece::Subject;
use super::plan::Piece;
use super::rounding::round_results;

/// The errors of some inputs, added up. Those of the whole piece are within its cell's bound for each input.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Total {
    /// In ulp; infinite where a result is NaN and a number is right.
    pub(crate) ulp: f64,
    /// As they are: each error in ulp times the ulp of its true value.
    pub(crate) absolute: f64,
}

/// Adds up the errors of a piece, in an order that the piece alone decides.
pub(crate) fn total_piece(subject: &Subject<'_>, piece: &Piece<'_>) -> Total {
    let kernel = subject.table.run_kernel(&piece.route);
    if let Some(total) = total_of_constant(subject, piece, &kernel) {
        return total;
    }
    let mut block = Block::new();
    subject.level.dispatch(TotalKernel {
        subject,
        piece,
        kernel: &kernel,
        block: &mut block,
    })
}

/// A constant result against a constant value: most of the inputs next to zero, of which there are very many.
fn total_of_constant(
    subject: &Subject<'_>,
    piece: &Piece<'_>,
    kernel: &RunKernel,
) -> Option<Total> {
    let polynomial = piece.cell.polynomial().filter(|known| known.degree == 0)?;
    let result = constant_result(kernel, &piece.route, piece.first, piece.last)?;
    let result = subject.surrogate.format().round_f32(result);
    let scaled = f64::from(result) * power_of_two(-polynomial.ulp_exponent);
    let ulp = (scaled - polynomial.at(0.0)).abs() * piece.inputs() as f64;
    let absolute = ulp * power_of_two(polynomial.ulp_exponent);
    ulp.is_finite().then_some(Total { ulp, absolute })
}

struct TotalKernel<'a, 'p> {
    subject: &'a Subject<'a>,
    piece: &'a Piece<'p>,
    kernel: &'a RunKernel,
    block: &'a mut Block,
}

impl Kernel for TotalKernel<'_, '_> {
    type Output = Total;

    #[inline(always)]
    fn run(self) -> Total {
        let format = self.subject.surrogate.format();
        let mut total = Total::default();
        let mut first = self.piece.first;
        loop {
            let length = ((self.piece.last - first) as usize).min(BLOCK - 1) + 1;
            let results = &mut self.block.results[..length];
            self.kernel.eval(first, results);
            round_results(format, results);
            let more = match &self.piece.cell.kind {
                CellKind::Polynomial(polynomial) => {
                    let start = self.piece.cell.variable(first);
                    distances(polynomial, start, self.block, length);
                    let mut ulp = sum_of_magnitudes(&self.block.errors);
                    if !ulp.is_finite() {
                        ulp = self.with_bad_results(polynomial, start, length);
                    }
                    Total {
                        ulp,
                        absolute: ulp * power_of_two(polynomial.ulp_exponent),
                    }
                }
                _ => self.one_by_one(first, length),
            };
            total.ulp += more.ulp;
            total.absolute += more.absolute;
            first += length as u32 - 1;
            if first == self.piece.last {
                return total;
            }
            first += 1;
        }
    }
}

impl TotalKernel<'_, '_> {
    /// A block with infinite or NaN results: an infinity counts as `2^(emax + 1)`.
    #[inline(never)]
    fn with_bad_results(&self, polynomial: &CellPolynomial, start: f64, length: usize) -> f64 {
        let format = self.subject.surrogate.format();
        let infinity = power_of_two(format.max_exponent() + 1 - polynomial.ulp_exponent);
        let mut sum = 0.0;
        let judged = self.block.results[..length].iter().zip(&self.block.errors);
        for (k, (result, error)) in judged.enumerate() {
            sum += if result.is_nan() {
                f64::INFINITY
            } else if result.is_infinite() {
                let value = polynomial.at(start + k as f64);
                (infinity.copysign(f64::from(*result)) - value).abs()
            } else {
                error.abs()
            };
        }
        sum
    }

    /// Inputs without a polynomial. Where the function has no value there is nothing to be wrong about.
    #[inline(never)]
    fn one_by_one(&self, first: u32, length: usize) -> Total {
        let format = self.subject.surrogate.format();
        let function = self.subject.surrogate.function();
        let mut total = Total::default();
        for (result, bits) in self.block.results[..length].iter().zip(first..) {
            match &self.piece.cell.kind {
                CellKind::Undefined => {}
                CellKind::Overflow { negative } => {
                    let ulp = overflow_error(format, *result, *negative);
                    total.ulp += ulp;
                    total.absolute +=
                        ulp * power_of_two(format.ulp_exponent(format.max_exponent()));
                }
                _ => {
                    let truth = function.enclose(f32::from_bits(bits), 80);
                    total.ulp += ulp_error(format, *result, &truth);
                    total.absolute += absolute_error(format, *result, &truth);
                }
            }
        }
        total
    }
}
