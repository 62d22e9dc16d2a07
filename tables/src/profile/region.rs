//! The four regions: where the table ends and a saturation bucket takes over.

use super::FieldValue;
use super::layout::Cell;
use crate::control::ControlWord;
use crate::error::{EntryError, fitting};

/// One of small/large x positive/negative, in the order of the PROFILE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegionKind {
    /// Inputs above the positive side's octaves.
    LargePositive,
    /// Inputs below the negative side's octaves.
    LargeNegative,
    /// Inputs between 0 and the positive side's octaves.
    SmallPositive,
    /// Inputs between 0 and the negative side's octaves.
    SmallNegative,
}

impl RegionKind {
    /// All four in the order of the PROFILE.
    pub const ALL: [Self; 4] = [
        Self::LargePositive,
        Self::LargeNegative,
        Self::SmallPositive,
        Self::SmallNegative,
    ];

    /// `large_pos`, `large_neg`, `small_pos` or `small_neg`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LargePositive => "large_pos",
            Self::LargeNegative => "large_neg",
            Self::SmallPositive => "small_pos",
            Self::SmallNegative => "small_neg",
        }
    }

    /// The large region of a side.
    pub const fn large(negative: bool) -> Self {
        if negative {
            Self::LargeNegative
        } else {
            Self::LargePositive
        }
    }

    /// The small region of a side.
    pub const fn small(negative: bool) -> Self {
        if negative {
            Self::SmallNegative
        } else {
            Self::SmallPositive
        }
    }
}

/// The 44 bits of one region: its saturation bucket and the mantissa at its edge.
/// From the low end: `pwl_control` 20, `mantissa_threshold_msbs` 12,
/// `mantissa_threshold_lsbs` 11, `mantissa_compare_enable` 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegionWord {
    /// `pwl_control`, 20 bits in the layout of a CONTROL word; with `extract_size` 0 it
    /// is the index of the saturation bucket.
    pub control: u32,
    /// The 23-bit mantissa threshold, `msbs << 11 | lsbs`.
    pub mantissa_threshold: u32,
    /// `mantissa_compare_enable`: at the threshold exponent, compare the mantissa.
    pub compare: bool,
}

impl RegionWord {
    /// `pwl_control` taken apart; bits above its 20 are ignored.
    pub const fn control_word(self) -> ControlWord {
        ControlWord::decode_fields(self.control)
    }
}

impl Cell for RegionWord {
    fn to_raw(self) -> Result<u64, EntryError> {
        let control = fitting("PROFILE", "pwl_control", 20, self.control.into())?;
        let mantissa = fitting(
            "PROFILE",
            "mantissa_threshold",
            23,
            self.mantissa_threshold.into(),
        )?;
        let (msbs, lsbs) = (mantissa >> 11, mantissa & 0x7ff);
        Ok(control | msbs << 20 | lsbs << 32 | u64::from(self.compare) << 43)
    }

    fn from_raw(raw: u64) -> Self {
        let (msbs, lsbs) = (raw >> 20 & 0xfff, raw >> 32 & 0x7ff);
        Self {
            control: (raw & 0xf_ffff) as u32,
            mantissa_threshold: (msbs << 11 | lsbs) as u32,
            compare: raw >> 43 & 1 == 1,
        }
    }

    fn value(self) -> FieldValue {
        FieldValue::Region(self)
    }
}
