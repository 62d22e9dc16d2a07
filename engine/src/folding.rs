//! Fold and unfold: steps 2 and 6 of the numerics.

use crate::bits::{MAGNITUDE, SIGN};

/// How the sign of an input is folded away, as two masks, so that folding has no branches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folding {
    keep: u32,
    set: u32,
}

impl Folding {
    /// s = v.
    pub(crate) const NONE: Self = Self { keep: !0, set: 0 };
    /// s = |v|.
    pub(crate) const POSITIVE: Self = Self {
        keep: MAGNITUDE,
        set: 0,
    };
    /// s = -|v|.
    pub(crate) const NEGATIVE: Self = Self {
        keep: !0,
        set: SIGN,
    };

    /// The folded input's bits.
    #[inline(always)]
    pub(crate) fn fold(self, bits: u32) -> u32 {
        (bits & self.keep) | self.set
    }

    /// Whether any input of this sign (0 positive, 1 negative) remains after folding.
    pub(crate) fn reaches(self, side: usize) -> bool {
        let bits = (side as u32) << 31;
        self.fold(bits) == bits
    }
}

/// What happens to the cubic's result when the fold changed the sign of the input.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Unfold {
    /// Negate the result first (func_sym_inv_sign).
    pub invert_sign: bool,
    /// Then add this (symmetry_point), rounded to f32. Adding 0 is an addition, too: it
    /// makes +0 out of -0.
    pub point: f32,
}

impl Unfold {
    /// The unfolded result. A NaN has an unspecified sign and payload.
    #[inline(always)]
    pub(crate) fn apply(self, r: f32) -> f32 {
        let sign = if self.invert_sign { SIGN } else { 0 };
        f32::from_bits(r.to_bits() ^ sign) + self.point
    }
}
