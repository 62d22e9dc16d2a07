//! The axis of a function's values: linear for small ones, logarithmic on both sides of zero for others.

use super::frame::Tick;
use super::number;

/// Beyond this magnitude the axis is logarithmic.
const LINEAR_TO: f64 = 20.0;

/// Labels on the axis, about.
const LABELS: f64 = 5.0;

/// The axis of values, from `bottom` up to `top`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValueAxis {
    top: f64,
    bottom: f64,
    /// Scaled values at the two ends.
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl ValueAxis {
    /// The axis that holds all finite values, and zero.
    pub(super) fn new(values: impl Iterator<Item = f64>, top: f64, bottom: f64) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (least, greatest) = finite.fold((0.0_f64, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let logarithmic = greatest.max(-least) > LINEAR_TO;
        let [low, high] = [least, greatest].map(|value| scaled(value, logarithmic));
        let room = 0.06 * (high - low).max(0.1);
        Self {
            top,
            bottom,
            low: low - room,
            high: high + room,
            logarithmic,
        }
    }

    /// The place of a value; infinities are put on the ends.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = value.clamp(f64::MIN, f64::MAX);
        let share = (scaled(value, self.logarithmic) - self.low) / (self.high - self.low);
        self.bottom + share.clamp(0.0, 1.0) * (self.top - self.bottom)
    }

    /// Whether a value is a number that has its own place.
    pub(super) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&scaled(value, self.logarithmic))
    }

    /// The labelled marks, ascending.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        if self.logarithmic {
            self.logarithmic_ticks()
        } else {
            self.linear_ticks()
        }
    }

    fn linear_ticks(&self) -> Vec<Tick> {
        let rough = (self.high - self.low) / LABELS;
        let decade = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|digit| digit * decade)
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step).ceil() as i32;
        let last = (self.high / step).floor() as i32;
        (first..=last)
            .map(|k| {
                let value = f64::from(k) * step;
                let sign = if k < 0 { "\u{2212}" } else { "" };
                Tick {
                    at: self.place(value),
                    label: Some(format!("{sign}{:.digits$}", value.abs())),
                }
            })
            .collect()
    }

    fn logarithmic_ticks(&self) -> Vec<Tick> {
        let every = ((self.high - self.low) / LABELS).ceil().max(1.0) as i32;
        let exponents = |end: f64| (every..=end.max(0.0) as i32).step_by(every as usize);
        let tick = |negative: bool, exponent: i32| {
            let value = 10_f64.powi(exponent) * if negative { -1.0 } else { 1.0 };
            Tick {
                at: self.place(value),
                label: Some(number::power(negative, 10, exponent)),
            }
        };
        let mut ticks: Vec<Tick> = exponents(-self.low).map(|k| tick(true, k)).collect();
        ticks.reverse();
        ticks.push(Tick {
            at: self.place(0.0),
            label: Some("0".to_owned()),
        });
        ticks.extend(exponents(self.high).map(|k| tick(false, k)));
        ticks
    }
}

/// A value on the scale of the axis.
fn scaled(value: f64, logarithmic: bool) -> f64 {
    if logarithmic {
        value.signum() * value.abs().ln_1p() / std::f64::consts::LN_10
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64]) -> Vec<String> {
        let axis = ValueAxis::new(values.iter().copied(), 0.0, 200.0);
        axis.ticks()
            .into_iter()
            .filter_map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn small_values_are_linear_and_large_ones_logarithmic() {
        assert_eq!(labels(&[-1.0, 1.0]), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(&[0.0, 1e38])[..3], ["0", "10^9", "10^18"]);
        assert_eq!(
            labels(&[-1e4, 1e4]),
            ["−10^4", "−10^2", "0", "10^2", "10^4"]
        );
    }

    #[test]
    fn what_is_not_finite_has_a_place() {
        let axis = ValueAxis::new([f64::NAN, 1.0, f64::INFINITY].into_iter(), 0.0, 100.0);
        assert_eq!(axis.place(f64::INFINITY), 0.0);
        assert_eq!(axis.place(f64::NEG_INFINITY), 100.0);
        assert!(axis.place(1.0) < axis.place(0.0));
        assert!(axis.holds(1.0) && !axis.holds(1.2) && !axis.holds(f64::NAN));
        assert!(!labels(&[]).is_empty());
    }
}
