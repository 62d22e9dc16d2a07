//! The inputs that stock functions without a value everywhere are fitted for.

/// The octaves of a stock function that does not serve all inputs.
struct Octaves {
    name: &'static str,
    /// Unbiased exponents of the first and of the last one.
    first: i32,
    last: i32,
}

// ln has all octaves of the stock function. The others have control words for more (sqrt -116 to 117, the reciprocal roots
// -87 to 96, reciprocal -42 to 41), but out there the higher coefficients of a cubic are no binary32 numbers, and
// polynomials of a lower degree need many more buckets. Octaves end where the buckets of the stock files would keep no
// 64 ulp any more, and the other control words point at nothing.
#[rustfmt::skip]
const OCTAVES: &[Octaves] = &[
    Octaves { name: "sqrt", first: -87, last: 87 },
    Octaves { name: "reciprocal_sqrt", first: -53, last: 56 },
    Octaves { name: "abs_reciprocal_sqrt", first: -53, last: 56 },
    Octaves { name: "ln", first: -64, last: 63 },
    Octaves { name: "reciprocal", first: -41, last: 41 },
];

/// The least and the greatest input that a stock function is fitted for, as magnitudes where it is odd or even; `None`
/// for a function that serves all inputs.
///
/// The power of two with which the first octave begins is not among them: in the stock format it belongs to the small
/// region.
pub fn stock_range(name: &str) -> Option<(f32, f32)> {
    let octaves = OCTAVES.iter().find(|octaves| octaves.name == name)?;
    let power = |exponent: i32| 2.0_f32.powi(exponent);
    let above = f32::from_bits(power(octaves.first).to_bits() + 1);
    let below = f32::from_bits(power(octaves.last + 1).to_bits() - 1);
    Some((above, below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_whole_octaves_without_their_first_number() {
        let (low, high) = stock_range("sqrt").unwrap();
        assert_eq!(
            (low.to_bits() >> 23, low.to_bits() & 0x7f_ffff),
            (127 - 87, 1)
        );
        assert_eq!(
            (high.to_bits() >> 23, high.to_bits() & 0x7f_ffff),
            (127 + 87, 0x7f_ffff)
        );
        assert_eq!(stock_range("tanh"), None);
    }
}
