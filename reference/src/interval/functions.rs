//! Elementary functions of intervals.

use rug::float::Round;
use rug::ops::{AddAssignRound, SubAssignRound};
use rug::{Assign, Float, Rational};

use super::{Domain, Interval};

use Round::{Down, Up};

impl Interval {
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

    /// Square root; undefined below zero.
    pub fn sqrt(self) -> Self {
        self.at_least(0, true).increasing(|value, round| {
            value.sqrt_round(round);
        })
    }

    /// Gives up the value where the argument is, or may be, below `least` (or equal to it, unless that is `allowed`).
    fn at_least(self, least: i32, allowed: bool) -> Self {
        let is_below = |end: &Float| *end < least || !allowed && *end == least;
        if is_below(&self.high) {
            Self::without_value(self.precision(), self.domain.max(Domain::Outside))
        } else if is_below(&self.low) {
            Self::without_value(self.precision(), self.domain.max(Domain::Unclear))
        } else {
            self
        }
    }

    /// Gives up the value where the magnitude of the argument is, or may be, above one.
    fn up_to_one(self) -> Self {
        if self.low > 1 || self.high < -1 {
            Self::without_value(self.precision(), self.domain.max(Domain::Outside))
        } else if self.high > 1 || self.low < -1 {
            Self::without_value(self.precision(), self.domain.max(Domain::Unclear))
        } else {
            self
        }
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
        self.at_least(0, false).increasing(|value, round| {
            value.ln_round(round);
        })
    }

    /// Binary logarithm.
    pub fn log2(self) -> Self {
        self.at_least(0, false).increasing(|value, round| {
            value.log2_round(round);
        })
    }

    /// `log(1 + x)`.
    pub fn log1p(self) -> Self {
        self.at_least(-1, false).increasing(|value, round| {
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

    /// Arc sine; undefined beyond -1 and 1.
    pub fn asin(self) -> Self {
        self.up_to_one().increasing(|value, round| {
            value.asin_round(round);
        })
    }

    /// Arc cosine; undefined beyond -1 and 1.
    pub fn acos(self) -> Self {
        self.up_to_one().decreasing(|value, round| {
            value.acos_round(round);
        })
    }

    /// Tangent; unclear where a pole may be.
    pub fn tan(self) -> Self {
        let cosine = self.clone().cos();
        if cosine.low <= 0 && cosine.high >= 0 {
            return Self::without_value(self.precision(), self.domain.max(Domain::Unclear));
        }
        self.increasing(|value, round| {
            value.tan_round(round);
        })
    }

    /// `1 / (1 + e^-x)`.
    pub fn sigmoid(self) -> Self {
        let one = Self::from_f32(1.0, self.precision());
        let sum = self.negate().exp().plus(&one);
        one.over(&sum)
    }

    /// `log(1 + e^x)`, also where `e^x` is beyond every MPFR number.
    pub fn softplus(self) -> Self {
        self.by_ends(|end| {
            let zero = Self::from_f32(0.0, end.precision());
            let rest = end.clone().abs().negate().exp().log1p();
            end.max(&zero).plus(&rest)
        })
    }

    /// `self ^ exponent` as `e^(exponent log(self))`; undefined below zero, and at zero unless the exponent is positive.
    pub fn pow(self, exponent: &Self) -> Self {
        let domain = self.domain.max(exponent.domain);
        if domain == Domain::Inside && self.is_point() && self.low.is_zero() && exponent.low > 0 {
            return self;
        }
        self.log().times(exponent).exp()
    }

    /// Applies an increasing function that is given for points to both ends.
    fn by_ends(self, apply: impl Fn(Self) -> Self) -> Self {
        if self.domain != Domain::Inside {
            return self;
        }
        let point = |end: Float| Self {
            low: end.clone(),
            high: end,
            domain: Domain::Inside,
        };
        if self.is_point() {
            return apply(self);
        }
        let (low, high) = (apply(point(self.low)), apply(point(self.high)));
        Self::from_ends(low.low, high.high, low.domain.max(high.domain))
    }

    /// Error function.
    pub fn erf(self) -> Self {
        self.increasing(|value, round| {
            value.erf_round(round);
        })
    }

    /// Complementary error function.
    pub fn erfc(self) -> Self {
        // The fraction is good for points and what is nearly one. (Decreasing: the negative is enclosed by its ends.)
        if self.low > 2 && self.high > self.low.to_f64() * 1.001 {
            return self.by_ends(|end| end.erfc().negate()).negate();
        }
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
        let mut rest = self.clone().plus(&Self {
            low: Float::new(precision),
            high: farthest.high,
            domain: Domain::Inside,
        });
        for k in (1..=terms).rev() {
            rest = self.clone().plus(&half(k).over(&rest));
        }
        let decay = self.powi(2).negate().exp();
        decay.over(&Self::pi(precision).sqrt().times(&rest))
    }

    /// Sine. Of it and of the cosine no more is known than -1 to 1 where the argument is enormous.
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

    /// Applies a function whose slope and value are nowhere beyond 1: its value at one end, widened by the interval's
    /// width.
    fn lipschitz(self, apply: impl Fn(&mut Float, Round)) -> Self {
        let mut width = self.high.clone();
        width.sub_assign_round(&self.low, Up);
        let exponent = |end: &Float| {
            end.get_exp()
                .unwrap_or(if end.is_zero() { 0 } else { i32::MAX })
        };
        let is_beyond = exponent(&self.low).max(exponent(&self.high)) > LARGEST_ARGUMENT;
        if is_beyond || width >= 2 {
            let precision = self.precision();
            let ends = [-1, 1].map(|end| Float::with_val(precision, end));
            let [low, high] = ends;
            return Self::from_ends(low, high, self.domain);
        }
        let mut low = self.low.clone();
        let mut high = self.low;
        apply(&mut low, Down);
        apply(&mut high, Up);
        low.sub_assign_round(&width, Down);
        high.add_assign_round(&width, Up);
        // Sine and cosine, and nothing else, are applied this way.
        if low < -1 {
            low.assign(-1);
        }
        if high > 1 {
            high.assign(1);
        }
        Self::from_ends(low, high, self.domain)
    }
}

/// Sines of numbers with a larger exponent are not computed: pi would have to be known to as many bits, and what
/// oscillates that fast is no function of binary32 numbers that a table can follow. (Every binary32 number is below
/// `2^128`.)
const LARGEST_ARGUMENT: i32 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_of_what_no_table_needs_are_not_computed() {
        let huge = Interval::from_f32(1.0e6, 100).exp();
        let sine = huge.clone().sin();
        assert_eq!((sine.low().to_f64(), sine.high().to_f64()), (-1.0, 1.0));
        assert!(huge.tan().is_undefined());
        let near = Interval::from_f32(f32::MAX, 200).sin();
        assert!(near.high().to_f64() - near.low().to_f64() < 1e-15);
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
}
