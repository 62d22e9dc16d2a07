//! binary32 numbers as people read them: bits, decimal, and hexadecimal with a binary exponent.

/// `0x` and the eight hexadecimal digits of a binary32 number.
pub fn bits(value: f32) -> String {
    format!("{:#010x}", value.to_bits())
}

/// The shortest decimal that reads back as the same number; `nan`, `inf`, `-inf`.
pub fn decimal(value: f32) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    format!("{value:?}")
}

/// The exact value in hexadecimal, with the leading digit 1: `0x1.8p3`, `-0x1p-149`, `0x0p0`, `inf`.
pub fn hex_float(value: f32) -> String {
    if !value.is_finite() {
        return decimal(value);
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let bits = value.to_bits();
    let stored = bits & 0x007f_ffff;
    let (exponent, mantissa) = match (bits >> 23) & 0xff {
        0 if stored == 0 => return format!("{sign}0x0p0"),
        // Subnormal: the leading one moves to the place of the hidden bit.
        0 => {
            let shift = stored.leading_zeros() - 8;
            (-126 - shift as i32, (stored << shift) & 0x007f_ffff)
        }
        biased => (biased as i32 - 127, stored),
    };
    // 23 bits and a zero make six hexadecimal digits.
    let digits = format!("{:06x}", mantissa << 1);
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x1{point}{digits}p{exponent}")
}

/// A double as the shortest decimal that reads back as it; `nan`, `inf`, `-inf`.
pub fn decimal64(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    format!("{value:?}")
}

/// An error in ulp, or a share, with the six decimals that reports are exact to. All digits where six would say something
/// else: that it is nothing or one, when it is not; and beyond 2^53, where no double has decimals.
pub fn six_decimals(value: f64) -> String {
    let text = format!("{value:.6}");
    let hides = |whole: f64| text.parse() == Ok(whole) && value != whole;
    if value.abs() < 9_007_199_254_740_992.0 && !hides(0.0) && !hides(1.0) {
        text
    } else {
        decimal64(value)
    }
}

/// A number as it was written, but never as a row of zeros.
pub fn as_written(value: f64) -> String {
    if value == 0.0 || (1e-6..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        decimal64(value)
    }
}

/// `1 function`, `2 functions`.
pub fn counted<N: Copy + std::fmt::Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse_fp32;
    use proptest::prelude::*;

    #[test]
    fn six_decimals_hide_nothing() {
        assert_eq!(six_decimals(0.5), "0.500000");
        assert_eq!(six_decimals(0.0), "0.000000");
        assert_eq!(six_decimals(1e-300), "1e-300");
        // One of 2^32 results is wrong.
        assert_eq!(six_decimals(1.0 - 2.0_f64.powi(-32)), "0.9999999997671694");
        assert_eq!(six_decimals(1e15), "1000000000000000.000000");
        assert_eq!(six_decimals(7.136e44), "7.136e44");
        assert_eq!(six_decimals(f64::INFINITY), "inf");
        assert_eq!(six_decimals(f64::NAN), "nan");
        assert_eq!(as_written(26.0), "26");
        assert_eq!(as_written(0.51), "0.51");
        assert_eq!(as_written(1e-300), "1e-300");
    }

    #[test]
    fn hexadecimal_is_exact_and_normalised() {
        for (value, text) in [
            (12.0, "0x1.8p3"),
            (-1.0, "-0x1p0"),
            (0.0, "0x0p0"),
            (-0.0, "-0x0p0"),
            (f32::MAX, "0x1.fffffep127"),
            (f32::from_bits(1), "0x1p-149"),
            (f32::from_bits(0x007f_ffff), "0x1.fffffcp-127"),
            (f32::MIN_POSITIVE, "0x1p-126"),
            (f32::NEG_INFINITY, "-inf"),
            (f32::NAN, "nan"),
        ] {
            assert_eq!(hex_float(value), text);
        }
    }

    proptest! {
        #[test]
        fn every_form_reads_back(bits32 in any::<u32>()) {
            let value = f32::from_bits(bits32);
            prop_assert_eq!(parse_fp32(&bits(value)).unwrap().to_bits(), bits32);
            if !value.is_nan() {
                prop_assert_eq!(parse_fp32(&hex_float(value)).unwrap().to_bits(), bits32);
                prop_assert_eq!(parse_fp32(&decimal(value)).unwrap().to_bits(), bits32);
            }
        }
    }
}
