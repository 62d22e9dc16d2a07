//! The inputs that tables are made for when a request does not say.

use crate::catalogue::PI_BELOW;

/// `2^exponent`.
const fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// The largest number below `2^exponent`.
const fn below(exponent: i32) -> f32 {
    f32::from_bits(power(exponent).to_bits() - 1)
}

/// Functions that nobody is asked about elsewhere: name, first and last input.
///
/// Sine and cosine are made for one period, as the stock sine is. Of xielu, `e^x` decides ties far below zero that no
/// precision settles.
const NATURAL: &[(&str, f32, f32)] = &[
    ("sin", -PI_BELOW, PI_BELOW),
    ("cos", -PI_BELOW, PI_BELOW),
    ("xielu", -4096.0, f32::MAX),
];

/// Functions that change from octave to octave for ever, so that each takes a control word, of which a generation has
/// 128, and buckets, whose higher coefficients leave binary32 far from 1: the first and the last input, of magnitudes
/// where the function is odd or even. As wide as one set serves within 4 ulp.
const TABLES: &[(&str, f32, f32)] = &[
    ("sqrt", power(-64), below(64)),
    ("reciprocal_sqrt", power(-36), below(48)),
    ("abs_reciprocal_sqrt", power(-36), below(48)),
    ("reciprocal", power(-36), below(36)),
    ("ln", power(-64), below(64)),
    ("log2", power(-64), below(64)),
    // Next to the pole at -1, and to that of logit at 1, one octave holds all of the logarithm's.
    ("log1p", -0.984_375, below(64)),
    ("logit", power(-64), 0.984_375),
];

/// The inputs outside which nobody asks for a result of a function of the catalogue.
pub(crate) fn natural(name: &str) -> Option<(f32, f32)> {
    find(NATURAL, name)
}

/// The inputs that a table is made for when the request names none.
pub(crate) fn of_tables(name: &str) -> Option<(f32, f32)> {
    find(TABLES, name)
}

fn find(ranges: &[(&str, f32, f32)], name: &str) -> Option<(f32, f32)> {
    ranges
        .iter()
        .find(|(known, _, _)| *known == name)
        .map(|(_, low, high)| (*low, *high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup;

    #[test]
    fn every_range_is_of_a_function_and_in_order() {
        for (name, low, high) in NATURAL.iter().chain(TABLES) {
            assert!(lookup(name).is_ok() && low < high, "{name}");
        }
        assert_eq!(of_tables("ln"), Some((5.421_011e-20, 1.844_674_3e19)));
        assert_eq!(lookup("sqrt").unwrap().table_range(), of_tables("sqrt"));
    }
}
