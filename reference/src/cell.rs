//! One piece of a surrogate: a run of neighbouring inputs and how the function's value there is known.

use std::cmp::Ordering;

/// The highest degree of a cell's polynomial.
pub const MAX_DEGREE: usize = 11;

/// The degrees in use; a cell takes the least that serves it.
pub(crate) const DEGREES: [usize; 7] = [0, 1, 2, 3, 5, 8, MAX_DEGREE];

/// A run of neighbouring binary32 inputs of one sign, `first..=last` as bit patterns (so ascending in magnitude).
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The input of least magnitude, as bits.
    pub first: u32,
    /// The input of greatest magnitude, as bits.
    pub last: u32,
    /// What is known there.
    pub kind: CellKind,
}

/// How the value over a cell is known.
#[derive(Clone, Debug, PartialEq)]
pub enum CellKind {
    /// The value is a polynomial, to within a bound, and has one ulp throughout the cell.
    Polynomial(CellPolynomial),
    /// The value is beyond the overflow threshold: an infinity is the right result.
    Overflow {
        /// Minus infinity.
        negative: bool,
    },
    /// The function has no value: NaN is the right result.
    Undefined,
    /// Too few inputs, or too wild a function: each input is to be asked for on its own.
    Pointwise,
}

/// The value over a cell in ulp of the output format, as a polynomial in the distance from the cell's middle.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPolynomial {
    /// log2 of the ulp of the format for every value in the cell.
    pub ulp_exponent: i32,
    /// The degree.
    pub degree: usize,
    /// Coefficients of powers of `(bits - first) - (last - first) / 2`, ascending; zero beyond the degree.
    pub coefficients: [f64; MAX_DEGREE + 1],
    /// Whether the values are subnormal in the format (or zero).
    pub subnormal: bool,
    /// Whether the function lies above (or below) the polynomial throughout, by less than the bound: what decides a
    /// tie when the bound is smaller than any arithmetic can resolve. Known only for polynomials of exact doubles.
    pub excess: Option<Ordering>,
    /// The evaluated polynomial differs from the function by at most this many ulp. Zero where it is exact.
    pub bound: f64,
}

impl Cell {
    /// The number of inputs.
    pub fn len(&self) -> u32 {
        self.last - self.first + 1
    }

    /// A cell is never empty.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The polynomial's variable at an input.
    #[inline(always)]
    pub fn variable(&self, bits: u32) -> f64 {
        f64::from(bits.wrapping_sub(self.first)) - 0.5 * f64::from(self.last - self.first)
    }

    /// The polynomial, where there is one.
    pub fn polynomial(&self) -> Option<&CellPolynomial> {
        match &self.kind {
            CellKind::Polynomial(polynomial) => Some(polynomial),
            _ => None,
        }
    }
}

impl CellPolynomial {
    /// The value at a variable, in ulp, by Horner's rule with fused steps (the sweep computes the same bits).
    #[inline(always)]
    pub fn at(&self, variable: f64) -> f64 {
        let mut sum = 0.0_f64;
        for coefficient in self.coefficients[..=self.degree.min(MAX_DEGREE)]
            .iter()
            .rev()
        {
            sum = sum.mul_add(variable, *coefficient);
        }
        sum
    }
}
