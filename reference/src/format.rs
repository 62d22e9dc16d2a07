//! Binary floating-point formats: what a result is rounded to, and in whose ulp its error counts.

use std::fmt;
use std::str::FromStr;

use rug::Float;

/// An output (or input) format of at most 32 bits, every value of which is also a binary32 value.
///
/// All of them are IEEE-like: subnormals, one infinity a sign, NaNs with the exponent field full. (The fp8 e4m3 of
/// this hardware is the IEEE-like one with a largest value of 240.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// binary32: 24-bit significand, exponents -126 to 127.
    Fp32,
    /// bfloat16: 8-bit significand, exponents -126 to 127.
    Bf16,
    /// binary16: 11-bit significand, exponents -14 to 15.
    Fp16,
    /// 8 bits, 4 of exponent: 4-bit significand, exponents -6 to 7.
    Fp8E4M3,
    /// 8 bits, 5 of exponent: 3-bit significand, exponents -14 to 15.
    Fp8E5M2,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [
        Self::Fp32,
        Self::Bf16,
        Self::Fp16,
        Self::Fp8E4M3,
        Self::Fp8E5M2,
    ];

    /// The name used in specifications and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
            Self::Fp8E4M3 => "fp8e4m3",
            Self::Fp8E5M2 => "fp8e5m2",
        }
    }

    /// Significand bits, the hidden one included.
    pub const fn precision(self) -> i32 {
        match self {
            Self::Fp32 => 24,
            Self::Bf16 => 8,
            Self::Fp16 => 11,
            Self::Fp8E4M3 => 4,
            Self::Fp8E5M2 => 3,
        }
    }

    /// The least exponent of a normal number.
    pub const fn min_exponent(self) -> i32 {
        match self {
            Self::Fp32 | Self::Bf16 => -126,
            Self::Fp16 | Self::Fp8E5M2 => -14,
            Self::Fp8E4M3 => -6,
        }
    }

    /// The exponent of the largest finite number.
    pub const fn max_exponent(self) -> i32 {
        match self {
            Self::Fp32 | Self::Bf16 => 127,
            Self::Fp16 | Self::Fp8E5M2 => 15,
            Self::Fp8E4M3 => 7,
        }
    }

    /// Bits of the encoding.
    pub const fn width(self) -> u32 {
        match self {
            Self::Fp32 => 32,
            Self::Bf16 | Self::Fp16 => 16,
            Self::Fp8E4M3 | Self::Fp8E5M2 => 8,
        }
    }

    /// `log2` of the ulp of a value whose binary exponent (floor of log2 of its magnitude) is `exponent`:
    /// `max(exponent, emin) - (p - 1)`.
    pub const fn ulp_exponent(self, exponent: i32) -> i32 {
        let floor = self.min_exponent();
        let exponent = if exponent < floor { floor } else { exponent };
        exponent - (self.precision() - 1)
    }

    /// The largest finite value.
    pub fn max_finite(self) -> f64 {
        let all_ones = 2.0 - exp2(1 - self.precision());
        all_ones * exp2(self.max_exponent())
    }

    /// The magnitude from which correct rounding gives an infinity: half an ulp above the largest finite value.
    pub fn overflow_threshold(self) -> f64 {
        (2.0 - exp2(-self.precision())) * exp2(self.max_exponent())
    }

    /// Rounds a binary32 value to the format, to nearest even; the result is still held as a binary32 number.
    pub fn round_f32(self, value: f32) -> f32 {
        if self == Self::Fp32 || value.is_nan() || value.is_infinite() {
            return value;
        }
        self.round_f64(f64::from(value)) as f32
    }

    /// Rounds a double to the format, to nearest even, once.
    pub fn round_f64(self, value: f64) -> f64 {
        if value.is_nan() {
            return value;
        }
        let magnitude = value.abs();
        if magnitude == 0.0 {
            return value;
        }
        if magnitude >= self.overflow_threshold() {
            return f64::INFINITY.copysign(value);
        }
        // Below 2^-1022 (unreachable from binary32) the exponent field is zero; the clamp at emin covers it.
        let exponent = ((magnitude.to_bits() >> 52) as i32) - 1023;
        let quantum = exp2(self.ulp_exponent(exponent));
        ((magnitude / quantum).round_ties_even() * quantum).copysign(value)
    }

    /// Rounds an MPFR number to the format, to nearest even, once.
    pub fn round_float(self, value: &Float) -> f64 {
        let Some(exponent) = value.get_exp() else {
            // Zero, infinity and NaN have no exponent and no rounding.
            return value.to_f64();
        };
        let threshold = self.overflow_threshold();
        if *value >= threshold {
            return f64::INFINITY;
        }
        if *value <= -threshold {
            return f64::NEG_INFINITY;
        }
        let ulp = self.ulp_exponent(exponent.saturating_sub(1));
        if exponent < ulp - 1 {
            return 0.0_f64.copysign(if value.is_sign_negative() { -1.0 } else { 1.0 });
        }
        let scaled = (value.clone() >> ulp).round_even();
        scaled.to_f64() * exp2(ulp)
    }

    /// The encoding of a value that the format holds exactly.
    pub fn to_bits(self, value: f32) -> u32 {
        let bits = value.to_bits();
        if self == Self::Fp32 {
            return bits;
        }
        if self == Self::Bf16 {
            return bits >> 16;
        }
        let fraction_bits = (self.precision() - 1) as u32;
        let sign = (bits >> 31) << (self.width() - 1);
        let infinity = (1 << (self.width() - 1)) - (1 << fraction_bits);
        if value.is_nan() {
            return sign | infinity | (1 << (fraction_bits - 1));
        }
        if value.is_infinite() {
            return sign | infinity;
        }
        let magnitude = f64::from(value.abs());
        let smallest_normal = exp2(self.min_exponent());
        if magnitude < smallest_normal {
            let unit = exp2(self.ulp_exponent(self.min_exponent()));
            return sign | (magnitude / unit) as u32;
        }
        let exponent = ((bits >> 23) & 0xff) as i32 - 127;
        let fraction = (bits & 0x7f_ffff) >> (23 - fraction_bits);
        sign | (((exponent - self.min_exponent() + 1) as u32) << fraction_bits) | fraction
    }

    /// The value of an encoding.
    pub fn from_bits(self, bits: u32) -> f32 {
        if self == Self::Fp32 {
            return f32::from_bits(bits);
        }
        if self == Self::Bf16 {
            return f32::from_bits(bits << 16);
        }
        let fraction_bits = (self.precision() - 1) as u32;
        let sign = if bits >> (self.width() - 1) & 1 == 1 {
            -1.0
        } else {
            1.0
        };
        let magnitude = bits & ((1 << (self.width() - 1)) - 1);
        let (exponent, fraction) = (
            magnitude >> fraction_bits,
            magnitude & ((1 << fraction_bits) - 1),
        );
        let full = (1 << (self.width() - 1 - fraction_bits)) - 1;
        if exponent == full {
            return if fraction == 0 {
                f32::INFINITY * sign
            } else {
                f32::NAN
            };
        }
        let unit = exp2(self.ulp_exponent(self.min_exponent() + exponent.max(1) as i32 - 1));
        let significand = if exponent == 0 {
            fraction
        } else {
            fraction | 1 << fraction_bits
        };
        (f64::from(significand) * unit) as f32 * sign
    }

    /// A rank in the order of values: neighbours differ by one, both zeros are 0, negatives count down. NaN has none.
    pub fn ordinal(self, value: f32) -> Option<i64> {
        if value.is_nan() {
            return None;
        }
        let bits = i64::from(self.to_bits(value));
        let sign_bit = 1_i64 << (self.width() - 1);
        Some(if bits & sign_bit == 0 {
            bits
        } else {
            -(bits - sign_bit)
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| {
                let names: Vec<_> = Self::ALL.iter().map(|format| format.name()).collect();
                format!(
                    "unknown number format `{text}`; known: {}",
                    names.join(", ")
                )
            })
    }
}

/// `2^exponent`, exact for normal doubles.
pub(crate) fn exp2(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_survives_a_round_trip_and_is_a_fixed_point_of_rounding() {
        for format in [Format::Bf16, Format::Fp16, Format::Fp8E4M3, Format::Fp8E5M2] {
            for bits in 0..1_u32 << format.width() {
                let value = format.from_bits(bits);
                if value.is_nan() {
                    continue;
                }
                assert_eq!(format.to_bits(value), bits, "{format} {bits:#x}");
                assert_eq!(format.round_f32(value).to_bits(), value.to_bits());
                assert_eq!(
                    format.round_float(&Float::with_val(60, value)),
                    f64::from(value)
                );
            }
        }
    }

    #[test]
    fn rounding_takes_the_nearest_encoding_and_never_turns_an_order_around() {
        for format in [Format::Bf16, Format::Fp16, Format::Fp8E4M3, Format::Fp8E5M2] {
            let mut before = f32::NEG_INFINITY;
            // All of binary32 from the least to the greatest, in steps of a prime.
            let negative = (0x8000_0000_u32..0xff80_0000).rev();
            for bits in negative.chain(0..0x7f80_0000).step_by(10_007) {
                let value = f32::from_bits(bits);
                let rounded = format.round_f32(value);
                assert!(before <= rounded, "{format} {value:e}");
                before = rounded;
                let encoding = format.to_bits(rounded);
                assert_eq!(format.from_bits(encoding).to_bits(), rounded.to_bits());
                if rounded.is_infinite() {
                    assert!(f64::from(value.abs()) >= format.overflow_threshold());
                    continue;
                }
                let distance = |other: f32| (f64::from(value) - f64::from(other)).abs();
                for neighbour in [encoding.wrapping_sub(1), encoding + 1] {
                    let other = format.from_bits(neighbour & (u32::MAX >> (32 - format.width())));
                    assert!(
                        !other.is_finite() || distance(rounded) <= distance(other),
                        "{format} {value:e}: {rounded:e}, not {other:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn known_limits() {
        assert_eq!(Format::Fp32.max_finite(), f64::from(f32::MAX));
        assert_eq!(Format::Fp16.max_finite(), 65504.0);
        assert_eq!(Format::Fp16.overflow_threshold(), 65520.0);
        assert_eq!(Format::Fp8E4M3.max_finite(), 240.0);
        assert_eq!(Format::Fp8E5M2.max_finite(), 57344.0);
    }

    #[test]
    fn rounding_is_to_nearest_even_and_only_once() {
        // 1 + 2^-8 is halfway between bf16 neighbours 1 and 1 + 2^-7: even wins; a hair above does not.
        let tie = 1.0 + 1.0 / 256.0;
        assert_eq!(Format::Bf16.round_f32(tie), 1.0);
        assert_eq!(
            Format::Bf16.round_f32(f32::from_bits(tie.to_bits() + 1)),
            1.0 + 1.0 / 128.0
        );
        let mut hair = Float::with_val(200, tie);
        hair += Float::with_val(200, 1) >> 150;
        assert_eq!(Format::Bf16.round_float(&hair), 1.0 + 1.0 / 128.0);
        // Subnormal results of binary32, and what falls below them.
        let half_least = Float::with_val(60, 1) >> 150;
        assert_eq!(Format::Fp32.round_float(&half_least), 0.0);
        let above = half_least * 1.5_f32;
        assert_eq!(
            Format::Fp32.round_float(&above),
            f64::from(f32::from_bits(1))
        );
    }

    #[test]
    fn ordinals_count_neighbours() {
        assert_eq!(Format::Fp32.ordinal(0.0), Some(0));
        assert_eq!(Format::Fp32.ordinal(-0.0), Some(0));
        assert_eq!(Format::Fp32.ordinal(f32::from_bits(1)), Some(1));
        assert_eq!(Format::Fp32.ordinal(-f32::from_bits(1)), Some(-1));
        assert_eq!(Format::Fp16.ordinal(1.0), Some(0x3c00));
        assert_eq!(Format::Fp16.ordinal(f32::NAN), None);
    }
}
