//! The CONTROL entry: where an octave's buckets lie, one `u32` (pinned).

use crate::error::{EntryError, fitting};

/// One octave: its first bucket and which bits of the input choose among its buckets.
///
/// In every populated stock word `lsb == 23 - size`: the top bits of the mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlWord {
    /// `act_tbl_base`, 11 bits: absolute index of the octave's first bucket.
    pub base: u16,
    /// `extract_lsb`, 5 bits: the lowest extracted bit of the input.
    pub lsb: u8,
    /// `extract_size`, 4 bits: how many bits are extracted.
    pub size: u8,
}

impl ControlWord {
    /// Bits of the word that carry fields; the others are zero.
    pub const BITS: u32 = 20;
    /// Width of `act_tbl_base`, hence the largest pool that can be addressed.
    pub const BASE_BITS: u32 = 11;
    /// The last bucket that a base can name.
    pub const LAST_BASE: u16 = (1 << Self::BASE_BITS) - 1;

    /// The word for `base` with the top `size` mantissa bits choosing the bucket.
    pub const fn octave(base: u16, size: u8) -> Self {
        Self {
            base,
            lsb: 23_u8.saturating_sub(size),
            size,
        }
    }

    /// The stored word.
    ///
    /// # Errors
    /// [`EntryError::TooWide`] if a value does not fit its field.
    pub fn encode(self) -> Result<u32, EntryError> {
        let field = |name, width, value: u16| {
            fitting("CONTROL", name, width, value.into()).map(|_| u32::from(value))
        };
        Ok(field("act_tbl_base", Self::BASE_BITS, self.base)?
            | field("extract_lsb", 5, self.lsb.into())? << 11
            | field("extract_size", 4, self.size.into())? << 16)
    }

    /// Reads a word.
    ///
    /// # Errors
    /// [`EntryError::ReservedBit`] if one of the bits 31:20 is set.
    pub const fn decode(word: u32) -> Result<Self, EntryError> {
        let reserved = word >> Self::BITS;
        if reserved != 0 {
            return Err(EntryError::ReservedBit {
                entry: "CONTROL",
                bit: Self::BITS + reserved.trailing_zeros(),
            });
        }
        Ok(Self::decode_fields(word))
    }

    /// Reads the low 20 bits and ignores the others.
    pub(crate) const fn decode_fields(word: u32) -> Self {
        Self {
            base: (word & 0x7ff) as u16,
            lsb: (word >> 11 & 0x1f) as u8,
            size: (word >> 16 & 0xf) as u8,
        }
    }

    /// The bucket an input with these bits selects: `base` plus the extracted field.
    ///
    /// Of `lsb` and `size` only as many bits count as their fields have.
    pub const fn bucket_index(self, bits: u32) -> u32 {
        self.base as u32 + ((bits >> (self.lsb & 31)) & ((1 << (self.size & 15)) - 1))
    }

    /// The first and last bucket that mantissas `first..=last` select. Exact when the
    /// extracted bits are the top ones, as they are in every stock word; otherwise all
    /// of the word's buckets as soon as a higher bit changes.
    pub const fn bucket_range(self, first: u32, last: u32) -> (u32, u32) {
        let above = (self.lsb & 31) as u32 + (self.size & 15) as u32;
        // Bits at and above `above` differ: the field runs through all its values.
        if above < 32 && first >> above != last >> above {
            return (self.bucket_index(0), self.bucket_index(u32::MAX));
        }
        (self.bucket_index(first), self.bucket_index(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The words formats.md decodes from the stock set `exp_and_others`.
    #[test]
    fn stock_words() {
        for (word, base, lsb, size) in [
            (0x0000_b800, 0, 23, 0),
            (0x0001_b012, 18, 22, 1),
            (0x0008_7910, 272, 15, 8),
            (0x0000_b996, 406, 23, 0),
            (0x0008_7aa6, 678, 15, 8),
            (0x0000_bb2d, 813, 23, 0),
        ] {
            let control = ControlWord { base, lsb, size };
            assert_eq!(ControlWord::decode(word), Ok(control), "{word:#010x}");
            assert_eq!(control.encode(), Ok(word), "{word:#010x}");
            assert_eq!(ControlWord::octave(base, size), control);
        }
    }

    #[test]
    fn bucket_of_an_input() {
        // exp(0.5): octave -1 of the positive side begins at 424.
        let octave = ControlWord::octave(424, 1);
        assert_eq!(octave.bucket_index(0.5_f32.to_bits()), 424);
        assert_eq!(octave.bucket_index(0.75_f32.to_bits()), 425);
        assert_eq!(octave.bucket_range(0, 0x3f_ffff), (424, 424));
        assert_eq!(octave.bucket_range(0, 0x7f_ffff), (424, 425));
        assert_eq!(octave.bucket_range(0x40_0000, 0x7f_ffff), (425, 425));
        // Extraction below the top bits wraps inside the range, so all are possible.
        let low = ControlWord {
            base: 8,
            lsb: 0,
            size: 2,
        };
        assert_eq!(low.bucket_range(3, 4), (8, 11));
        assert_eq!(low.bucket_range(1, 2), (9, 10));
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let fits = ControlWord {
            base: 2047,
            lsb: 31,
            size: 15,
        };
        assert_eq!(fits.encode(), Ok(0xf_ffff));
        for wide in [
            ControlWord { base: 2048, ..fits },
            ControlWord { lsb: 32, ..fits },
            ControlWord { size: 16, ..fits },
        ] {
            assert!(
                matches!(wide.encode(), Err(EntryError::TooWide { .. })),
                "{wide:?}"
            );
        }
        for bit in 20..32 {
            assert_eq!(
                ControlWord::decode(1 << bit),
                Err(EntryError::ReservedBit {
                    entry: "CONTROL",
                    bit
                })
            );
        }
    }

    proptest! {
        #[test]
        fn round_trip(word in 0_u32..1 << 20) {
            let control = ControlWord::decode(word).expect("20 bits");
            prop_assert_eq!(control.encode(), Ok(word));
        }

        #[test]
        fn a_range_holds_every_bucket_between(word in 0_u32..1 << 20, a in 0_u32..1 << 23,
                                              b in 0_u32..1 << 23, within in 0_u32..1 << 23) {
            let control = ControlWord::decode(word).expect("20 bits");
            let (low, high) = (a.min(b), a.max(b));
            let (first, last) = control.bucket_range(low, high);
            let mantissa = low + within % (high - low + 1);
            prop_assert!((first..=last).contains(&control.bucket_index(mantissa)));
        }

        #[test]
        fn no_word_panics(base: u16, lsb: u8, size: u8, a: u32, b: u32) {
            let control = ControlWord { base, lsb, size };
            let _ = (control.encode(), control.bucket_index(a), control.bucket_range(a, b));
        }
    }
}
