//! binary32 numbers as people write them: decimal, hexadecimal with an exponent, or the bits.

use super::error::{ValueError, quoted};

const EXPECTED: &str =
    "an fp32 number: decimal (1.5), hexadecimal (0x1.8p0) or its eight hex digits (0x3fc00000)";

/// Reads a binary32 number.
///
/// Three forms: decimal, rounded to the nearest (`-1.5`, `1e-3`, `inf`, `nan`); hexadecimal with a binary exponent
/// (`0x1.8p3`), which must be a binary32 number exactly, since that is what the form is for; and the bits as exactly
/// eight hex digits (`0x41400000`).
///
/// # Errors
/// Anything else, and finite numbers too large for binary32.
pub fn parse_fp32(text: &str) -> Result<f32, ValueError> {
    let refuse = || ValueError::new(EXPECTED, quoted(text));
    let trimmed = text.trim();
    let (sign, magnitude) = match trimmed.as_bytes() {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] => (1.0, rest),
        rest => (1.0, rest),
    };
    match magnitude {
        [b'0', b'x' | b'X', digits @ ..] => {
            let is_signed = magnitude.len() != trimmed.len();
            if digits.len() == 8 && digits.iter().all(u8::is_ascii_hexdigit) && !is_signed {
                let digits = std::str::from_utf8(digits).map_err(|_| refuse())?;
                return u32::from_str_radix(digits, 16)
                    .map(f32::from_bits)
                    .map_err(|_| refuse());
            }
            hexadecimal(digits)
                .map(|value| sign * value)
                .ok_or_else(refuse)
        }
        _ => {
            let value: f32 = trimmed.parse().map_err(|_| refuse())?;
            let named = trimmed.bytes().any(|byte| byte.eq_ignore_ascii_case(&b'i'));
            if value.is_infinite() && !named {
                return Err(ValueError::new(
                    "a number within the range of fp32 (below 3.4028236e38)",
                    quoted(text),
                ));
            }
            Ok(value)
        }
    }
}

/// `1.8p3` after its `0x`; `None` if it is malformed or no binary32 number.
fn hexadecimal(text: &[u8]) -> Option<f32> {
    let split = text.iter().position(|byte| matches!(byte, b'p' | b'P'))?;
    let (digits, exponent) = text.split_at_checked(split)?;
    let exponent: i64 = std::str::from_utf8(exponent.get(1..)?).ok()?.parse().ok()?;
    let mut mantissa: u64 = 0;
    let mut scale: i64 = 0;
    let mut seen_point = false;
    let mut seen_digit = false;
    // Zeros are only counted until a digit follows, so that any number of them costs no bits.
    let mut zeros: i64 = 0;
    for byte in digits {
        if *byte == b'.' && !seen_point {
            seen_point = true;
            continue;
        }
        let digit = char::from(*byte).to_digit(16)?;
        seen_digit = true;
        scale -= if seen_point { 4 } else { 0 };
        zeros += 1;
        if digit != 0 {
            let shift = if mantissa == 0 {
                0
            } else {
                u32::try_from(zeros.checked_mul(4)?).ok()?
            };
            // More than 60 bits between the first and the last digit is more than binary32 holds.
            let shifted = mantissa
                .checked_shl(shift)
                .filter(|shifted| shifted >> shift == mantissa)?;
            mantissa = shifted | u64::from(digit);
            zeros = 0;
        }
    }
    if !seen_digit {
        return None;
    }
    scale = scale
        .checked_add(zeros.checked_mul(4)?)?
        .checked_add(exponent)?;
    if mantissa == 0 {
        return Some(0.0);
    }
    let spare = mantissa.trailing_zeros();
    mantissa >>= spare;
    scale = scale.checked_add(spare.into())?;
    let bits = i64::from(u64::BITS - mantissa.leading_zeros());
    let top = scale.checked_add(bits - 1)?;
    if bits > 24 || top > 127 || scale < -149 {
        return None;
    }
    // Both factors and the product are exact in f64, and the product is exact in f32.
    let power = f64::from_bits(u64::try_from(scale + 1023).ok()? << 52);
    Some((mantissa as f64 * power) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bits(text: &str) -> Option<u32> {
        parse_fp32(text).ok().map(f32::to_bits)
    }

    #[test]
    fn the_three_forms_agree() {
        for text in [
            "12",
            "12.0",
            "1.2e1",
            "+12",
            " 12 ",
            "0x1.8p3",
            "0xcp0",
            "0xC.P+0",
            "0x.cp4",
            "0x000018p-1",
            "0x41400000",
        ] {
            assert_eq!(bits(text), Some(0x4140_0000), "{text}");
        }
        assert_eq!(bits("-0x1p-149"), Some(0x8000_0001));
        assert_eq!(bits("0x1.fffffep127"), Some(f32::MAX.to_bits()));
        assert_eq!(bits("-0x0p0"), Some(0x8000_0000));
        assert_eq!(
            bits("0x0.00000000000000000000000000000000000001p152"),
            Some(1.0f32.to_bits())
        );
        assert_eq!(
            bits("0x100000000000000000000000000000000000000p-152"),
            Some(1.0f32.to_bits())
        );
        assert_eq!(bits("-inf"), Some(f32::NEG_INFINITY.to_bits()));
        assert_eq!(bits("0.1"), Some(0.1f32.to_bits()));
        // One rounding, not two by way of f64: just above halfway between two floats.
        assert_eq!(bits("1.00000005960464477540"), Some(0x3f80_0001));
    }

    #[test]
    fn what_is_no_fp32_number_is_refused() {
        for text in [
            "",
            "0x",
            "0x4120",
            "0x412000000",
            "-0x41200000",
            "0xp3",
            "0x.p3",
            "0x1.p",
            "0x1.0.0p1",
            "0x1g.p1",
            "ten",
            "1e39",
            "0x1p128",
            "0x1p-150",
            "0x1.0000001p0",
            "0x1p99999999999999999999",
            "0x1p9223372036854775807",
            "0x1fp-9223372036854775808",
        ] {
            assert_eq!(bits(text), None, "{text}");
        }
        assert!(
            parse_fp32("1e39")
                .unwrap_err()
                .to_string()
                .contains("within the range")
        );
    }

    proptest! {
        #[test]
        fn hexadecimal_and_bits_give_every_number_back(bits in any::<u32>()) {
            prop_assert_eq!(super::tests::bits(&format!("0x{bits:08x}")), Some(bits));
            let value = f32::from_bits(bits);
            if value.is_finite() {
                let (mantissa, exponent) = match (bits >> 23) & 0xff {
                    0 => (bits & 0x7f_ffff, -149),
                    biased => (bits & 0x7f_ffff | 0x80_0000, biased as i32 - 150),
                };
                let sign = if bits >> 31 == 1 { "-" } else { "" };
                prop_assert_eq!(super::tests::bits(&format!("{sign}0x{mantissa:x}p{exponent}")), Some(bits));
                prop_assert_eq!(super::tests::bits(&format!("{value:?}")), Some(bits));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[-+]?(0x)?[0-9a-fpP.]{0,40}([pP][-+]?[0-9]{0,22})?") {
            let _ = parse_fp32(&text);
        }
    }
}
