//! Breakpoints at which the wanted coefficients are almost exactly floats (Gal's idea, for a cubic).
//!
//! The best real cubic can be expanded about any point. Its constant term there is off by up to half an ulp when it is
//! rounded, and so, in smaller measure, are the others; but there are thousands of points to choose from, and at some
//! of them the rounding errors almost vanish. What the datapath's own roundings then add is left to the judge, who
//! evaluates every input.

use actforge_tables::Bucket;

use crate::cubic::{RealCubic, is_usable, middle};
use crate::sample::{Grid, Stretch};

/// A bucket with an estimate, in ulp, of what its roundings add to the error of the real cubic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) bucket: Bucket,
    pub(crate) added: f64,
}

/// Breakpoints tried next to the middle, to each side.
const NEAR: u32 = 384;

/// Breakpoints tried all over the bucket and half its width beyond: where a function is so flat that neighbouring
/// points have the same residue, distant ones do not.
const SPREAD: u32 = 768;

/// The most promising candidates, best first, at most `count`.
pub(crate) fn candidates(
    grid: &Grid,
    cubic: &RealCubic,
    stretch: Stretch,
    count: usize,
) -> Vec<Candidate> {
    let extent = Extent::new(grid);
    let mut found: Vec<Candidate> = breakpoints(stretch)
        .into_iter()
        .filter_map(|x0| {
            let [bucket, other] = roundings(cubic, x0, &extent);
            let (one, two) = (extent.judge(cubic, bucket), extent.judge(cubic, other));
            let best = if two.added < one.added { two } else { one };
            is_usable(&best.bucket).then_some(best)
        })
        .collect();
    found.sort_by(|one, two| {
        one.added
            .total_cmp(&two.added)
            .then(one.bucket.x0.to_bits().cmp(&two.bucket.x0.to_bits()))
    });
    found.dedup_by_key(|candidate| candidate.bucket.x0.to_bits());
    found.truncate(count);
    found
}

/// A bucket as rounding errors see it.
struct Extent {
    low: f64,
    high: f64,
    /// Inputs that stand for all of them, with their weights: the ulp may double inside a bucket, and an error counts
    /// half from there on.
    probes: Vec<(f64, f64)>,
    /// The unit of values in ulp, where it is smallest.
    weight: f64,
}

/// About how many inputs stand for a bucket; its ends are always among them.
const PROBES: usize = 8;

impl Extent {
    fn new(grid: &Grid) -> Self {
        let last = grid.samples.len().saturating_sub(1);
        let stride = (last / PROBES).max(1);
        let probes: Vec<(f64, f64)> = (0..)
            .zip(&grid.samples)
            .filter(|(place, _)| place % stride == 0 || *place == last)
            .map(|(_, sample)| (grid.center + grid.half * sample.v, sample.weight))
            .collect();
        let weight = grid
            .samples
            .iter()
            .map(|sample| sample.weight)
            .fold(0.0, f64::max);
        Self {
            low: grid.center - grid.half,
            high: grid.center + grid.half,
            probes,
            weight,
        }
    }

    /// The farthest distance from a breakpoint.
    fn reach(&self, x0: f64) -> f64 {
        (x0 - self.low).abs().max((self.high - x0).abs())
    }

    fn judge(&self, cubic: &RealCubic, bucket: Bucket) -> Candidate {
        let x0 = f64::from(bucket.x0);
        let wanted = cubic.about(x0);
        let unit = cubic.unit();
        let [off0, off1, off2, off3] =
            [0, 1, 2, 3].map(|k: usize| f64::from(bucket.d[k]) / unit - wanted[k]);
        let rest = self
            .probes
            .iter()
            .map(|(x, weight)| {
                let t = x - x0;
                off3.mul_add(t, off2)
                    .mul_add(t, off1)
                    .mul_add(t, off0)
                    .abs()
                    * weight
            })
            .fold(0.0, f64::max);
        // The partial result next to the last is rounded as the slope is.
        let slope_ulp = ulp_of(bucket.d[1]) / unit;
        Candidate {
            bucket,
            added: rest + 0.5 * slope_ulp * self.reach(x0) * self.weight,
        }
    }
}

/// The spacing of binary32 numbers at a value.
pub(crate) fn ulp_of(value: f32) -> f64 {
    let exponent = ((value.to_bits() >> 23 & 0xff) as i32).max(1) - 127;
    2.0_f64.powi(exponent - 23)
}

/// Two ways to round the coefficients about a breakpoint: each to nearest, and with the cubic term taking up the part
/// of the slope's rounding error that it can (the best odd correction of `t` by `t^3` is that of Chebyshev's T3).
fn roundings(cubic: &RealCubic, x0: f32, extent: &Extent) -> [Bucket; 2] {
    let nearest = cubic.rounded(x0);
    let wanted = cubic.about(f64::from(x0));
    let slope_off = f64::from(nearest.d[1]) / cubic.unit() - wanted[1];
    let reach = extent.reach(f64::from(x0));
    let third = wanted[3] - 4.0 / 3.0 * slope_off / (reach * reach);
    let mut corrected = nearest;
    corrected.d[3] = (third * cubic.unit()) as f32;
    [nearest, corrected]
}

/// Breakpoints to try, in a fixed order.
fn breakpoints(stretch: Stretch) -> Vec<f32> {
    let span = stretch.last - stretch.first;
    let center = middle(stretch.first, stretch.last).to_bits();
    let mut all = Vec::with_capacity((2 * NEAR + SPREAD + 1) as usize);
    all.push(f32::from_bits(center));
    let near = NEAR.min(span / 2);
    for k in 1..=near {
        all.extend([f32::from_bits(center - k), f32::from_bits(center + k)]);
    }
    if span > 2 * near {
        // Half a width beyond either end, but never to another sign or to infinity.
        let sign = stretch.first & 1 << 31;
        let low = u64::from(
            (stretch.first & 0x7fff_ffff)
                .saturating_sub(span / 2)
                .max(1),
        );
        let high = u64::from(
            (stretch.last & 0x7fff_ffff)
                .saturating_add(span / 2)
                .min(0x7f7f_ffff),
        );
        for k in 0..=u64::from(SPREAD) {
            let place = low + (high - low) * k / u64::from(SPREAD);
            all.push(f32::from_bits(sign | place as u32));
        }
    }
    all
}
