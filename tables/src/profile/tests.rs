use super::*;
use proptest::prelude::*;

/// The bits that are set in an entry.
fn set_bits(profile: &Profile) -> Vec<usize> {
    let bytes = profile.to_bytes().expect("all values fit");
    (0..1024)
        .filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1)
        .collect()
}

fn ones() -> f32 {
    f32::from_bits(u32::MAX)
}

#[test]
fn pinned_positions() {
    let zero = Profile::default();
    let range = |bits: core::ops::Range<usize>| bits.collect::<Vec<_>>();
    for (profile, bits) in [
        (
            Profile {
                pwl_bypass: true,
                ..zero
            },
            range(32..33),
        ),
        (
            Profile {
                symmetry_point: ones(),
                ..zero
            },
            range(40..72),
        ),
        (
            Profile {
                exponent_offset: 0xff,
                ..zero
            },
            range(72..80),
        ),
        (
            Profile {
                bias_scale_fma_bypass: true,
                ..zero
            },
            range(435..436),
        ),
        (
            Profile {
                func_rslt_for_zero: ones(),
                ..zero
            },
            range(592..624),
        ),
        (
            Profile {
                func_rslt_for_nan: ones(),
                ..zero
            },
            range(624..656),
        ),
        (
            Profile {
                func_rslt_for_pos_inf: ones(),
                ..zero
            },
            range(656..688),
        ),
        (
            Profile {
                func_rslt_for_neg_inf: ones(),
                ..zero
            },
            range(688..720),
        ),
        (
            Profile {
                batchnorm_accumulator_rd: true,
                ..zero
            },
            range(754..755),
        ),
    ] {
        assert_eq!(set_bits(&profile), bits);
    }
    // Exactly these are marked so in the layout.
    let pinned: Vec<_> = LAYOUT
        .iter()
        .filter(|field| field.origin != Origin::Derived)
        .map(|field| (field.lsb, field.msb))
        .collect();
    assert_eq!(
        pinned,
        [
            (32, 32),
            (40, 71),
            (72, 79),
            (435, 435),
            (592, 623),
            (624, 655),
            (656, 687),
            (688, 719),
            (754, 754)
        ]
    );
}

#[test]
fn a_value_is_little_endian_at_its_position() {
    let profile = Profile {
        symmetry_point: 1.0,
        exponent_offset: 0x6c,
        func_rslt_for_nan: f32::from_bits(0x7fc0_0000),
        ..Profile::default()
    };
    let bytes = profile.to_bytes().expect("fits");
    assert_eq!(bytes[5..10], [0, 0, 0x80, 0x3f, 0x6c]);
    assert_eq!(bytes[78..82], [0, 0, 0xc0, 0x7f]);
}

#[test]
fn regions_lie_at_160_plus_44_k() {
    let profile = Profile {
        small_pos: RegionWord {
            control: 1,
            mantissa_threshold: 1 << 11 | 1,
            compare: true,
        },
        ..Profile::default()
    };
    // Parts from the low end: control 20, msbs 12, lsbs 11, compare 1.
    assert_eq!(set_bits(&profile), [248, 268, 280, 291]);
    assert_eq!(profile.region(RegionKind::SmallPositive), profile.small_pos);
    for (kind, first) in RegionKind::ALL.into_iter().zip([160, 204, 248, 292]) {
        let field = LAYOUT.iter().find(|field| field.name == kind.as_str());
        assert_eq!(
            field.map(|field| (field.lsb, field.width())),
            Some((first, 44))
        );
    }
}

#[test]
fn fields_are_ordered_and_disjoint() {
    for pair in LAYOUT.windows(2) {
        assert!(
            pair[0].msb < pair[1].lsb,
            "{} / {}",
            pair[0].name,
            pair[1].name
        );
    }
    assert_eq!(LAYOUT.last().map(|field| field.msb), Some(754));
}

#[test]
fn fields_carry_name_position_and_value() {
    let profile = Profile {
        exponent_offset: 108,
        symmetry_point: 1.0,
        ..Profile::default()
    };
    let value = |name| {
        profile
            .fields()
            .find(|field| field.layout.name == name)
            .map(|field| field.value)
    };
    assert_eq!(value("exponent_offset"), Some(FieldValue::Unsigned(108)));
    assert_eq!(value("symmetry_point"), Some(FieldValue::Float(1.0)));
    assert_eq!(
        value("large_neg"),
        Some(FieldValue::Region(RegionWord::default()))
    );
    assert_eq!(profile.fields().count(), LAYOUT.len());
}

/// Every bit either belongs to a field and survives, or is refused by its number.
#[test]
fn every_bit_is_a_field_or_reserved() {
    for bit in 0..1024_u32 {
        let mut bytes = [0; 128];
        bytes[bit as usize / 8] = 1 << (bit % 8);
        let field = LAYOUT
            .iter()
            .find(|field| (field.lsb..=field.msb).contains(&bit));
        match Profile::from_bytes(&bytes) {
            Ok(profile) => {
                assert!(field.is_some(), "bit {bit} is in no field");
                assert_eq!(profile.to_bytes(), Ok(bytes));
                let changed = profile
                    .fields()
                    .zip(Profile::default().fields())
                    .find(|(now, zero)| now != zero);
                // -0.0 == 0.0, so the sign bit of a float shows no change here.
                if let Some((now, _)) = changed {
                    assert_eq!(Some(now.layout), field, "bit {bit}");
                }
            }
            Err(error) => {
                assert_eq!(field, None, "bit {bit}: {error}");
                assert_eq!(
                    error,
                    EntryError::ReservedBit {
                        entry: "PROFILE",
                        bit
                    }
                );
            }
        }
    }
}

#[test]
fn values_that_do_not_fit_name_their_field() {
    let zero = Profile::default();
    let region = |control, mantissa_threshold| RegionWord {
        control,
        mantissa_threshold,
        compare: false,
    };
    for (profile, field, width) in [
        (
            Profile {
                symmetry_opt_en: 4,
                ..zero
            },
            "symmetry_opt_en",
            2,
        ),
        (
            Profile {
                fma_src_sel5: 16,
                ..zero
            },
            "fma_src_sel5",
            4,
        ),
        (
            Profile {
                large_neg: region(1 << 20, 0),
                ..zero
            },
            "pwl_control",
            20,
        ),
        (
            Profile {
                large_neg: region(0, 1 << 23),
                ..zero
            },
            "mantissa_threshold",
            23,
        ),
    ] {
        match profile.to_bytes() {
            Err(EntryError::TooWide {
                entry: "PROFILE",
                field: found,
                width: bits,
                ..
            }) => {
                assert_eq!((found, bits), (field, width));
            }
            other => panic!("{field}: {other:?}"),
        }
    }
}

proptest! {
    #[test]
    fn round_trip(random in proptest::collection::vec(any::<u8>(), 128)) {
        // Random bytes with the reserved bits cleared.
        let mut bytes: [u8; 128] = random.try_into().expect("128 bytes");
        for bit in 0..1024_u32 {
            if !LAYOUT.iter().any(|field| (field.lsb..=field.msb).contains(&bit)) {
                bytes[bit as usize / 8] &= !(1 << (bit % 8));
            }
        }
        let profile = Profile::from_bytes(&bytes);
        prop_assert_eq!(profile.and_then(|profile| profile.to_bytes()), Ok(bytes));
    }
}
