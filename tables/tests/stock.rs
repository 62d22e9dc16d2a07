//! The stock files: what is written, that reading gives it back, and that damage shows.

mod support;

use std::collections::BTreeSet;

use actforge_tables::lint::{Findings, Lint, check_set};
use actforge_tables::stock::{StockFile, examine, import, stock_files};
use actforge_tables::{Bucket, Datapath, FunctionSet, FunctionTable, Symmetry, Target};
use proptest::prelude::*;
use support::{for_stock, odd, relu, set_for, two_sided};

const TARGETS: [Target; 2] = [Target::StockTrainium, Target::StockWithLn];

fn text<'f>(files: &'f [StockFile], path: &str) -> &'f str {
    let file = files.iter().find(|file| file.path == path);
    std::str::from_utf8(&file.expect(path).bytes).expect("text")
}

fn json(files: &[StockFile], path: &str) -> serde_json::Value {
    serde_json::from_str(text(files, path)).expect("JSON")
}

fn assemble(name: &str, target: Target, functions: &[FunctionTable]) -> FunctionSet {
    FunctionSet::assemble(name, target, Datapath::Fma, functions).expect("a valid set")
}

/// Files with one text in them replaced by another.
fn edited(files: &[StockFile], path: &str, from: &str, to: &str) -> Vec<StockFile> {
    let mut files = files.to_vec();
    let file = files.iter_mut().find(|file| file.path == path);
    let file = file.expect(path);
    let text = String::from_utf8(file.bytes.clone()).expect("text");
    assert!(text.contains(from), "{path} has no {from}");
    file.bytes = text.replacen(from, to, 1).into_bytes();
    files
}

fn lints(files: &[StockFile]) -> BTreeSet<&'static str> {
    let examined = examine(files);
    let findings = examined.findings.all().iter();
    findings.map(|finding| finding.lint.name()).collect()
}

#[test]
fn a_set_is_its_files() {
    for (target, stride) in [(Target::StockTrainium, 32), (Target::StockWithLn, 16)] {
        let set = set_for(target);
        let files = stock_files(std::slice::from_ref(&set)).expect("stock files");
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "act_info.json",
                "sample_bkt.bin",
                "sample_ctrl.bin",
                "sample.json",
                "pwp_jsons/both_12p.json",
                "pwp_jsons/odd_11p.json",
                "pwp_jsons/relu_1p.json",
            ]
        );
        // odd: 1 + 2 + 4 + 3 buckets and one more, at which its large region begins.
        let counts = (11 + 4) + 4 + (12 + 4);
        assert_eq!(files[1].bytes.len(), 32 * counts);
        let words = 4 + 2 + (3 + 5);
        assert_eq!(files[2].bytes.len(), stride * words);
        let described = json(&files, "sample.json");
        let keys: Vec<&str> = described
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            keys,
            [
                "bkt_bin",
                "bkt_entry_cnt",
                "ctl_bin",
                "ctl_entry_cnt",
                "func_to_bkt_start_idx",
                "func_to_ctl_start_idx",
                "func_exp_to_bkt_start_idx",
                "func_exp_to_ctl_start_idx",
                "profile_meta_data",
            ]
        );
        assert_eq!(described["bkt_entry_cnt"], counts);
        assert_eq!(described["ctl_bin"], "sample_ctrl.bin");
        for meta in described["profile_meta_data"].as_array().unwrap() {
            assert_eq!(meta.as_object().unwrap().len(), 30);
        }
        let relu = &described["profile_meta_data"][1];
        assert_eq!(
            (&relu["func_name"], &relu["exp_offset"]),
            (&"relu_1p".into(), &(-127).into())
        );
        assert_eq!(
            described["func_exp_to_ctl_start_idx"]["relu"]["-127"],
            serde_json::json!([4, 5])
        );
        // Both sides begin with the same octave.
        assert_eq!(
            described["func_exp_to_ctl_start_idx"]["both"]["-3"],
            serde_json::json!([6, 9])
        );
        assert_eq!(
            described["func_exp_to_ctl_start_idx"]["both"]["1"],
            serde_json::json!([13])
        );
        let function = json(&files, "pwp_jsons/odd_11p.json");
        assert_eq!(function["lut_size"], 11);
        assert_eq!(
            function["pos_exponents"][3]["exponent_sections"]
                .as_array()
                .unwrap()
                .len(),
            4
        );
        let point = &function["saturation_points"]["sat_point_pos_high"];
        assert_eq!(
            (&point["sat_point"], &point["mantissa_point"]),
            (&128.into(), &0x60_0000.into())
        );
        assert_eq!(point["d0"]["int"], 0x3f80_0000_u32);
        assert_eq!(point["d0"]["hexstring"], "0x3f800000");
    }
}

#[test]
fn what_was_written_is_read_back_and_written_again() {
    for target in TARGETS {
        let others = [
            for_stock(two_sided("wide", 9, [-20, -20], 9)),
            relu(),
            odd(),
        ];
        let sets = [set_for(target), assemble("others", target, &others)];
        let files = stock_files(&sets).expect("stock files");
        let examined = import(files.as_slice()).expect("what was written");
        assert_eq!(examined.findings, Findings::default(), "{target}");
        assert_eq!(examined.sets.len(), 2);
        for (read, set) in examined.sets.iter().zip(&sets) {
            assert_eq!(read.target, target);
            assert_eq!((&read.buckets, &read.control), (&set.buckets, &set.control));
            assert_eq!((&read.profiles, &read.cam), (&set.profiles, &set.cam));
        }
        assert_eq!(
            stock_files(&examined.sets).expect("again"),
            files,
            "{target}"
        );
        // Also by way of a directory of register images.
        let images = examined.sets[0].to_blobs().expect("valid");
        let read = FunctionSet::from_blobs(&images).expect("valid");
        assert_eq!(read, examined.sets[0]);
    }
}

#[test]
fn only_stock_sets_that_agree_make_files() {
    let refused = |sets: &[FunctionSet]| stock_files(sets).expect_err("refused").to_string();
    let cayman = FunctionSet::assemble("a", Target::Cayman, Datapath::Fma, &[relu()]).unwrap();
    assert!(
        refused(&[cayman])
            .contains("target: expected stock-trainium or stock-with-ln, found cayman")
    );
    let [trainium, with_ln] = TARGETS.map(set_for);
    assert!(refused(&[trainium.clone(), with_ln]).contains("target"));
    assert!(
        refused(&[trainium.clone(), trainium.clone()]).contains("name: expected a name of its own")
    );
    let mut other = odd();
    other.positive.octaves[0].buckets[0] = Bucket::constant(7.0);
    let other = assemble("other", Target::StockTrainium, &[other]);
    assert!(refused(&[trainium, other]).contains("odd: pwp_jsons/odd_11p.json"));
    let error = FunctionSet::assemble(
        "a",
        Target::StockTrainium,
        Datapath::Fma,
        &[two_sided("a", 7, [-1, -1], 2)],
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("mantissa threshold of small_pos")
    );
}

/// What is wrong is found under its name, with its file and key.
#[test]
fn damage_is_named() {
    let files = stock_files(&[set_for(Target::StockTrainium)]).expect("stock files");
    let set = "sample.json";
    for (path, from, to, lint, place) in [
        (
            "act_info.json",
            "\"sample\"",
            "\"../sample\"",
            "set-name",
            "act_func_sets[0].name",
        ),
        (
            "act_info.json",
            "sample_bkt.bin",
            "other_bkt.bin",
            "file-name",
            "act_func_sets[0].bkt_bin",
        ),
        (
            "act_info.json",
            "\"odd\": 11",
            "\"odd\": 12",
            "set-functions",
            "act.odd",
        ),
        (
            "act_info.json",
            "\"odd\": 11",
            "\"even\": 11",
            "set-functions",
            "function odd",
        ),
        (
            "act_info.json",
            "\"odd\": 11",
            "\"relu\": 11",
            "json-structure",
            "duplicate key",
        ),
        (
            "act_info.json",
            "\"profile_json\"\n",
            "\"json\"\n",
            "pwp-file-keys",
            "pwp_file_keys",
        ),
        (
            set,
            "\"bkt_entry_cnt\": 35",
            "\"bkt_entry_cnt\": 36",
            "bucket-count",
            "length",
        ),
        (
            set,
            "\"ctl_entry_cnt\": 14",
            "\"ctl_entry_cnt\": 15",
            "control-count",
            "length",
        ),
        (
            set,
            "\"ctl_entry_cnt\": 14",
            "\"ctl_entry_cnt\": -1",
            "json-structure",
            "ctl_entry_cnt",
        ),
        (
            set,
            "\"ctl_bin\"",
            "\"ctrl_bin\"",
            "unknown-key",
            "ctrl_bin",
        ),
        (
            set,
            "\"odd\": 0",
            "\"odd\": 99",
            "start-index",
            "func_to_bkt_start_idx.odd",
        ),
        (
            set,
            "\"relu_1p\"",
            "\"relu\"",
            "function-name",
            "profile_meta_data[1].func_name",
        ),
        (
            set,
            "\"relu_1p\"",
            "\"odd_1p\"",
            "function-name",
            "profile_meta_data[1].func_name",
        ),
        (
            set,
            "\"func_id\": 10",
            "\"func_id\": 2",
            "set-valid",
            "func_id",
        ),
        (
            set,
            "\"func_id\": 10",
            "\"func_id\": 1000",
            "json-structure",
            "profile_meta_data[0].func_id",
        ),
        (
            set,
            "\"symmetry_opt_en\": 1",
            "\"symmetry_opt_en\": 2",
            "selectors",
            "symmetry_opt_en",
        ),
        (
            set,
            "\"exp_offset\": -2",
            "\"exp_offset\": 200",
            "profile-field",
            "exp_offset",
        ),
        (
            set,
            "\"exp_offset\": -2",
            "\"exp_offset\": -3",
            "set-valid",
            "octave 1",
        ),
        (
            set,
            "\"pos_small_signal_pwl_control\": 11",
            "\"pos_small_signal_pwl_control\": 1100",
            "set-valid",
            "saturation bucket",
        ),
        (
            set,
            "\"imm_bias\": 0",
            "\"imm_bias\": 1",
            "imm-bias",
            "odd: imm_bias",
        ),
        (
            "pwp_jsons/odd_11p.json",
            "\"lut_size\": 11",
            "\"lut_size\": 12",
            "function-file",
            "lut_size",
        ),
        (
            "pwp_jsons/odd_11p.json",
            "\"int\": 0",
            "\"int\": \"0\"",
            "function-file",
            "int",
        ),
    ] {
        let damaged = edited(&files, path, from, to);
        let examined = examine(damaged.as_slice());
        let found = examined.findings.all().iter();
        let found = found.filter(|finding| finding.lint.name() == lint);
        let texts: Vec<String> = found.map(ToString::to_string).collect();
        assert!(
            texts.iter().any(|text| text.contains(place)),
            "{path}: {from} -> {to}: {:?}",
            examined.findings.all()
        );
        assert!(texts.iter().all(|text| !text.contains('\n')));
    }
}

#[test]
fn damaged_tables_are_named() {
    let set = set_for(Target::StockWithLn);
    let files = stock_files(std::slice::from_ref(&set)).expect("stock files");
    let with = |path: &str, edit: &dyn Fn(&mut Vec<u8>)| {
        let mut files = files.clone();
        let file = files.iter_mut().find(|file| file.path == path);
        edit(&mut file.expect(path).bytes);
        lints(&files)
    };
    let (bkt, ctrl) = ("sample_bkt.bin", "sample_ctrl.bin");
    let has =
        |found: &BTreeSet<&str>, lint: Lint| assert!(found.contains(lint.name()), "{found:?}");
    has(&with(bkt, &|bytes| bytes.truncate(31)), Lint::BucketCount);
    has(
        &with(bkt, &|bytes| bytes.resize(70_000, 0)),
        Lint::FileTooLong,
    );
    has(&with(bkt, &|bytes| bytes[31] = 1), Lint::BucketReserved);
    has(&with(ctrl, &|bytes| bytes.truncate(17)), Lint::ControlCount);
    has(&with(ctrl, &|bytes| bytes[7] = 1), Lint::ControlReserved);
    has(&with(ctrl, &|bytes| bytes[2] = 0x70), Lint::ControlReserved);
    // NaN as a coefficient of an octave, and of a saturation bucket, where stock files have it.
    let nan = f32::NAN.to_le_bytes();
    has(
        &with(bkt, &|bytes| bytes[..4].copy_from_slice(&nan)),
        Lint::FiniteCoefficients,
    );
    let found = with(bkt, &|bytes| {
        bytes[32 * 11..32 * 11 + 4].copy_from_slice(&nan)
    });
    assert_eq!(found, BTreeSet::from(["function-file"]));
    // The second octave of odd: base 1, lsb 22, size 1.
    let word = |base: u32, lsb: u32, size: u32| {
        with(ctrl, &|bytes: &mut Vec<u8>| {
            bytes[16..20].copy_from_slice(&(base | lsb << 11 | size << 16).to_le_bytes());
        })
    };
    assert!(word(1, 22, 1).is_empty());
    has(&word(1, 21, 1), Lint::ExtractTopBits);
    has(&word(2, 22, 1), Lint::OctaveRun);
    has(&word(1, 11, 11), Lint::SetValid);
    has(&word(2000, 22, 1), Lint::SetValid);
    has(&word(1, 31, 15), Lint::SetValid);
    // Gone files.
    for file in &files {
        let others: Vec<StockFile> = files
            .iter()
            .filter(|other| *other != file)
            .cloned()
            .collect();
        let lint = match file.path.starts_with("pwp_jsons") {
            true => Lint::FunctionFile,
            false => Lint::FileMissing,
        };
        assert_eq!(
            lints(&others),
            BTreeSet::from([lint.name()]),
            "{}",
            file.path
        );
    }
    assert!(import(files.as_slice()).is_ok());
}

/// A text that names a million functions is refused before it is taken in.
#[test]
fn a_million_functions_are_refused() {
    let files = stock_files(&[set_for(Target::StockTrainium)]).expect("stock files");
    let start = "\"profile_meta_data\": [";
    let many = format!("{start}{}", "{},".repeat(1_000_000));
    assert_eq!(
        lints(&edited(&files, "sample.json", start, &many)),
        BTreeSet::from(["json-structure"])
    );
    let start = "\"func_to_bkt_start_idx\": {";
    let entries: String = (0..1_000_000).map(|k| format!("\"f{k}\":{k},")).collect();
    let many = format!("{start}{entries}");
    let damaged = edited(&files, "sample.json", start, &many);
    assert_eq!(lints(&damaged), BTreeSet::from(["file-too-long"]));
    let many = format!("{start}{}", &entries[..1_000_000]);
    let cut = many.rfind(",\"").expect("entries");
    let damaged = edited(&files, "sample.json", start, &many[..=cut]);
    assert_eq!(lints(&damaged), BTreeSet::from(["json-structure"]));
}

/// Sets that are made keep every rule that holds for them.
#[test]
fn assembled_sets_have_no_findings() {
    for target in Target::ALL {
        let mut findings = Findings::default();
        check_set(&set_for(target), "set.json", &mut findings);
        assert_eq!(findings, Findings::default(), "{target}");
    }
}

fn bucket() -> impl Strategy<Value = Bucket> {
    prop::array::uniform5(-1e30_f32..1e30).prop_map(|[d0, d1, d2, d3, x0]| Bucket {
        d: [d0, d1, d2, d3],
        x0,
    })
}

/// Functions of the sample shapes with other coefficients.
fn table() -> impl Strategy<Value = FunctionTable> {
    let shape = (0..3_usize, -40_i16..20, -40_i16..20, 1_u16..5);
    (shape, prop::collection::vec(bucket(), 60)).prop_map(
        |((shape, low, other, count), buckets)| {
            let mut function = match shape {
                0 => odd(),
                1 => relu(),
                _ => for_stock(two_sided("both", 7, [low, other], count)),
            };
            let mut next = buckets.into_iter().cycle();
            for side in [&mut function.negative, &mut function.positive] {
                let stored = side
                    .octaves
                    .iter_mut()
                    .flat_map(|octave| &mut octave.buckets);
                for bucket in stored {
                    *bucket = next.next().expect("a cycle");
                }
            }
            function
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn export_import_export(
        tables in prop::collection::vec(table(), 1..6),
        target in prop::sample::select(&TARGETS[..]),
    ) {
        let tables: Vec<FunctionTable> = tables
            .into_iter()
            .zip(20..)
            .map(|(table, id)| FunctionTable { name: format!("f{id}"), func_id: id, ..table })
            .collect();
        let set = assemble("synthetic", target, &tables);
        let files = stock_files(&[set]).expect("stock files");
        let examined = import(files.as_slice()).expect("what was written");
        prop_assert_eq!(&examined.findings, &Findings::default());
        prop_assert_eq!(stock_files(&examined.sets).expect("again"), files);
    }

    #[test]
    fn mirrored_cubics_have_mirrored_values(bucket in bucket(), x in -1e3_f32..1e3, invert: bool) {
        let value = |bucket: &Bucket, x: f32| {
            let t = x - bucket.x0;
            let [d0, d1, d2, d3] = bucket.d;
            d3.mul_add(t, d2).mul_add(t, d1).mul_add(t, d0)
        };
        let there = value(&bucket, x);
        let here = value(&bucket.mirrored(invert), -x);
        prop_assert_eq!(here.to_bits(), if invert { -there } else { there }.to_bits());
    }
}

#[test]
fn unfolding_keeps_both_sides() {
    let unfolded = odd().unfolded();
    assert_eq!(unfolded.symmetry, Symmetry::NONE);
    assert_eq!(unfolded.positive, odd().positive);
    assert_eq!(unfolded.negative.octaves.len(), 4);
    assert_eq!(unfolded.negative.large.bucket, Bucket::constant(-1.0));
    assert_eq!(relu().unfolded(), relu());
}
