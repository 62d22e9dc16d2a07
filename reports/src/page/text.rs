//! Numbers and names as a page shows them.

use crate::plot::number::grouped;
use crate::report::Witness;

/// An error in ulp with the six decimals that reports are exact to; `NaN` where there is none.
pub(super) fn ulp(error: Option<f64>) -> String {
    match error {
        None => "NaN".to_owned(),
        Some(error) if error.is_finite() && error.abs() < 1e12 => format!("{error:.6}"),
        Some(error) => format!("{error:e}"),
    }
}

/// A bound that is not always known.
pub(super) fn bound(bound: Option<f64>) -> String {
    bound.map_or_else(String::new, |bound| ulp(Some(bound)))
}

/// A share from 0 to 1 in percent. Rounded down, so that 100.00 means all of them.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2}", (share * 10_000.0).floor() / 100.0)
}

/// How many.
pub(super) fn count(count: u64) -> String {
    grouped(count)
}

/// The bits of a binary32 number with its value: `0x3f800000 = 1.0`.
pub(super) fn bits(bits: &str) -> String {
    let digits = bits.strip_prefix("0x");
    match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        Some(number) => {
            let value = f32::from_bits(number);
            if value.is_nan() {
                format!("{bits} = NaN")
            } else {
                format!("{bits} = {value:?}")
            }
        }
        None => bits.to_owned(),
    }
}

/// Where a maximum is: input, result, correctly rounded result.
pub(super) fn witness(witness: Option<&Witness>) -> [String; 2] {
    witness.map_or_else(<[String; 2]>::default, |at| {
        [
            format!("{} = {}", at.bits, at.value),
            format!("{} \u{2192} {}", at.got, at.want),
        ]
    })
}

/// A name as a word of a shell: quoted where it needs to be.
pub(super) fn shell_word(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.=/".contains(letter);
    if !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_what_matters() {
        assert_eq!(ulp(Some(0.5)), "0.500000");
        assert_eq!(ulp(None), "NaN");
        assert_eq!(ulp(Some(1e30)), "1e30");
        assert_eq!(percent(0.999_999), "99.99");
        assert_eq!(bits("0x3f800000"), "0x3f800000 = 1.0");
        assert_eq!(bits("0x7fc00000"), "0x7fc00000 = NaN");
        assert_eq!(bits("none"), "none");
    }

    #[test]
    fn names_are_one_word_of_a_shell() {
        assert_eq!(shell_word("tanh"), "tanh");
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's; rm"), "'it'\\''s; rm'");
        assert_eq!(shell_word("-x"), "'-x'");
    }
}
