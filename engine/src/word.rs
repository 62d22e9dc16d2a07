//! Control words as the evaluation uses them.

use actforge_tables::ControlWord;

/// A control word in its 20 hardware bits (base 10:0, extract_lsb 15:11, extract_size 19:16).
/// One u32, because the vector paths look up eight at a time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Word(u32);

impl Word {
    /// Bits that a control word may use.
    pub(crate) const MASK: u32 = 0x000f_ffff;

    /// From raw bits; whatever lies above bit 19 is ignored.
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits & Self::MASK)
    }

    #[inline(always)]
    fn base(self) -> u32 {
        self.0 & 0x7ff
    }

    /// Position of the extracted field, 0..=31.
    #[inline(always)]
    pub(crate) fn lsb(self) -> u32 {
        (self.0 >> 11) & 31
    }

    /// Width of the extracted field, 0..=15.
    #[inline(always)]
    pub(crate) fn size(self) -> u32 {
        (self.0 >> 16) & 15
    }

    /// The section of an octave: the extracted field of the (folded) input's bits.
    #[inline(always)]
    pub(crate) fn section(self, s: u32) -> u32 {
        (s >> self.lsb()) & !(u32::MAX << self.size())
    }

    /// The bucket index for the (folded) input's bits.
    #[inline(always)]
    pub(crate) fn bucket_index(self, s: u32) -> u32 {
        self.base() + self.section(s)
    }

    /// Least and greatest bucket index over a contiguous range of input bits.
    pub(crate) fn index_bounds(self, first: u32, last: u32) -> (u32, u32) {
        let steps = (last >> self.lsb()) - (first >> self.lsb());
        let greatest_section = !(u32::MAX << self.size());
        let (a, b) = (self.section(first), self.section(last));
        if steps >= greatest_section || a > b {
            // Every section, or a wrap from the last section to the first.
            (self.base(), self.base() + greatest_section)
        } else {
            (self.base() + a, self.base() + b)
        }
    }

    /// The last input, not beyond `limit`, that has the same section as `s`.
    pub(crate) fn section_end(self, s: u32, limit: u32) -> u32 {
        if self.size() == 0 {
            limit
        } else {
            limit.min(s | !(u32::MAX << self.lsb()))
        }
    }
}

impl From<ControlWord> for Word {
    fn from(word: ControlWord) -> Self {
        Self(
            u32::from(word.base) & 0x7ff
                | (u32::from(word.lsb) & 31) << 11
                | (u32::from(word.size) & 15) << 16,
        )
    }
}
