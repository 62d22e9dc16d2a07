//! How much of a bin rounds to a number.

use crate::histogram::Bin;

/// The real numbers that round to zero.
const ZERO_CELL: [f64; 2] = [-HALF_LEAST, HALF_LEAST];

/// 2^-150, half of the least number of binary32.
const HALF_LEAST: f64 = f64::from_bits((1023 - 150) << 52);

/// The share of a closed bin that rounds to zero.
pub(super) fn share_of_zero(bin: &Bin) -> f64 {
    match Extent::of(bin) {
        Extent::Point(point) => f64::from(u8::from(point as f32 == 0.0)),
        Extent::Width(width) => shared(bin, ZERO_CELL) / width,
    }
}

/// Half of the width that a bin has in common with a cell. (Halves, since the width of a bin need not be a finite double.)
pub(super) fn shared(bin: &Bin, [low, high]: [f64; 2]) -> f64 {
    (0.5 * bin.upper.min(high) - 0.5 * bin.lower.max(low)).max(0.0)
}

/// What a bin covers.
pub(super) enum Extent {
    /// One point.
    Point(f64),
    /// Half of its width.
    Width(f64),
}

impl Extent {
    pub(super) fn of(bin: &Bin) -> Self {
        let width = 0.5 * bin.upper - 0.5 * bin.lower;
        if width > 0.0 {
            Self::Width(width)
        } else {
            Self::Point(bin.lower)
        }
    }
}

/// The part of a bin on one side of zero, and the magnitudes that it reaches.
pub(super) struct SideShares {
    /// The bin with this side as the positive one.
    bin: Bin,
    /// The least magnitude that is reached, as bits; not zero.
    pub(super) first: u32,
    /// The greatest.
    pub(super) last: u32,
}

/// The shares of the numbers of one sign; `None` where the bin reaches none. Zero is neither.
pub(super) fn shares_of_sign(bin: &Bin, negative: bool) -> Option<SideShares> {
    let (lower, upper) = if negative {
        (-bin.upper, -bin.lower)
    } else {
        (bin.lower, bin.upper)
    };
    if upper <= 0.0 {
        return None;
    }
    // Rounding to the nearest number says which are reached.
    let first = (lower.max(0.0) as f32).to_bits().max(1);
    let last = (upper as f32).to_bits().min(f32::MAX.to_bits());
    (first <= last).then_some(SideShares {
        bin: Bin {
            lower,
            upper,
            count: bin.count,
        },
        first,
        last,
    })
}

impl SideShares {
    /// Runs of magnitudes of one exponent, `first..=last`, that have one share: the share is that of each number. Only
    /// the ends differ: where the bin ends, and at a power of two, where the numbers below lie closer.
    pub(super) fn runs(&self, first: u32, last: u32) -> Vec<(u32, u32, f64)> {
        let width = match Extent::of(&self.bin) {
            Extent::Point(_) => return vec![(first, last, 1.0)],
            Extent::Width(width) => width,
        };
        let of = |bits: u32| shared(&self.bin, cell(bits)) / width;
        let spacing = f64::from_bits(u64::from((first >> 23).max(1) + 1023 - 150) << 52);
        let inner = 0.5 * spacing / width;
        let (mut from, mut to) = (first, last);
        let mut runs = Vec::new();
        if of(first) != inner {
            runs.push((first, first, of(first)));
            from += 1;
        }
        if to >= from && of(last) != inner {
            runs.push((last, last, of(last)));
            to -= 1;
        }
        if from <= to {
            runs.push((from, to, inner));
        }
        runs
    }
}

/// The real numbers that round to a magnitude; its bits are not zero.
fn cell(bits: u32) -> [f64; 2] {
    let value = |bits: u32| f64::from(f32::from_bits(bits));
    let next = if bits == f32::MAX.to_bits() {
        // 2^128, from half of the way to which on numbers round to infinity.
        f64::from_bits((1023 + 128) << 52)
    } else {
        value(bits + 1)
    };
    let here = value(bits);
    [0.5 * (value(bits - 1) + here), 0.5 * (here + next)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bin(lower: f64, upper: f64) -> Bin {
        Bin {
            lower,
            upper,
            count: 1.0,
        }
    }

    /// The shares of every number, one by one.
    fn all(bin: &Bin) -> Vec<(f32, f64)> {
        let mut shares = Vec::new();
        for negative in [true, false] {
            let Some(side) = shares_of_sign(bin, negative) else {
                continue;
            };
            let mut first = side.first;
            while first <= side.last {
                let last = side.last.min(first | 0x007f_ffff);
                for (from, to, share) in side.runs(first, last) {
                    let sign = u32::from(negative) << 31;
                    shares.extend((from..=to).map(|bits| (f32::from_bits(sign | bits), share)));
                }
                first = last + 1;
            }
        }
        shares.push((0.0, share_of_zero(bin)));
        shares
    }

    #[test]
    fn a_number_weighs_as_much_as_rounds_to_it() {
        let ulp = f64::from(f32::EPSILON);
        let shares = all(&bin(1.0 - ulp, 1.0 + 2.0 * ulp));
        let expected = [
            (1.0 - f32::EPSILON, 0.25 / 3.0),
            (1.0 - f32::EPSILON / 2.0, 0.5 / 3.0),
            (1.0, 0.75 / 3.0),
            (1.0 + f32::EPSILON, 1.0 / 3.0),
            (1.0 + 2.0 * f32::EPSILON, 0.5 / 3.0),
            (0.0, 0.0),
        ];
        for (x, share) in expected {
            let found = shares.iter().find(|(found, _)| *found == x).unwrap().1;
            assert!((found - share).abs() < 1e-16, "{x}: {found}");
        }
    }

    #[test]
    fn points_weigh_on_the_nearest_number() {
        assert_eq!(all(&bin(0.1, 0.1)), [(0.1, 1.0), (0.0, 0.0)]);
        assert_eq!(all(&bin(-0.1, -0.1)), [(-0.1, 1.0), (0.0, 0.0)]);
        assert_eq!(all(&bin(0.0, 0.0)), [(0.0, 1.0)]);
        assert_eq!(all(&bin(1e39, 1e39)), [(0.0, 0.0)]);
    }

    proptest! {
        #[test]
        fn shares_of_a_bin_come_to_all_of_it(
            start in prop::sample::select(vec![0_u32, 1, 0x007f_fff0, 0x3f7f_fff0, 0x4123_4567, 0x7f7f_ff00]),
            length in 0_u32..40,
            (inset, outset) in (0.0_f64..1.0, 0.0_f64..1.0),
            flip: bool,
        ) {
            let at = |bits: u32, part: f64| {
                let [low, high] = [bits, bits + 1].map(|bits| f64::from(f32::from_bits(bits)));
                low + part * (high - low)
            };
            let (low, high) = (at(start, inset), at(start + length, outset));
            let (low, high) = (low.min(high), low.max(high));
            let bin = if flip { bin(-high, -low) } else { bin(low, high) };
            let sum: f64 = all(&bin).iter().map(|(_, share)| share).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{bin:?} {sum}");
        }
    }
}
