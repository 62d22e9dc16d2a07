//! A function and the facts about it that its expression alone does not tell.

use std::sync::{Arc, OnceLock};

use rug::Float;

use crate::expression::Expression;
use crate::format::Format;
use crate::interval::Interval;
use crate::stretches::StretchKind;
use crate::survey::{Survey, SurveyError};

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

impl Monotone {
    /// The other direction.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Rising => Self::Falling,
            Self::Falling => Self::Rising,
        }
    }
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
    pub(crate) range: Option<(f32, f32)>,
    pub(crate) parity: Parity,
    /// Whether the parity is proven, so that one side may stand for both.
    pub(crate) parity_is_proven: bool,
    pub(crate) specials: Specials,
    pub(crate) course: Course,
}

/// Where a function has values and which way they go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Course {
    /// As the catalogue says.
    Stated {
        /// Negative inputs have no value.
        positive_domain: bool,
        /// The direction of the lowest inputs.
        lowest: Option<Monotone>,
        /// Ascending.
        turns: Vec<Turn>,
    },
    /// As a survey finds, when it is first needed.
    Surveyed(Arc<OnceLock<Survey>>),
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
        matches!(
            self.course,
            Course::Stated {
                positive_domain: true,
                ..
            }
        )
    }

    /// The survey of a function whose course the catalogue does not state.
    pub(crate) fn survey(&self) -> Option<&Survey> {
        let Course::Surveyed(survey) = &self.course else {
            return None;
        };
        Some(survey.get_or_init(|| self.new_survey().unwrap_or_default()))
    }

    pub(crate) fn new_survey(&self) -> Result<Survey, SurveyError> {
        let mirrored = self.parity_is_proven.then_some(self.parity);
        let mirrored = mirrored.filter(|parity| matches!(parity, Parity::Odd | Parity::Even));
        Survey::of(&self.expression, self.range, mirrored)
    }

    /// Whether one side of the function is known to be the other's mirror image, so that it may stand for both.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.parity_is_proven && matches!(self.parity, Parity::Odd | Parity::Even)
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
        match &self.course {
            Course::Stated { turns, .. } => turns,
            Course::Surveyed(_) => self.survey().map_or(&[], |survey| &survey.turns),
        }
    }

    /// The direction at a non-zero finite `x`, as `x` grows; `None` where it is not known or there is no value.
    pub fn direction(&self, x: f32) -> Option<Monotone> {
        if self.has_positive_domain() && x < 0.0 {
            return None;
        }
        if self.range.is_some_and(|(low, high)| x < low || x > high) {
            return None;
        }
        let (lowest, turns) = match &self.course {
            Course::Stated { lowest, turns, .. } => ((*lowest)?, turns),
            Course::Surveyed(_) => return self.survey()?.direction(x),
        };
        let below = turns
            .iter()
            .take_while(|turn| turn.at < f64::from(x))
            .last();
        Some(below.map_or(lowest, |turn| turn.above))
    }

    /// The least and the greatest result that rounding to `format` can give: the limits and the values at the turns,
    /// rounded. `None` where an end could not be determined.
    pub fn value_bounds(&self, format: Format) -> Option<(f32, f32)> {
        let Specials {
            zero,
            pos_inf,
            neg_inf,
            ..
        } = self.specials;
        let mut values = vec![
            format.round_f32(zero),
            format.round_f32(pos_inf),
            format.round_f32(neg_inf),
        ];
        if let Some(survey) = self.survey() {
            values.extend(self.bounds_of(survey, format)?);
        }
        for turn in self.turns() {
            if turn.at != 0.0 {
                let value = self.enclose_at(&Float::with_val(53, turn.at), 80)?;
                values.push(format.round_float(value.low()) as f32);
            }
        }
        if let Some((low, high)) = self.range {
            values.push(self.round(low, format).ok()?);
            values.push(self.round(high, format).ok()?);
        }
        if self.parity == Parity::Odd && zero.is_infinite() {
            values.push(-zero);
        }
        values.retain(|value| !value.is_nan());
        Some((
            values.iter().copied().reduce(f32::min)?,
            values.iter().copied().reduce(f32::max)?,
        ))
    }

    /// Values that bound those of every stretch: its ends where the direction is known, an enclosure where it is not.
    fn bounds_of(&self, survey: &Survey, format: Format) -> Option<Vec<f32>> {
        let mut values = Vec::new();
        for stretch in &survey.stretches {
            let ends = [stretch.first, stretch.last].map(f32::from_bits);
            match stretch.kind {
                StretchKind::Undefined => {}
                StretchKind::Unknown | StretchKind::Settled if stretch.first < stretch.last => {
                    let [near, far] = ends.map(|end| Float::with_val(24, end));
                    let (low, high) = if near < far { (near, far) } else { (far, near) };
                    let x = Interval::between(&low, &high, 100);
                    let value = self.expression.evaluate_over(&x, 100);
                    if value.is_undefined() {
                        return None;
                    }
                    values.extend(
                        [value.low(), value.high()].map(|end| format.round_float(end) as f32),
                    );
                }
                _ => {
                    for end in ends {
                        values.push(self.round(end, format).ok()?);
                    }
                }
            }
        }
        Some(values)
    }

    /// An enclosure of the value at a finite non-zero point, which need not be a binary32 number; `None` where the
    /// function has no value. One evaluation, at `precision` bits: how tight it is depends on the cancellation in
    /// the formula (see [`Function::enclose`] for a result of a given quality).
    pub fn evaluate(&self, x: &Float, precision: u32) -> Option<Interval> {
        Some(self.evaluate_once(x, precision)).filter(|value| !value.is_undefined())
    }

    /// As [`Function::evaluate`], with what is known of the domain.
    pub(crate) fn evaluate_once(&self, x: &Float, precision: u32) -> Interval {
        if self.has_positive_domain() && x.is_sign_negative() {
            return Interval::outside(precision);
        }
        self.expression.evaluate(x, precision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::lookup;

    #[test]
    fn value_bounds_are_the_extremes_of_the_function() {
        let bounds = |name: &str| {
            lookup(name)
                .unwrap()
                .function()
                .value_bounds(Format::Fp32)
                .unwrap()
        };
        assert_eq!(bounds("tanh"), (-1.0, 1.0));
        assert_eq!(bounds("sigmoid"), (0.0, 1.0));
        assert_eq!(bounds("exp"), (0.0, f32::INFINITY));
        assert_eq!(bounds("gelu"), (-0.169_971_21, f32::INFINITY));
        assert_eq!(bounds("reciprocal"), (f32::NEG_INFINITY, f32::INFINITY));
        assert_eq!(bounds("sin"), (-1.0, 1.0));
        assert_eq!(bounds("derivative_gelu"), (-0.128_904_15, 1.128_904_1));
    }
}
