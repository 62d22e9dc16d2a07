//! A function ready to run, and the definition of what it computes.

use crate::bits::{BIAS, settle_nan};
use crate::bits::{INFINITY, LEAST_NORMAL, MAGNITUDE, biased_exponent, flush_subnormal};
use crate::config::EngineConfig;
use crate::cubic::{CubicPath, cubic_in, with_path};
use crate::folding::{Folding, Unfold};
use crate::route::Route;
use crate::word::Word;
use actforge_tables::{Bucket, RegionKind};

/// A function of a set, ready to run: every index that an input can lead to was checked
/// when it was built, so evaluation cannot fail.
///
/// The buckets stay borrowed; the octaves' control words are copied in (2 KiB), because
/// looking them up by sign and exponent is the first thing each evaluation does.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    pub(crate) config: EngineConfig,
    pub(crate) bypass: bool,
    pub(crate) specials: Specials,
    pub(crate) folding: Folding,
    pub(crate) unfold: Unfold,
    /// Magnitudes below this take `zero_result`: 1, or the least normal when subnormals
    /// are flushed.
    pub(crate) zero_below: u32,
    /// Positive, negative.
    pub(crate) sides: [Side; 2],
    /// The octaves' control words by sign and biased exponent (the top nine bits of the
    /// folded input). Meaningful where an octave is reachable.
    pub(crate) words: [Word; OCTAVE_WORDS],
    /// The whole pool.
    pub(crate) buckets: &'a [Bucket],
}

/// One word for every sign and exponent.
pub(crate) const OCTAVE_WORDS: usize = 512;

/// The four special results (func_rslt_for_*), given back bit for bit.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Specials {
    pub(crate) zero: f32,
    pub(crate) nan: f32,
    pub(crate) pos_inf: f32,
    pub(crate) neg_inf: f32,
}

/// The regions of one side. Exponent and mantissa of a threshold together order like the
/// magnitude, so each region is one comparison.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Side {
    /// Magnitudes from here on are large (it wins where the two overlap).
    pub(crate) large_from: u32,
    /// Magnitudes below this are small.
    pub(crate) small_below: u32,
    pub(crate) large: Word,
    pub(crate) small: Word,
}

/// Where an input goes.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Place {
    /// A result without arithmetic: specials and bypass.
    Fixed(Route),
    Cubic(Spot),
}

/// Where an input goes that reaches a cubic.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Spot {
    /// Bits of the folded input.
    pub(crate) s: u32,
    pub(crate) region: Option<RegionKind>,
    pub(crate) word: Word,
    /// Whether the fold changed the sign.
    pub(crate) reflected: bool,
}

impl Spot {
    /// Unbiased exponent of the folded input.
    pub(crate) fn octave(&self) -> i16 {
        (biased_exponent(self.s) as i32 - BIAS) as i16
    }
}

/// Stands in for a bucket that a checked index cannot miss (and for the bucket of a special
/// input in a batch, whose result does not depend on it).
pub(crate) static NO_BUCKET: Bucket = Bucket::constant(f32::NAN);

impl<'a> Function<'a> {
    /// The engine's result for one input: the definition that every other path follows.
    ///
    /// A NaN that comes out of arithmetic is 0x7fc00000 on every machine; special results
    /// and bypassed inputs keep their bits.
    pub fn eval(&self, v: f32) -> f32 {
        match self.place(v.to_bits()) {
            Place::Fixed(route) => self.fixed_result(&route, v),
            Place::Cubic(spot) => {
                let bucket = self.bucket(spot.word.bucket_index(spot.s));
                let r = with_path!(self.config.datapath, P => {
                    P::polynomial(bucket.d, f32::from_bits(spot.s) - bucket.x0)
                });
                self.finish(r, spot.reflected)
            }
        }
    }

    /// How the function is evaluated.
    pub fn config(&self) -> EngineConfig {
        self.config
    }

    /// The unfold step of inputs that the fold reflects.
    pub fn unfold(&self) -> Unfold {
        self.unfold
    }

    /// The way an input takes.
    pub fn route(&self, v: f32) -> Route {
        self.route_of(&self.place(v.to_bits()))
    }

    pub(crate) fn route_of(&self, place: &Place) -> Route {
        match place {
            Place::Fixed(route) => *route,
            Place::Cubic(spot) => {
                let index = spot.word.bucket_index(spot.s);
                Route::Cubic {
                    bucket: *self.bucket(index),
                    index,
                    octave: spot.region.is_none().then(|| spot.octave()),
                    region: spot.region,
                    unfold: spot.reflected,
                }
            }
        }
    }

    /// Steps 1 to 4 of the numerics. Bypass goes first: it is read as going round the whole
    /// unit, special results included (assumed).
    #[inline(always)]
    pub(crate) fn place(&self, bits: u32) -> Place {
        if self.bypass {
            return Place::Fixed(Route::Bypass);
        }
        let magnitude = bits & MAGNITUDE;
        if magnitude < self.zero_below {
            return Place::Fixed(Route::Zero);
        }
        if magnitude >= INFINITY {
            if magnitude == INFINITY {
                return Place::Fixed(if bits == INFINITY {
                    Route::PosInf
                } else {
                    Route::NegInf
                });
            }
            if self.config.nan_branch {
                return Place::Fixed(Route::Nan);
            }
        }
        let s = self.folding.fold(bits);
        let (region, word) = self.region_or_octave(s, magnitude);
        Place::Cubic(Spot {
            s,
            region,
            word,
            reflected: s != bits,
        })
    }

    /// Steps 3 and 4, up to the control word.
    #[inline(always)]
    fn region_or_octave(&self, s: u32, magnitude: u32) -> (Option<RegionKind>, Word) {
        let [positive, negative] = &self.sides;
        let (side, large, small) = if s >> 31 == 0 {
            (
                positive,
                RegionKind::LargePositive,
                RegionKind::SmallPositive,
            )
        } else {
            (
                negative,
                RegionKind::LargeNegative,
                RegionKind::SmallNegative,
            )
        };
        if magnitude >= side.large_from {
            (Some(large), side.large)
        } else if magnitude < side.small_below {
            (Some(small), side.small)
        } else {
            (None, self.octave_word(s))
        }
    }

    /// The control word of the folded input's octave.
    #[inline(always)]
    pub(crate) fn octave_word(&self, s: u32) -> Word {
        // Nine bits are left of s, so the index is below the length and nothing is checked.
        self.words[(s >> 23) as usize]
    }

    /// A bucket of the pool, by an index that was checked when the function was built.
    #[inline(always)]
    pub(crate) fn bucket(&self, index: u32) -> &Bucket {
        self.buckets.get(index as usize).unwrap_or(&NO_BUCKET)
    }

    /// The result of a route that involves no arithmetic.
    #[inline(always)]
    pub(crate) fn fixed_result(&self, route: &Route, v: f32) -> f32 {
        match route {
            Route::Zero => self.specials.zero,
            Route::Nan => self.specials.nan,
            Route::PosInf => self.specials.pos_inf,
            Route::NegInf => self.specials.neg_inf,
            Route::Bypass | Route::Cubic { .. } => v,
        }
    }

    /// From the cubic to the result: step 6, the settled NaN and the flush.
    #[inline(always)]
    pub(crate) fn finish(&self, r: f32, reflected: bool) -> f32 {
        let r = if reflected { self.unfold.apply(r) } else { r };
        let r = settle_nan(r);
        if self.config.flush_subnormals {
            flush_subnormal(r)
        } else {
            r
        }
    }

    /// The cubic alone at a folded input, without unfolding; for the trace.
    pub(crate) fn cubic_at(&self, bucket: &Bucket, s: f32) -> f32 {
        with_path!(self.config.datapath, P => cubic_in::<P>(bucket, s))
    }
}

/// `parametric_relu`, the one function whose slope is an operand at run time, so that its
/// profile has no table: `v` if it is greater than 0, else `alpha * v`. Any NaN is 0x7fc00000.
pub fn parametric_relu(v: f32, alpha: f32) -> f32 {
    if v > 0.0 { v } else { settle_nan(alpha * v) }
}

/// Least magnitude that is not treated as zero.
pub(crate) const fn zero_below(flush_subnormals: bool) -> u32 {
    if flush_subnormals { LEAST_NORMAL } else { 1 }
}
