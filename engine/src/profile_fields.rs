//! The profile fields that evaluation depends on, and what they mean to it.

use crate::bits::MANTISSA_BITS;
use crate::error::EngineError;
use crate::folding::{Folding, Unfold};
use crate::function::{Side, Specials};
use crate::word::Word;
use actforge_tables::{Profile, RegionKind};

/// A profile in the terms of the evaluation.
pub(crate) struct Setup {
    pub(crate) bypass: bool,
    pub(crate) folding: Folding,
    pub(crate) unfold: Unfold,
    pub(crate) specials: Specials,
    /// Positive, negative.
    pub(crate) sides: [Side; 2],
    /// Control index of the octave at `exponent_offset`, per side.
    pub(crate) control_base: [u8; 2],
    /// Biased exponent.
    pub(crate) exponent_offset: u8,
}

impl Setup {
    /// Reads the fields. The two-bit symmetry selectors are known for 0 and 1 only.
    pub(crate) fn read(profile: &Profile) -> Result<Self, EngineError> {
        let folded = switch("symmetry_opt_en", profile.symmetry_opt_en)?;
        let to_negative = switch(
            "symmetry_opt_use_neg_region",
            profile.symmetry_opt_use_neg_region,
        )?;
        Ok(Self {
            bypass: profile.pwl_bypass,
            folding: match (folded, to_negative) {
                (false, _) => Folding::NONE,
                (true, false) => Folding::POSITIVE,
                (true, true) => Folding::NEGATIVE,
            },
            unfold: Unfold {
                invert_sign: switch("func_sym_inv_sign", profile.func_sym_inv_sign)?,
                point: profile.symmetry_point,
            },
            specials: Specials {
                zero: profile.func_rslt_for_zero,
                nan: profile.func_rslt_for_nan,
                pos_inf: profile.func_rslt_for_pos_inf,
                neg_inf: profile.func_rslt_for_neg_inf,
            },
            sides: [read_side(profile, false)?, read_side(profile, true)?],
            control_base: [profile.pwl_control_base_pos, profile.pwl_control_base_neg],
            exponent_offset: profile.exponent_offset,
        })
    }
}

/// The regions of one side, each as one bound on the magnitude: step 3 of the numerics.
fn read_side(profile: &Profile, negative: bool) -> Result<Side, EngineError> {
    let large = read_threshold(profile, RegionKind::large(negative))?;
    let small = read_threshold(profile, RegionKind::small(negative))?;
    Ok(Side {
        // Large: e > threshold, or e == threshold and m >= mantissa.
        large_from: match large.mantissa {
            Some(mantissa) => large.octave | mantissa,
            None => large.octave + OCTAVE,
        },
        // Small: e < threshold, or e == threshold and m <= mantissa.
        small_below: match small.mantissa {
            Some(mantissa) => (small.octave | mantissa) + 1,
            None => small.octave,
        },
        large: large.word,
        small: small.word,
    })
}

/// Magnitudes in one octave.
const OCTAVE: u32 = 1 << MANTISSA_BITS;

struct Threshold {
    /// First magnitude of the threshold's octave.
    octave: u32,
    /// The mantissa within it, where it is compared.
    mantissa: Option<u32>,
    word: Word,
}

fn read_threshold(profile: &Profile, kind: RegionKind) -> Result<Threshold, EngineError> {
    let region = profile.region(kind);
    let fits = |field, expected, found, limit| match found < limit {
        true => Ok(found),
        false => Err(EngineError::Field {
            field,
            expected,
            found,
        }),
    };
    let control = fits("pwl_control", "20 bits", region.control, Word::MASK + 1)?;
    let mantissa = fits(
        "mantissa_threshold",
        "23 bits",
        region.mantissa_threshold,
        OCTAVE,
    )?;
    Ok(Threshold {
        octave: u32::from(profile.threshold(kind)) << MANTISSA_BITS,
        mantissa: region.compare.then_some(mantissa),
        word: Word::from_bits(control),
    })
}

fn switch(field: &'static str, value: u8) -> Result<bool, EngineError> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(EngineError::Field {
            field,
            expected: "0 or 1",
            found: value.into(),
        }),
    }
}
