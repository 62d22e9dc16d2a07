//! The inputs that stock functions without a value everywhere are fitted for.

/// How many of the inputs that a stock function is documented for its table is to serve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StockRange {
    /// As many as keep 64 ulp in the buckets of the stock files; the other control words point at nothing.
    #[default]
    Precise,
    /// All of them.
    Documented,
}

/// The octaves of a stock function that does not serve all inputs, by unbiased exponent, ends included.
struct Octaves {
    name: &'static str,
    /// Those that the function is documented for, and has control words for.
    documented: (i32, i32),
    /// Those in which its buckets keep 64 ulp.
    precise: (i32, i32),
}

// Far from 1 the higher coefficients of a cubic are no binary32 numbers, and polynomials of a lower degree need many more
// buckets than the stock files have.
#[rustfmt::skip]
const OCTAVES: &[Octaves] = &[
    Octaves { name: "sqrt", documented: (-116, 117), precise: (-87, 87) },
    Octaves { name: "reciprocal_sqrt", documented: (-87, 96), precise: (-53, 56) },
    Octaves { name: "abs_reciprocal_sqrt", documented: (-87, 96), precise: (-53, 56) },
    Octaves { name: "ln", documented: (-64, 63), precise: (-64, 63) },
    Octaves { name: "reciprocal", documented: (-42, 41), precise: (-41, 41) },
];

impl StockRange {
    /// The least and the greatest input that a stock function is fitted for, as magnitudes where it is odd or even;
    /// `None` for a function that serves all inputs.
    ///
    /// The power of two with which the first octave begins is not among them: in the stock format it belongs to the
    /// small region.
    pub fn of(self, function: &str) -> Option<(f32, f32)> {
        let octaves = OCTAVES.iter().find(|octaves| octaves.name == function)?;
        let (first, last) = match self {
            Self::Precise => octaves.precise,
            Self::Documented => octaves.documented,
        };
        let power = |exponent: i32| 2.0_f32.powi(exponent).to_bits();
        let above = f32::from_bits(power(first) + 1);
        let below = f32::from_bits(power(last + 1) - 1);
        Some((above, below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_whole_octaves_without_their_first_number() {
        let ends = |range: StockRange| {
            let (low, high) = range.of("sqrt").unwrap();
            [low, high].map(|end| {
                (
                    (end.to_bits() >> 23) as i32 - 127,
                    end.to_bits() & 0x7f_ffff,
                )
            })
        };
        assert_eq!(ends(StockRange::Precise), [(-87, 1), (87, 0x7f_ffff)]);
        assert_eq!(ends(StockRange::Documented), [(-116, 1), (117, 0x7f_ffff)]);
        assert_eq!(StockRange::Precise.of("tanh"), None);
    }

    #[test]
    fn precise_octaves_are_among_the_documented_ones() {
        for octaves in OCTAVES {
            let [documented, precise] = [octaves.documented, octaves.precise];
            assert!(
                documented.0 <= precise.0 && precise.1 <= documented.1,
                "{}",
                octaves.name
            );
        }
    }
}
