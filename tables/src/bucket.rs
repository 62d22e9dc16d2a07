//! The BUCKET entry: one cubic, 32 bytes, the same on every generation (pinned).

use crate::error::{EntryError, all_zero};

/// `f(x) ~ d0 + d1 t + d2 t^2 + d3 t^3` with `t = x - x0`.
///
/// Two buckets are equal when their bits are: NaN equals NaN, and +0 differs from -0.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    /// The coefficients `d0` to `d3`, the constant term first.
    pub d: [f32; 4],
    /// The breakpoint, stored un-negated.
    pub x0: f32,
}

impl Bucket {
    /// The size of an entry in bytes.
    pub const BYTES: usize = 32;

    /// The cubic that is `value` everywhere.
    pub const fn constant(value: f32) -> Self {
        Self::linear(value, 0.0)
    }

    /// The cubic `d0 + d1 x`.
    pub const fn linear(d0: f32, d1: f32) -> Self {
        Self {
            d: [d0, d1, 0.0, 0.0],
            x0: 0.0,
        }
    }

    /// The cubic whose value at `-x` is this one's at `x`, negated with `invert`. Every
    /// datapath rounds both alike. A zero stays positive.
    pub fn mirrored(self, invert: bool) -> Self {
        let negated = |value: f32| if value == 0.0 { value } else { -value };
        let flip = |power: usize, value: f32| match invert != (power % 2 == 1) {
            true => negated(value),
            false => value,
        };
        let [d0, d1, d2, d3] = self.d;
        Self {
            d: [flip(0, d0), flip(1, d1), flip(2, d2), flip(3, d3)],
            x0: negated(self.x0),
        }
    }

    /// The five stored words in file order: `d0`, `d1`, `d2`, `d3`, `x0`.
    pub const fn to_words(self) -> [u32; 5] {
        [
            self.d[0].to_bits(),
            self.d[1].to_bits(),
            self.d[2].to_bits(),
            self.d[3].to_bits(),
            self.x0.to_bits(),
        ]
    }

    /// The bucket that [`Bucket::to_words`] describes.
    pub const fn from_words(words: [u32; 5]) -> Self {
        Self {
            d: [
                f32::from_bits(words[0]),
                f32::from_bits(words[1]),
                f32::from_bits(words[2]),
                f32::from_bits(words[3]),
            ],
            x0: f32::from_bits(words[4]),
        }
    }

    /// The entry as it stands in the pool: five little-endian words, then zeros.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (cell, word) in bytes.chunks_exact_mut(4).zip(self.to_words()) {
            cell.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// [`EntryError::ReservedBit`] if any of the last 12 bytes is not zero.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Result<Self, EntryError> {
        let (cells, _) = bytes.as_chunks::<4>();
        let mut words = [0; 5];
        for (word, cell) in words.iter_mut().zip(cells) {
            *word = u32::from_le_bytes(*cell);
        }
        all_zero("BUCKET", 160, &bytes[20..])?;
        Ok(Self::from_words(words))
    }
}

impl PartialEq for Bucket {
    fn eq(&self, other: &Self) -> bool {
        self.to_words() == other.to_words()
    }
}

impl Eq for Bucket {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bucket 0 of the stock exp table, and the saturation bucket for overflow.
    #[test]
    fn stock_exp_bytes() {
        let first =
            Bucket::from_words([0x3f7fffd0, 0x3f7fffd0, 0x3effffd0, 0x3e2aaa8b, 0xb63fffff]);
        let mut bytes = [0; 32];
        bytes[..20].copy_from_slice(&[
            0xd0, 0xff, 0x7f, 0x3f, 0xd0, 0xff, 0x7f, 0x3f, 0xd0, 0xff, 0xff, 0x3e, 0x8b, 0xaa,
            0x2a, 0x3e, 0xff, 0xff, 0x3f, 0xb6,
        ]);
        assert_eq!(first.to_bytes(), bytes);
        assert_eq!(Bucket::from_bytes(&bytes), Ok(first));

        let overflow = Bucket::constant(f32::INFINITY).to_bytes();
        assert_eq!(overflow[..4], 0x7f80_0000_u32.to_le_bytes());
        assert_eq!(overflow[4..], [0; 28]);
    }

    #[test]
    fn equality_is_of_bits() {
        assert_eq!(Bucket::constant(f32::NAN), Bucket::constant(f32::NAN));
        assert_ne!(Bucket::constant(0.0), Bucket::constant(-0.0));
    }

    #[test]
    fn every_reserved_bit_is_refused() {
        for bit in 160..256_u32 {
            let mut bytes = [0; 32];
            bytes[bit as usize / 8] = 1 << (bit % 8);
            assert_eq!(
                Bucket::from_bytes(&bytes),
                Err(EntryError::ReservedBit {
                    entry: "BUCKET",
                    bit
                })
            );
        }
    }

    proptest! {
        #[test]
        fn round_trip(words: [u32; 5]) {
            let bucket = Bucket::from_words(words);
            prop_assert_eq!(bucket.to_words(), words);
            prop_assert_eq!(Bucket::from_bytes(&bucket.to_bytes()), Ok(bucket));
        }
    }
}
