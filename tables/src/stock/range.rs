//! The inputs that the octaves of the stock functions reach.

/// The octaves of a stock function that does not serve all inputs: as many as it has control words.
struct Octaves {
    name: &'static str,
    /// Unbiased exponents of the first and of the last one.
    first: i32,
    last: i32,
}

// The first octave of sqrt and reciprocal is known from their exp_offset, the others from the documented ranges; the last
// one follows from the number of control words.
const OCTAVES: &[Octaves] = &[
    Octaves {
        name: "sqrt",
        first: -116,
        last: 117,
    },
    Octaves {
        name: "reciprocal_sqrt",
        first: -87,
        last: 97,
    },
    Octaves {
        name: "abs_reciprocal_sqrt",
        first: -87,
        last: 97,
    },
    Octaves {
        name: "ln",
        first: -64,
        last: 63,
    },
    Octaves {
        name: "reciprocal",
        first: -42,
        last: 42,
    },
];

/// The least and the greatest input of the octaves that a stock function has, as magnitudes where it is odd or even;
/// `None` for a function that serves all inputs.
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
            (127 - 116, 1)
        );
        assert_eq!(
            (high.to_bits() >> 23, high.to_bits() & 0x7f_ffff),
            (127 + 117, 0x7f_ffff)
        );
        assert_eq!(stock_range("tanh"), None);
    }
}
