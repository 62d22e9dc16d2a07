//! A logarithmic axis over any number of decades.

use super::frame::Tick;
use super::number;

/// Room for a label in points.
const LABEL_ROOM: f64 = 26.0;

/// The axis, from `bottom` up to `top`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DecadeAxis {
    top: f64,
    bottom: f64,
    /// Decimal logarithms at the two ends, whole.
    low: i32,
    high: i32,
}

impl DecadeAxis {
    /// The axis that holds all of some positive values; others have no place of their own. Without any it is one decade.
    pub(super) fn new(values: impl Iterator<Item = f64>, top: f64, bottom: f64) -> Self {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let ends = positive.fold(None, |ends: Option<(f64, f64)>, value| {
            let (low, high) = ends.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        });
        let (least, greatest) = ends.unwrap_or((1.0, 1.0));
        let low = least.log10().floor() as i32;
        Self {
            top,
            bottom,
            low,
            high: (greatest.log10().ceil() as i32).max(low + 1),
        }
    }

    /// The place of a value; what is below the axis is put on its end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let logarithm = value.max(f64::MIN_POSITIVE).log10();
        let share = (logarithm - f64::from(self.low)) / f64::from(self.high - self.low);
        self.bottom + share.clamp(0.0, 1.0) * (self.top - self.bottom)
    }

    /// Marks at powers of ten, as many as there is room for.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let decade = (self.bottom - self.top) / f64::from(self.high - self.low);
        let every = (LABEL_ROOM / decade).ceil().max(1.0) as i32;
        (self.low..=self.high)
            .filter(|exponent| exponent.rem_euclid(every) == 0)
            .map(|exponent| Tick {
                at: self.bottom - f64::from(exponent - self.low) * decade,
                label: Some(match exponent {
                    0 => "1".to_owned(),
                    1 => "10".to_owned(),
                    _ => number::power(false, 10, exponent),
                }),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_all_values_between_whole_decades() {
        let values = [0.0, 3e-9, 2.0, f64::INFINITY, -1.0];
        let axis = DecadeAxis::new(values.into_iter(), 100.0, 300.0);
        assert_eq!((axis.low, axis.high), (-9, 1));
        assert_eq!(axis.place(0.0), 300.0);
        assert_eq!(axis.place(1e-9), 300.0);
        assert_eq!(axis.place(10.0), 100.0);
        let labels: Vec<_> = axis
            .ticks()
            .into_iter()
            .filter_map(|tick| tick.label)
            .collect();
        assert_eq!(labels, ["10^−8", "10^−6", "10^−4", "10^−2", "1"]);
    }

    #[test]
    fn is_never_empty() {
        let axis = DecadeAxis::new(std::iter::empty(), 0.0, 10.0);
        assert_eq!((axis.low, axis.high), (0, 1));
        assert!(!axis.ticks().is_empty());
    }
}
