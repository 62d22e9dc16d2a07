//! The fields of a binary32 pattern, named once.

/// The sign bit.
pub(crate) const SIGN: u32 = 0x8000_0000;
/// Everything but the sign: magnitudes order like the numbers they stand for.
pub(crate) const MAGNITUDE: u32 = 0x7fff_ffff;
/// Magnitude of an infinity; magnitudes above it are NaNs.
pub(crate) const INFINITY: u32 = 0x7f80_0000;
/// Least magnitude of a normal number; below it lie the subnormals and zero.
pub(crate) const LEAST_NORMAL: u32 = 0x0080_0000;
/// Width of the mantissa field, and so the position of the exponent field.
pub(crate) const MANTISSA_BITS: u32 = 23;
/// Exponent bias.
pub(crate) const BIAS: i32 = 127;

/// The one NaN that arithmetic gives. IEEE 754 leaves sign and payload open and processors
/// differ (x86 gives a negative one, ARM a positive one), so the engine settles it.
pub(crate) const QUIET_NAN: u32 = 0x7fc0_0000;

/// Biased exponent, 0..=255.
pub(crate) const fn biased_exponent(bits: u32) -> u32 {
    (bits & MAGNITUDE) >> MANTISSA_BITS
}

/// `r`, or the one NaN in place of any NaN.
#[inline(always)]
pub(crate) fn settle_nan(r: f32) -> f32 {
    if r.is_nan() {
        f32::from_bits(QUIET_NAN)
    } else {
        r
    }
}

/// `r`, or the zero of its sign in place of a subnormal.
#[inline(always)]
pub(crate) fn flush_subnormal(r: f32) -> f32 {
    let bits = r.to_bits();
    if bits & MAGNITUDE < LEAST_NORMAL {
        f32::from_bits(bits & SIGN)
    } else {
        r
    }
}
