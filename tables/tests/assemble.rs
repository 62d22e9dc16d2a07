//! Where functions end up in the tables.

mod support;

use actforge_tables::{
    Bucket, CamEntry, ControlWord, Datapath, Fold, FunctionSet, FunctionTable, RegionKind,
    SetError, Symmetry, Table, Target,
};
use support::{buckets, for_stock, functions, octave, odd, region, relu, two_sided};

fn assemble(functions: &[FunctionTable]) -> Result<FunctionSet, SetError> {
    FunctionSet::assemble("sample", Target::Cayman, Datapath::Fma, functions)
}

#[track_caller]
fn message(functions: &[FunctionTable]) -> String {
    assemble(functions).expect_err("an invalid set").to_string()
}

#[test]
fn an_odd_function() {
    let set = assemble(&[odd()]).expect("valid");
    assert_eq!(set.cam, [CamEntry::activate(10)]);
    assert_eq!(
        set.control,
        [
            ControlWord {
                base: 0,
                lsb: 23,
                size: 0
            },
            ControlWord {
                base: 1,
                lsb: 22,
                size: 1
            },
            ControlWord {
                base: 3,
                lsb: 21,
                size: 2
            },
            ControlWord {
                base: 7,
                lsb: 21,
                size: 2
            },
        ]
    );
    // Octaves, then pos_low and pos_high; the mirrored ones are the same buckets.
    let mut pool = [
        buckets(10, 1),
        buckets(11, 2),
        buckets(12, 4),
        buckets(13, 3),
    ]
    .concat();
    pool.extend([Bucket::linear(0.0, 1.0), Bucket::constant(1.0)]);
    assert_eq!(set.buckets, pool);

    let entry = set.function("odd").expect("present");
    assert_eq!(
        (entry.control.clone(), entry.buckets.clone()),
        (0..4, 0..10)
    );
    assert_eq!(entry.saturation, [11, 11, 10, 10]);

    let profile = set.profile(entry).expect("present");
    assert_eq!(profile.exponent_offset, 125);
    assert_eq!(
        (profile.pwl_control_base_pos, profile.pwl_control_base_neg),
        (0, 0)
    );
    assert_eq!(
        (profile.symmetry_opt_en, profile.symmetry_opt_use_neg_region),
        (1, 0)
    );
    assert_eq!(profile.func_sym_inv_sign, 1);
    assert_eq!(profile.large_pos.control, 11);
    assert_eq!(profile.large_pos.mantissa_threshold, 0x60_0000);
    assert_eq!(profile.threshold(RegionKind::LargePositive), 128);
    assert_eq!(profile.func_rslt_for_neg_inf.to_bits(), 0xbf80_0000);

    let octaves = set.octaves(entry).expect("in its own run");
    let seen: Vec<_> = octaves
        .iter()
        .map(|octave| {
            (
                octave.exponent,
                octave.control_index,
                octave.buckets.clone(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [(-2, 0, 0..1), (-1, 1, 1..3), (0, 2, 3..7), (1, 3, 7..10)]
    );
    assert_eq!(octaves[3].mantissas, (0, 0x5f_ffff));
}

#[test]
fn a_function_without_a_table_needs_no_control_words() {
    let set = assemble(&[relu()]).expect("valid");
    assert_eq!(set.entries(Table::Control), 0);
    // 1 t for pos_low and pos_high, 0 for neg_low and neg_high.
    assert_eq!(
        set.buckets,
        [Bucket::linear(0.0, 1.0), Bucket::constant(0.0)]
    );
    let entry = &set.functions[0];
    assert_eq!(entry.saturation, [0, 1, 0, 1]);
    assert_eq!(set.octaves(entry), Ok(Vec::new()));
    let profile = set.profile(entry).expect("present");
    assert_eq!(profile.large_neg.control, 1);
    assert!(profile.large_neg.compare);
}

#[test]
fn saturation_buckets_are_stored_once_per_set() {
    let set = assemble(&functions()).expect("valid");
    let [odd, relu, both] = [&set.functions[0], &set.functions[1], &set.functions[2]];
    assert_eq!(odd.saturation, [11, 11, 10, 10]);
    // relu's 1 t is odd's small bucket; its 0 is new.
    assert_eq!(relu.saturation, [10, 12, 10, 12]);
    assert_eq!((relu.buckets.clone(), relu.control.clone()), (12..12, 4..4));
    assert_eq!(both.buckets, 13..25);
    assert_eq!(both.saturation, [11, 12, 11, 11]);
    assert_eq!(set.buckets.len(), 25);
    assert_eq!(set.lookup(0x21, 7), Some(2));
    assert_eq!(set.lookup(0x21, 3), None);
}

/// One offset serves both sides: the base of the higher one lies below its words.
#[test]
fn sides_that_begin_at_different_exponents() {
    let base = |functions: &[FunctionTable]| {
        let set = assemble(functions).expect("valid");
        let profile = set.profiles[functions.len() - 1];
        let words = set.functions[functions.len() - 1].control.clone();
        (
            profile.exponent_offset,
            profile.pwl_control_base_neg,
            profile.pwl_control_base_pos,
            words,
        )
    };
    // Negative from -3, positive from -1: words 3.. serve -1.., so the base is 1.
    assert_eq!(base(&[two_sided("a", 7, [-1, -3], 3)]), (124, 0, 1, 0..6));
    // Positive lower: it goes first, as the negative base would fall below 0.
    assert_eq!(base(&[two_sided("a", 7, [-3, -1], 3)]), (124, 1, 0, 0..6));
    // Further apart than the other side has octaves: empty words fill the gap.
    assert_eq!(base(&[two_sided("a", 7, [5, -3], 3)]), (124, 5, 0, 0..11));
    // With words of other functions before it there is room.
    let before = [
        odd(),
        two_sided("b", 8, [-3, -3], 3),
        two_sided("a", 7, [5, -3], 3),
    ];
    assert_eq!(base(&before), (124, 10, 13 - 8, 10..16));
    let before = [odd(), two_sided("a", 7, [-3, -1], 3)];
    assert_eq!(base(&before), (124, 4 - 2, 7, 4..10));
}

/// Every octave of every side must be found through the shared offset.
#[test]
fn every_octave_leads_to_its_own_buckets() {
    for positive in -6..6 {
        for negative in -6..6 {
            let function = two_sided("a", 7, [positive, negative], 3);
            for functions in [vec![function.clone()], vec![odd(), function]] {
                let set = assemble(&functions).expect("valid");
                let entry = set.function("a").expect("present");
                for octave in set.octaves(entry).expect("its own") {
                    let lowest = if octave.negative { negative } else { positive };
                    let tag = 700
                        + 50 * u16::from(octave.negative)
                        + u16::try_from(octave.exponent - lowest).expect("not below");
                    assert_eq!(set.buckets[octave.buckets], buckets(tag, 2));
                }
            }
        }
    }
}

/// Only sections 5 to 9 of octave 0 are stored; regions take the others.
fn cut_at_both_ends() -> FunctionTable {
    let mut table = odd();
    table.positive.lowest = 0;
    table.positive.octaves = vec![octave(20, 4, 5, 5)];
    table.positive.small = region(0, 5 << 19, Bucket::constant(0.0));
    table.positive.small.mantissa -= 1;
    table.positive.large = region(0, 10 << 19, Bucket::constant(1.0));
    table
}

#[test]
fn leading_buckets_that_are_not_stored() {
    // Behind other functions the base lies below the run.
    let set = assemble(&[two_sided("a", 7, [0, 0], 3), cut_at_both_ends()]).expect("valid");
    let entry = set.function("odd").expect("present");
    assert_eq!(
        set.control[6],
        ControlWord {
            base: 14 - 5,
            lsb: 19,
            size: 4
        }
    );
    assert_eq!(entry.buckets, 14..19);
    assert_eq!(set.octaves(entry).expect("its own")[0].buckets, 14..19);

    // At the start of the pool there is nothing below: copies of the first bucket.
    let set = assemble(&[cut_at_both_ends()]).expect("valid");
    assert_eq!(
        set.control,
        [ControlWord {
            base: 0,
            lsb: 19,
            size: 4
        }]
    );
    assert_eq!(set.functions[0].buckets, 0..10);
    let first = buckets(20, 1)[0];
    assert_eq!(set.buckets[..6], [first; 6]);
    assert_eq!(set.buckets[5..10], buckets(20, 5));
}

#[test]
fn buckets_that_inputs_reach_must_be_stored() {
    let mut table = cut_at_both_ends();
    table.positive.small.mantissa -= 1;
    assert_eq!(
        message(&[table]),
        "function odd: buckets of positive octave 0: expected 4 to 9, as inputs reach them, \
         found 5 from 5"
    );
    let mut table = cut_at_both_ends();
    table.positive.large.mantissa += 1;
    assert!(message(&[table]).contains("expected 5 to 10, as inputs reach them"));
    let mut table = odd();
    table.positive.octaves.pop();
    assert_eq!(
        message(&[table]),
        "function odd: positive octave 1: expected an octave, as inputs reach it, found none"
    );
    let mut table = odd();
    table.positive.octaves[1].buckets.clear();
    assert!(message(&[table]).contains("buckets of positive octave -1: expected 0 to 1"));
}

#[test]
fn an_octave_may_be_declared_and_empty() {
    let mut table = odd();
    table.positive.lowest = -3;
    table.positive.octaves.insert(0, octave(0, 0, 0, 0));
    let set = assemble(&[table]).expect("valid");
    assert_eq!(
        set.control[0],
        ControlWord {
            base: 0,
            lsb: 0,
            size: 0
        }
    );
    assert_eq!(
        set.control[1],
        ControlWord {
            base: 0,
            lsb: 23,
            size: 0
        }
    );
    assert_eq!(set.profiles[0].exponent_offset, 124);
}

#[test]
fn what_cannot_be_placed_is_named() {
    let mut table = odd();
    table.positive.large.mantissa = 1 << 23;
    assert_eq!(
        message(&[table]),
        "function odd: mantissa threshold of large_pos: expected 23 bits, found 0x800000"
    );
    let mut table = odd();
    table.symmetry = Symmetry {
        fold: Fold::StoreNegative,
        ..table.symmetry
    };
    assert_eq!(
        message(&[table]),
        "function odd: positive octaves: expected none, as the fold never uses them, found 4"
    );
    let mut table = odd();
    table.positive.octaves[2]
        .buckets
        .push(Bucket::constant(0.0));
    assert!(message(&[table]).contains("positive octave 0: expected size at most 15"));
    for lowest in [i16::MIN, -128, 125, i16::MAX] {
        let mut table = odd();
        table.positive.lowest = lowest;
        assert!(
            message(&[table]).contains("expected exponents -127 to 127"),
            "{lowest}"
        );
    }
    assert_eq!(
        message(&[]),
        "set: functions: expected at least one, found 0"
    );
    assert!(message(&[odd(), odd()]).contains("name: expected a name of its own"));
    let same_id = FunctionTable {
        func_id: 10,
        ..relu()
    };
    assert!(message(&[odd(), same_id]).contains("func_id: expected an id of its own, found 10"));
    for name in ["", "a/b", "..", ".a", "-a", "a b", "é", &"a".repeat(65)] {
        let table = FunctionTable {
            name: name.to_owned(),
            ..relu()
        };
        assert!(
            message(&[table]).contains("name: expected 1 to 64"),
            "{name}"
        );
        assert!(FunctionSet::assemble(name, Target::Cayman, Datapath::Fma, &[relu()]).is_err());
    }
}

#[test]
fn the_capacities_of_the_target() {
    // 2048 buckets fit, with the two saturation buckets among them; one more does not.
    let with_pool = |count| {
        let mut table = odd();
        table.positive.octaves[3] = octave(13, 11, 0, count);
        table.positive.large.mantissa = (u32::from(count)) << 12;
        assemble(&[table])
    };
    assert_eq!(
        with_pool(2048 - 7 - 2).map(|set| set.buckets.len()),
        Ok(2048)
    );
    assert_eq!(
        with_pool(2048 - 7 - 1),
        Err(SetError::Capacity {
            table: Table::Bucket,
            target: Target::Cayman,
            needed: 2049,
            capacity: 2048
        })
    );

    // 129 control words: too many for a generation, not for the stock layout.
    let with_words = |target, count: u16| {
        FunctionSet::assemble(
            "a",
            target,
            Datapath::Fma,
            &[for_stock(two_sided("a", 7, [-60, -60], count))],
        )
    };
    assert!(with_words(Target::Cayman, 64).is_ok());
    assert_eq!(
        with_words(Target::Cayman, 65)
            .expect_err("too many")
            .to_string(),
        "the set needs 130 control entries, target cayman has 128"
    );
    assert!(with_words(Target::StockTrainium, 65).is_ok());

    let many: Vec<_> = (0..65)
        .map(|id| FunctionTable {
            name: format!("f{id}"),
            func_id: id,
            ..relu()
        })
        .collect();
    assert!(assemble(&many[..64]).is_ok());
    assert_eq!(
        message(&many),
        "the set needs 65 profile entries, target cayman has 64"
    );
}

#[test]
fn an_overflowing_pool_is_an_error_whatever_its_size() {
    let huge = |name: &str, func_id| {
        let mut table = odd();
        table.name = name.to_owned();
        table.func_id = func_id;
        table.positive.octaves[3] = octave(13, 15, 0, 24_576);
        table
    };
    assert!(message(&[huge("a", 1), huge("b", 2), huge("c", 3), odd()]).contains("bucket entries"));
}

#[test]
fn octaves_with_the_same_buckets_are_stored_once() {
    let mut first = odd();
    first.notes.bucket_bounds = (0..10).map(f64::from).collect();
    let mut second = FunctionTable {
        name: "other".to_owned(),
        func_id: 11,
        ..first.clone()
    };
    second.positive.octaves[1].buckets = buckets(20, 2);
    let set = assemble(&[first.clone(), second.clone()]).expect("valid");
    let [one, other] = [&set.functions[0], &set.functions[1]];
    assert_eq!((one.buckets.clone(), one.shared.len()), (0..10, 0));
    assert_eq!(
        (other.buckets.clone(), other.shared.clone()),
        (12..14, vec![0..1, 3..10])
    );
    // Bounds follow their buckets: own ones, then shared ones.
    let bounds = [1, 2, 0, 3, 4, 5, 6, 7, 8, 9].map(f64::from);
    assert_eq!(other.notes.bucket_bounds, bounds);
    let octaves = set.octaves(other).expect("valid");
    let runs: Vec<_> = octaves.into_iter().map(|octave| octave.buckets).collect();
    assert_eq!(runs, [0..1, 12..14, 3..7, 7..10]);
    let blobs = set.to_blobs().expect("blobs");
    assert_eq!(FunctionSet::from_blobs(&blobs).expect("valid"), set);

    // Blocks of stock files are a function's own.
    let functions = [for_stock(first), for_stock(second)];
    let stock = FunctionSet::assemble("s", Target::StockTrainium, Datapath::Fma, &functions)
        .expect("valid");
    assert!(
        stock
            .functions
            .iter()
            .all(|function| function.shared.is_empty())
    );

    // What the manifest names must be there, and somebody else's.
    let wrong: [&[std::ops::Range<usize>]; 3] =
        [&[0..999, 999..1000], &[12..14, 14..15], &[3..10, 0..1]];
    for wrong in wrong {
        let mut bad = set.clone();
        bad.functions[1].shared = wrong.to_vec();
        let error = bad.validate().expect_err("refused").to_string();
        assert!(error.contains("shared buckets"), "{error}");
    }
    let mut bad = set;
    bad.functions[1].shared.pop();
    let error = bad.validate().expect_err("refused").to_string();
    assert!(error.contains("some of its own"), "{error}");
}
