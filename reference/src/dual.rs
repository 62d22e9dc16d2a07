//! A value together with its slope, both as enclosures: what tells direction, kinks and poles over a whole stretch.

use rug::{Float, Rational};

use crate::expression::{Binary, Expression, Unary};
use crate::function::Monotone;
use crate::interval::Interval;

/// Enclosures over all `x` of an interval.
#[derive(Clone, Debug)]
pub(crate) struct Dual {
    /// Of the values.
    pub(crate) value: Interval,
    /// Of the slopes; undefined where nothing is known of them.
    slope: Interval,
    /// Whether no `abs`, `max`, `min`, `sign` or `step` changes its branch inside.
    pub(crate) smooth: bool,
    /// Which branches hold where that is certain: the same number wherever they are the same.
    pub(crate) branches: u64,
    /// Whether no `sign` or `step` changes its branch inside, so that the values do not jump.
    pub(crate) continuous: bool,
}

/// The sign of a slope over an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlopeSign {
    /// Nowhere negative.
    Rising,
    /// Nowhere positive.
    Falling,
    /// Not known.
    Unclear,
}

impl Dual {
    /// The sign of the slopes; a constant rises.
    pub(crate) fn sign(&self) -> SlopeSign {
        if self.slope.is_undefined() {
            SlopeSign::Unclear
        } else if *self.slope.low() >= 0 {
            SlopeSign::Rising
        } else if *self.slope.high() <= 0 {
            SlopeSign::Falling
        } else {
            SlopeSign::Unclear
        }
    }

    /// The direction where the slope is certainly not zero.
    pub(crate) fn strict_sign(&self) -> Option<Monotone> {
        if self.slope.is_undefined() {
            None
        } else if *self.slope.low() > 0 {
            Some(Monotone::Rising)
        } else if *self.slope.high() < 0 {
            Some(Monotone::Falling)
        } else {
            None
        }
    }

    /// With one more branch taken.
    fn branch(self, taken: u64) -> Self {
        let branches = self.branches.wrapping_mul(5).wrapping_add(taken);
        Self { branches, ..self }
    }

    fn constant(value: Interval, precision: u32) -> Self {
        Self {
            value,
            slope: Interval::from_f32(0.0, precision),
            smooth: true,
            branches: 0,
            continuous: true,
        }
    }

    /// The same value's properties from two arguments, with a slope of its own.
    fn join(&self, other: &Self, value: Interval, slope: Interval) -> Self {
        Self {
            value,
            slope,
            smooth: self.smooth && other.smooth,
            branches: self
                .branches
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(other.branches),
            continuous: self.continuous && other.continuous,
        }
    }
}

impl Expression {
    /// Value and slope over an interval of `x`.
    pub(crate) fn differentiate(&self, x: &Interval, precision: u32) -> Dual {
        match self {
            Self::X => Dual {
                slope: Interval::from_f32(1.0, precision),
                ..Dual::constant(x.clone(), precision)
            },
            Self::Number(_) | Self::Pi => {
                Dual::constant(self.evaluate_over(x, precision), precision)
            }
            Self::Power(base, 0) => {
                let base = base.differentiate(x, precision);
                Dual {
                    slope: Interval::from_f32(0.0, precision),
                    value: base.value.powi(0),
                    smooth: base.smooth,
                    branches: base.branches,
                    continuous: true,
                }
            }
            Self::Power(base, exponent) => {
                let base = base.differentiate(x, precision);
                let factor = Interval::from_rational(&Rational::from(*exponent), precision);
                let slope = base.value.clone().powi(exponent - 1).times(&factor);
                let (value, slope) = (base.value.clone().powi(*exponent), slope.times(&base.slope));
                Dual {
                    value,
                    slope,
                    ..base
                }
            }
            Self::Unary(function, argument) => {
                unary(*function, argument.differentiate(x, precision), precision)
            }
            Self::Binary(operation, left, right) => binary(
                *operation,
                left.differentiate(x, precision),
                right.differentiate(x, precision),
            ),
        }
    }
}

/// The slope of a function at its argument, where that is smooth.
fn outer_slope(function: Unary, u: &Interval, value: &Interval, precision: u32) -> Interval {
    let u = u.clone();
    let number = |value: f32| Interval::from_f32(value, precision);
    let one = || number(1.0);
    let ln_2 = || number(2.0).log();
    match function {
        Unary::Neg => number(-1.0),
        Unary::Sqrt => one().over(&value.clone().times(&number(2.0))),
        Unary::Cbrt => one().over(&value.clone().powi(2).times(&number(3.0))),
        Unary::Exp => value.clone(),
        Unary::Exp2 => value.clone().times(&ln_2()),
        Unary::Expm1 => u.exp(),
        Unary::Log => one().over(&u),
        Unary::Log2 => one().over(&u.times(&ln_2())),
        Unary::Log1p => one().over(&u.plus(&one())),
        Unary::Sin => u.cos(),
        Unary::Cos => u.sin().negate(),
        Unary::Tan => value.clone().powi(2).plus(&one()),
        Unary::Asin => one().over(&one().minus(&u.powi(2)).sqrt()),
        Unary::Acos => number(-1.0).over(&one().minus(&u.powi(2)).sqrt()),
        Unary::Atan => one().over(&u.powi(2).plus(&one())),
        Unary::Sinh => u.cosh(),
        Unary::Cosh => u.sinh(),
        Unary::Tanh => one().over(&u.cosh().powi(2)),
        Unary::Erf | Unary::Erfc => {
            let scale = number(2.0).over(&Interval::pi(precision).sqrt());
            let slope = u.powi(2).negate().exp().times(&scale);
            if function == Unary::Erf {
                slope
            } else {
                slope.negate()
            }
        }
        Unary::Sigmoid => u.clone().sigmoid().times(&u.negate().sigmoid()),
        Unary::Softplus => u.sigmoid(),
        Unary::Abs | Unary::Sign | Unary::Step => number(0.0),
    }
}

fn unary(function: Unary, argument: Dual, precision: u32) -> Dual {
    let value = function.apply(argument.value.clone());
    let u = &argument.value;
    let (above, below) = (*u.low() > 0, *u.high() < 0);
    match function {
        Unary::Abs if above || *u.low() >= 0 => Dual { value, ..argument }.branch(1),
        Unary::Abs if below || *u.high() <= 0 => {
            let slope = argument.slope.clone().negate();
            Dual {
                value,
                slope,
                ..argument
            }
            .branch(2)
        }
        Unary::Abs => {
            let slope = argument.slope.clone().negate().hull(&argument.slope);
            Dual {
                value,
                slope,
                smooth: false,
                ..argument
            }
        }
        Unary::Sign | Unary::Step => {
            // `step` is 0 at zero, as below; the sign of an exact zero is no branch by itself.
            let known = above || below || u.is_point() || function == Unary::Step && *u.high() <= 0;
            let taken = if above {
                1
            } else if below {
                2
            } else {
                3
            };
            Dual {
                value,
                slope: Interval::from_f32(0.0, precision),
                smooth: argument.smooth && known,
                continuous: argument.continuous && known,
                branches: argument.branches,
            }
            .branch(taken)
        }
        _ => {
            let slope = outer_slope(function, u, &value, precision).times(&argument.slope);
            Dual {
                value,
                slope,
                ..argument
            }
        }
    }
}

fn binary(operation: Binary, left: Dual, right: Dual) -> Dual {
    let value = operation.apply(left.value.clone(), &right.value);
    let (u, v) = (&left.value, &right.value);
    let (du, dv) = (&left.slope, &right.slope);
    let slope = match operation {
        Binary::Add => du.clone().plus(dv),
        Binary::Sub => du.clone().minus(dv),
        Binary::Mul => du.clone().times(v).plus(&u.clone().times(dv)),
        Binary::Div => du.clone().minus(&value.clone().times(dv)).over(v),
        Binary::Pow => {
            let relative = dv.clone().times(&u.clone().log());
            let relative = relative.plus(&v.clone().times(du).over(u));
            value.clone().times(&relative)
        }
        Binary::Max | Binary::Min => {
            let left_is_larger = is_at_least(u.low(), v.high());
            let right_is_larger = is_at_least(v.low(), u.high());
            let is_max = operation == Binary::Max;
            return match (left_is_larger, right_is_larger) {
                (true, _) => Dual {
                    value,
                    ..if is_max { left } else { right }
                }
                .branch(1),
                (_, true) => Dual {
                    value,
                    ..if is_max { right } else { left }
                }
                .branch(2),
                _ => {
                    let slope = du.clone().hull(dv);
                    Dual {
                        smooth: false,
                        ..left.join(&right, value, slope)
                    }
                }
            };
        }
    };
    left.join(&right, value, slope)
}

fn is_at_least(left: &Float, right: &Float) -> bool {
    left >= right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn dual(text: &str, low: f64, high: f64) -> Dual {
        let ends = [low, high].map(|end| Float::with_val(100, end));
        parse(text, &[])
            .unwrap()
            .differentiate(&Interval::between(&ends[0], &ends[1], 100), 100)
    }

    #[test]
    fn slopes_enclose_difference_quotients() {
        for (name, _) in Unary::NAMED {
            let text = format!("{name}(x)");
            for x in [0.1, 0.35, 0.7] {
                let slope = dual(&text, x, x).slope;
                let step = 1e-12;
                let value = |x: f64| dual(&text, x, x).value.low().clone();
                let rise = Float::with_val(100, value(x + step) - value(x - step));
                let quotient = rise.to_f64() / (2.0 * step);
                assert!(
                    (slope.low().to_f64() - quotient).abs() <= 1e-3 * quotient.abs(),
                    "{name} {x}: {quotient} {}",
                    slope.low().to_f64()
                );
            }
        }
    }

    #[test]
    fn directions_and_kinks_show() {
        assert_eq!(dual("x^3 - x", 1.0, 2.0).sign(), SlopeSign::Rising);
        assert_eq!(dual("x^3 - x", 0.1, 0.2).sign(), SlopeSign::Falling);
        assert_eq!(dual("x^3 - x", 0.5, 0.6).sign(), SlopeSign::Unclear);
        assert_eq!(dual("2^x / x^0.5", 2.0, 2.1).sign(), SlopeSign::Rising);
        assert!(dual("max(x - 3, 0)", 1.0, 3.0).smooth);
        let kink = dual("min(max(x, 0), 6)", 5.0, 7.0);
        assert!(!kink.smooth && kink.continuous);
        assert!(!dual("step(x - 3)", 2.0, 4.0).continuous);
        assert_eq!(dual("5", 2.0, 4.0).sign(), SlopeSign::Rising);
    }
}
