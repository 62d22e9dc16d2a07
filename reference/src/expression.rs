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
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    Erfc,
    Sigmoid,
    /// `log(1 + exp(.))`, which the parser makes of that: the exponential may be beyond every MPFR number.
    Softplus,
}

impl Unary {
    /// Every named function and its name in an expression.
    pub const NAMED: [(&'static str, Self); 23] = [
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
        ("tan", Self::Tan),
        ("asin", Self::Asin),
        ("acos", Self::Acos),
        ("atan", Self::Atan),
        ("sinh", Self::Sinh),
        ("cosh", Self::Cosh),
        ("tanh", Self::Tanh),
        ("erf", Self::Erf),
        ("erfc", Self::Erfc),
        ("sigmoid", Self::Sigmoid),
    ];

    /// An enclosure of the function over an enclosure of its argument.
    pub(crate) fn apply(self, argument: Interval) -> Interval {
        match self {
            Self::Neg => argument.negate(),
            Self::Abs => argument.abs(),
            Self::Sign => argument.sign(),
            Self::Step => argument.step(),
            Self::Sqrt => argument.sqrt(),
            Self::Cbrt => argument.cbrt(),
            Self::Exp => argument.exp(),
            Self::Exp2 => argument.exp2(),
            Self::Expm1 => argument.expm1(),
            Self::Log => argument.log(),
            Self::Log2 => argument.log2(),
            Self::Log1p => argument.log1p(),
            Self::Sin => argument.sin(),
            Self::Cos => argument.cos(),
            Self::Tan => argument.tan(),
            Self::Asin => argument.asin(),
            Self::Acos => argument.acos(),
            Self::Atan => argument.atan(),
            Self::Sinh => argument.sinh(),
            Self::Cosh => argument.cosh(),
            Self::Tanh => argument.tanh(),
            Self::Erf => argument.erf(),
            Self::Erfc => argument.erfc(),
            Self::Sigmoid => argument.sigmoid(),
            Self::Softplus => argument.softplus(),
        }
    }
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
    /// A power that is not whole; see [`Expression::Power`].
    Pow,
}

impl Binary {
    /// An enclosure of the result over enclosures of both arguments.
    pub(crate) fn apply(self, left: Interval, right: &Interval) -> Interval {
        match self {
            Self::Add => left.plus(right),
            Self::Sub => left.minus(right),
            Self::Mul => left.times(right),
            Self::Div => left.over(right),
            Self::Max => left.max(right),
            Self::Min => left.min(right),
            Self::Pow => left.pow(right),
        }
    }
}

impl Expression {
    /// An enclosure of the value at `x`, with every operation at `precision` bits.
    pub fn evaluate(&self, x: &Float, precision: u32) -> Interval {
        self.evaluate_over(&Interval::from_float(x, precision), precision)
    }

    /// An enclosure of all values over an interval. It is wider than the values where `x` stands more than once.
    pub fn evaluate_over(&self, x: &Interval, precision: u32) -> Interval {
        match self {
            Self::X => x.clone(),
            Self::Number(value) => Interval::from_rational(value, precision),
            Self::Pi => Interval::pi(precision),
            Self::Power(base, exponent) => base.evaluate_over(x, precision).powi(*exponent),
            Self::Unary(function, argument) => function.apply(argument.evaluate_over(x, precision)),
            Self::Binary(operation, left, right) => operation.apply(
                left.evaluate_over(x, precision),
                &right.evaluate_over(x, precision),
            ),
        }
    }

    /// The number of operations on the longest way from the result to an `x` or a constant.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::X | Self::Number(_) | Self::Pi => 0,
            Self::Unary(_, inner) | Self::Power(inner, _) => inner.depth() + 1,
            Self::Binary(_, left, right) => left.depth().max(right.depth()) + 1,
        }
    }
}
