//! Every invariant that `actforge lint --list` names is one that damage can meet.

mod support;

use std::collections::BTreeSet;

use actforge_tables::lint::{Findings, Lint, check_set};
use actforge_tables::stock::{StockFile, examine, stock_files};
use actforge_tables::{Blobs, ControlWord, FunctionSet, Target};
use serde_json::{Value, json};
use support::{seal, set_for};

const SET: &str = "sample.json";
const ACT_INFO: &str = "act_info.json";

fn names(findings: &Findings) -> BTreeSet<&'static str> {
    let found = findings.all().iter();
    found.map(|finding| finding.lint.name()).collect()
}

/// What is found in stock files, one of them edited as bytes.
fn of_file(path: &str, edit: impl FnOnce(&mut Vec<u8>)) -> BTreeSet<&'static str> {
    let mut files = stock_files(&[set_for(Target::StockTrainium)]).expect("stock files");
    let file = files.iter_mut().find(|file| file.path == path);
    edit(&mut file.expect(path).bytes);
    names(&examine(files.as_slice()).findings)
}

/// What is found in stock files, one of them edited as JSON.
fn of_json(path: &str, edit: impl FnOnce(&mut Value)) -> BTreeSet<&'static str> {
    of_file(path, |bytes| {
        let mut value = serde_json::from_slice(bytes).expect("JSON");
        edit(&mut value);
        *bytes = serde_json::to_vec(&value).expect("JSON");
    })
}

/// What is found in the tables of an edited set in the stock layout: odd, relu and both, in this order.
fn of_set(edit: impl FnOnce(&mut FunctionSet)) -> BTreeSet<&'static str> {
    let mut set = set_for(Target::StockTrainium);
    edit(&mut set);
    let mut findings = Findings::default();
    check_set(&set, SET, &mut findings);
    names(&findings)
}

/// What is found in edited register images.
fn of_images(edit: impl FnOnce(&mut Blobs)) -> BTreeSet<&'static str> {
    let mut blobs = set_for(Target::Cayman).to_blobs().expect("images");
    edit(&mut blobs);
    let error = FunctionSet::from_blobs(&blobs).expect_err("a refusal");
    let mut findings = Findings::default();
    findings.add_container_error(&error);
    names(&findings)
}

/// Sets of which the second has its control words at another distance.
fn of_two_strides() -> BTreeSet<&'static str> {
    let mut set = set_for(Target::StockTrainium);
    let first = set.clone();
    set.name = "second".to_owned();
    let mut files: Vec<StockFile> = stock_files(&[first, set]).expect("stock files");
    let file = files.iter_mut().find(|file| file.path == "second_ctrl.bin");
    let bytes = &mut file.expect("control words").bytes;
    *bytes = bytes
        .chunks(32)
        .flat_map(|cell| &cell[..16])
        .copied()
        .collect();
    names(&examine(files.as_slice()).findings)
}

#[test]
#[allow(clippy::too_many_lines)] // A table.
fn damage_meets_every_invariant() {
    let word = |place: usize, word: ControlWord| of_set(|set| set.control[place] = word);
    let of = |base, lsb, size| ControlWord { base, lsb, size };
    let met = [
        (Lint::FileMissing, {
            let files: [StockFile; 0] = [];
            names(&examine(files.as_slice()).findings)
        }),
        (
            Lint::FileTooLong,
            of_file("sample_bkt.bin", |bytes| bytes.resize(70_000, 0)),
        ),
        (
            Lint::JsonStructure,
            of_json(SET, |file| file["bkt_entry_cnt"] = json!("35")),
        ),
        (
            Lint::UnknownKey,
            of_json(SET, |file| file["comment"] = json!(1)),
        ),
        (
            Lint::SetName,
            of_json(ACT_INFO, |file| {
                file["act_func_sets"][0]["name"] = json!("a/b")
            }),
        ),
        (
            Lint::FileName,
            of_json(SET, |file| file["ctl_bin"] = json!("sample_ctl.bin")),
        ),
        (
            Lint::PwpFileKeys,
            of_json(ACT_INFO, |file| file["pwp_file_keys"] = json!([])),
        ),
        (
            Lint::SetFunctions,
            of_json(ACT_INFO, |file| {
                file["act_func_sets"][0]["act"]["odd"] = json!(12)
            }),
        ),
        (
            Lint::FunctionName,
            of_json(SET, |file| {
                file["profile_meta_data"][0]["func_name"] = json!("odd_011p")
            }),
        ),
        (
            Lint::FunctionCount,
            of_json(SET, |file| file["profile_meta_data"] = json!([])),
        ),
        (
            Lint::BucketCount,
            of_json(SET, |file| file["bkt_entry_cnt"] = json!(36)),
        ),
        (
            Lint::ControlCount,
            of_json(SET, |file| file["ctl_entry_cnt"] = json!(15)),
        ),
        (Lint::ControlStride, of_two_strides()),
        (Lint::ImageLength, of_images(|blobs| blobs.cam.truncate(64))),
        (
            Lint::CamReserved,
            of_images(|blobs| {
                blobs.cam[31] = 1;
                seal(blobs);
            }),
        ),
        (
            Lint::BucketReserved,
            of_file("sample_bkt.bin", |bytes| bytes[20] = 1),
        ),
        (
            Lint::ControlReserved,
            of_file("sample_ctrl.bin", |bytes| bytes[31] = 1),
        ),
        (
            Lint::Capacity,
            of_images(|blobs| {
                let mut manifest: Value = serde_json::from_slice(&blobs.manifest).expect("JSON");
                manifest["tables"]["bucket"]["entries"] = json!(2049);
                blobs.manifest = serde_json::to_vec(&manifest).expect("JSON");
                seal(blobs);
            }),
        ),
        (
            Lint::StartIndex,
            of_json(SET, |file| file["func_to_ctl_start_idx"]["both"] = json!(3)),
        ),
        (
            Lint::ProfileField,
            of_json(SET, |file| {
                file["profile_meta_data"][0]["exp_offset"] = json!(129)
            }),
        ),
        (
            Lint::OctaveIndex,
            of_json(SET, |file| {
                file["func_exp_to_bkt_start_idx"]["odd"]["0"] = json!([4])
            }),
        ),
        (
            Lint::SetValid,
            of_json(SET, |file| {
                file["profile_meta_data"][0]["func_id"] = json!(7)
            }),
        ),
        (
            Lint::FiniteCoefficients,
            of_set(|set| set.buckets[0].d[3] = f32::INFINITY),
        ),
        (
            Lint::Selectors,
            of_json(SET, |file| {
                file["profile_meta_data"][0]["sym_invert_sign_point"] = json!(2)
            }),
        ),
        (Lint::Digest, of_images(|blobs| blobs.bucket[0] ^= 1)),
        // odd: one bucket, then two, four and three of four.
        (Lint::ExtractTopBits, word(1, of(1, 20, 1))),
        (Lint::ExtractSize, word(1, of(1, 12, 11))),
        // A function without a table: its words point at nothing.
        (Lint::EmptyOctave, word(4, of(3, 0, 0))),
        (Lint::OctaveRun, word(2, of(4, 21, 2))),
        (
            Lint::TopmostOctave,
            of_set(|set| set.profiles[0].large_pos.mantissa_threshold = 0x1f_ffff),
        ),
        (
            Lint::BucketOrder,
            of_set(|set| set.functions[0].saturation[0] = 0),
        ),
        (
            Lint::SaturationOrder,
            of_set(|set| set.functions[0].saturation.swap(0, 1)),
        ),
        (
            Lint::ControlBase,
            of_set(|set| set.profiles[0].pwl_control_base_pos += 1),
        ),
        (
            Lint::ExponentOffset,
            of_set(|set| set.profiles[1].exponent_offset = 1),
        ),
        (
            Lint::ResidentWords,
            of_set(|set| set.functions[1].control.end -= 1),
        ),
        (
            Lint::SmallThreshold,
            of_set(|set| set.profiles[0].small_neg.mantissa_threshold = 1),
        ),
        (
            Lint::FunctionId,
            of_set(|set| set.functions[1].func_id = 77),
        ),
        (
            Lint::ImmBias,
            of_json(SET, |file| {
                file["profile_meta_data"][1]["imm_bias"] = json!(1)
            }),
        ),
        (
            Lint::ParametricFields,
            of_set(|set| set.profiles[0].fma_indirection_src_sel = 2),
        ),
        (
            Lint::FunctionFile,
            of_json("pwp_jsons/odd_11p.json", |file| {
                file["lut_size"] = json!(12)
            }),
        ),
    ];
    for (lint, found) in &met {
        assert!(found.contains(lint.name()), "{lint}: {found:?}");
    }
    let met: BTreeSet<Lint> = met.iter().map(|(lint, _)| *lint).collect();
    for lint in Lint::ALL {
        assert!(met.contains(lint), "nothing here meets {lint}");
    }
}
