//! Numbers as people read them: decimal, hexadecimal with a binary exponent, and bits.

pub(crate) use actforge_reports::number::{
    as_written, bits, counted, decimal, decimal64, hex_float, six_decimals as ulp,
};

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
}
