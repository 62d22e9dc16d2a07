//! Numbers as people read them.

/// A whole number with thin gaps between groups of three digits: `4 294 967 296`.
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

/// An error in ulp: three digits after the point for small ones, where they matter, fewer for large ones.
pub(super) fn ulp(error: f64) -> String {
    match error {
        0.0 => "0".to_owned(),
        error if error < 10.0 => format!("{error:.3}"),
        error if error < 100.0 => format!("{error:.2}"),
        error if error < 1e6 => format!("{error:.1}"),
        error => format!("{error:.2e}"),
    }
}

/// A share as a percentage, rounded down. Only all of them are 100 %, only none are 0 %.
pub(crate) fn percentage(share: f64) -> String {
    match share {
        share if share >= 1.0 => "100\u{a0}%".to_owned(),
        share if share <= 0.0 => "0\u{a0}%".to_owned(),
        share => {
            let hundredths = (share * 10_000.0).floor().max(1.0);
            format!("{:.2}\u{a0}%", hundredths / 100.0)
        }
    }
}

/// Between a base and its exponent, which is drawn raised.
pub(super) const RAISED: char = '^';

/// `2` or `10` to a whole power, with the sign in front if negative.
pub(super) fn power(negative: bool, base: u32, exponent: i32) -> String {
    let sign = |negative: bool| if negative { "\u{2212}" } else { "" };
    format!(
        "{}{base}{RAISED}{}{}",
        sign(negative),
        sign(exponent < 0),
        exponent.unsigned_abs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_powers() {
        assert_eq!(grouped(4_294_967_296), "4\u{a0}294\u{a0}967\u{a0}296");
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(123_456), "123\u{a0}456");
        assert_eq!(power(true, 2, -126), "−2^−126");
        assert_eq!(power(false, 10, 3), "10^3");
    }

    #[test]
    fn a_share_is_whole_only_if_it_is() {
        assert_eq!(percentage(1.0), "100\u{a0}%");
        assert_eq!(percentage(0.999_999_9), "99.99\u{a0}%");
        assert_eq!(percentage(1e-9), "0.01\u{a0}%");
        assert_eq!(percentage(0.0), "0\u{a0}%");
    }

    #[test]
    fn errors_keep_the_digits_that_matter() {
        assert_eq!(ulp(0.0), "0");
        assert_eq!(ulp(0.583_1), "0.583");
        assert_eq!(ulp(190.04), "190.0");
        assert_eq!(ulp(1.5e9), "1.50e9");
    }
}
