//! Sets whose parts do not fit together.

mod support;

use actforge_tables::{Bucket, CamEntry, ControlWord, FunctionSet, Target};
use support::set_for;

/// A change that must be refused, and part of the message.
type Case = (fn(&mut FunctionSet), &'static str);

#[test]
fn every_contradiction_is_refused() {
    let cases: &[Case] = &[
        (|s| s.name = "a b".to_owned(), "set: name: expected 1 to 64"),
        (
            |s| s.spec_hash = Some("abc".to_owned()),
            "spec_hash: expected 64 lowercase hex digits",
        ),
        (|s| s.spec_hash = Some("A".repeat(64)), "spec_hash"),
        (
            |s| s.buckets.resize(2049, Bucket::constant(0.0)),
            "needs 2049 bucket entries",
        ),
        (|s| s.cam.resize(129, s.cam[0]), "needs 129 cam entries"),
        (
            |s| s.control[0].base = 2048,
            "control table, entry 0: CONTROL entry: act_tbl_base",
        ),
        (
            |s| s.control[1].lsb = 23,
            "control word 1: expected extract_lsb + extract_size",
        ),
        (
            |s| s.profiles[0].fma_bypass = 8,
            "profile table, entry 0: PROFILE entry: fma_bypass",
        ),
        (
            |s| s.profiles[1].symmetry_opt_en = 2,
            "profile 1: symmetry_opt_en: expected 0 or 1, found 2",
        ),
        (|s| s.profiles[1].func_sym_inv_sign = 3, "func_sym_inv_sign"),
        (
            |s| s.cam.truncate(2),
            "cam entries: expected one per function, 3, found 2",
        ),
        (|s| s.profiles.truncate(2), "profile entries"),
        (
            |s| s.functions.swap(0, 1),
            "function relu: profile: expected 0, found 1",
        ),
        (
            |s| s.functions[0].func_id = 11,
            "CAM entry that matches: expected slot 0, found none",
        ),
        (
            |s| s.cam[1].valid = false,
            "function relu: CAM entry that matches",
        ),
        (
            |s| s.cam[0].func_id_mask = 0,
            "function relu: CAM entry that matches: expected slot 1, found slot 0",
        ),
        (
            |s| {
                s.cam[2] = CamEntry {
                    opcode: 0x22,
                    ..s.cam[2]
                }
            },
            "function both: CAM entry",
        ),
        (
            |s| s.functions[0].control = 0..3,
            "function relu: control words: expected a run from 3",
        ),
        (
            |s| s.functions[2].control.end += 1,
            "function both: control words",
        ),
        (
            |s| s.functions[2].control.end -= 1,
            "set: control words: expected 9, found 10",
        ),
        (
            |s| s.functions[0].buckets.start = 11,
            "function odd: buckets",
        ),
        (
            |s| s.functions[2].buckets.end = usize::MAX,
            "function both: buckets",
        ),
        (
            |s| s.functions[0].saturation[0] = 99,
            "saturation bucket: expected an index below 25",
        ),
        (
            |s| s.buckets.push(Bucket::constant(0.0)),
            "bucket 25: expected a bucket of some function",
        ),
        (
            |s| s.profiles[0].large_pos.control = 10,
            "pwl_control of large_pos: expected its one saturation bucket, 11",
        ),
        (
            |s| s.profiles[0].small_pos.control |= 1 << 16,
            "pwl_control of small_pos",
        ),
        (
            |s| s.profiles[0].pwl_control_base_pos = 1,
            "function odd: buckets of positive octave 0",
        ),
        (
            |s| s.profiles[0].exponent_offset += 1,
            "control word of positive octave -2: expected one of its own, 0..4, found -1",
        ),
        (
            |s| s.profiles[0].large_pos_signal_threshold += 1,
            "buckets of positive octave 1",
        ),
        (
            |s| s.profiles[0].small_pos_signal_threshold -= 1,
            "control word of positive octave -3",
        ),
        (
            |s| s.profiles[0].large_pos.compare = false,
            "buckets of positive octave 1: expected some of its own, 0..10, found 7..11",
        ),
        (
            |s| {
                s.profiles[0].symmetry_opt_en = 0;
                s.profiles[0].large_neg_signal_threshold += 1;
            },
            "function odd: buckets of negative octave 1",
        ),
        (
            |s| {
                s.control[0] = ControlWord {
                    base: 12,
                    lsb: 23,
                    size: 0,
                }
            },
            "buckets of positive octave -2",
        ),
        (
            |s| s.functions[0].notes.measured_ulp = Some(f64::NAN),
            "measured_ulp: expected a finite number",
        ),
        (
            |s| s.functions[0].notes.bucket_bounds.push(f64::INFINITY),
            "bucket_bounds",
        ),
    ];
    for (number, (change, part)) in cases.iter().enumerate() {
        let mut set = set_for(Target::Cayman);
        assert_eq!(set.validate(), Ok(()));
        change(&mut set);
        let message = set.validate().expect_err(part).to_string();
        assert!(message.contains(part), "case {number}: {message}");
        assert!(!message.contains('\n'), "case {number}: one line");
        assert!(set.to_blobs().is_err(), "case {number} would be written");
    }
}

#[test]
fn bits_that_sunda_lacks() {
    let mut set = set_for(Target::Sunda);
    set.profiles[2].batchnorm_accumulator_rd = true;
    assert_eq!(
        set.validate().expect_err("absent on sunda").to_string(),
        "set: profile 2: batchnorm_accumulator_rd: expected 0 on target sunda, found 1"
    );
    set.target = Target::Cayman;
    assert_eq!(set.validate(), Ok(()));
}

/// Queries on a set whose fields were filled in at random must not panic.
#[test]
fn questions_about_an_invalid_set_are_answered() {
    let mut set = set_for(Target::Cayman);
    let mut stray = set.functions[0].clone();
    stray.profile = 9;
    assert!(set.octaves(&stray).is_err());
    assert_eq!(set.profile(&stray), None);
    set.buckets.clear();
    assert!(set.octaves(&set.functions[0]).is_err());
    set.control.clear();
    assert!(set.octaves(&set.functions[0]).is_err());
}
