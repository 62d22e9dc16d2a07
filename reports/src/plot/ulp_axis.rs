//! The axis of errors: linear for good tables, logarithmic for others.

use super::frame::Tick;
use super::number;

/// From this maximum on the axis is logarithmic.
const LOGARITHMIC_FROM: f64 = 8.0;

/// The share of the axis above the largest value, for the note on it.
const HEADROOM: f64 = 0.17;

/// The axis of errors in ulp.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UlpAxis {
    top: f64,
    bottom: f64,
    /// Values (or their decimal logarithms) at the two ends.
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Whether the lowest mark stands for everything below it too.
    clamped: bool,
}

impl UlpAxis {
    /// The axis for errors from 0 to `max`, from `bottom` up to `top`.
    pub(super) fn for_errors(max: f64, top: f64, bottom: f64) -> Self {
        // The line at half an ulp is always to be seen.
        let max = if max.is_finite() { max.max(0.6) } else { 0.6 };
        if max < LOGARITHMIC_FROM {
            return Self {
                top,
                bottom,
                low: 0.0,
                high: max / (1.0 - HEADROOM),
                logarithmic: false,
                clamped: false,
            };
        }
        let low = -1.0;
        let high = low + (max.log10() - low) / (1.0 - HEADROOM);
        Self {
            top,
            bottom,
            low,
            high,
            logarithmic: true,
            clamped: true,
        }
    }

    /// A logarithmic axis for errors from `least` to `greatest`, with a little room beyond both.
    pub(super) fn logarithmic(least: f64, greatest: f64, top: f64, bottom: f64) -> Self {
        let (low, high) = (
            least.max(1e-3).log10(),
            greatest.clamp(1e-3, f64::MAX).log10(),
        );
        let room = 0.04 * (high - low).max(0.5);
        Self {
            top,
            bottom,
            low: low - room,
            high: high.max(low) + room,
            logarithmic: true,
            clamped: false,
        }
    }

    /// The place of an error; what is below a logarithmic axis is put on its end.
    pub(super) fn place(&self, error: f64) -> f64 {
        let value = if self.logarithmic {
            error.max(f64::MIN_POSITIVE).log10()
        } else {
            error
        };
        let share = (value - self.low) / (self.high - self.low);
        self.bottom + share.clamp(0.0, 1.0) * (self.top - self.bottom)
    }

    /// The marks, ascending.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        if self.logarithmic {
            self.logarithmic_ticks()
        } else {
            self.linear_ticks()
        }
    }

    fn linear_ticks(&self) -> Vec<Tick> {
        let steps = [(0.1, 1), (0.2, 1), (0.25, 2), (0.5, 1), (1.0, 0), (2.0, 0)];
        let (step, digits) = steps
            .into_iter()
            .find(|(step, _)| self.high / step <= 8.0)
            .unwrap_or((self.high / 4.0, 1));
        let count = (self.high / step).floor() as u32;
        (0..=count)
            .map(|k| {
                let value = f64::from(k) * step;
                let label = if k == 0 {
                    "0".to_owned()
                } else {
                    format!("{value:.digits$}")
                };
                Tick {
                    at: self.place(value),
                    label: Some(label),
                }
            })
            .collect()
    }

    fn logarithmic_ticks(&self) -> Vec<Tick> {
        let decades = self.high - self.low;
        let labelled: &[u32] = if decades <= 2.5 { &[1, 2, 5] } else { &[1] };
        let every = (decades / 8.0).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for decade in self.low.floor() as i32..=self.high.floor() as i32 {
            for digit in 1..10 {
                let value = f64::from(digit) * 10_f64.powi(decade);
                let logarithm = value.log10();
                if logarithm < self.low - 1e-9 || logarithm > self.high {
                    continue;
                }
                let labelled = labelled.contains(&digit) && decade.rem_euclid(every) == 0;
                if labelled || every == 1 {
                    let label = labelled.then(|| decimal(digit, decade));
                    ticks.push(Tick {
                        at: self.place(value),
                        label,
                    });
                }
            }
        }
        let lowest = ticks
            .first_mut()
            .filter(|tick| self.clamped && tick.at == self.bottom);
        if let Some(label) = lowest.and_then(|tick| tick.label.as_mut()) {
            *label = format!("\u{2264} {label}");
        }
        ticks
    }
}

/// `digit` times ten to the power `decade`.
fn decimal(digit: u32, decade: i32) -> String {
    match decade {
        0..=3 => (u64::from(digit) * 10_u64.pow(decade.unsigned_abs())).to_string(),
        -3..0 => format!(
            "{:.*}",
            decade.unsigned_abs() as usize,
            f64::from(digit) * 10_f64.powi(decade)
        ),
        _ if digit == 1 => number::power(false, 10, decade),
        _ => format!("{digit}\u{b7}{}", number::power(false, 10, decade)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &UlpAxis) -> Vec<String> {
        axis.ticks()
            .into_iter()
            .filter_map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn linear_below_eight_and_logarithmic_from_there() {
        let axis = UlpAxis::for_errors(0.59, 100.0, 500.0);
        assert_eq!(
            labels(&axis),
            ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]
        );
        assert_eq!(axis.place(0.0), 500.0);
        let axis = UlpAxis::for_errors(7.9, 100.0, 500.0);
        assert_eq!(labels(&axis), ["0", "2", "4", "6", "8"]);
        let axis = UlpAxis::for_errors(190.0, 100.0, 500.0);
        assert_eq!(labels(&axis), ["≤ 0.1", "1", "10", "100"]);
        assert_eq!(axis.place(0.0), 500.0);
        assert_eq!(axis.place(0.1), 500.0);
    }

    #[test]
    fn only_the_end_of_the_axis_stands_for_less() {
        let axis = UlpAxis::for_errors(1e9, 100.0, 500.0);
        assert!(labels(&axis).iter().all(|label| !label.contains('≤')));
    }

    #[test]
    fn the_maximum_leaves_room_above_it() {
        for max in [0.0, 0.5, 1.9, 7.99, 8.0, 190.0, 1e6, 1e300] {
            let axis = UlpAxis::for_errors(max, 100.0, 500.0);
            assert!(axis.place(max) > 160.0, "{max}");
            let count = labels(&axis).len();
            assert!((3..=9).contains(&count), "{max}: {count}");
        }
    }

    #[test]
    fn decimals_are_short() {
        assert_eq!(
            [decimal(5, -1), decimal(2, 0), decimal(1, 3), decimal(2, 4)],
            ["0.5", "2", "1000", "2·10^4"]
        );
    }

    #[test]
    fn fronts_within_one_factor_of_two_have_labels() {
        let axis = UlpAxis::logarithmic(0.5, 0.9, 0.0, 100.0);
        assert!(labels(&axis).contains(&"0.5".to_owned()));
    }
}
