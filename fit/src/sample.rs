//! Values of the function at chosen inputs of a bucket.

use actforge_reference::{CellKind, Surrogate, Truth};

/// A contiguous run of inputs of one sign, as bits: what one bucket serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stretch {
    /// The input of least magnitude.
    pub first: u32,
    /// The input of greatest magnitude.
    pub last: u32,
}

impl Stretch {
    /// How many inputs.
    pub fn inputs(self) -> u64 {
        u64::from(self.last - self.first) + 1
    }
}

/// The function at one input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// The input, as bits.
    pub(crate) bits: u32,
    /// The input on the scale of the grid: -1 to 1.
    pub(crate) v: f64,
    /// The value, in the grid's unit.
    pub(crate) y: f64,
    /// The unit in ulp of this value: errors times this are in ulp.
    pub(crate) weight: f64,
}

/// Samples of a stretch, dense at its ends as interpolation wants them.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// In ascending order of magnitude. Empty where the function has no finite value.
    pub(crate) samples: Vec<Sample>,
    /// The input at `v = 0`.
    pub(crate) center: f64,
    /// The distance from there to `v = 1`; at least one unit in the last place of the inputs.
    pub(crate) half: f64,
    /// The unit of values, a power of two: the ulp of the output format in the middle.
    pub(crate) unit: f64,
}

/// How many inputs of a stretch are looked at. The error of a best cubic has five extrema; between so many points it
/// rises above the largest sample by about a thousandth.
const POINTS: u32 = 64;

/// The value and its ulp at an input, where it is finite in the format.
pub(crate) fn value_at(surrogate: &Surrogate, bits: u32) -> Option<(f64, f64)> {
    let cell = surrogate.cell_of(bits)?;
    match &cell.kind {
        CellKind::Polynomial(polynomial) => {
            let ulp = 2.0_f64.powi(polynomial.ulp_exponent);
            Some((polynomial.at(cell.variable(bits)) * ulp, ulp))
        }
        CellKind::Pointwise => match surrogate.function().enclose(f32::from_bits(bits), 64) {
            truth @ Truth::Value(_) => {
                let value = truth.to_f64();
                let exponent = if value == 0.0 {
                    i32::MIN
                } else {
                    value.abs().log2().floor() as i32
                };
                Some((
                    value,
                    2.0_f64.powi(surrogate.format().ulp_exponent(exponent)),
                ))
            }
            _ => None,
        },
        CellKind::Overflow { .. } | CellKind::Undefined => None,
    }
}

impl Grid {
    /// Samples a stretch.
    pub(crate) fn new(surrogate: &Surrogate, stretch: Stretch) -> Self {
        let span = stretch.last - stretch.first;
        let low = f64::from(f32::from_bits(stretch.first));
        let high = f64::from(f32::from_bits(stretch.last));
        let center = 0.5 * (low + high);
        let spacing = f64::from(f32::from_bits(stretch.first | 1))
            - f64::from(f32::from_bits(stretch.first & !1));
        let half = (0.5 * (high - low)).abs().max(spacing.abs());
        let mut places: Vec<u32> = if span < POINTS {
            (0..=span).collect()
        } else {
            let place = |k: u32| {
                let angle = std::f64::consts::PI * f64::from(k) / f64::from(POINTS - 1);
                (0.5 * (1.0 - angle.cos()) * f64::from(span)).round() as u32
            };
            (0..POINTS).map(place).collect()
        };
        // Where the ulp changes, the error in ulp jumps: both sides of such a place are extrema of it.
        for cell in surrogate.overlapping(stretch.first, stretch.last) {
            places.extend(
                [cell.first.max(stretch.first), cell.last.min(stretch.last)]
                    .map(|bits| bits - stretch.first),
            );
        }
        places.sort_unstable();
        places.dedup();
        let middle = value_at(surrogate, stretch.first + span / 2);
        let unit = middle.map_or(1.0, |(_, ulp)| ulp);
        let samples = places
            .into_iter()
            .filter_map(|place| {
                let bits = stretch.first + place;
                let (value, ulp) = value_at(surrogate, bits)?;
                let v = (f64::from(f32::from_bits(bits)) - center) / half;
                Some(Sample {
                    bits,
                    v,
                    y: value / unit,
                    weight: unit / ulp,
                })
            })
            .collect();
        Self {
            samples,
            center,
            half,
            unit,
        }
    }
}
