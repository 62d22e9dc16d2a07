//! What a check reaches of a demand: the figure of the report, or what the engine's results say by themselves.

use actforge_reference::Parity;

use super::figures::Figures;
use super::witness::Witness;
use crate::budget::{Bounds, Demand, Limit, Point, SpecialResult, Symmetry};
use crate::replay::Probe;
use crate::report::{FunctionReport, from_hex};

/// What was measured of a figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reached {
    /// This.
    Figure(f64),
    /// Something infinite: a result is NaN where a number is right, or not where it should be.
    Infinite,
    /// Nothing, for this reason.
    Nothing(String),
}

impl Reached {
    pub(super) fn value(&self) -> Option<f64> {
        match self {
            Self::Figure(value) => Some(*value),
            Self::Infinite | Self::Nothing(_) => None,
        }
    }

    fn of(found: Option<&Option<f64>>, nothing: &str) -> Self {
        match found {
            Some(Some(value)) if value.is_finite() => Self::Figure(*value),
            Some(_) => Self::Infinite,
            None => Self::Nothing(nothing.to_owned()),
        }
    }
}

/// One function's results, to be held against demands.
pub(super) struct Subject<'a> {
    pub(super) probe: &'a Probe<'a>,
    pub(super) report: &'a FunctionReport,
    pub(super) figures: &'a Figures,
}

impl Subject<'_> {
    /// What was measured of a figure without a demand of its own.
    pub(super) fn figure(&self, limit: Limit) -> Reached {
        Reached::of(self.figures.get(&limit), "the report has no such figure")
    }

    /// What was measured of what a rule demands.
    pub(super) fn reached(&self, limit: Limit, demand: &Demand) -> Reached {
        let name = &self.report.name;
        match demand {
            Demand::Number(_) => match limit {
                Limit::MaxNonMonotone if !self.probe.has_direction() => Reached::Nothing(format!(
                    "the direction of {name} is not known, so that no step can be against it"
                )),
                Limit::SaturatedAbove | Limit::SaturatedBelow => Reached::of(
                    self.figures.get(&limit),
                    &format!("{name} has no limit that finite inputs of this side reach"),
                ),
                _ => self.figure(limit),
            },
            Demand::Symmetry(wanted) => {
                let own = match self.probe.parity() {
                    Parity::Odd => Some(Symmetry::Odd),
                    Parity::Even => Some(Symmetry::Even),
                    Parity::None | Parity::Point { .. } => None,
                };
                if own == Some(*wanted) {
                    self.figure(limit)
                } else {
                    Reached::Nothing(format!("{name} is not {}", wanted.name()))
                }
            }
            Demand::Bounds(Bounds::Function) => match self.probe.value_bounds() {
                Some(_) => self.figure(limit),
                None => Reached::Nothing(format!("the bounds of {name} are not known")),
            },
            Demand::Bounds(Bounds::Stated(low, high)) => {
                Reached::Figure(self.probe.outside(*low, *high).count as f64)
            }
            Demand::Exact(points) => {
                let wrong = points.iter().filter(|point| !self.is_hit(point));
                Reached::Figure(wrong.count() as f64)
            }
            Demand::Special(_) => Reached::Figure(self.wrong_special(demand).len() as f64),
        }
    }

    /// An input that shows why a limit is not kept.
    pub(super) fn witness(
        &self,
        limit: Limit,
        demand: Option<&Demand>,
        allowed: f64,
    ) -> Option<Witness> {
        let report = self.report;
        let of = |bits: Option<&String>| {
            let x = from_hex(bits?)?;
            Some(Witness::of(self.probe, x))
        };
        match limit {
            Limit::NanResults | Limit::MaxUlp | Limit::MeanUlp | Limit::MinCorrectlyRounded => {
                of(report.max_ulp_at.as_ref().map(|at| &at.bits))
            }
            Limit::MaxSteps => of(report.max_steps_at.as_ref()),
            Limit::MaxAbs => of(report.max_absolute.as_ref().map(|at| &at.at)),
            Limit::MaxRel => of(report.max_relative.as_ref().map(|at| &at.at)),
            Limit::MaxNonMonotone => {
                let rows = report.octaves.iter().filter(|row| row.non_monotone > 0);
                let octaves: Vec<_> = rows.map(|row| (row.negative, row.exponent)).collect();
                let bits = self.probe.first_step_back(&octaves)?;
                let witness = Witness::of(self.probe, f32::from_bits(bits));
                Some(witness.with_other(self.probe, f32::from_bits(bits - 1)))
            }
            Limit::Symmetry => {
                let x = f32::from_bits(self.probe.first_asymmetric()?);
                Some(Witness::of(self.probe, x).with_other(self.probe, -x))
            }
            Limit::Bounds => {
                let (low, high) = match demand {
                    Some(Demand::Bounds(Bounds::Stated(low, high))) => (*low, *high),
                    _ => self.probe.value_bounds()?,
                };
                let bits = self.probe.outside(low, high).first?;
                Some(Witness::of(self.probe, f32::from_bits(bits)))
            }
            Limit::Exact => {
                let Some(Demand::Exact(points)) = demand else {
                    return None;
                };
                let point = points.iter().find(|point| !self.is_hit(point))?;
                let witness = Witness::of(self.probe, point.input);
                Some(match point.result {
                    Some(want) => witness.wanting(want),
                    None => witness,
                })
            }
            Limit::Special => {
                let none = Demand::Special(Vec::new());
                let wrong = self.wrong_special(demand.unwrap_or(&none));
                let (x, want) = wrong.first()?;
                Some(Witness::of(self.probe, *x).wanting(*want))
            }
            Limit::SaturatedAbove | Limit::SaturatedBelow => {
                // The last input whose result is not the limit; without one, the input that should have it.
                let first = self.figures.get(&limit).copied().flatten();
                let x = first.map_or(allowed as f32, |first| {
                    f32::from_bits((first as f32).to_bits().saturating_sub(1))
                });
                Some(Witness::of(self.probe, x))
            }
            Limit::MaxBuckets | Limit::MaxControlWords => None,
        }
    }

    fn is_hit(&self, point: &Point) -> bool {
        let want = point
            .result
            .unwrap_or_else(|| self.probe.right(point.input));
        is_same(self.probe.result(point.input), want)
    }

    /// The special inputs with a wrong result, and the right one.
    fn wrong_special(&self, demand: &Demand) -> Vec<(f32, f32)> {
        let stated: &[SpecialResult] = match demand {
            Demand::Special(stated) => stated,
            _ => &[],
        };
        let rows = self.report.special.iter().filter_map(|row| {
            let (x, got, right) = (
                from_hex(&row.bits)?,
                from_hex(&row.got)?,
                from_hex(&row.want)?,
            );
            let own = stated.iter().find(|stated| stated.input.is(x));
            let want = own.map_or(right, |own| own.result);
            (!is_same(got, want)).then_some((x, want))
        });
        rows.collect()
    }
}

/// Zeros of either sign are one number, and NaNs of any kind are.
fn is_same(got: f32, want: f32) -> bool {
    got == want || got.is_nan() && want.is_nan()
}
