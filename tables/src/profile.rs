//! The PROFILE entry: everything about a function that is not a cubic, 128 bytes.
//!
//! The layout stands once, in the table behind [`LAYOUT`]; the struct, the
//! reader, the writer and [`Profile::fields`] are made from it.

mod layout;
mod region;

pub use layout::{FieldLayout, LAYOUT, Origin, Profile};
pub use region::{RegionKind, RegionWord};

use crate::error::{EntryError, all_zero};

/// The value of one PROFILE field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldValue {
    /// A selector, an exponent, an index or a flag.
    Unsigned(u32),
    /// A binary32 value.
    Float(f32),
    /// One of the four regions.
    Region(RegionWord),
}

/// One PROFILE field with its value, for display.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileField {
    /// Where the field lies.
    pub layout: &'static FieldLayout,
    /// What it holds.
    pub value: FieldValue,
}

impl Profile {
    /// The size of an entry in bytes.
    pub const BYTES: usize = 128;

    /// The entry as the hardware reads it.
    ///
    /// # Errors
    /// [`EntryError::TooWide`] if a value does not fit its field.
    pub fn to_bytes(&self) -> Result<[u8; Self::BYTES], EntryError> {
        let mut bytes = [0; Self::BYTES];
        self.write_fields(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// [`EntryError::ReservedBit`] if a bit outside all fields is set.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Result<Self, EntryError> {
        let profile = Self::read_fields(bytes);
        // What the fields do not account for is reserved.
        let mut rest = profile.to_bytes()?;
        for (left, byte) in rest.iter_mut().zip(bytes) {
            *left ^= byte;
        }
        all_zero("PROFILE", 0, &rest)?;
        Ok(profile)
    }

    /// The word of one region.
    pub const fn region(&self, kind: RegionKind) -> RegionWord {
        match kind {
            RegionKind::LargePositive => self.large_pos,
            RegionKind::LargeNegative => self.large_neg,
            RegionKind::SmallPositive => self.small_pos,
            RegionKind::SmallNegative => self.small_neg,
        }
    }

    /// The word of one region, to be changed.
    pub const fn region_mut(&mut self, kind: RegionKind) -> &mut RegionWord {
        match kind {
            RegionKind::LargePositive => &mut self.large_pos,
            RegionKind::LargeNegative => &mut self.large_neg,
            RegionKind::SmallPositive => &mut self.small_pos,
            RegionKind::SmallNegative => &mut self.small_neg,
        }
    }

    /// The biased exponent at which one region begins.
    pub const fn threshold(&self, kind: RegionKind) -> u8 {
        match kind {
            RegionKind::LargePositive => self.large_pos_signal_threshold,
            RegionKind::LargeNegative => self.large_neg_signal_threshold,
            RegionKind::SmallPositive => self.small_pos_signal_threshold,
            RegionKind::SmallNegative => self.small_neg_signal_threshold,
        }
    }

    /// Whether the input is folded onto one side before anything else.
    pub const fn is_folded(&self) -> bool {
        self.symmetry_opt_en != 0
    }

    /// Whether a folded input lands on the negative side.
    pub const fn folds_to_negative(&self) -> bool {
        self.symmetry_opt_use_neg_region != 0
    }
}

#[cfg(test)]
mod tests;
