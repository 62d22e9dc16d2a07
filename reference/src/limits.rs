//! Limits of an expression: at the infinities, and at zero where it has no value.

use rug::Float;

use crate::expression::{Binary, Expression, Unary};
use crate::interval::{Domain, Interval};

/// Where a limit is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Towards {
    PosInf,
    NegInf,
    /// From above; from below where there is no value above.
    Zero,
}

/// What a part of an expression approaches.
#[derive(Clone, Debug)]
enum Limit {
    /// A number (not zero unless exactly so).
    Value(Interval),
    /// Zero, from above or from below.
    Vanishing { negative: bool },
    /// An infinity.
    Infinite { negative: bool },
    /// It goes on to swing between bounds.
    Swinging,
    /// There is no value on the way.
    Undefined,
    /// Not known.
    Unknown,
}

const PRECISION: u32 = 200;

/// The limit, rounded to binary32; NaN where there is none because there is no value or because it swings. `None` when it
/// does not come out.
pub(crate) fn limit(expression: &Expression, towards: Towards) -> Option<f32> {
    if towards == Towards::Zero {
        let value = expression.evaluate(&Float::new(PRECISION), PRECISION);
        if value.domain() == Domain::Inside {
            return rounded(&value);
        }
    }
    let found = match approach(expression, towards) {
        Limit::Value(value) => rounded(&value),
        Limit::Vanishing { .. } => Some(0.0),
        Limit::Infinite { negative } => Some(if negative {
            f32::NEG_INFINITY
        } else {
            f32::INFINITY
        }),
        Limit::Swinging | Limit::Undefined => Some(f32::NAN),
        Limit::Unknown => None,
    };
    let found = found.or_else(|| sampled(expression, towards));
    // Above zero there is no value: perhaps there is one below.
    if towards == Towards::Zero && found.is_none_or(f32::is_nan) {
        return below_zero(expression).or(found);
    }
    found
}

/// The limit from below, of a function that has no values above zero.
fn below_zero(expression: &Expression) -> Option<f32> {
    let mirrored = substitute_negative(expression);
    match approach(&mirrored, Towards::Zero) {
        Limit::Value(value) => rounded(&value),
        Limit::Vanishing { .. } => Some(0.0),
        Limit::Infinite { negative } => Some(if negative {
            f32::NEG_INFINITY
        } else {
            f32::INFINITY
        }),
        Limit::Swinging | Limit::Undefined => None,
        Limit::Unknown => sampled(&mirrored, Towards::Zero).filter(|limit| !limit.is_nan()),
    }
}

fn substitute_negative(expression: &Expression) -> Expression {
    let inner = |part: &Expression| Box::new(substitute_negative(part));
    match expression {
        Expression::X => Expression::Unary(Unary::Neg, Box::new(Expression::X)),
        Expression::Number(_) | Expression::Pi => expression.clone(),
        Expression::Unary(function, argument) => Expression::Unary(*function, inner(argument)),
        Expression::Power(base, exponent) => Expression::Power(inner(base), *exponent),
        Expression::Binary(operation, left, right) => {
            Expression::Binary(*operation, inner(left), inner(right))
        }
    }
}

/// The value at inputs far out (or far in) must be the same, rounded, three times in a row. That is no proof.
fn sampled(expression: &Expression, towards: Towards) -> Option<f32> {
    let exponents: [i32; 3] = match towards {
        Towards::Zero => [-400, -800, -1600],
        Towards::PosInf | Towards::NegInf => [1 << 16, 1 << 18, 1 << 20],
    };
    let mut agreed: Option<f32> = None;
    for exponent in exponents {
        let mut x = Float::with_val(24, 1) << exponent;
        if towards == Towards::NegInf {
            x = -x;
        }
        let found = at(expression, &x)?;
        match agreed {
            Some(before)
                if before.to_bits() != found.to_bits() && !(before.is_nan() && found.is_nan()) =>
            {
                return None;
            }
            _ => agreed = Some(found),
        }
    }
    agreed
}

/// The value at a point, rounded to binary32; NaN where there is none.
fn at(expression: &Expression, x: &Float) -> Option<f32> {
    let mut precision = PRECISION;
    while precision <= crate::truth::LAST_PRECISION {
        let value = expression.evaluate(x, precision);
        match value.domain() {
            Domain::Outside => return Some(f32::NAN),
            Domain::Inside => {
                if let Some(rounded) = rounded(&value) {
                    return Some(rounded);
                }
            }
            Domain::Unclear => {}
        }
        precision *= 2;
    }
    None
}

/// Both ends rounded to binary32, when they agree. A zero is plus zero.
fn rounded(value: &Interval) -> Option<f32> {
    let (low, high) = (value.low().to_f32(), value.high().to_f32());
    (low == high).then_some(if low == 0.0 { 0.0 } else { low })
}

fn approach(expression: &Expression, towards: Towards) -> Limit {
    match expression {
        Expression::X => match towards {
            Towards::PosInf => Limit::Infinite { negative: false },
            Towards::NegInf => Limit::Infinite { negative: true },
            Towards::Zero => Limit::Vanishing { negative: false },
        },
        Expression::Number(_) | Expression::Pi => {
            Limit::Value(expression.evaluate(&Float::new(24), PRECISION))
        }
        Expression::Power(base, exponent) => power(approach(base, towards), *exponent),
        Expression::Unary(function, argument) => unary(*function, approach(argument, towards)),
        Expression::Binary(operation, left, right) => binary(
            *operation,
            approach(left, towards),
            approach(right, towards),
        ),
    }
}

fn power(base: Limit, exponent: u32) -> Limit {
    let odd = exponent % 2 == 1;
    match base {
        Limit::Undefined => Limit::Undefined,
        _ if exponent == 0 => Limit::Value(Interval::from_f32(1.0, PRECISION)),
        Limit::Value(value) => Limit::Value(value.powi(exponent)),
        Limit::Vanishing { negative } => Limit::Vanishing {
            negative: negative && odd,
        },
        Limit::Infinite { negative } => Limit::Infinite {
            negative: negative && odd,
        },
        other => other,
    }
}

fn number(value: f32) -> Limit {
    Limit::Value(Interval::from_f32(value, PRECISION))
}

fn half_pi() -> Interval {
    Interval::pi(PRECISION).over(&Interval::from_f32(2.0, PRECISION))
}

fn unary(function: Unary, argument: Limit) -> Limit {
    use Limit::{Infinite, Swinging, Undefined, Unknown, Value, Vanishing};
    match argument {
        Value(value) => {
            // A limit at a jump, or at an edge of the domain, depends on the way there.
            let jumps = matches!(function, Unary::Sign | Unary::Step)
                && *value.low() <= 0
                && *value.high() >= 0;
            let value = function.apply(value);
            match value.domain() {
                Domain::Inside if !jumps => Value(value),
                _ => Unknown,
            }
        }
        Vanishing { negative } => match function {
            Unary::Neg => Vanishing {
                negative: !negative,
            },
            Unary::Abs => Vanishing { negative: false },
            Unary::Sign => number(if negative { -1.0 } else { 1.0 }),
            Unary::Step => number(if negative { 0.0 } else { 1.0 }),
            Unary::Sqrt if negative => Undefined,
            Unary::Log | Unary::Log2 => {
                if negative {
                    Undefined
                } else {
                    Infinite { negative: true }
                }
            }
            Unary::Sqrt
            | Unary::Cbrt
            | Unary::Expm1
            | Unary::Log1p
            | Unary::Sin
            | Unary::Tan
            | Unary::Asin
            | Unary::Atan
            | Unary::Sinh
            | Unary::Tanh
            | Unary::Erf => Vanishing { negative },
            _ => Value(function.apply(Interval::from_f32(0.0, PRECISION))),
        },
        Infinite { negative } => match function {
            Unary::Neg => Infinite {
                negative: !negative,
            },
            Unary::Abs | Unary::Cosh => Infinite { negative: false },
            Unary::Cbrt | Unary::Sinh => Infinite { negative },
            Unary::Sign | Unary::Tanh | Unary::Erf => number(if negative { -1.0 } else { 1.0 }),
            Unary::Step => number(if negative { 0.0 } else { 1.0 }),
            Unary::Exp | Unary::Exp2 | Unary::Softplus if negative => Vanishing { negative: false },
            Unary::Sigmoid => {
                if negative {
                    Vanishing { negative: false }
                } else {
                    number(1.0)
                }
            }
            Unary::Expm1 if negative => number(-1.0),
            Unary::Erfc => {
                if negative {
                    number(2.0)
                } else {
                    Vanishing { negative: false }
                }
            }
            Unary::Atan => Value(if negative {
                half_pi().negate()
            } else {
                half_pi()
            }),
            Unary::Sqrt | Unary::Log | Unary::Log2 | Unary::Log1p if negative => Undefined,
            Unary::Exp
            | Unary::Exp2
            | Unary::Softplus
            | Unary::Expm1
            | Unary::Sqrt
            | Unary::Log
            | Unary::Log2
            | Unary::Log1p => Infinite { negative: false },
            Unary::Sin | Unary::Cos => Swinging,
            Unary::Asin | Unary::Acos => Undefined,
            Unary::Tan => Unknown,
        },
        Swinging => match function {
            Unary::Neg
            | Unary::Exp
            | Unary::Exp2
            | Unary::Expm1
            | Unary::Sinh
            | Unary::Tanh
            | Unary::Atan
            | Unary::Erf
            | Unary::Erfc
            | Unary::Sigmoid
            | Unary::Softplus
            | Unary::Cbrt => Swinging,
            _ => Unknown,
        },
        other => other,
    }
}

fn binary(operation: Binary, left: Limit, right: Limit) -> Limit {
    use Limit::{Infinite, Swinging, Undefined, Unknown, Value, Vanishing};
    match (operation, left, right) {
        (_, Undefined, _) | (_, _, Undefined) => Undefined,
        (Binary::Sub, left, right) => binary(Binary::Add, left, unary(Unary::Neg, right)),
        (operation, Value(left), Value(right)) => {
            let value = operation.apply(left, &right);
            if value.domain() == Domain::Inside {
                Value(value)
            } else {
                Unknown
            }
        }
        (Binary::Add, Value(value), Vanishing { negative })
        | (Binary::Add, Vanishing { negative }, Value(value)) => {
            if value.is_point() && value.low().is_zero() {
                Vanishing { negative }
            } else {
                Value(value)
            }
        }
        (Binary::Add, Infinite { negative }, Value(_) | Vanishing { .. } | Swinging)
        | (Binary::Add, Value(_) | Vanishing { .. } | Swinging, Infinite { negative }) => {
            Infinite { negative }
        }
        (Binary::Add, Infinite { negative: a }, Infinite { negative: b }) if a == b => {
            Infinite { negative: a }
        }
        (Binary::Add, Vanishing { negative: a }, Vanishing { negative: b }) if a == b => {
            Vanishing { negative: a }
        }
        (Binary::Add, Swinging, Value(_) | Vanishing { .. })
        | (Binary::Add, Value(_) | Vanishing { .. }, Swinging) => Swinging,
        (Binary::Mul, Value(value), other) | (Binary::Mul, other, Value(value)) => {
            match (sign(&value), other) {
                (Some(minus), Infinite { negative }) => Infinite {
                    negative: negative != minus,
                },
                (Some(minus), Vanishing { negative }) => Vanishing {
                    negative: negative != minus,
                },
                (Some(_), Swinging) => Swinging,
                _ => Unknown,
            }
        }
        (Binary::Mul, Infinite { negative: a }, Infinite { negative: b }) => {
            Infinite { negative: a != b }
        }
        (Binary::Mul, Vanishing { negative: a }, Vanishing { negative: b }) => {
            Vanishing { negative: a != b }
        }
        (Binary::Div, Vanishing { negative: a }, Infinite { negative: b }) => {
            Vanishing { negative: a != b }
        }
        (Binary::Div, Infinite { negative: a }, Vanishing { negative: b }) => {
            Infinite { negative: a != b }
        }
        (Binary::Div, Value(value), other) => match (sign(&value), other) {
            (Some(minus), Infinite { negative }) => Vanishing {
                negative: negative != minus,
            },
            (Some(minus), Vanishing { negative }) => Infinite {
                negative: negative != minus,
            },
            _ => Unknown,
        },
        (Binary::Div, other, Value(value)) => match (sign(&value), other) {
            (Some(minus), Infinite { negative }) => Infinite {
                negative: negative != minus,
            },
            (Some(minus), Vanishing { negative }) => Vanishing {
                negative: negative != minus,
            },
            (Some(_), Swinging) => Swinging,
            _ => Unknown,
        },
        (Binary::Max, Infinite { negative }, other)
        | (Binary::Max, other, Infinite { negative }) => {
            if negative {
                other
            } else {
                Infinite { negative }
            }
        }
        (Binary::Min, Infinite { negative }, other)
        | (Binary::Min, other, Infinite { negative }) => {
            if negative {
                Infinite { negative }
            } else {
                other
            }
        }
        (Binary::Max | Binary::Min, Value(value), Vanishing { negative })
        | (Binary::Max | Binary::Min, Vanishing { negative }, Value(value)) => {
            let zero = value.is_point() && value.low().is_zero();
            match (operation, sign(&value)) {
                (Binary::Max, Some(false)) | (Binary::Min, Some(true)) => Value(value),
                (Binary::Max | Binary::Min, Some(_)) => Vanishing { negative },
                // Beside zero itself: whichever of the two wins is zero in the end.
                _ if zero && negative == (operation == Binary::Min) => Vanishing { negative },
                _ if zero => Value(value),
                _ => Unknown,
            }
        }
        _ => Unknown,
    }
}

/// Whether a number is negative; `None` where its sign is open.
fn sign(value: &Interval) -> Option<bool> {
    if *value.low() > 0 {
        Some(false)
    } else if *value.high() < 0 {
        Some(true)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_common_functions_come_out() {
        const INF: f32 = f32::INFINITY;
        const NAN: f32 = f32::NAN;
        for (text, zero, pos_inf, neg_inf) in [
            ("x/(1 + exp(-x))", 0.0, INF, 0.0),
            ("x*tanh(log1p(exp(x)))", 0.0, INF, 0.0),
            ("log(x)", -INF, INF, NAN),
            ("log(-x)", -INF, NAN, INF),
            ("log(log(x))", NAN, INF, NAN),
            ("1/x", INF, 0.0, 0.0),
            ("1/sqrt(x)", INF, 0.0, NAN),
            ("sin(x)", 0.0, NAN, NAN),
            ("2*sin(x) + 1", 1.0, NAN, NAN),
            ("sin(x)/x", 1.0, 0.0, 0.0),
            ("(exp(x) - 1)/x", 1.0, INF, 0.0),
            ("x/log(1 + abs(x))", 1.0, INF, -INF),
            (
                "atan(x)",
                0.0,
                std::f32::consts::FRAC_PI_2,
                -std::f32::consts::FRAC_PI_2,
            ),
            ("x/(1 + abs(x))", 0.0, 1.0, -1.0),
            ("log(x/(1 - x))", -INF, NAN, NAN),
            ("min(max(x/6 + 1/2, 0), 1)", 0.5, 1.0, 0.0),
            ("x - x^3", 0.0, -INF, INF),
            ("x^x", 1.0, INF, NAN),
            ("exp(-x^2)", 1.0, 0.0, 0.0),
            ("asin(x)", 0.0, NAN, NAN),
        ] {
            for (towards, wanted) in [
                (Towards::Zero, zero),
                (Towards::PosInf, pos_inf),
                (Towards::NegInf, neg_inf),
            ] {
                let found = limit(&text.parse().unwrap(), towards);
                let same =
                    found.is_some_and(|found| found == wanted || found.is_nan() && wanted.is_nan());
                assert!(same, "{text} {towards:?}: {found:?}, expected {wanted}");
            }
        }
    }

    #[test]
    fn what_does_not_come_out_is_not_guessed() {
        assert_eq!(limit(&"x*sin(x)".parse().unwrap(), Towards::PosInf), None);
        assert_eq!(
            limit(&"sin(1/x)".parse().unwrap(), Towards::Zero).filter(|x| !x.is_nan()),
            None
        );
    }
}
