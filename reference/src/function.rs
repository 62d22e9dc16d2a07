//! A function and the facts about it that its expression alone does not tell.

use rug::Float;

use crate::expression::Expression;
use crate::interval::Interval;

/// How the two sides of a function mirror each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parity {
    /// They do not.
    None,
    /// `f(-x) = f(x)`.
    Even,
    /// `f(-x) = -f(x)`.
    Odd,
    /// `f(-x) = sum - f(x)`: point symmetry about `(0, sum / 2)`.
    Point {
        /// `f(x) + f(-x)`.
        sum: f32,
    },
}

/// The direction of a function over an interval (constant stretches belong to either).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotone {
    /// Larger inputs give no smaller values.
    Rising,
    /// Larger inputs give no larger values.
    Falling,
}

/// A point where a function changes direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Where, to double precision: it separates the binary32 numbers below it from those above.
    pub at: f64,
    /// The direction above it.
    pub above: Monotone,
}

/// The results at inputs that no polynomial serves: limits where the function has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Specials {
    /// At +0 and -0 (the hardware has one result for both).
    pub zero: f32,
    /// At every NaN.
    pub nan: f32,
    /// At plus infinity.
    pub pos_inf: f32,
    /// At minus infinity.
    pub neg_inf: f32,
}

/// A function of one variable, ready to be evaluated, rounded and fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub(crate) name: String,
    pub(crate) definition: String,
    pub(crate) expression: Expression,
    pub(crate) positive_domain: bool,
    pub(crate) range: Option<(f32, f32)>,
    pub(crate) parity: Parity,
    pub(crate) specials: Specials,
    pub(crate) lowest: Option<Monotone>,
    pub(crate) turns: Vec<Turn>,
}

impl Function {
    /// The name in the catalogue.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The formula that is evaluated, as text.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// Whether negative inputs have no value (their result is NaN).
    pub fn has_positive_domain(&self) -> bool {
        self.positive_domain
    }

    /// The inputs, ends included, outside which nobody asks for an accurate result; `None` means all of them.
    /// (The stock sine, for one, is made for [-pi, pi] only.)
    pub fn natural_range(&self) -> Option<(f32, f32)> {
        self.range
    }

    /// How the two sides mirror each other.
    pub fn parity(&self) -> Parity {
        self.parity
    }

    /// The results at zero, NaN and the infinities.
    pub fn specials(&self) -> Specials {
        self.specials
    }

    /// The turning points, in ascending order.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The direction at a non-zero finite `x`, as `x` grows; `None` where it is not known or there is no value.
    pub fn direction(&self, x: f32) -> Option<Monotone> {
        if self.positive_domain && x < 0.0 {
            return None;
        }
        if self.range.is_some_and(|(low, high)| x < low || x > high) {
            return None;
        }
        let lowest = self.lowest?;
        let below = self
            .turns
            .iter()
            .take_while(|turn| turn.at < f64::from(x))
            .last();
        Some(below.map_or(lowest, |turn| turn.above))
    }

    /// An enclosure of the value at a finite non-zero point, which need not be a binary32 number; `None` where the
    /// function has no value. One evaluation, at `precision` bits: how tight it is depends on the cancellation in
    /// the formula (see [`Function::enclose`] for a result of a given quality).
    pub fn evaluate(&self, x: &Float, precision: u32) -> Option<Interval> {
        if self.positive_domain && x.is_sign_negative() {
            return None;
        }
        Some(self.expression.evaluate(x, precision)).filter(|value| !value.is_undefined())
    }
}
