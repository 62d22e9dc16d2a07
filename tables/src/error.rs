//! What can be wrong with the bytes of a single table entry.

/// An entry that the format does not allow. Where the entry lies (file and index) is
/// added by whoever reads the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// A bit that the format keeps zero is set.
    #[error("{entry} entry: bit {bit} is reserved: expected 0, found 1")]
    ReservedBit {
        /// The kind of entry: `CAM`, `PROFILE`, `CONTROL` or `BUCKET`.
        entry: &'static str,
        /// The lowest offending bit, counted from bit 0 of byte 0.
        bit: u32,
    },
    /// A value needs more bits than its field has.
    #[error("{entry} entry: {field}: expected a value of {width} bits, found {found:#x}")]
    TooWide {
        /// The kind of entry.
        entry: &'static str,
        /// The field's name in the format.
        field: &'static str,
        /// The field's width in bits.
        width: u32,
        /// The value that does not fit.
        found: u64,
    },
}

/// `value` as it goes into a field of `width` bits.
pub(crate) fn fitting(
    entry: &'static str,
    field: &'static str,
    width: u32,
    value: u64,
) -> Result<u64, EntryError> {
    if value >> width == 0 {
        Ok(value)
    } else {
        Err(EntryError::TooWide {
            entry,
            field,
            width,
            found: value,
        })
    }
}

/// Fails with the lowest set bit of `bytes`, which begin at bit `first_bit` of the entry.
pub(crate) fn all_zero(
    entry: &'static str,
    first_bit: u32,
    bytes: &[u8],
) -> Result<(), EntryError> {
    let mut bit = first_bit;
    for &byte in bytes {
        if byte != 0 {
            return Err(EntryError::ReservedBit {
                entry,
                bit: bit + byte.trailing_zeros(),
            });
        }
        bit += 8;
    }
    Ok(())
}
