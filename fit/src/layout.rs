//! Where a function's regions end and how its octaves are cut: everything but the coefficients.

use actforge_tables::Fold;

use crate::ladder::{LOWEST_EXPONENT, bucket_stretch};
use crate::region::FittedRegion;
use crate::sample::Stretch;

/// A stored side of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SideLayout {
    pub(crate) negative: bool,
    pub(crate) small: FittedRegion,
    pub(crate) large: FittedRegion,
    /// The largest magnitude that matters; beyond it the large region serves whatever its error.
    pub(crate) limit: u32,
    /// The octaves that inputs between the regions reach, ascending.
    pub(crate) octaves: Vec<OctaveLayout>,
}

/// One octave of a side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OctaveLayout {
    /// Unbiased; -127 for subnormals.
    pub(crate) exponent: i32,
    /// `extract_size`.
    pub(crate) size: u8,
}

/// A function's table before its coefficients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) fold: Fold,
    /// Whether it is laid out as in the stock files, where both sides begin with the same octave and a function without
    /// a table has a control word for each side.
    pub(crate) is_stock: bool,
    pub(crate) sides: Vec<SideLayout>,
}

impl SideLayout {
    /// The magnitudes between the regions, as first and last; `None` when they meet.
    pub(crate) fn between(&self) -> Option<(u32, u32)> {
        let (low, high) = (self.first_above_small(), self.last_below_large());
        (low <= high).then_some((low, high))
    }

    fn first_above_small(&self) -> u32 {
        self.small
            .stretch
            .map_or(1, |stretch| (stretch.last & 0x7fff_ffff) + 1)
    }

    fn last_below_large(&self) -> u32 {
        self.large
            .stretch
            .map_or(self.limit, |stretch| (stretch.first & 0x7fff_ffff) - 1)
    }

    /// The exponents of the octaves between the regions.
    pub(crate) fn exponents(&self) -> std::ops::RangeInclusive<i32> {
        match self.between() {
            Some((low, high)) => {
                (low >> 23) as i32 + LOWEST_EXPONENT..=(high >> 23) as i32 + LOWEST_EXPONENT
            }
            None => std::ops::RangeInclusive::new(1, 0),
        }
    }

    /// The parts of an octave that inputs reach, when it is cut into `2^size`: index of each and the inputs it serves.
    pub(crate) fn reached(&self, exponent: i32, size: u8) -> Vec<(u32, Stretch)> {
        let Some((low, high)) = self.between() else {
            return Vec::new();
        };
        let sign = u32::from(self.negative) << 31;
        let (low, high) = (low | sign, high | sign);
        (0..1_u32 << size)
            .filter_map(|index| {
                let whole = bucket_stretch(self.negative, exponent, size, index);
                let (first, last) = (whole.first.max(low), whole.last.min(high));
                (first <= last).then_some((index, Stretch { first, last }))
            })
            .collect()
    }

    /// Buckets in octaves.
    pub(crate) fn stored(&self) -> usize {
        self.octaves
            .iter()
            .map(|octave| self.reached(octave.exponent, octave.size).len())
            .sum()
    }
}

/// Saturation buckets of a function.
pub(crate) const SATURATION_BUCKETS: usize = 4;

impl Layout {
    /// Buckets, the four saturation buckets included.
    pub(crate) fn buckets(&self) -> usize {
        self.sides.iter().map(SideLayout::stored).sum::<usize>() + SATURATION_BUCKETS
    }

    /// Control words.
    pub(crate) fn control_words(&self) -> usize {
        let octaves = || self.sides.iter().filter(|side| !side.octaves.is_empty());
        if !self.is_stock {
            return octaves().map(|side| side.octaves.len()).sum();
        }
        let ends = |side: &SideLayout| {
            Some((
                side.octaves.first()?.exponent,
                side.octaves.last()?.exponent,
            ))
        };
        let lowest = octaves().filter_map(ends).map(|(first, _)| first).min();
        match lowest {
            Some(lowest) => octaves()
                .filter_map(ends)
                .map(|(_, last)| (last - lowest + 1) as usize)
                .sum(),
            None => self.sides.len(),
        }
    }
}
