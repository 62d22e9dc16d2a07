//! Numbers as people read them: decimal, hexadecimal with a binary exponent, and bits.

pub(crate) use actforge_reports::number::{bits, counted, decimal, hex_float};

/// A double as the shortest decimal that reads back as it; `nan`, `inf`, `-inf`.
pub(crate) fn decimal64(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    format!("{value:?}")
}

/// An error in ulp with the six decimals that reports are exact to, which beyond 2^53 no double has.
pub(crate) fn ulp(error: f64) -> String {
    if error.abs() < 9_007_199_254_740_992.0 {
        format!("{error:.6}")
    } else {
        decimal64(error)
    }
}

/// A share from 0 to 1 in percent. Rounded down, so that 100.00 means all of them.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.2}", (share * 10_000.0).floor() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_percent_means_all() {
        assert_eq!(percent(1.0), "100.00");
        assert_eq!(percent(0.999_999), "99.99");
        assert_eq!(percent(0.5), "50.00");
    }

    #[test]
    fn ulps_show_what_has_no_number() {
        assert_eq!(ulp(0.5), "0.500000");
        assert_eq!(ulp(1e15), "1000000000000000.000000");
        assert_eq!(ulp(7.136e44), "7.136e44");
        assert_eq!(ulp(f64::INFINITY), "inf");
    }
}
