//! Intervals of real numbers that hold whatever a model computes, in whichever type it computes.
//!
//! **Why they are right.** Ends lie on a grid of numbers with eight significant bits, which every type holds (fp32, bf16, double;
//! with a narrower range of exponents also fp16). Rounding to nearest keeps order, so a rounded result cannot pass an
//! end that the type holds: ends only have to be moved outwards, to the grid. Results of functions that are approximated
//! are given room beside that ([`Interval::loose`]). NaN is in no interval: statements are about numbers.

/// The numbers from `low` to `high`, both included; infinities are open ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The types that a model may compute in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Types {
    /// fp32, bf16 or double.
    Wide,
    /// fp16 among them.
    WithHalf,
}

/// An approximation is taken to be within this of the function, relatively: four ulp of bf16 and less.
pub(super) const LOOSENESS: f64 = 1.0 / 64.0;

impl Types {
    /// The least normal number that all of the types hold. Smaller ones may be flushed to zero.
    fn least(self) -> f64 {
        match self {
            Self::Wide => 2f64.powi(-126),
            Self::WithHalf => 2f64.powi(-14),
        }
    }

    /// The greatest number of eight bits that all of the types hold.
    fn greatest(self) -> f64 {
        match self {
            Self::Wide => 255.0 * 2f64.powi(120),
            Self::WithHalf => 255.0 * 256.0,
        }
    }

    /// The number of the grid at or below a magnitude.
    fn floor(self, magnitude: f64) -> f64 {
        if magnitude < self.least() {
            0.0
        } else if magnitude > self.greatest() {
            if magnitude.is_infinite() {
                magnitude
            } else {
                self.greatest()
            }
        } else {
            f64::from_bits(magnitude.to_bits() & !BELOW_GRID)
        }
    }

    /// The number of the grid at or above a magnitude.
    fn ceiling(self, magnitude: f64) -> f64 {
        if magnitude == 0.0 {
            return 0.0;
        }
        if magnitude < self.least() {
            return self.least();
        }
        let up = f64::from_bits((magnitude.to_bits() + BELOW_GRID) & !BELOW_GRID);
        if up > self.greatest() {
            f64::INFINITY
        } else {
            up
        }
    }
}

/// The bits of a double below its eight leading ones.
const BELOW_GRID: u64 = (1 << 45) - 1;

impl Interval {
    /// Every number.
    pub(super) const ALL: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };
    pub(super) const NOT_NEGATIVE: Self = Self {
        low: 0.0,
        high: f64::INFINITY,
    };
    pub(super) const NOT_POSITIVE: Self = Self {
        low: f64::NEG_INFINITY,
        high: 0.0,
    };

    /// From `low` to `high`; every number if that is no interval.
    pub(super) fn new(low: f64, high: f64) -> Self {
        if low <= high {
            Self { low, high }
        } else {
            Self::ALL
        }
    }

    pub(super) fn point(value: f64) -> Self {
        Self::new(value, value)
    }

    /// With ends on the grid, moved outwards.
    pub(super) fn rounded(self, types: Types) -> Self {
        let down = |end: f64| {
            if end < 0.0 {
                -types.ceiling(-end)
            } else {
                types.floor(end)
            }
        };
        Self {
            low: down(self.low),
            high: -down(-self.high),
        }
    }

    /// With room for the error of an approximation, but on the same side of zero.
    pub(super) fn loose(self) -> Self {
        Self {
            low: self.low - LOOSENESS * self.low.abs(),
            high: self.high + LOOSENESS * self.high.abs(),
        }
        .without_nan()
    }

    fn without_nan(self) -> Self {
        let or = |end: f64, open: f64| if end.is_nan() { open } else { end };
        Self::new(
            or(self.low, f64::NEG_INFINITY),
            or(self.high, f64::INFINITY),
        )
    }

    pub(super) fn is_all(self) -> bool {
        self == Self::ALL
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            high: self.high + other.high,
        }
        .without_nan()
    }

    pub(super) fn negated(self) -> Self {
        Self {
            low: -self.high,
            high: -self.low,
        }
    }

    pub(super) fn times(self, other: Self) -> Self {
        // An infinite end stands for numbers that are as large as you like, and none of them makes anything of zero.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let ends = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        Self {
            low: ends.into_iter().fold(f64::INFINITY, f64::min),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// One over it. Next to zero there may be either infinity: zeros have signs.
    pub(super) fn inverse(self) -> Self {
        if self.low > 0.0 || self.high < 0.0 {
            Self::new(1.0 / self.high, 1.0 / self.low)
        } else {
            Self::ALL
        }
    }

    pub(super) fn magnitude(self) -> Self {
        let largest = self.low.abs().max(self.high.abs());
        let least = if self.low > 0.0 {
            self.low
        } else if self.high < 0.0 {
            -self.high
        } else {
            0.0
        };
        Self::new(least, largest)
    }

    pub(super) fn square(self) -> Self {
        let magnitude = self.magnitude();
        magnitude.times(magnitude)
    }

    /// The larger of a number here and one there.
    pub(super) fn larger(self, other: Self) -> Self {
        Self::new(self.low.max(other.low), self.high.max(other.high))
    }

    /// The smaller of the two.
    pub(super) fn smaller(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.min(other.high))
    }

    /// The least interval that holds both.
    pub(super) fn union(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// What is known of sums and means over any number of elements, none included: their sign.
    pub(super) fn sign(self) -> Self {
        if self.low >= 0.0 {
            Self::NOT_NEGATIVE
        } else if self.high <= 0.0 {
            Self::NOT_POSITIVE
        } else {
            Self::ALL
        }
    }

    /// The values of a rising function.
    pub(super) fn through(self, rising: impl Fn(f64) -> f64) -> Self {
        Self {
            low: rising(self.low),
            high: rising(self.high),
        }
        .without_nan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_move_outwards_to_the_grid() {
        let round = |low, high| {
            let Interval { low, high } = Interval::new(low, high).rounded(Types::Wide);
            (low, high)
        };
        assert_eq!(round(1.0, 1.0), (1.0, 1.0));
        assert_eq!(round(-1.001, 1.001), (-1.0078125, 1.0078125));
        assert_eq!(round(0.999, 1e-45_f64.max(1.0)), (0.99609375, 1.0));
        assert_eq!(round(1e-40, 1e39), (0.0, f64::INFINITY));
        assert_eq!(round(-1e-40, -1e-40), (-2f64.powi(-126), 0.0));
        assert_eq!(round(1e39, f64::INFINITY).0, 255.0 * 2f64.powi(120));
        let half = Interval::new(1e-5, 65530.0).rounded(Types::WithHalf);
        assert_eq!(half, Interval::new(0.0, f64::INFINITY));
        let bf16 = |x: f64| {
            let bits = (x as f32).to_bits();
            f32::from_bits((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000)
        };
        let eps = Interval::point(1e-5).rounded(Types::Wide);
        assert!(eps.low <= f64::from(bf16(1e-5)) && f64::from(bf16(1e-5)) <= eps.high);
    }

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![
            any::<f32>().prop_filter("numbers", |x| !x.is_nan()),
            (-8_i32..8).prop_map(|x| x as f32 / 2.0),
        ]
    }

    proptest! {
        /// In fp32 and rounded to bf16, results lie where the intervals of the operands say.
        #[test]
        fn intervals_hold_what_is_computed(a in number(), b in number(), c in number(), d in number(), s in 0.0_f32..=1.0, t in 0.0_f32..=1.0) {
            let interval = |a: f32, b: f32| Interval::new(a.min(b).into(), a.max(b).into()).rounded(Types::Wide);
            let inside = |a: f32, b: f32, s: f32| (a.min(b) + s * (a.max(b) - a.min(b))).clamp(a.min(b), a.max(b));
            let (one, other) = (interval(a, b), interval(c, d));
            let (x, y) = (inside(a, b, s), inside(c, d, t));
            let brain = |x: f32| f32::from_bits((x.to_bits().wrapping_add(0x7fff + (x.to_bits() >> 16 & 1))) & 0xffff_0000);
            let results = [
                (one.plus(other), x + y),
                (one.plus(other.negated()), x - y),
                (one.times(other), x * y),
                (one.square(), x * x),
                (one.inverse(), 1.0 / x),
                (one.magnitude(), x.abs()),
                (one.larger(other), x.max(y)),
                (one.smaller(other), x.min(y)),
                (one.union(other), x),
                (one.union(other), y),
                (one.through(|x| x.max(0.0).sqrt()), x.max(0.0).sqrt()),
                (one.through(f64::exp).loose(), x.exp()),
                (one.times(other.inverse()), x / y),
            ];
            for (k, (interval, result)) in results.into_iter().enumerate() {
                let interval = interval.rounded(Types::Wide);
                for result in [result, if result.is_finite() { brain(result) } else { result }] {
                    if x.is_nan() || y.is_nan() || result.is_nan() { continue; }
                    prop_assert!(interval.low <= result.into() && f64::from(result) <= interval.high, "{k}: {interval:?} {x} {y} {result}");
                }
            }
        }
    }
}
