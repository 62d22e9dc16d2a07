//! The hardware generations: capacities, layout differences and addresses (targets.md).

use core::fmt;

use crate::bucket::Bucket;
use crate::cam::{CamEntry, MaskOrder};
use crate::profile::Profile;

/// A hardware generation, or one of the two stock file layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Generation v2.
    Sunda,
    /// Generation v3.
    Cayman,
    /// Generation v4.
    Mariana,
    /// Generation v4.
    MarianaPlus,
    /// Generation v5: the tables live in the DVE block.
    Maverick,
    /// The vendor's `trainium` files.
    StockTrainium,
    /// The vendor's `with_ln` files.
    StockWithLn,
}

/// One of the four tables of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// How an instruction finds its function.
    Cam,
    /// Specials, fold and regions.
    Profile,
    /// One word per octave.
    Control,
    /// The pool of cubics.
    Bucket,
}

impl Table {
    /// All four, the CAM first.
    pub const ALL: [Self; 4] = [Self::Cam, Self::Profile, Self::Control, Self::Bucket];

    /// `cam`, `profile`, `control` or `bucket`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cam => "cam",
            Self::Profile => "profile",
            Self::Control => "control",
            Self::Bucket => "bucket",
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How many entries each table of a target holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// CAM entries.
    pub cam: usize,
    /// PROFILE slots.
    pub profile: usize,
    /// CONTROL words.
    pub control: usize,
    /// Buckets in the pool.
    pub bucket: usize,
}

impl Capacity {
    /// The capacity of one table.
    pub const fn of(self, table: Table) -> usize {
        match table {
            Table::Cam => self.cam,
            Table::Profile => self.profile,
            Table::Control => self.control,
            Table::Bucket => self.bucket,
        }
    }
}

/// Where one table of a register-image target is loaded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HardwareRegion {
    /// The region's name.
    pub name: &'static str,
    /// Its first byte in the target's [`AddressSpace`]; `None` where it is not known.
    pub address: Option<u64>,
}

/// The hardware regions of the four tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HardwareRegions {
    /// What the addresses count from.
    pub space: AddressSpace,
    /// The CAM.
    pub cam: HardwareRegion,
    /// The profiles.
    pub profile: HardwareRegion,
    /// The control words.
    pub control: HardwareRegion,
    /// The buckets.
    pub bucket: HardwareRegion,
}

impl HardwareRegions {
    /// The region of one table.
    pub const fn of(self, table: Table) -> HardwareRegion {
        match table {
            Table::Cam => self.cam,
            Table::Profile => self.profile,
            Table::Control => self.control,
            Table::Bucket => self.bucket,
        }
    }
}

/// What the addresses of a target count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSpace {
    /// Absolute addresses of TPB 0. The other TPBs' are not known.
    Tpb0,
    /// Offsets in the DVE block.
    DveBlock,
    /// No address is known.
    Unknown,
}

impl AddressSpace {
    /// The name in `dma.json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tpb0 => "tpb0",
            Self::DveBlock => "dve-block-offset",
            Self::Unknown => "unknown",
        }
    }
}

const fn region(name: &'static str, address: Option<u64>) -> HardwareRegion {
    HardwareRegion { name, address }
}

const UNKNOWN_REGIONS: HardwareRegions = HardwareRegions {
    space: AddressSpace::Unknown,
    cam: region("PROFILE_CAM", None),
    profile: region("PROFILE_TABLE", None),
    control: region("CONTROL_TABLE", None),
    bucket: region("BUCKET_TABLE", None),
};

// CONTROL also has a local storage at 0x28_0254_0000 (0x10000 bytes); loads go to the table.
const CAYMAN_REGIONS: HardwareRegions = HardwareRegions {
    space: AddressSpace::Tpb0,
    cam: region("PROFILE_CAM", Some(0x28_0247_0000)),
    profile: region("PROFILE_TABLE", Some(0x28_0247_1000)),
    control: region("CONTROL_TABLE", Some(0x28_024e_0000)),
    bucket: region("BUCKET_TABLE", Some(0x28_024c_0000)),
};

// The block also names ACT_CONTROL_TABLE (0xa0000, 0x2000 bytes), but nothing says that
// it holds the profiles: CAM and profiles stay without an address.
const MAVERICK_REGIONS: HardwareRegions = HardwareRegions {
    space: AddressSpace::DveBlock,
    control: region("PWP_CONTROL_TABLE", Some(0xb_0000)),
    bucket: region("PWP_BUCKETS_TABLE", Some(0xc_0000)),
    ..UNKNOWN_REGIONS
};

/// Everything that distinguishes one target from another, one row each.
struct Facts {
    name: &'static str,
    generation: Option<u8>,
    control_capacity: usize,
    control_stride: usize,
    mask_order: MaskOrder,
    has_later_profile_bits: bool,
    regions: Option<HardwareRegions>,
}

const IMAGE: Facts = Facts {
    name: "",
    generation: None,
    control_capacity: 128,
    control_stride: 32,
    mask_order: MaskOrder::OpcodeFirst,
    has_later_profile_bits: true,
    regions: Some(UNKNOWN_REGIONS),
};

// The stock sets use up to 254 control words; a profile's base has 8 bits.
const STOCK: Facts = Facts {
    control_capacity: 256,
    regions: None,
    ..IMAGE
};

impl Target {
    /// All targets, the generations in order and then the stock layouts.
    pub const ALL: [Self; 7] = [
        Self::Sunda,
        Self::Cayman,
        Self::Mariana,
        Self::MarianaPlus,
        Self::Maverick,
        Self::StockTrainium,
        Self::StockWithLn,
    ];

    const fn facts(self) -> Facts {
        match self {
            Self::Sunda => Facts {
                name: "sunda",
                generation: Some(2),
                mask_order: MaskOrder::FuncIdFirst,
                has_later_profile_bits: false,
                ..IMAGE
            },
            Self::Cayman => Facts {
                name: "cayman",
                generation: Some(3),
                regions: Some(CAYMAN_REGIONS),
                ..IMAGE
            },
            Self::Mariana => Facts {
                name: "mariana",
                generation: Some(4),
                ..IMAGE
            },
            Self::MarianaPlus => Facts {
                name: "mariana_plus",
                generation: Some(4),
                ..IMAGE
            },
            Self::Maverick => Facts {
                name: "maverick",
                generation: Some(5),
                regions: Some(MAVERICK_REGIONS),
                ..IMAGE
            },
            Self::StockTrainium => Facts {
                name: "stock-trainium",
                ..STOCK
            },
            Self::StockWithLn => Facts {
                name: "stock-with-ln",
                control_stride: 16,
                ..STOCK
            },
        }
    }

    /// The name used in manifests, specifications and on the command line.
    pub const fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// The target of this name.
    ///
    /// # Errors
    /// [`UnknownTarget`], whose message lists the known names.
    pub fn from_name(name: &str) -> Result<Self, UnknownTarget> {
        Self::ALL
            .into_iter()
            .find(|target| target.as_str() == name)
            .ok_or(UnknownTarget)
    }

    /// The hardware generation (2 for v2); none for the stock layouts.
    pub const fn generation(self) -> Option<u8> {
        self.facts().generation
    }

    /// How many entries each table holds.
    pub const fn capacity(self) -> Capacity {
        Capacity {
            cam: 128,
            profile: 64,
            control: self.facts().control_capacity,
            bucket: 2048,
        }
    }

    /// Bytes from one entry of a table to the next.
    pub const fn stride(self, table: Table) -> usize {
        match table {
            Table::Cam => CamEntry::BYTES,
            Table::Profile => Profile::BYTES,
            Table::Control => self.facts().control_stride,
            Table::Bucket => Bucket::BYTES,
        }
    }

    /// The order of the two mask bytes of a CAM entry.
    pub const fn mask_order(self) -> MaskOrder {
        self.facts().mask_order
    }

    /// Whether PROFILE bits 435 and 754 exist; where they do not they are zero.
    pub const fn has_later_profile_bits(self) -> bool {
        self.facts().has_later_profile_bits
    }

    /// Whether sets are laid out as the stock files hold them (formats.md, section 6).
    pub const fn has_stock_layout(self) -> bool {
        matches!(self, Self::StockTrainium | Self::StockWithLn)
    }

    /// Where register images are loaded to; none for the stock layouts, of which the
    /// vendor's packager makes its own images.
    pub const fn hardware_regions(self) -> Option<HardwareRegions> {
        self.facts().regions
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl core::str::FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        Self::from_name(name)
    }
}

/// A name that is no target. The caller knows the name and where it stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown target: expected {}", self.known())]
pub struct UnknownTarget;

impl UnknownTarget {
    /// The names there are.
    pub const fn known(self) -> &'static str {
        "sunda, cayman, mariana, mariana_plus, maverick, stock-trainium or stock-with-ln"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_the_error_lists_them() {
        for target in Target::ALL {
            assert_eq!(Target::from_name(target.as_str()), Ok(target));
        }
        assert_eq!(Target::from_name("trainium"), Err(UnknownTarget));
        let names = Target::ALL
            .map(Target::as_str)
            .join(", ")
            .replace(", stock-with-ln", " or stock-with-ln");
        assert_eq!(UnknownTarget.known(), names);
    }

    #[test]
    fn only_sunda_swaps_masks_and_lacks_bits() {
        for target in Target::ALL {
            let sunda = target == Target::Sunda;
            assert_eq!(
                target.mask_order() == MaskOrder::FuncIdFirst,
                sunda,
                "{target}"
            );
            assert_eq!(target.has_later_profile_bits(), !sunda, "{target}");
        }
    }

    #[test]
    fn capacities_and_strides() {
        for target in Target::ALL {
            let (control, stride) = match target {
                Target::StockTrainium => (256, 32),
                Target::StockWithLn => (256, 16),
                _ => (128, 32),
            };
            let expected = Capacity {
                cam: 128,
                profile: 64,
                control,
                bucket: 2048,
            };
            assert_eq!(target.capacity(), expected, "{target}");
            assert_eq!(target.stride(Table::Control), stride, "{target}");
            assert_eq!(
                target.hardware_regions().is_none(),
                target.generation().is_none()
            );
        }
    }

    #[test]
    fn known_addresses() {
        let addresses = |target: Target| {
            let regions = target.hardware_regions().expect("a register-image target");
            [
                regions.cam,
                regions.profile,
                regions.control,
                regions.bucket,
            ]
            .map(|r| r.address)
        };
        assert_eq!(
            addresses(Target::Cayman),
            [
                0x28_0247_0000,
                0x28_0247_1000,
                0x28_024e_0000,
                0x28_024c_0000
            ]
            .map(Some)
        );
        assert_eq!(
            addresses(Target::Maverick),
            [None, None, Some(0xb_0000), Some(0xc_0000)]
        );
        for target in [Target::Sunda, Target::Mariana, Target::MarianaPlus] {
            assert_eq!(addresses(target), [None; 4], "{target}");
        }
    }
}
