//! A cubic with real coefficients and its expansion about a breakpoint.

use actforge_tables::Bucket;

use crate::minimax::TERMS;
use crate::sample::Grid;

/// A polynomial of degree three in the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealCubic {
    center: f64,
    /// Coefficients of powers of `x - center`, in `unit`.
    about_center: [f64; TERMS],
    unit: f64,
}

/// Terms that contribute less than this many ulp are left out: among tiny inputs of a nearly linear function they are
/// noise, with coefficients too large for binary32.
const NEGLIGIBLE: f64 = 1e-7;

impl RealCubic {
    /// The cubic with these coefficients of powers of the grid's variable.
    pub(crate) fn new(grid: &Grid, coefficients: &[f64; TERMS]) -> Self {
        let mut about_center =
            coefficients.map(|term| if term.abs() < NEGLIGIBLE { 0.0 } else { term });
        let mut scale = 1.0;
        for coefficient in &mut about_center {
            *coefficient *= scale;
            scale /= grid.half;
        }
        Self {
            center: grid.center,
            about_center,
            unit: grid.unit,
        }
    }

    /// Coefficients of powers of `x - x0`, in the unit.
    pub(crate) fn about(&self, x0: f64) -> [f64; TERMS] {
        let s = x0 - self.center;
        let [a0, a1, a2, a3] = self.about_center;
        [
            a3.mul_add(s, a2).mul_add(s, a1).mul_add(s, a0),
            (3.0 * a3).mul_add(s, 2.0 * a2).mul_add(s, a1),
            (3.0 * a3).mul_add(s, a2),
            a3,
        ]
    }

    /// The unit of the coefficients.
    pub(crate) fn unit(&self) -> f64 {
        self.unit
    }

    /// The bucket with each coefficient about `x0` rounded to nearest.
    pub(crate) fn rounded(&self, x0: f32) -> Bucket {
        Bucket {
            d: self.about(f64::from(x0)).map(|d| (d * self.unit) as f32),
            x0,
        }
    }
}

/// Whether a bucket holds numbers only: coefficients may overflow where the function is steep.
pub(crate) fn is_usable(bucket: &Bucket) -> bool {
    bucket.d.iter().all(|d| d.is_finite()) && bucket.x0.is_finite()
}

/// The middle of a stretch in bit space, rounded down in magnitude: the stock breakpoint.
pub(crate) fn middle(first: u32, last: u32) -> f32 {
    f32::from_bits(first + (last - first) / 2)
}
