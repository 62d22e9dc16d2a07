//! Closed intervals of MPFR numbers with outward rounding.

mod functions;

use rug::float::{Constant, Round};
use rug::ops::{AddAssignRound, DivAssignRound, MulAssignRound, SubAssignRound};
use rug::{Assign, Float, Rational};

/// `[low, high]`, both ends at the same precision; the true value lies between them, ends included.
///
/// Every operation rounds its lower end down and its upper end up, so an enclosure stays an enclosure whatever is
/// computed from it. A point interval (`low == high`) is exact knowledge. Where an operation has no value, or may have
/// none, the ends are NaN and [`Interval::domain`] tells which of the two it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    low: Float,
    high: Float,
    domain: Domain,
}

/// Whether everything that an interval was computed from lies where its operations are defined. The worst of all
/// operations counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Domain {
    /// Certainly: there is a value.
    Inside,
    /// The enclosures are too wide to tell; more bits, or a shorter interval, may.
    Unclear,
    /// Certainly not: there is no value.
    Outside,
}

use Round::{Down, Up};

impl Interval {
    /// The exact value of a binary32 number.
    pub fn from_f32(value: f32, precision: u32) -> Self {
        let precision = precision.max(24);
        Self {
            low: Float::with_val(precision, value),
            high: Float::with_val(precision, value),
            domain: Domain::Inside,
        }
    }

    /// The tightest enclosure of a number (the number itself when `precision` holds it).
    pub fn from_float(value: &Float, precision: u32) -> Self {
        Self {
            low: Float::with_val_round(precision, value, Down).0,
            high: Float::with_val_round(precision, value, Up).0,
            domain: Domain::Inside,
        }
    }

    /// The tightest enclosure of a rational constant.
    pub fn from_rational(value: &Rational, precision: u32) -> Self {
        Self {
            low: Float::with_val_round(precision, value, Down).0,
            high: Float::with_val_round(precision, value, Up).0,
            domain: Domain::Inside,
        }
    }

    /// The tightest enclosure of pi.
    pub fn pi(precision: u32) -> Self {
        Self {
            low: Float::with_val_round(precision, Constant::Pi, Down).0,
            high: Float::with_val_round(precision, Constant::Pi, Up).0,
            domain: Domain::Inside,
        }
    }

    /// The tightest enclosure of all numbers between two.
    pub fn between(low: &Float, high: &Float, precision: u32) -> Self {
        Self {
            low: Float::with_val_round(precision, low, Down).0,
            high: Float::with_val_round(precision, high, Up).0,
            domain: Domain::Inside,
        }
    }

    /// The hull of two enclosures.
    pub(crate) fn hull(self, other: &Self) -> Self {
        Self {
            low: self.low.min(&other.low),
            high: self.high.max(&other.high),
            domain: self.domain.max(other.domain),
        }
    }

    /// Whether there is a value.
    pub fn domain(&self) -> Domain {
        self.domain
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

    /// Whether the expression has no value here, or may have none.
    pub fn is_undefined(&self) -> bool {
        self.domain != Domain::Inside || self.low.is_nan() || self.high.is_nan()
    }

    /// The end nearer to zero (zero itself when the interval holds it).
    pub fn smallest_magnitude(&self) -> Float {
        if self.low.is_sign_negative() != self.high.is_sign_negative() {
            return Float::new(self.low.prec());
        }
        let (low, high) = (self.low.clone().abs(), self.high.clone().abs());
        if low < high { low } else { high }
    }

    /// The end farther from zero.
    pub(crate) fn largest_magnitude(&self) -> Float {
        self.low.clone().abs().max(&self.high.clone().abs())
    }

    fn precision(&self) -> u32 {
        self.low.prec()
    }

    /// No value.
    pub(crate) fn outside(precision: u32) -> Self {
        Self::without_value(precision, Domain::Outside)
    }

    /// No value, certainly or perhaps.
    fn without_value(precision: u32, domain: Domain) -> Self {
        let nan = Float::with_val(precision, rug::float::Special::Nan);
        Self {
            low: nan.clone(),
            high: nan,
            domain,
        }
    }

    /// Two ends that were computed; a NaN among them (infinity less infinity) leaves the value open.
    fn from_ends(low: Float, high: Float, domain: Domain) -> Self {
        if low.is_nan() || high.is_nan() {
            return Self::without_value(low.prec(), domain.max(Domain::Unclear));
        }
        Self { low, high, domain }
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
            domain: self.domain,
        }
    }

    /// `self + other`.
    pub fn plus(mut self, other: &Self) -> Self {
        self.low.add_assign_round(&other.low, Down);
        self.high.add_assign_round(&other.high, Up);
        Self::from_ends(self.low, self.high, self.domain.max(other.domain))
    }

    /// `self - other`.
    pub fn minus(mut self, other: &Self) -> Self {
        self.low.sub_assign_round(&other.high, Down);
        self.high.sub_assign_round(&other.low, Up);
        Self::from_ends(self.low, self.high, self.domain.max(other.domain))
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

    /// `self / other`; undefined when the divisor is zero, unclear when it may be.
    pub fn over(self, other: &Self) -> Self {
        let domain = self.domain.max(other.domain);
        if domain != Domain::Inside {
            return Self::without_value(self.precision(), domain);
        }
        if other.low.is_zero() && other.high.is_zero() {
            return Self::without_value(self.precision(), Domain::Outside);
        }
        if other.low.is_zero()
            || other.high.is_zero()
            || other.low.is_sign_negative() != other.high.is_sign_negative()
        {
            return Self::without_value(self.precision(), Domain::Unclear);
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
        let domain = self.domain.max(other.domain);
        if domain != Domain::Inside {
            return Self::without_value(self.precision(), domain);
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
            (Some(low), Some(high)) => Self::from_ends(low, high, domain),
            _ => Self::without_value(self.precision(), Domain::Unclear),
        }
    }

    /// `self ^ exponent` for a whole exponent, by repeated multiplication. Also to the power of zero, what has no value
    /// has none.
    pub fn powi(self, exponent: u32) -> Self {
        if self.domain != Domain::Inside {
            return Self::without_value(self.precision(), self.domain);
        }
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
                domain: self.domain,
            }
        }
    }

    /// MPFR takes the number where one of two is NaN, so what is undefined is looked at first.
    fn select(self, other: &Self, choose: impl Fn(Float, &Float) -> Float) -> Self {
        let domain = self.domain.max(other.domain);
        if domain != Domain::Inside {
            return Self::without_value(self.precision(), domain);
        }
        Self {
            low: choose(self.low, &other.low),
            high: choose(self.high, &other.high),
            domain,
        }
    }

    /// The larger of the two values.
    pub fn max(self, other: &Self) -> Self {
        self.select(other, Float::max)
    }

    /// The smaller of the two values.
    pub fn min(self, other: &Self) -> Self {
        self.select(other, Float::min)
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
            domain: Domain::Inside,
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
            domain: Domain::Inside,
        };
        let tail = wide.clone().erfc();
        assert!(tail.low() < tail.high());
        let cosh = wide.cosh();
        assert!(*cosh.low() == 1 && *cosh.high() > 3.76);
    }

    #[test]
    fn beyond_the_largest_number_is_not_an_infinity() {
        let huge = point(3.0e38).exp();
        assert!(huge.high().is_infinite() && huge.low().is_finite());
        let tiny = point(-1.0).over(&huge);
        assert!(*tiny.high() == 0 && *tiny.low() < 0);
    }

    #[test]
    fn what_has_no_value_is_told_from_what_may_have_none() {
        let mixed = Interval::between(&Float::with_val(80, -1), &Float::with_val(80, 3), 80);
        assert_eq!(point(-1.0).sqrt().domain(), Domain::Outside);
        assert_eq!(mixed.clone().sqrt().domain(), Domain::Unclear);
        assert_eq!(point(0.0).log().domain(), Domain::Outside);
        assert_eq!(point(-1.0).log1p().domain(), Domain::Outside);
        assert_eq!(point(1.5).asin().domain(), Domain::Outside);
        assert_eq!(mixed.clone().acos().domain(), Domain::Unclear);
        assert_eq!(point(1.0).over(&point(0.0)).domain(), Domain::Outside);
        assert_eq!(point(1.0).over(&mixed).domain(), Domain::Unclear);
        let wide = Interval::between(&Float::with_val(80, 1), &Float::with_val(80, 2), 80);
        assert_eq!(wide.tan().domain(), Domain::Unclear);
        assert_eq!(Interval::pi(80).tan().domain(), Domain::Inside);
        // The worst of all operations counts, whatever comes after it.
        let lost = point(-1.0).log().max(&point(0.0)).times(&mixed);
        assert_eq!(lost.domain(), Domain::Outside);
        assert!(
            point(1.0e38)
                .exp()
                .minus(&point(1.0e38).exp())
                .high()
                .is_infinite()
        );
    }

    #[test]
    fn sine_and_cosine_of_enormous_arguments_are_anything() {
        // Found by fuzzing: tan((5^45^42)) took all memory.
        let enormous = point(1.0e9).exp();
        for anything in [enormous.clone().sin(), enormous.clone().cos()] {
            assert!(*anything.low() == -1 && *anything.high() == 1);
            assert_eq!(anything.domain(), Domain::Inside);
        }
        assert_eq!(enormous.tan().domain(), Domain::Unclear);
        let large = point(f32::MAX).cos();
        assert!(large.high().clone() - large.low() < 1.0e-10);
    }

    #[test]
    fn powers_are_roots_and_products_where_they_can_be() {
        let power = |base: f32, exponent: f32| point(base).pow(&point(exponent));
        assert!(*power(0.0, 2.5).high() == 0);
        assert_eq!(power(-1.0, 0.5).domain(), Domain::Outside);
        assert_eq!(power(0.0, -1.0).domain(), Domain::Outside);
        assert_eq!(point(-1.0).log().powi(0).domain(), Domain::Outside);
        assert!(*point(0.0).powi(0).low() == 1);
        let cube = power(3.0, 3.0);
        assert!(*cube.low() <= 27 && *cube.high() >= 27);
    }
}
