//! Closed intervals of MPFR numbers with outward rounding.

use rug::float::{Constant, Round};
use rug::ops::{AddAssignRound, DivAssignRound, MulAssignRound, SubAssignRound};
use rug::{Assign, Float, Rational};

/// `[low, high]`, both ends at the same precision; the true value lies between them, ends included.
///
/// Every operation rounds its lower end down and its upper end up, so an enclosure stays an enclosure whatever is
/// computed from it. A point interval (`low == high`) is exact knowledge.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    low: Float,
    high: Float,
}

use Round::{Down, Up};

impl Interval {
    /// The exact value of a binary32 number.
    pub fn from_f32(value: f32, precision: u32) -> Self {
        let precision = precision.max(24);
        Self {
            low: Float::with_val(precision, value),
            high: Float::with_val(precision, value),
        }
    }

    /// The tightest enclosure of a number (the number itself when `precision` holds it).
    pub fn from_float(value: &Float, precision: u32) -> Self {
        Self {
            low: Float::with_val_round(precision, value, Down).0,
            high: Float::with_val_round(precision, value, Up).0,
        }
    }

    /// The tightest enclosure of a rational constant.
    pub fn from_rational(value: &Rational, precision: u32) -> Self {
        Self {
            low: Float::with_val_round(precision, value, Down).0,
            high: Float::with_val_round(precision, value, Up).0,
        }
    }

    /// The tightest enclosure of pi.
    pub fn pi(precision: u32) -> Self {
        Self {
            low: Float::with_val_round(precision, Constant::Pi, Down).0,
            high: Float::with_val_round(precision, Constant::Pi, Up).0,
        }
    }

    /// The lower end.
    pub fn low(&self) -> &Float {
        &self.low
    }

    /// The upper end.
    pub fn high(&self) -> &Float {
        &self.high
    }

    /// Whether the value is known exactly.
    pub fn is_point(&self) -> bool {
        self.low == self.high
    }

    /// Whether an end is NaN: the expression has no value here.
    pub fn is_undefined(&self) -> bool {
        self.low.is_nan() || self.high.is_nan()
    }

    /// The end nearer to zero (zero itself when the interval holds it).
    pub fn smallest_magnitude(&self) -> Float {
        if self.low.is_sign_negative() != self.high.is_sign_negative() {
            return Float::new(self.low.prec());
        }
        let (low, high) = (self.low.clone().abs(), self.high.clone().abs());
        if low < high { low } else { high }
    }

    fn precision(&self) -> u32 {
        self.low.prec()
    }

    fn undefined(precision: u32) -> Self {
        let nan = Float::with_val(precision, rug::float::Special::Nan);
        Self {
            low: nan.clone(),
            high: nan,
        }
    }

    /// Applies an increasing function to both ends.
    fn increasing(mut self, apply: impl Fn(&mut Float, Round)) -> Self {
        apply(&mut self.low, Down);
        apply(&mut self.high, Up);
        self
    }

    /// Applies a decreasing function to both ends.
    fn decreasing(mut self, apply: impl Fn(&mut Float, Round)) -> Self {
        apply(&mut self.low, Up);
        apply(&mut self.high, Down);
        std::mem::swap(&mut self.low, &mut self.high);
        self
    }

    /// `-self`.
    pub fn negate(self) -> Self {
        Self {
            low: -self.high,
            high: -self.low,
        }
    }

    /// `self + other`.
    pub fn plus(mut self, other: &Self) -> Self {
        self.low.add_assign_round(&other.low, Down);
        self.high.add_assign_round(&other.high, Up);
        self
    }

    /// `self - other`.
    pub fn minus(mut self, other: &Self) -> Self {
        self.low.sub_assign_round(&other.high, Down);
        self.high.sub_assign_round(&other.low, Up);
        self
    }

    /// `self * other`.
    pub fn times(self, other: &Self) -> Self {
        self.corners(other, |product, factor, round| {
            // 0 * inf is 0 here: an infinite end only says "beyond every MPFR number", never a true infinity.
            if product.is_zero() || factor.is_zero() {
                product.assign(0);
            } else {
                product.mul_assign_round(factor, round);
            }
        })
    }

    /// `self / other`; undefined when the divisor may be zero.
    pub fn over(self, other: &Self) -> Self {
        if other.low.is_zero()
            || other.high.is_zero()
            || other.low.is_sign_negative() != other.high.is_sign_negative()
        {
            return Self::undefined(self.precision());
        }
        self.corners(other, |quotient, divisor, round| {
            if quotient.is_infinite() && divisor.is_infinite() {
                quotient.assign(0);
            } else {
                quotient.div_assign_round(divisor, round);
            }
        })
    }

    /// The hull of an operation that is monotone in each operand, over the four pairs of ends.
    fn corners(self, other: &Self, apply: impl Fn(&mut Float, &Float, Round)) -> Self {
        if self.is_undefined() || other.is_undefined() {
            return Self::undefined(self.precision());
        }
        let single = self.is_point() && other.is_point();
        let mut low: Option<Float> = None;
        let mut high: Option<Float> = None;
        'ends: for left in [&self.low, &self.high] {
            for right in [&other.low, &other.high] {
                let mut down = left.clone();
                apply(&mut down, right, Down);
                let mut up = left.clone();
                apply(&mut up, right, Up);
                low = Some(low.map_or_else(|| down.clone(), |low| low.min(&down)));
                high = Some(high.map_or_else(|| up.clone(), |high| high.max(&up)));
                if single {
                    break 'ends;
                }
            }
        }
        match (low, high) {
            (Some(low), Some(high)) => Self { low, high },
            _ => Self::undefined(self.precision()),
        }
    }

    /// `self ^ exponent` for a whole exponent, by repeated multiplication.
    pub fn powi(self, exponent: u32) -> Self {
        if exponent.is_multiple_of(2) && exponent > 0 {
            // An even power is a power of the magnitude: this keeps [-a, b]^2 from reaching below zero.
            let square = {
                let magnitude = self.abs();
                let other = magnitude.clone();
                magnitude.times(&other)
            };
            return if exponent == 2 {
                square
            } else {
                square.powi(exponent / 2)
            };
        }
        let mut product = Self::from_rational(&Rational::from(1), self.precision());
        for _ in 0..exponent {
            product = product.times(&self);
        }
        product
    }

    /// `|self|`.
    pub fn abs(self) -> Self {
        if self.low.is_sign_positive() {
            self
        } else if self.high.is_sign_negative() {
            self.negate()
        } else {
            let low = Float::new(self.precision());
            let flipped = -self.low;
            Self {
                low,
                high: flipped.max(&self.high),
            }
        }
    }

    /// The larger of the two values.
    pub fn max(self, other: &Self) -> Self {
        Self {
            low: self.low.max(&other.low),
            high: self.high.max(&other.high),
        }
    }

    /// The smaller of the two values.
    pub fn min(self, other: &Self) -> Self {
        Self {
            low: self.low.min(&other.low),
            high: self.high.min(&other.high),
        }
    }

    /// -1, 0 or 1.
    pub fn sign(self) -> Self {
        let sign = |value: &mut Float, _| {
            if !value.is_zero() {
                let one = if value.is_sign_negative() { -1 } else { 1 };
                value.assign(one);
            }
        };
        self.increasing(sign)
    }

    /// 1 above zero, 0 elsewhere.
    pub fn step(self) -> Self {
        let step = |value: &mut Float, _| {
            let one = !value.is_zero() && value.is_sign_positive();
            value.assign(u32::from(one));
        };
        self.increasing(step)
    }

    /// Square root; undefined when the argument may be negative.
    pub fn sqrt(self) -> Self {
        self.increasing(|value, round| {
            value.sqrt_round(round);
        })
    }

    /// Cube root.
    pub fn cbrt(self) -> Self {
        self.increasing(|value, round| {
            value.cbrt_round(round);
        })
    }

    /// `e^x`.
    pub fn exp(self) -> Self {
        self.increasing(|value, round| {
            value.exp_round(round);
        })
    }

    /// `2^x`.
    pub fn exp2(self) -> Self {
        self.increasing(|value, round| {
            value.exp2_round(round);
        })
    }

    /// `e^x - 1`.
    pub fn expm1(self) -> Self {
        self.increasing(|value, round| {
            value.exp_m1_round(round);
        })
    }

    /// Natural logarithm.
    pub fn log(self) -> Self {
        self.increasing(|value, round| {
            value.ln_round(round);
        })
    }

    /// Binary logarithm.
    pub fn log2(self) -> Self {
        self.increasing(|value, round| {
            value.log2_round(round);
        })
    }

    /// `log(1 + x)`.
    pub fn log1p(self) -> Self {
        self.increasing(|value, round| {
            value.ln_1p_round(round);
        })
    }

    /// Hyperbolic sine.
    pub fn sinh(self) -> Self {
        self.increasing(|value, round| {
            value.sinh_round(round);
        })
    }

    /// Hyperbolic cosine.
    pub fn cosh(self) -> Self {
        self.abs().increasing(|value, round| {
            value.cosh_round(round);
        })
    }

    /// Hyperbolic tangent.
    pub fn tanh(self) -> Self {
        self.increasing(|value, round| {
            value.tanh_round(round);
        })
    }

    /// Arc tangent.
    pub fn atan(self) -> Self {
        self.increasing(|value, round| {
            value.atan_round(round);
        })
    }

    /// Error function.
    pub fn erf(self) -> Self {
        self.increasing(|value, round| {
            value.erf_round(round);
        })
    }

    /// Complementary error function.
    pub fn erfc(self) -> Self {
        match self.tail_terms() {
            Some(terms) => self.erfc_tail(terms),
            None => self.decreasing(|value, round| {
                value.erfc_round(round);
            }),
        }
    }

    /// How many terms of its continued fraction give the complementary error function to the working precision;
    /// `None` where the series of MPFR is the better way.
    fn tail_terms(&self) -> Option<u32> {
        let least = self.low.to_f64();
        if least < 2.0 || self.high.is_infinite() {
            return None;
        }
        // Term k narrows the enclosure of the rest by (s - x) / (s + x), with s = sqrt(x^2 + 2 k).
        let wanted = f64::from(self.precision() + 8) * std::f64::consts::LN_2;
        let mut reached = 0.0;
        (1..=400_u32).find(|k| {
            let s = (least * least + 2.0 * f64::from(*k)).sqrt();
            reached -= ((s - least) / (s + least)).ln();
            // Where x is so large that the difference vanishes this is infinite, and one term is plenty.
            reached >= wanted
        })
    }

    /// `exp(-x^2) / (sqrt(pi) (x + (1/2) / (x + (2/2) / (x + (3/2) / ...))))`, Laplace's fraction, for arguments well
    /// above zero. Where it is cut, the rest is known to lie between `x` and what one more term can make of it, and
    /// every step keeps that an enclosure. MPFR's own function needs thousands of times longer here: it sums a series
    /// that cancels.
    fn erfc_tail(self, terms: u32) -> Self {
        let precision = self.precision();
        let half = |k: u32| Self::from_rational(&Rational::from((k, 2)), precision);
        let farthest = half(terms + 1).over(&self);
        let mut rest = Self {
            low: self.low.clone(),
            high: self.high.clone(),
        }
        .plus(&Self {
            low: Float::new(precision),
            high: farthest.high,
        });
        for k in (1..=terms).rev() {
            rest = self.clone().plus(&half(k).over(&rest));
        }
        let decay = self.powi(2).negate().exp();
        decay.over(&Self::pi(precision).sqrt().times(&rest))
    }

    /// Sine.
    pub fn sin(self) -> Self {
        self.lipschitz(|value, round| {
            value.sin_round(round);
        })
    }

    /// Cosine.
    pub fn cos(self) -> Self {
        self.lipschitz(|value, round| {
            value.cos_round(round);
        })
    }

    /// Applies a function whose slope is nowhere beyond 1: its value at one end, widened by the interval's width.
    fn lipschitz(self, apply: impl Fn(&mut Float, Round)) -> Self {
        let mut width = self.high.clone();
        width.sub_assign_round(&self.low, Up);
        let mut low = self.low.clone();
        let mut high = self.low;
        apply(&mut low, Down);
        apply(&mut high, Up);
        low.sub_assign_round(&width, Down);
        high.add_assign_round(&width, Up);
        Self { low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(value: f32) -> Interval {
        Interval::from_f32(value, 80)
    }

    #[test]
    fn every_operation_encloses_the_real_value() {
        // 1/3 has no binary representation: the enclosure is one unit wide and holds it.
        let third = point(1.0).over(&point(3.0));
        assert!(!third.is_point());
        assert!(*third.low() < Rational::from((1, 3)));
        assert!(*third.high() > Rational::from((1, 3)));
        // What is exact stays exact.
        assert!(point(1.5).times(&point(2.5)).is_point());
        assert!(point(-0.0).times(&point(3.0)).is_point());
    }

    #[test]
    fn signs_are_respected_by_products_quotients_and_powers() {
        let mixed = Interval {
            low: Float::with_val(80, -2),
            high: Float::with_val(80, 3),
        };
        let square = mixed.clone().powi(2);
        assert!(*square.low() == 0 && *square.high() == 9);
        let cube = mixed.clone().powi(3);
        assert!(*cube.low() <= -8 && *cube.high() >= 27);
        assert!(point(1.0).over(&mixed).is_undefined());
        assert_eq!(mixed.smallest_magnitude(), 0);
    }

    #[test]
    fn decreasing_and_even_functions_swap_their_ends() {
        let wide = Interval {
            low: Float::with_val(80, -1),
            high: Float::with_val(80, 2),
        };
        let tail = wide.clone().erfc();
        assert!(tail.low() < tail.high());
        let cosh = wide.cosh();
        assert!(*cosh.low() == 1 && *cosh.high() > 3.76);
    }

    #[test]
    fn the_fraction_of_the_error_functions_tail_encloses_what_the_series_gives() {
        for precision in [40, 100, 250] {
            for k in 0..200_u32 {
                let x = Float::with_val(precision, 2.0 + 0.07 * f64::from(k));
                let Some(terms) = Interval::from_float(&x, precision).tail_terms() else {
                    assert!(k < 40, "{x}");
                    continue;
                };
                let tail = Interval::from_float(&x, precision).erfc_tail(terms);
                let mut exact = Float::with_val(precision + 200, &x);
                exact.erfc_mut();
                assert!(*tail.low() <= exact && exact <= *tail.high(), "{x}");
                // A few bits are lost to the square of x in the exponent.
                let width = Float::with_val(64, tail.high() - tail.low());
                let relative = Float::with_val(64, &width / &exact).to_f64().log2();
                assert!(relative < 14.0 - f64::from(precision), "{x}: {relative}");
            }
        }
    }

    #[test]
    fn beyond_the_largest_number_is_not_an_infinity() {
        let huge = point(3.0e38).exp();
        assert!(huge.high().is_infinite() && huge.low().is_finite());
        let tiny = point(-1.0).over(&huge);
        assert!(*tiny.high() == 0 && *tiny.low() < 0);
    }
}
