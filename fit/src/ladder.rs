//! What each size of each octave would cost in error: the steps that segmentation can choose from.

use std::sync::OnceLock;

use actforge_reference::Surrogate;

use crate::accurate::ulp_of;
use crate::degree::{Usable, best_usable};
use crate::minimax::minimax;
use crate::root::anchored;
use crate::sample::{Grid, Stretch};

/// The largest `extract_size`: an octave of more buckets would take the whole pool.
pub(crate) const LARGEST_SIZE: u8 = 11;

/// Estimated errors, in ulp, of the buckets of an octave cut into `2^size`; computed when first asked for.
pub(crate) struct Ladder<'a> {
    surrogate: &'a Surrogate,
    octaves: Vec<[OnceLock<Vec<f32>>; LARGEST_SIZE as usize + 1]>,
}

/// The exponent of subnormal inputs as the control table counts octaves.
pub(crate) const LOWEST_EXPONENT: i32 = -127;

/// The stretch of a bucket: part `index` of `2^size` of an octave.
pub(crate) fn bucket_stretch(negative: bool, exponent: i32, size: u8, index: u32) -> Stretch {
    let octave = u32::from(negative) << 31 | ((exponent - LOWEST_EXPONENT) as u32) << 23;
    let width = 23 - u32::from(size);
    let first = octave | index << width;
    let last = first | ((1 << width) - 1);
    // Zero is not an input of any bucket.
    Stretch {
        first: if first << 1 == 0 { first + 1 } else { first },
        last,
    }
}

impl<'a> Ladder<'a> {
    pub(crate) fn new(surrogate: &'a Surrogate) -> Self {
        Self {
            surrogate,
            octaves: (0..510)
                .map(|_| std::array::from_fn(|_| OnceLock::new()))
                .collect(),
        }
    }

    /// The estimates of all buckets of an octave.
    pub(crate) fn estimates(&self, negative: bool, exponent: i32, size: u8) -> &[f32] {
        let place = (exponent - LOWEST_EXPONENT) as usize + if negative { 255 } else { 0 };
        match self
            .octaves
            .get(place)
            .and_then(|sizes| sizes.get(usize::from(size)))
        {
            Some(cell) => cell.get_or_init(|| {
                (0..1_u32 << size)
                    .map(|index| {
                        estimate(
                            self.surrogate,
                            bucket_stretch(negative, exponent, size, index),
                        )
                    })
                    .collect()
            }),
            None => &[],
        }
    }
}

/// What a well-rounded best cubic is expected to reach: the final rounding, the minimax error, and most of the rounding
/// of the partial result before it.
pub(crate) fn estimate(surrogate: &Surrogate, stretch: Stretch) -> f32 {
    let grid = Grid::new(surrogate, stretch);
    if grid.samples.is_empty() {
        return 0.0;
    }
    let best = minimax(&grid.samples, &[0, 1, 2, 3]);
    let Usable { best, loss } = best_usable(&grid, stretch, &best);
    let slope = best.coefficients[1] / grid.half * grid.unit;
    let weight = grid
        .samples
        .iter()
        .map(|sample| sample.weight)
        .fold(0.0, f64::max);
    let inner = 0.5 * ulp_of(slope as f32) / grid.unit * grid.half * weight;
    let plain = 0.5 + best.error + loss + INNER_SHARE * inner;
    // About a root the slope is rounded, and so is the product with it: half an ulp of binary32.
    let rounding = 0.5 * 2.0_f64.powi(surrogate.format().precision() - 24);
    let about_root = anchored(surrogate, &grid).map(|anchored| 0.5 + rounding + anchored.error);
    about_root.map_or(plain, |error| error.min(plain)) as f32
}

/// How much of the largest possible rounding error of the partial result shows in the maximum, as measured over whole
/// functions.
const INNER_SHARE: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buckets_of_an_octave_tile_it() {
        for size in [0, 3, LARGEST_SIZE] {
            let mut next = 0x4000_0000;
            for index in 0..1_u32 << size {
                let stretch = bucket_stretch(false, 1, size, index);
                assert_eq!(stretch.first, next);
                next = stretch.last + 1;
            }
            assert_eq!(next, 0x4080_0000);
        }
        assert_eq!(
            bucket_stretch(true, -127, 0, 0),
            Stretch {
                first: 0x8000_0001,
                last: 0x807f_ffff
            }
        );
    }
}
