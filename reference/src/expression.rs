//! Expressions in `x`, evaluated over intervals.

use rug::{Float, Rational};

use crate::interval::Interval;

/// A function of one variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// The input.
    X,
    /// An exact constant: decimals in an expression are the decimal numbers they spell.
    Number(Rational),
    /// The circle constant.
    Pi,
    /// A named function of one argument.
    Unary(Unary, Box<Expression>),
    /// An operation on two arguments.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// A whole power.
    Power(Box<Expression>, u32),
}

/// The functions of one argument, by the names that expressions use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the functions
pub enum Unary {
    Neg,
    Abs,
    Sign,
    Step,
    Sqrt,
    Cbrt,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log1p,
    Sin,
    Cos,
    Sinh,
    Cosh,
    Tanh,
    Atan,
    Erf,
    Erfc,
}

impl Unary {
    /// Every named function and its name in an expression.
    pub const NAMED: [(&'static str, Self); 19] = [
        ("abs", Self::Abs),
        ("sign", Self::Sign),
        ("step", Self::Step),
        ("sqrt", Self::Sqrt),
        ("cbrt", Self::Cbrt),
        ("exp", Self::Exp),
        ("exp2", Self::Exp2),
        ("expm1", Self::Expm1),
        ("log", Self::Log),
        ("log2", Self::Log2),
        ("log1p", Self::Log1p),
        ("sin", Self::Sin),
        ("cos", Self::Cos),
        ("sinh", Self::Sinh),
        ("cosh", Self::Cosh),
        ("tanh", Self::Tanh),
        ("atan", Self::Atan),
        ("erf", Self::Erf),
        ("erfc", Self::Erfc),
    ];
}

/// The operations on two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the operations
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
}

impl Expression {
    /// An enclosure of the value at `x`, with every operation at `precision` bits.
    pub fn evaluate(&self, x: &Float, precision: u32) -> Interval {
        match self {
            Self::X => Interval::from_float(x, precision),
            Self::Number(value) => Interval::from_rational(value, precision),
            Self::Pi => Interval::pi(precision),
            Self::Power(base, exponent) => base.evaluate(x, precision).powi(*exponent),
            Self::Unary(function, argument) => {
                let value = argument.evaluate(x, precision);
                match function {
                    Unary::Neg => value.negate(),
                    Unary::Abs => value.abs(),
                    Unary::Sign => value.sign(),
                    Unary::Step => value.step(),
                    Unary::Sqrt => value.sqrt(),
                    Unary::Cbrt => value.cbrt(),
                    Unary::Exp => value.exp(),
                    Unary::Exp2 => value.exp2(),
                    Unary::Expm1 => value.expm1(),
                    Unary::Log => value.log(),
                    Unary::Log2 => value.log2(),
                    Unary::Log1p => value.log1p(),
                    Unary::Sin => value.sin(),
                    Unary::Cos => value.cos(),
                    Unary::Sinh => value.sinh(),
                    Unary::Cosh => value.cosh(),
                    Unary::Tanh => value.tanh(),
                    Unary::Atan => value.atan(),
                    Unary::Erf => value.erf(),
                    Unary::Erfc => value.erfc(),
                }
            }
            Self::Binary(operation, left, right) => {
                let (left, right) = (left.evaluate(x, precision), right.evaluate(x, precision));
                match operation {
                    Binary::Add => left.plus(&right),
                    Binary::Sub => left.minus(&right),
                    Binary::Mul => left.times(&right),
                    Binary::Div => left.over(&right),
                    Binary::Max => left.max(&right),
                    Binary::Min => left.min(&right),
                }
            }
        }
    }
}
