//! Making expressions out of their parts, in the form that is best to evaluate.
//!
//! Every rewriting here is an identity over the real numbers. They serve what MPFR alone cannot do (exponentials beyond
//! its largest number) and what a wider formula would lose (a root that is exact).

use rug::Rational;
use rug::ops::Pow;

use crate::expression::{Binary, Expression, Unary};

/// A function of an argument.
pub(crate) fn unary(function: Unary, argument: Expression) -> Expression {
    match (function, argument) {
        (Unary::Neg, Expression::Number(value)) => Expression::Number(-value),
        (Unary::Log1p, Expression::Unary(Unary::Exp, inner)) => {
            Expression::Unary(Unary::Softplus, inner)
        }
        (Unary::Log, argument) => match one_and_exponential(&argument) {
            Some(inner) => Expression::Unary(Unary::Softplus, Box::new(inner.clone())),
            None => Expression::Unary(Unary::Log, Box::new(argument)),
        },
        (function, argument) => Expression::Unary(function, Box::new(argument)),
    }
}

/// An operation on two arguments.
pub(crate) fn binary(operation: Binary, left: Expression, right: Expression) -> Expression {
    // e^u / (1 + e^u): both grow beyond every number together.
    if operation == Binary::Div
        && let Expression::Unary(Unary::Exp, inner) = &left
        && one_and_exponential(&right) == Some(inner.as_ref())
    {
        return Expression::Unary(Unary::Sigmoid, inner.clone());
    }
    if operation == Binary::Div
        && let Some(single) = saturating(&left, &right)
    {
        return single;
    }
    // Neither is the larger one: nothing could tell where the two change places.
    if matches!(operation, Binary::Max | Binary::Min) && left == right {
        return left;
    }
    Expression::Binary(operation, Box::new(left), Box::new(right))
}

/// A power, as products and square roots where that can be; `None` for a whole exponent beyond `largest`.
pub(crate) fn power(base: Expression, exponent: Expression, largest: u32) -> Option<Expression> {
    if base == unary(Unary::Exp, Expression::Number(Rational::from(1))) {
        return Some(unary(Unary::Exp, exponent));
    }
    let Some(value) = rational(&exponent) else {
        return Some(Expression::Binary(
            Binary::Pow,
            Box::new(base),
            Box::new(exponent),
        ));
    };
    let root = match value.denom().to_u32() {
        Some(1) => base,
        Some(2) => unary(Unary::Sqrt, base),
        _ => {
            let exponent = Box::new(Expression::Number(value));
            return Some(Expression::Binary(Binary::Pow, Box::new(base), exponent));
        }
    };
    let count = value
        .numer()
        .clone()
        .abs()
        .to_u32()
        .filter(|count| *count <= largest)?;
    let product = if count == 1 {
        root
    } else {
        Expression::Power(Box::new(root), count)
    };
    Some(if value < 0 {
        binary(Binary::Div, Expression::Number(Rational::from(1)), product)
    } else {
        product
    })
}

/// `u/(c + u)` as `1 - c/(c + u)`, and `u/(c + |u|)` as `sign(u)*(1 - c/(c + |u|))`: enclosures are then as narrow as the
/// values, where `u` twice would leave them a factor of four wide. What cancels near zero costs bits, not truth.
fn saturating(u: &Expression, sum: &Expression) -> Option<Expression> {
    let Expression::Binary(Binary::Add, left, right) = sum else {
        return None;
    };
    let (c, grows) = match (left.as_ref(), right.as_ref()) {
        (Expression::Number(c), other) | (other, Expression::Number(c)) if *c > 0 => (c, other),
        _ => return None,
    };
    let number = |value: &Rational| Box::new(Expression::Number(value.clone()));
    let rest = Expression::Binary(Binary::Div, number(c), Box::new(sum.clone()));
    let share = Expression::Binary(Binary::Sub, number(&Rational::from(1)), Box::new(rest));
    if grows == u {
        return Some(share);
    }
    match grows {
        Expression::Unary(Unary::Abs, inner) if inner.as_ref() == u => {
            let sign = Expression::Unary(Unary::Sign, Box::new(u.clone()));
            Some(Expression::Binary(
                Binary::Mul,
                Box::new(sign),
                Box::new(share),
            ))
        }
        _ => None,
    }
}

/// `u` of `1 + exp(u)` or `exp(u) + 1`.
fn one_and_exponential(sum: &Expression) -> Option<&Expression> {
    let Expression::Binary(Binary::Add, left, right) = sum else {
        return None;
    };
    match (left.as_ref(), right.as_ref()) {
        (Expression::Number(one), Expression::Unary(Unary::Exp, inner))
        | (Expression::Unary(Unary::Exp, inner), Expression::Number(one))
            if *one == 1 =>
        {
            Some(inner)
        }
        _ => None,
    }
}

/// More bits than this in a numerator or denominator are none that a power can use.
const MOST_BITS: u32 = 4096;

/// The value of a constant that is made of numbers by `+ - * / ^`: whether a power is whole must not depend on how its
/// exponent is spelt. `None` for other constants, and for numbers of so many digits that no exponent needs them.
fn rational(constant: &Expression) -> Option<Rational> {
    let bits = |value: &Rational| {
        value
            .numer()
            .significant_bits()
            .max(value.denom().significant_bits())
    };
    let value = match constant {
        Expression::Number(value) => value.clone(),
        Expression::Unary(Unary::Neg, inner) => -rational(inner)?,
        Expression::Power(base, exponent) => {
            let base = rational(base)?;
            if bits(&base).checked_mul(*exponent)? > MOST_BITS {
                return None;
            }
            base.pow(*exponent)
        }
        Expression::Binary(operation, left, right) => {
            let (left, right) = (rational(left)?, rational(right)?);
            match operation {
                Binary::Add => left + right,
                Binary::Sub => left - right,
                Binary::Mul => left * right,
                Binary::Div if right != 0 => left / right,
                _ => return None,
            }
        }
        _ => return None,
    };
    (bits(&value) <= MOST_BITS).then_some(value)
}
