//! Building a [`Function`]: reads the profile and proves that no input leads outside the
//! function's own run. Evaluation relies on nothing else.

use crate::bits::{BIAS, INFINITY, MAGNITUDE, MANTISSA_BITS, SIGN};
use crate::config::EngineConfig;
use crate::error::EngineError;
use crate::function::{Function, OCTAVE_WORDS, Side, zero_below};
use crate::profile_fields::Setup;
use crate::word::Word;
use actforge_tables::{Bucket, ControlWord, Profile, RegionKind};
use core::ops::Range;

/// Which entries of the shared tables are the function's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRun<'r> {
    /// Its control words.
    pub control: Range<usize>,
    /// The buckets of its octaves. Saturation buckets are usually part of it, but may also
    /// be shared ones anywhere in the pool.
    pub buckets: Range<usize>,
    /// Runs of other functions' buckets that its octaves use as well.
    pub shared: &'r [Range<usize>],
}

impl OwnRun<'_> {
    fn holds(&self, bucket: usize) -> bool {
        self.buckets.contains(&bucket) || self.shared.iter().any(|run| run.contains(&bucket))
    }
}

impl<'a> Function<'a> {
    /// A function ready to run, from its profile and the tables of its set. `own` are the
    /// entries that belong to it: an octave that leads any input elsewhere is an error.
    ///
    /// # Errors
    /// [`EngineError`] when a run does not lie in its table, when a profile field has a value
    /// without a known meaning, or when some input would reach a control word or bucket
    /// outside the function's own run (outside the pool, for a region).
    pub fn new(
        profile: &Profile,
        control: &[ControlWord],
        buckets: &'a [Bucket],
        own: &OwnRun<'_>,
        config: EngineConfig,
    ) -> Result<Self, EngineError> {
        check_own("control", &own.control, control.len())?;
        check_own("bucket", &own.buckets, buckets.len())?;
        for run in own.shared {
            check_own("bucket", run, buckets.len())?;
        }
        let setup = Setup::read(profile)?;
        let mut function = Function {
            config,
            bypass: setup.bypass,
            specials: setup.specials,
            folding: setup.folding,
            unfold: setup.unfold,
            zero_below: zero_below(config.flush_subnormals),
            sides: setup.sides,
            words: [Word::default(); OCTAVE_WORDS],
            buckets,
        };
        if function.bypass {
            return Ok(function);
        }
        for (side, (regions, base)) in setup.sides.iter().zip(setup.control_base).enumerate() {
            if setup.folding.reaches(side) {
                let check = SideCheck {
                    side,
                    regions,
                    control_base: i64::from(base) - i64::from(setup.exponent_offset),
                    control,
                    own,
                    pool: buckets.len(),
                };
                function.add_side(&check)?;
            }
        }
        Ok(function)
    }

    /// A function of a set.
    ///
    /// # Errors
    /// As [`Function::new`]; a set that passed its own validation gives none, apart from
    /// symmetry selectors without a known meaning.
    #[cfg(feature = "std")]
    pub fn from_set(
        set: &'a actforge_tables::FunctionSet,
        entry: &actforge_tables::FunctionEntry,
        config: EngineConfig,
    ) -> Result<Self, EngineError> {
        let profile = set.profile(entry).ok_or(EngineError::OwnRun {
            table: "profile",
            first: entry.profile,
            end: entry.profile.saturating_add(1),
            available: set.profiles.len(),
        })?;
        let own = OwnRun {
            control: entry.control.clone(),
            buckets: entry.buckets.clone(),
            shared: &entry.shared,
        };
        Self::new(profile, &set.control, &set.buckets, &own, config)
    }

    /// Checks all that inputs of one (folded) side reach, and takes in its octaves' words.
    fn add_side(&mut self, check: &SideCheck<'_>) -> Result<(), EngineError> {
        let numbers = self.zero_below..INFINITY;
        // NaNs are ordinary inputs where the dialect has no branch for them.
        let nans = INFINITY + 1..if self.config.nan_branch {
            0
        } else {
            MAGNITUDE + 1
        };
        let octaves_from = check.regions.small_below.min(check.regions.large_from);
        for reached in [numbers, nans] {
            check.small(within(&reached, 0..octaves_from))?;
            check.large(within(&reached, check.regions.large_from..SIGN))?;
            let octaves = within(&reached, octaves_from..check.regions.large_from);
            if octaves.is_empty() {
                continue;
            }
            for exponent in octaves.start >> MANTISSA_BITS..=(octaves.end - 1) >> MANTISSA_BITS {
                let octave = exponent << MANTISSA_BITS..(exponent + 1) << MANTISSA_BITS;
                let word = check.octave(exponent, within(&octaves, octave))?;
                let slot = (check.side << 8) | exponent as usize;
                if let Some(slot) = self.words.get_mut(slot) {
                    *slot = word;
                }
            }
        }
        Ok(())
    }
}

/// What the checks of one side need to know.
struct SideCheck<'t> {
    /// 0 positive, 1 negative.
    side: usize,
    regions: &'t Side,
    /// Control index of biased exponent 0; negative as a rule.
    control_base: i64,
    control: &'t [ControlWord],
    own: &'t OwnRun<'t>,
    /// Buckets in the pool.
    pool: usize,
}

impl SideCheck<'_> {
    fn small(&self, magnitudes: Range<u32>) -> Result<(), EngineError> {
        let kinds = [RegionKind::SmallPositive, RegionKind::SmallNegative];
        self.region(kinds, self.regions.small, magnitudes)
    }

    fn large(&self, magnitudes: Range<u32>) -> Result<(), EngineError> {
        let kinds = [RegionKind::LargePositive, RegionKind::LargeNegative];
        self.region(kinds, self.regions.large, magnitudes)
    }

    /// A region's bucket, or buckets where its word extracts a field, must be in the pool.
    fn region(
        &self,
        [positive, negative]: [RegionKind; 2],
        word: Word,
        magnitudes: Range<u32>,
    ) -> Result<(), EngineError> {
        match self.index_bounds(word, magnitudes) {
            Some((_, greatest)) if greatest as usize >= self.pool => {
                Err(EngineError::RegionIndex {
                    region: if self.side == 0 { positive } else { negative },
                    found: greatest,
                    available: self.pool,
                })
            }
            _ => Ok(()),
        }
    }

    /// An octave's word and buckets must be the function's own.
    fn octave(&self, exponent: u32, magnitudes: Range<u32>) -> Result<Word, EngineError> {
        let side = ["positive", "negative"][self.side & 1];
        let octave = (exponent as i32 - BIAS) as i16;
        let found = self.control_base + i64::from(exponent);
        let own = &self.own.control;
        let (index, word) = usize::try_from(found)
            .ok()
            .filter(|index| own.contains(index))
            .and_then(|index| Some((index, Word::from(*self.control.get(index)?))))
            .ok_or(EngineError::ControlIndex {
                side,
                octave,
                found,
                first: own.start,
                end: own.end,
            })?;
        if let Some((least, greatest)) = self.index_bounds(word, magnitudes) {
            let own = &self.own.buckets;
            for found in [least, greatest] {
                if !self.own.holds(found as usize) {
                    return Err(EngineError::BucketIndex {
                        side,
                        octave,
                        word: index,
                        found,
                        first: own.start,
                        end: own.end,
                    });
                }
            }
        }
        Ok(word)
    }

    /// Least and greatest bucket index over a range of magnitudes; None if it is empty.
    fn index_bounds(&self, word: Word, magnitudes: Range<u32>) -> Option<(u32, u32)> {
        let last = magnitudes.end.checked_sub(1)?;
        let sign = (self.side as u32) << 31;
        (!magnitudes.is_empty()).then(|| word.index_bounds(sign | magnitudes.start, sign | last))
    }
}

/// The common part of two ranges; empty ranges may have any bounds.
fn within(a: &Range<u32>, b: Range<u32>) -> Range<u32> {
    a.start.max(b.start)..a.end.min(b.end)
}

fn check_own(table: &'static str, own: &Range<usize>, available: usize) -> Result<(), EngineError> {
    if own.start <= own.end && own.end <= available {
        return Ok(());
    }
    Err(EngineError::OwnRun {
        table,
        first: own.start,
        end: own.end,
        available,
    })
}
