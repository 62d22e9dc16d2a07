//! Which octaves an input can reach: the consequence of fold and regions
//! (numerics.md, steps 2 and 3), needed to show that no lookup leaves the table.

use crate::profile::{Profile, RegionKind};

/// The inputs that use one octave of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachableOctave {
    /// The side: whether the folded input is negative.
    pub negative: bool,
    /// The biased exponent, 0 to 254.
    pub exponent: u8,
    /// The first and last 23-bit mantissa that no region takes.
    pub mantissas: (u32, u32),
    /// `pwl_control_base + exponent - exponent_offset`: the CONTROL index. Negative or
    /// past the table only in a profile that does not belong to its table.
    pub control_index: i32,
}

const MANTISSA_MAX: u32 = (1 << 23) - 1;

impl Profile {
    /// Every octave that some finite non-zero input reaches, negative side first, in
    /// order of the exponent. Large wins where the two regions of a side overlap.
    pub fn reachable_octaves(&self) -> impl Iterator<Item = ReachableOctave> + use<> {
        let profile = *self;
        [true, false]
            .into_iter()
            .filter(move |&negative| profile.uses_side(negative))
            .flat_map(move |negative| {
                (0..=254).filter_map(move |exponent| profile.octave(negative, exponent))
            })
    }

    /// Whether an input, once folded, can lie on this side and read the table.
    const fn uses_side(&self, negative: bool) -> bool {
        !self.pwl_bypass && (!self.is_folded() || self.folds_to_negative() == negative)
    }

    fn octave(&self, negative: bool, exponent: u8) -> Option<ReachableOctave> {
        let (large, small) = (RegionKind::large(negative), RegionKind::small(negative));
        // Exponent 0 with mantissa 0 is zero, which has its own result.
        let mut first = u32::from(exponent == 0);
        let mut last = MANTISSA_MAX;
        if exponent > self.threshold(large) || exponent < self.threshold(small) {
            return None;
        }
        if exponent == self.threshold(large) && self.region(large).compare {
            last = self.region(large).mantissa_threshold.checked_sub(1)?;
        }
        if exponent == self.threshold(small) && self.region(small).compare {
            first = first.max(self.region(small).mantissa_threshold.saturating_add(1));
        }
        let base = if negative {
            self.pwl_control_base_neg
        } else {
            self.pwl_control_base_pos
        };
        (first <= last).then(|| ReachableOctave {
            negative,
            exponent,
            mantissas: (first, last),
            control_index: i32::from(base) + i32::from(exponent) - i32::from(self.exponent_offset),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::RegionWord;

    fn region(mantissa_threshold: u32) -> RegionWord {
        RegionWord {
            control: 0,
            mantissa_threshold,
            compare: true,
        }
    }

    /// The thresholds of the stock exp: small 108 with mantissa 0, large 133.
    fn exp() -> Profile {
        Profile {
            exponent_offset: 108,
            small_pos_signal_threshold: 108,
            small_neg_signal_threshold: 108,
            large_pos_signal_threshold: 133,
            large_neg_signal_threshold: 133,
            pwl_control_base_neg: 0,
            pwl_control_base_pos: 26,
            large_pos: region(3_240_472),
            large_neg: region(4_362_891),
            small_pos: region(0),
            small_neg: region(0),
            ..Profile::default()
        }
    }

    #[test]
    fn stock_exp() {
        let octaves: Vec<_> = exp().reachable_octaves().collect();
        assert_eq!(octaves.len(), 52);
        let edge = |negative, exponent, mantissas, control_index| ReachableOctave {
            negative,
            exponent,
            mantissas,
            control_index,
        };
        assert_eq!(octaves[0], edge(true, 108, (1, MANTISSA_MAX), 0));
        assert_eq!(octaves[1], edge(true, 109, (0, MANTISSA_MAX), 1));
        assert_eq!(octaves[25], edge(true, 133, (0, 4_362_890), 25));
        assert_eq!(octaves[26], edge(false, 108, (1, MANTISSA_MAX), 26));
        assert_eq!(octaves[51], edge(false, 133, (0, 3_240_471), 51));
    }

    #[test]
    fn a_fold_leaves_one_side_and_a_bypass_none() {
        let folded = Profile {
            symmetry_opt_en: 1,
            ..exp()
        };
        assert!(folded.reachable_octaves().all(|octave| !octave.negative));
        assert_eq!(folded.reachable_octaves().count(), 26);
        let negative = Profile {
            symmetry_opt_use_neg_region: 1,
            ..folded
        };
        assert!(negative.reachable_octaves().all(|octave| octave.negative));
        let bypass = Profile {
            pwl_bypass: true,
            ..exp()
        };
        assert_eq!(bypass.reachable_octaves().count(), 0);
    }

    #[test]
    fn everything_large_reaches_no_octave() {
        let relu = Profile {
            large_pos: region(0),
            large_neg: region(0),
            ..Profile::default()
        };
        assert_eq!(relu.reachable_octaves().count(), 0);
    }

    #[test]
    fn without_compare_the_threshold_octave_belongs_to_the_table() {
        let mut profile = exp();
        profile.large_pos.compare = false;
        profile.small_pos.compare = false;
        let octaves: Vec<_> = profile
            .reachable_octaves()
            .filter(|o| !o.negative)
            .collect();
        assert_eq!(
            octaves.first().map(|o| o.mantissas),
            Some((0, MANTISSA_MAX))
        );
        assert_eq!(
            octaves.last().map(|o| (o.exponent, o.mantissas)),
            Some((133, (0, MANTISSA_MAX)))
        );
    }

    #[test]
    fn subnormals_without_zero() {
        let all = Profile {
            large_pos_signal_threshold: 255,
            symmetry_opt_en: 1,
            ..Profile::default()
        };
        let octaves: Vec<_> = all.reachable_octaves().collect();
        assert_eq!(octaves.len(), 255);
        assert_eq!(octaves[0].mantissas, (1, MANTISSA_MAX));
    }
}
