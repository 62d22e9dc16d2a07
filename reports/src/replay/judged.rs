//! Which inputs a replay judges, when that is not all of them.

use actforge_reference::{Format, Function, Parity};
use actforge_tables::FunctionEntry;

use super::special;
use crate::report::hex;

/// The judged inputs of a function that is made for a range, or that is replayed over one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judged {
    low: f32,
    high: f32,
    /// Of an odd or even function that is made for a range to one side of zero the mirror image counts as well.
    mirrored: bool,
    /// What was asked of the replay, taken as it is.
    asked: [f32; 2],
}

impl Judged {
    /// The inputs that the set's specification and the function itself leave, and of those the ones that are `asked` for;
    /// `None` for all inputs. Nobody can be judged where the function is not known.
    pub(crate) fn new(
        entry: &FunctionEntry,
        function: &Function,
        asked: Option<[f32; 2]>,
    ) -> Option<Self> {
        Self::of(entry.notes.range, function, asked)
    }

    fn of(
        made_for: Option<[f32; 2]>,
        function: &Function,
        asked: Option<[f32; 2]>,
    ) -> Option<Self> {
        let all = [f32::MIN, f32::MAX];
        let natural = function.natural_range().map(|(low, high)| [low, high]);
        if made_for.is_none() && natural.is_none() && asked.is_none() {
            return None;
        }
        let [low, high] = made_for.unwrap_or(all);
        let [least, greatest] = natural.unwrap_or(all);
        let (low, high) = (low.max(least), high.min(greatest));
        let one_sided = low > 0.0 || high < 0.0;
        Some(Self {
            low,
            high,
            mirrored: one_sided && matches!(function.parity(), Parity::Odd | Parity::Even),
            asked: asked.map_or(all, |ends| ends.map(|end| end.clamp(f32::MIN, f32::MAX))),
        })
    }

    /// First and last of those asked for; without the mirror image when nothing was.
    pub(crate) fn ends(self) -> [f32; 2] {
        let (low, high) = if self.asked == [f32::MIN, f32::MAX] {
            (self.low, self.high)
        } else {
            self.whole()
        };
        [low.max(self.asked[0]), high.min(self.asked[1])]
    }

    /// First and last as a report writes them.
    pub(crate) fn stated(self) -> [String; 2] {
        self.ends().map(|end| hex(end.to_bits()))
    }

    /// First and last, with the mirror image.
    pub(super) fn hull(self) -> (f32, f32) {
        let (low, high) = self.whole();
        (low.max(self.asked[0]), high.min(self.asked[1]))
    }

    fn whole(self) -> (f32, f32) {
        if self.mirrored {
            let farthest = self.low.abs().max(self.high.abs());
            return (-farthest, farthest);
        }
        (self.low, self.high)
    }

    /// Whether no input is left.
    pub(super) fn is_empty(self) -> bool {
        let (low, high) = self.hull();
        // Zeros are judged in any case, so a range around them alone is one.
        let has_numbers = self.side(false).is_some() || self.side(true).is_some();
        low.is_nan() || high.is_nan() || low > high || !has_numbers && !self.contains(0.0)
    }

    pub(super) fn contains(self, x: f32) -> bool {
        let within = |x: f32| (self.low..=self.high).contains(&x);
        (within(x) || self.mirrored && within(-x)) && (self.asked[0]..=self.asked[1]).contains(&x)
    }

    /// The magnitudes of one sign, as bits, zero among them where the range holds it; `None` where there are none.
    pub(super) fn side(self, negative: bool) -> Option<(u32, u32)> {
        let of_sign = |low: f32, high: f32| if negative { (-high, -low) } else { (low, high) };
        let own = of_sign(self.low, self.high);
        let (nearest, farthest) = if self.mirrored && own.1 <= 0.0 {
            (-own.1, -own.0)
        } else {
            own
        };
        let asked = of_sign(self.asked[0], self.asked[1]);
        let (nearest, farthest) = (nearest.max(asked.0), farthest.min(asked.1));
        if farthest.is_nan() || nearest.is_nan() || farthest <= 0.0 || nearest > farthest {
            return None;
        }
        Some((nearest.max(0.0).to_bits(), farthest.to_bits()))
    }

    /// The magnitudes, as bits, that are judged with either sign, at least 1; `None` where there are none.
    pub(super) fn both_signs(self) -> Option<(u32, u32)> {
        let ((near, far), (other_near, other_far)) = (self.side(false)?, self.side(true)?);
        let (nearest, farthest) = (near.max(other_near).max(1), far.min(other_far));
        (nearest <= farthest).then_some((nearest, farthest.min(f32::MAX.to_bits())))
    }
}

/// How many inputs of a type a replay judges, special ones included; all of the type without a range.
pub(crate) fn count_inputs(input: Format, judged: Option<Judged>) -> u64 {
    let finite = if input == Format::Fp32 {
        let all = Some((1, f32::MAX.to_bits()));
        let sides = [false, true].map(|negative| judged.map_or(all, |range| range.side(negative)));
        // Zeros are special.
        let counts = sides.into_iter().flatten().map(|(nearest, farthest)| {
            let farthest = farthest.min(f32::MAX.to_bits());
            u64::from((farthest + 1).saturating_sub(nearest.max(1)))
        });
        counts.sum()
    } else {
        let values = (0..1_u32 << input.width()).map(|code| input.from_bits(code));
        let judged = values.filter(|x| {
            x.is_finite() && *x != 0.0 && judged.is_none_or(|range| range.contains(*x))
        });
        judged.count() as u64
    };
    finite + special::count(input)
}

/// The fewest inputs that any replay judges: the special ones.
pub(crate) fn fewest_inputs(input: Format) -> u64 {
    special::count(input)
}

/// The most inputs that a replay over a range judges: with the mirror image, if the range is to one side of zero.
pub(crate) fn most_inputs(input: Format, [low, high]: [f32; 2]) -> u64 {
    let range = Judged {
        low,
        high,
        mirrored: low > 0.0 || high < 0.0,
        asked: [f32::MIN, f32::MAX],
    };
    count_inputs(input, Some(range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actforge_reference::lookup;

    fn judged(name: &str, range: [f32; 2]) -> Judged {
        Judged::of(Some(range), lookup(name).unwrap().function(), None).unwrap()
    }

    fn bits(low: f32, high: f32) -> Option<(u32, u32)> {
        Some((low.to_bits(), high.to_bits()))
    }

    #[test]
    fn ranges_to_one_side_count_with_their_mirror_image_where_there_is_one() {
        let odd = judged("reciprocal", [0.5, 4.0]);
        assert!(odd.contains(-2.0) && odd.contains(2.0) && !odd.contains(-0.25));
        assert_eq!(odd.side(true), bits(0.5, 4.0));
        assert_eq!(odd.both_signs(), bits(0.5, 4.0));
        assert_eq!(odd.hull(), (-4.0, 4.0));
        let even = judged("abs", [-4.0, -0.5]);
        assert!(even.contains(2.0));
        assert_eq!(even.side(false), bits(0.5, 4.0));
        let neither = judged("exp", [0.5, 4.0]);
        assert!(!neither.contains(-2.0));
        assert_eq!((neither.side(true), neither.both_signs()), (None, None));
    }

    #[test]
    fn ranges_about_zero_are_taken_as_they_are() {
        let odd = judged("tanh", [-1.0, 4.0]);
        assert!(!odd.contains(-2.0));
        assert_eq!(odd.side(false), bits(0.0, 4.0));
        assert_eq!(odd.side(true), bits(0.0, 1.0));
        assert_eq!(odd.both_signs(), Some((1, 1.0_f32.to_bits())));
        assert_eq!(odd.hull(), (-1.0, 4.0));
        let sine = Judged::of(None, lookup("sin").unwrap().function(), None).unwrap();
        assert!(sine.contains(3.125) && !sine.contains(3.15));
        let tanh = lookup("tanh").unwrap().function();
        assert_eq!(Judged::of(None, tanh, None), None);
        // What is asked of a replay is taken as it is.
        let part = Judged::of(None, tanh, Some([0.5, f32::INFINITY])).unwrap();
        assert_eq!((part.ends(), part.side(true)), ([0.5, f32::MAX], None));
        let reciprocal = lookup("reciprocal").unwrap().function();
        let part = Judged::of(Some([0.5, 4.0]), reciprocal, Some([-2.0, 0.0])).unwrap();
        assert_eq!((part.side(false), part.side(true)), (None, bits(0.5, 2.0)));
        let nothing = Judged::of(Some([0.5, 4.0]), reciprocal, Some([-0.25, 0.25])).unwrap();
        assert!(nothing.is_empty() && !part.is_empty());
    }
}
