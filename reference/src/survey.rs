//! The course of a function over all binary32 inputs: where it has a value, where it rises and falls, where it bends.
//!
//! Every stretch of neighbouring floats is judged as a whole, by enclosures of value and slope over everything between
//! its ends, so that nothing hides between two inputs that were looked at. What cannot be told is halved, down to the gap
//! between two neighbouring floats, and then cuts the line there.

use rayon::prelude::*;
use rug::Float;

use crate::dual::{Dual, SlopeSign};
use crate::expression::Expression;
use crate::function::{Monotone, Parity, Turn};
use crate::interval::{Domain, Interval};
use crate::stretches::{Leaf, Stretch, StretchKind, stretches};

/// What is known of a function's course.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Survey {
    /// Ascending in their bit patterns, the positive side first; together they hold every input of the range once.
    pub(crate) stretches: Vec<Stretch>,
    /// Ascending.
    pub(crate) turns: Vec<Turn>,
}

/// Why a course cannot be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SurveyError {
    /// It bends, jumps or loses its value too often near an input.
    Wild(f32),
    /// Whether there is a value at an input does not come out with any precision.
    Uncertain(f32),
}

/// Bits of the enclosures, at first and where a gap between neighbours is at stake.
const PRECISION: u32 = 80;
const GAP_PRECISIONS: [u32; 3] = [PRECISION, 160, 640];

/// More stretches of unknown direction than this, after halving, are left unknown.
const MOST_UNCLEAR: usize = 128;

/// More places in an octave than this where the function bends or has an end: nothing can follow it.
const MOST_WILD: usize = 1024;

/// Values all below two to the minus this, or all above two to this, need no direction.
const SETTLED_EXPONENT: i32 = 200;

/// Relative width, in bits, of values that are all but one.
const CONSTANT_BITS: i32 = 60;

/// One sign of the inputs.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) expression: &'a Expression,
    /// The sign bit.
    pub(crate) sign: u32,
}

/// Why a stretch was not settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// Nothing but the direction is open.
    Slope,
    /// It may bend (or jump) inside.
    Kink { continuous: bool },
    /// It may have no value inside.
    Domain,
}

impl Survey {
    /// Surveys all inputs, or those of a range. `mirrored` says that the negative side is known from the positive one.
    pub(crate) fn of(
        expression: &Expression,
        range: Option<(f32, f32)>,
        mirrored: Option<Parity>,
    ) -> Result<Self, SurveyError> {
        let (low, high) = range.unwrap_or((f32::MIN, f32::MAX));
        let reach = if mirrored.is_some() {
            high.max(-low)
        } else {
            high
        };
        let nearest = |end: f32| if end > 0.0 { end.to_bits().max(1) } else { 1 };
        let positive = Side {
            expression,
            sign: 0,
        }
        .survey(nearest(low), reach)?;
        let negative = match mirrored {
            Some(parity) => positive.mirrored(parity),
            None => Side {
                expression,
                sign: 1 << 31,
            }
            .survey(nearest(-high), -low)?,
        };
        Ok(positive.joined(negative))
    }

    /// The stretch that holds an input.
    pub(crate) fn stretch_of(&self, bits: u32) -> Option<&Stretch> {
        let place = self
            .stretches
            .partition_point(|stretch| stretch.last < bits);
        self.stretches
            .get(place)
            .filter(|stretch| stretch.first <= bits)
    }

    /// The direction at an input; at the last input before a turn, which may lie on either side of it, none.
    pub(crate) fn direction(&self, x: f32) -> Option<Monotone> {
        let stretch = self.stretch_of(x.to_bits())?;
        let direction = stretch.kind.direction()?;
        let turned = self.turns.iter().any(|turn| {
            let at = turn.at.abs();
            x.is_sign_negative() == (turn.at < 0.0)
                && at < f64::from(x.abs())
                && at > f64::from(f32::from_bits(stretch.first & !(1 << 31)))
                && x.to_bits() == stretch.last
        });
        (!turned).then_some(direction)
    }

    fn mirrored(&self, parity: Parity) -> Self {
        let flips = parity == Parity::Even;
        let stretches = self.stretches.iter().map(|stretch| Stretch {
            first: stretch.first | 1 << 31,
            last: stretch.last | 1 << 31,
            kind: if flips {
                stretch.kind.reversed()
            } else {
                stretch.kind
            },
            is_cut: stretch.is_cut,
        });
        let turns = self.turns.iter().rev().map(|turn| Turn {
            at: -turn.at,
            above: if flips {
                turn.above
            } else {
                turn.above.reversed()
            },
        });
        Self {
            stretches: stretches.collect(),
            turns: turns.collect(),
        }
    }

    fn joined(mut self, negative: Self) -> Self {
        let nearest = |survey: &Self| Some(survey.stretches.first()?.kind.direction());
        let around = (nearest(&negative).flatten(), nearest(&self).flatten());
        let mut turns = negative.turns;
        if let (Some(below), Some(above)) = around
            && below != above
        {
            turns.push(Turn { at: 0.0, above });
        }
        turns.append(&mut self.turns);
        self.stretches.extend(negative.stretches);
        Self {
            stretches: self.stretches,
            turns,
        }
    }
}

impl Side<'_> {
    /// All inputs from a magnitude (as bits) to another.
    fn survey(self, first: u32, reach: f32) -> Result<Survey, SurveyError> {
        if reach.is_nan() || reach <= 0.0 || reach.to_bits() < first {
            return Ok(Survey::default());
        }
        let last = reach.min(f32::MAX).to_bits();
        let octaves: Vec<(u32, u32)> = (first >> 23..=last >> 23)
            .map(|exponent| {
                (
                    (exponent << 23).max(first),
                    ((exponent + 1) << 23).min(last),
                )
            })
            .filter(|(low, high)| low < high)
            .collect();
        let leaves: Result<Vec<Vec<Leaf>>, SurveyError> = octaves
            .into_par_iter()
            .map(|(low, high)| self.octave(low, high))
            .collect();
        let leaves: Vec<Leaf> = leaves?.into_iter().flatten().collect();
        stretches(self, &leaves, first)
    }

    /// An input of this side, from its magnitude.
    pub(crate) fn input(self, magnitude: u32) -> f32 {
        f32::from_bits(magnitude | self.sign)
    }

    /// Value and slope over everything between two magnitudes, ends included.
    pub(crate) fn enclose(self, first: u32, last: u32, precision: u32) -> Dual {
        let [near, far] = [first, last].map(|end| Float::with_val(24, self.input(end)));
        let x = if self.sign == 0 {
            Interval::between(&near, &far, precision)
        } else {
            Interval::between(&far, &near, precision)
        };
        self.expression.differentiate(&x, precision)
    }

    /// Halves what is not settled, level by level.
    fn octave(self, first: u32, last: u32) -> Result<Vec<Leaf>, SurveyError> {
        let mut open = vec![(first, last)];
        let mut leaves = Vec::new();
        while !open.is_empty() {
            let (mut unclear, mut wild) = (Vec::new(), Vec::new());
            for (first, last) in open {
                let dual = self.enclose(first, last, PRECISION);
                match judge(&dual) {
                    Ok(kind) => leaves.push(Leaf::stretch(first, last, kind, dual.branches)),
                    Err(_) if last == first + 1 => leaves.push(self.gap(first)),
                    Err(Doubt::Slope) if is_settled(&dual.value) => {
                        leaves.push(Leaf::stretch(
                            first,
                            last,
                            StretchKind::Settled,
                            dual.branches,
                        ));
                    }
                    Err(doubt) => {
                        let middle = first + (last - first) / 2;
                        let halves = [(first, middle), (middle, last)];
                        if doubt == Doubt::Slope {
                            unclear.extend(halves.map(|half| (half, dual.branches)));
                        } else {
                            wild.extend(halves);
                        }
                    }
                }
            }
            if unclear.len() > MOST_UNCLEAR {
                // Perhaps bits are missing rather than cuts; if not, only the direction stays open: value and smoothness
                // are certain there.
                leaves.extend(unclear.drain(..).map(|((first, last), branches)| {
                    let dual = self.enclose(first, last, GAP_PRECISIONS[1]);
                    let kind = judge(&dual).unwrap_or(StretchKind::Unknown);
                    Leaf::stretch(first, last, kind, branches)
                }));
            }
            if wild.len() > MOST_WILD {
                return Err(SurveyError::Wild(
                    self.input(wild.first().map_or(first, |(first, _)| *first)),
                ));
            }
            open = unclear
                .into_iter()
                .map(|(half, _)| half)
                .chain(wild)
                .collect();
        }
        leaves.sort_by_key(|leaf| leaf.first);
        Ok(leaves)
    }

    /// The gap between a magnitude and the next one.
    fn gap(self, first: u32) -> Leaf {
        let mut doubt = Doubt::Domain;
        for precision in GAP_PRECISIONS {
            let dual = self.enclose(first, first + 1, precision);
            match judge(&dual) {
                Ok(kind) => return Leaf::stretch(first, first + 1, kind, dual.branches),
                Err(found) => doubt = found,
            }
        }
        Leaf {
            first,
            last: first + 1,
            branches: 0,
            kind: None,
            is_slope: doubt == Doubt::Slope,
            continuous: matches!(doubt, Doubt::Slope | Doubt::Kink { continuous: true }),
        }
    }
}

fn judge(dual: &Dual) -> Result<StretchKind, Doubt> {
    match dual.value.domain() {
        Domain::Outside => return Ok(StretchKind::Undefined),
        Domain::Unclear => return Err(Doubt::Domain),
        Domain::Inside => {}
    }
    if !dual.smooth {
        return Err(Doubt::Kink {
            continuous: dual.continuous,
        });
    }
    match dual.sign() {
        SlopeSign::Rising => Ok(StretchKind::Rising),
        SlopeSign::Falling => Ok(StretchKind::Falling),
        SlopeSign::Unclear => Err(Doubt::Slope),
    }
}

/// Whether the direction of such values is of no interest.
fn is_settled(value: &Interval) -> bool {
    let exponent = |end: &Float| match end.get_exp() {
        Some(exponent) => exponent,
        None if end.is_zero() => i32::MIN,
        None => i32::MAX,
    };
    let (low, high) = (exponent(value.low()), exponent(value.high()));
    let one_sign = value.low().is_sign_negative() == value.high().is_sign_negative();
    if low.max(high) < -SETTLED_EXPONENT || one_sign && low.min(high) > SETTLED_EXPONENT {
        return true;
    }
    let width = Float::with_val(32, value.high() - value.low());
    one_sign && exponent(&width) < low.max(high).saturating_sub(CONSTANT_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(text: &str, range: Option<(f32, f32)>) -> Survey {
        Survey::of(&text.parse().unwrap(), range, None).unwrap()
    }

    /// Every stretch begins where the one before it ends, on both sides.
    fn is_complete(survey: &Survey) -> bool {
        let mut next = 1;
        survey.stretches.iter().all(|stretch| {
            if next == f32::MAX.to_bits() + 1 {
                next = 1 << 31 | 1;
            }
            let fits = stretch.first == next && stretch.last >= stretch.first;
            next = stretch.last + 1;
            fits
        }) && next == f32::MIN.to_bits() + 1
    }

    #[test]
    fn every_input_lies_in_one_stretch() {
        for text in [
            "x",
            "x^2",
            "exp(x)",
            "1/x",
            "log(x)",
            "sqrt(x - 3)",
            "x/(1 + exp(-x))",
            "1/(x^2 - 2)",
            "asin(x)",
            "max(min(x, 6), 0)",
            "step(x - 3)",
            "x*tanh(log1p(exp(x)))",
            "min(abs(x - 1/3), 1)",
            "x^3 - 3*x",
        ] {
            assert!(is_complete(&survey(text, None)), "{text}");
        }
    }

    #[test]
    fn turns_are_found_to_double_precision() {
        let turns = survey("x/(1 + exp(-x))", None).turns;
        assert_eq!(turns.len(), 1, "{turns:?}");
        assert!(
            (turns[0].at + 1.278_464_542_761_074).abs() < 1e-14,
            "{turns:?}"
        );
        assert_eq!(turns[0].above, Monotone::Rising);
        let turns = survey("x^3 - 3*x", None).turns;
        let places: Vec<f64> = turns.iter().map(|turn| turn.at).collect();
        assert_eq!(places, [-1.0, 1.0]);
        // A level place is no turn.
        assert_eq!(survey("(x - 3.1)^3", None).turns, []);
        assert_eq!(
            survey("x^2", None).turns,
            [Turn {
                at: 0.0,
                above: Monotone::Rising
            }]
        );
    }

    #[test]
    fn kinks_poles_and_edges_cut_the_line() {
        let starts = |text: &str| -> Vec<f32> {
            let survey = survey(text, None);
            survey
                .stretches
                .iter()
                .map(|stretch| f32::from_bits(stretch.last))
                .collect()
        };
        assert_eq!(starts("max(min(x, 6), 0)"), [6.0, f32::MAX, f32::MIN]);
        assert_eq!(
            starts("1/(x - 3)"),
            [3.0_f32.next_down(), 3.0, f32::MAX, f32::MIN]
        );
        let edge = survey("sqrt(x - 3)", None);
        let kind = |x: f32| edge.stretch_of(x.to_bits()).unwrap().kind;
        assert_eq!(kind(3.0_f32.next_down()), StretchKind::Undefined);
        assert_ne!(kind(3.0), StretchKind::Undefined);
        assert_eq!(kind(3.0_f32.next_up()), StretchKind::Rising);
        assert_eq!(kind(-1.0), StretchKind::Undefined);
    }

    #[test]
    fn a_range_keeps_what_is_wild_outside() {
        assert_eq!(survey("sin(x)", Some((-3.0, 3.0))).turns.len(), 2);
        let outside = survey("1/sin(1/x)", Some((0.5, 2.0)));
        assert_eq!(f32::from_bits(outside.stretches[0].first), 0.5);
        let error = Survey::of(&"abs(sin(1/x))".parse().unwrap(), None, None).unwrap_err();
        assert!(matches!(error, SurveyError::Wild(_)));
    }

    #[test]
    fn a_mirror_image_is_what_the_other_side_shows() {
        for (text, parity) in [("x*tanh(x)", Parity::Even), ("x*exp(-x^2)", Parity::Odd)] {
            let expression: Expression = text.parse().unwrap();
            let mirrored = Survey::of(&expression, None, Some(parity)).unwrap();
            let whole = Survey::of(&expression, None, None).unwrap();
            assert_eq!(mirrored.turns.len(), whole.turns.len(), "{text}");
            for x in [-1.0e-30_f32, -0.25, -0.9, -7.0] {
                assert_eq!(mirrored.direction(x), whole.direction(x), "{text} {x}");
            }
        }
    }
}
