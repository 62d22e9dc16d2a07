//! The CAM entry: how an instruction finds its function, 32 bytes, 9 used (pinned).

use crate::error::{EntryError, all_zero};

/// Which of the two mask bytes comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskOrder {
    /// `opcode_mask` in byte 4, `func_id_mask` in byte 5.
    OpcodeFirst,
    /// The two swapped, as on sunda.
    FuncIdFirst,
}

/// One entry. Its slot is also the slot of the function's profile; of several
/// matching entries the lowest wins (assumed).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CamEntry {
    /// The instruction's opcode.
    pub opcode: u8,
    /// The function id the instruction carries.
    pub func_id: u8,
    /// Which opcode bits are compared: 1 = compare (assumed).
    pub opcode_mask: u8,
    /// Which func id bits are compared: 1 = compare (assumed).
    pub func_id_mask: u8,
    /// An entry that is not valid matches nothing.
    pub valid: bool,
}

impl CamEntry {
    /// The size of an entry in bytes.
    pub const BYTES: usize = 32;

    /// Opcode of the Activate instruction, which every function of a set answers to.
    pub const ACTIVATE: u8 = 0x21;

    /// The entry a function gets. Assumed, and only here: that Activate alone is
    /// matched and that all bits of both bytes are compared.
    pub const fn activate(func_id: u8) -> Self {
        Self {
            opcode: Self::ACTIVATE,
            func_id,
            opcode_mask: 0xff,
            func_id_mask: 0xff,
            valid: true,
        }
    }

    /// Whether an instruction with this opcode and function id selects the entry.
    pub const fn matches(self, opcode: u8, func_id: u8) -> bool {
        self.valid
            && (opcode ^ self.opcode) & self.opcode_mask == 0
            && (func_id ^ self.func_id) & self.func_id_mask == 0
    }

    /// The entry as the hardware reads it.
    pub fn to_bytes(self, order: MaskOrder) -> [u8; Self::BYTES] {
        let masks = match order {
            MaskOrder::OpcodeFirst => [self.opcode_mask, self.func_id_mask],
            MaskOrder::FuncIdFirst => [self.func_id_mask, self.opcode_mask],
        };
        let mut bytes = [0; Self::BYTES];
        bytes[..2].copy_from_slice(&[self.opcode, self.func_id]);
        bytes[4..6].copy_from_slice(&masks);
        bytes[8] = self.valid.into();
        bytes
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// [`EntryError::ReservedBit`] if a bit outside the five fields is set.
    pub fn from_bytes(bytes: &[u8; Self::BYTES], order: MaskOrder) -> Result<Self, EntryError> {
        let (opcode_mask, func_id_mask) = match order {
            MaskOrder::OpcodeFirst => (bytes[4], bytes[5]),
            MaskOrder::FuncIdFirst => (bytes[5], bytes[4]),
        };
        all_zero("CAM", 16, &bytes[2..4])?;
        all_zero("CAM", 48, &bytes[6..8])?;
        all_zero("CAM", 64, &[bytes[8] & !1])?;
        all_zero("CAM", 72, &bytes[9..])?;
        Ok(Self {
            opcode: bytes[0],
            func_id: bytes[1],
            opcode_mask,
            func_id_mask,
            valid: bytes[8] == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENTRY: CamEntry = CamEntry {
        opcode: 0x21,
        func_id: 7,
        opcode_mask: 0xf1,
        func_id_mask: 0x0e,
        valid: true,
    };

    #[test]
    fn bytes_and_the_mask_order_of_sunda() {
        let mut expected = [0; 32];
        expected[..9].copy_from_slice(&[0x21, 7, 0, 0, 0xf1, 0x0e, 0, 0, 1]);
        assert_eq!(ENTRY.to_bytes(MaskOrder::OpcodeFirst), expected);
        expected[4..6].copy_from_slice(&[0x0e, 0xf1]);
        assert_eq!(ENTRY.to_bytes(MaskOrder::FuncIdFirst), expected);
    }

    #[test]
    fn masks_choose_the_compared_bits() {
        assert!(ENTRY.matches(0x21, 7));
        assert!(ENTRY.matches(0x2f, 6));
        assert!(!ENTRY.matches(0x31, 7));
        assert!(!ENTRY.matches(0x21, 5));
        assert!(
            !CamEntry {
                valid: false,
                ..ENTRY
            }
            .matches(0x21, 7)
        );
        assert!(CamEntry::activate(9).matches(0x21, 9));
        assert!(!CamEntry::activate(9).matches(0x22, 9));
    }

    #[test]
    fn every_reserved_bit_is_refused() {
        for bit in (16..32).chain(48..64).chain(65..256_u32) {
            let mut bytes = ENTRY.to_bytes(MaskOrder::OpcodeFirst);
            bytes[bit as usize / 8] |= 1 << (bit % 8);
            assert_eq!(
                CamEntry::from_bytes(&bytes, MaskOrder::OpcodeFirst),
                Err(EntryError::ReservedBit { entry: "CAM", bit })
            );
        }
    }

    proptest! {
        #[test]
        fn round_trip(opcode: u8, func_id: u8, opcode_mask: u8, func_id_mask: u8,
                      valid: bool, swapped: bool) {
            let entry = CamEntry { opcode, func_id, opcode_mask, func_id_mask, valid };
            let order = if swapped { MaskOrder::FuncIdFirst } else { MaskOrder::OpcodeFirst };
            prop_assert_eq!(CamEntry::from_bytes(&entry.to_bytes(order), order), Ok(entry));
        }
    }
}
