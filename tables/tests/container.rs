//! The six files: what they hold, and that nothing else is accepted.

mod support;

use actforge_tables::container::sha256_hex;
use actforge_tables::{Blobs, ContainerError, Datapath, FunctionSet, Table, Target};
use support::{edit_manifest, functions_for, relu, seal, set_for};

#[track_caller]
fn message(blobs: &Blobs) -> String {
    let message = FunctionSet::from_blobs(blobs)
        .expect_err("must be refused")
        .to_string();
    assert!(!message.contains('\n'), "one line: {message}");
    message
}

fn json(bytes: &[u8]) -> serde_json::Value {
    serde_json::from_slice(bytes).expect("JSON")
}

#[test]
fn round_trip_on_every_target() {
    for target in Target::ALL {
        for datapath in Datapath::ALL {
            let mut set = FunctionSet::assemble("sample", target, datapath, &functions_for(target))
                .expect("valid");
            set.spec_hash = Some(sha256_hex(b"a specification"));
            let blobs = set.to_blobs().expect("valid");
            let read = FunctionSet::from_blobs(&blobs).expect("what was written");
            assert_eq!(read, set, "{target} {datapath}");
            assert_eq!(
                read.to_blobs().expect("valid"),
                blobs,
                "{target} {datapath}"
            );
        }
    }
}

#[test]
fn images_are_entries_at_their_stride_padded_to_64_bytes() {
    let set = set_for(Target::Cayman);
    let blobs = set.to_blobs().expect("valid");
    // 3 functions, 10 control words, 25 buckets.
    let lengths = Table::ALL.map(|table| blobs.table(table).len());
    assert_eq!(lengths, [128, 384, 320, 832]);
    assert_eq!(blobs.cam[32..41], [0x21, 2, 0, 0, 0xff, 0xff, 0, 0, 1]);
    assert_eq!(blobs.cam[96..], [0; 32]);
    assert_eq!(
        blobs.profile[128..256],
        set.profiles[1].to_bytes().expect("fits")
    );
    // Octave -1 of `odd`: base 1, lsb 22, size 1.
    assert_eq!(blobs.control[32..36], 0x0001_b001_u32.to_le_bytes());
    assert_eq!(blobs.control[36..64], [0; 28]);
    assert_eq!(blobs.bucket[64..96], set.buckets[2].to_bytes());
    assert_eq!(blobs.bucket[800..], [0; 32]);
}

#[test]
fn sunda_swaps_the_masks() {
    let with_masks = |target| {
        let mut set = set_for(target);
        set.cam[0].opcode_mask = 0x7f;
        set.to_blobs().expect("valid").cam
    };
    assert_eq!(with_masks(Target::Cayman)[4..6], [0x7f, 0xff]);
    assert_eq!(with_masks(Target::Sunda)[4..6], [0xff, 0x7f]);
}

#[test]
fn the_manifest_says_what_the_set_is() {
    let set = set_for(Target::Cayman);
    let blobs = set.to_blobs().expect("valid");
    let manifest = json(&blobs.manifest);
    assert_eq!(manifest["schema_version"], 1);
    assert_eq!(manifest["tool_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["name"], "sample");
    assert_eq!(manifest["target"], "cayman");
    assert_eq!(manifest["datapath"], "fma");
    assert_eq!(manifest["tables"]["bucket"]["entries"], 25);
    assert_eq!(
        manifest["tables"]["bucket"]["sha256"],
        sha256_hex(&blobs.bucket)
    );
    let odd = &manifest["functions"][0];
    assert_eq!(odd["func_id"], 10);
    assert_eq!(odd["control"]["count"], 4);
    assert_eq!(odd["notes"]["measured_ulp"], 0.571);
    assert_eq!(odd["notes"]["range"][0], "0xff800000");
}

#[test]
fn sha256_of_the_empty_message() {
    assert_eq!(
        sha256_hex(b""),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
}

#[test]
fn tables_are_loaded_before_the_cam() {
    let descriptors = |target| {
        let blobs = set_for(target).to_blobs().expect("valid");
        let dma = json(&blobs.dma);
        let cell = |value: &serde_json::Value| value.to_string().replace('"', "");
        let list: Vec<_> = dma["descriptors"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|d| {
                ["region", "file", "file_offset", "length", "address"]
                    .map(|key| cell(&d[key]))
                    .join(" ")
            })
            .collect();
        (cell(&dma["address_space"]), list)
    };
    assert_eq!(
        descriptors(Target::Cayman),
        (
            "tpb0".to_owned(),
            vec![
                "BUCKET_TABLE bucket.bin 0 832 0x28024c0000".to_owned(),
                "CONTROL_TABLE control.bin 0 320 0x28024e0000".to_owned(),
                "PROFILE_TABLE profile.bin 0 384 0x2802471000".to_owned(),
                "PROFILE_CAM cam.bin 0 128 0x2802470000".to_owned(),
            ]
        )
    );
    let (space, maverick) = descriptors(Target::Maverick);
    assert_eq!(space, "dve-block-offset");
    assert_eq!(maverick[0], "PWP_BUCKETS_TABLE bucket.bin 0 832 0xc0000");
    assert_eq!(maverick[3], "PROFILE_CAM cam.bin 0 128 null");
    let (space, sunda) = descriptors(Target::Sunda);
    assert_eq!(space, "unknown");
    assert!(sunda.iter().all(|line| line.ends_with(" null")));
}

#[test]
fn an_empty_table_has_an_empty_image_and_no_descriptor() {
    let set =
        FunctionSet::assemble("relu", Target::Cayman, Datapath::Fma, &[relu()]).expect("valid");
    let blobs = set.to_blobs().expect("valid");
    assert!(blobs.control.is_empty());
    assert_eq!(
        json(&blobs.dma)["descriptors"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(FunctionSet::from_blobs(&blobs).expect("valid"), set);
}

#[test]
fn a_stock_layout_has_no_addresses() {
    let blobs = set_for(Target::StockWithLn).to_blobs().expect("valid");
    let dma = json(&blobs.dma);
    assert_eq!(dma["address_space"], "none");
    assert_eq!(dma["descriptors"], serde_json::json!([]));
}

/// Every single bit of every file counts.
#[test]
fn every_flipped_bit_is_refused() {
    let good = set_for(Target::Cayman).to_blobs().expect("valid");
    let mut flips = 0;
    let mut flip_all = |part: fn(&mut Blobs) -> &mut Vec<u8>, file: &str| {
        let mut blobs = good.clone();
        for bit in 0..part(&mut blobs).len() * 8 {
            part(&mut blobs)[bit / 8] ^= 1 << (bit % 8);
            let found = message(&blobs);
            assert!(
                found.contains(file) || file == "set.json",
                "bit {bit} of {file}: {found}"
            );
            part(&mut blobs)[bit / 8] ^= 1 << (bit % 8);
            flips += 1;
        }
        assert_eq!(blobs, good);
    };
    flip_all(|blobs| &mut blobs.cam, "cam.bin");
    flip_all(|blobs| &mut blobs.profile, "profile.bin");
    flip_all(|blobs| &mut blobs.control, "control.bin");
    flip_all(|blobs| &mut blobs.bucket, "bucket.bin");
    flip_all(|blobs| &mut blobs.manifest, "set.json");
    flip_all(|blobs| &mut blobs.dma, "dma.json");
    assert!(flips > 8 * (128 + 384 + 320 + 832 + 2000), "{flips} flips");
}

#[test]
fn every_truncation_is_refused() {
    let good = set_for(Target::Cayman).to_blobs().expect("valid");
    for table in Table::ALL {
        for length in 0..good.table(table).len() {
            let mut blobs = good.clone();
            blobs.table_mut(table).truncate(length);
            assert!(
                message(&blobs).contains("length: expected"),
                "{table} of {length}"
            );
            // Not even with the right digest.
            seal(&mut blobs);
            assert!(
                message(&blobs).contains("length: expected"),
                "{table} of {length}"
            );
        }
        let mut blobs = good.clone();
        blobs.table_mut(table).push(0);
        assert!(message(&blobs).contains("length: expected"), "{table}");
    }
    for length in 0..good.manifest.len() {
        let mut blobs = good.clone();
        blobs.manifest.truncate(length);
        message(&blobs);
    }
    for length in 0..good.dma.len() {
        let mut blobs = good.clone();
        blobs.dma.truncate(length);
        assert!(message(&blobs).starts_with("dma.json: line "), "{length}");
    }
}

#[test]
fn images_of_another_set_are_refused() {
    let good = set_for(Target::Cayman).to_blobs().expect("valid");
    let mut other = good.clone();
    other.bucket[0] ^= 1;
    seal(&mut other);
    assert!(FunctionSet::from_blobs(&other).is_ok(), "a set of its own");
    let mixed = Blobs {
        bucket: other.bucket,
        ..good
    };
    assert!(message(&mixed).starts_with("bucket.bin: SHA-256: expected "));
}

/// Edits of the manifest with all digests corrected: the contradiction itself is found.
#[test]
fn a_manifest_that_contradicts_the_images_is_refused() {
    let good = set_for(Target::Cayman).to_blobs().expect("valid");
    for (from, to, part) in [
        (
            "\"schema_version\": 1",
            "\"schema_version\": 2",
            "set.json: schema_version: expected 1, found 2",
        ),
        (
            "\"name\": \"sample\"",
            "\"nome\": \"sample\"",
            "unknown field `nome`",
        ),
        (
            "\"target\": \"cayman\"",
            "\"target\": \"cayenne\"",
            "set.json: target: expected sunda, cayman",
        ),
        (
            "\"target\": \"cayman\"",
            "\"target\": \"mariana\"",
            "dma.json: line 3",
        ),
        (
            "\"target\": \"cayman\"",
            "\"target\": \"stock-with-ln\"",
            "control.bin: length",
        ),
        (
            "\"datapath\": \"fma\"",
            "\"datapath\": \"fmad\"",
            "datapath: expected fma, muladd",
        ),
        (
            "\"entries\": 25",
            "\"entries\": 24",
            "bucket.bin: length: expected 768 bytes for 24 entries",
        ),
        (
            "\"entries\": 25",
            "\"entries\": 26",
            "bucket 25: expected a bucket of some function",
        ),
        (
            "\"entries\": 25",
            "\"entries\": 4000000000",
            "tables.bucket.entries: expected at most 2048",
        ),
        (
            "\"entries\": 25",
            "\"entries\": -1",
            "set.json: invalid value",
        ),
        (
            "\"entries\": 25",
            "\"entries\": 18446744073709551616",
            "set.json: ",
        ),
        (
            "\"func_id\": 10",
            "\"func_id\": 11",
            "CAM entry that matches",
        ),
        (
            "\"func_id\": 10",
            "\"func_id\": 300",
            "set.json: invalid value",
        ),
        (
            "\"profile\": 0",
            "\"profile\": 1",
            "function odd: profile: expected 0, found 1",
        ),
        ("\"count\": 4", "\"count\": 5", "control words"),
        (
            "\"count\": 4",
            "\"count\": 18446744073709551615",
            "control words",
        ),
        (
            "\"count\": 10",
            "\"count\": 9",
            "bucket 9: expected a bucket of some function",
        ),
        (
            "\"large_pos\": 11",
            "\"large_pos\": 10",
            "pwl_control of large_pos",
        ),
        (
            "\"0xff800000\"",
            "\"-inf\"",
            "range: expected 0x and 8 hex digits, found -inf",
        ),
        (
            "\"spec_sha256\": null",
            "\"spec_sha256\": \"?\"",
            "spec_hash: expected 64",
        ),
    ] {
        let found = message(&edit_manifest(&good, from, to));
        assert!(found.contains(part), "{from} -> {to}: {found}");
    }
}

/// Even an edit that contradicts nothing, and even of spaces, shows in the digest.
#[test]
fn a_hand_edited_manifest_is_refused() {
    let good = set_for(Target::Cayman).to_blobs().expect("valid");
    let text = String::from_utf8(good.manifest.clone()).expect("text");
    for (from, to, part) in [
        ("0.571", "0.471", "`\"manifest_sha256\": "),
        (
            "\"name\": \"odd\"",
            "\"name\": \"tan\"",
            "`\"manifest_sha256\": ",
        ),
        ("\"count\": 4", "\"count\":4", "set.json: line "),
        ("\"count\": 4", "\"count\": 4.0", "set.json: "),
        ("\n", "\r\n", "set.json: line 1: expected `{`, found `{`"),
    ] {
        assert!(text.contains(from), "{from}");
        let blobs = Blobs {
            manifest: text.replacen(from, to, 1).into_bytes(),
            ..good.clone()
        };
        let found = message(&blobs);
        assert!(found.contains(part), "{from:?} -> {to:?}: {found}");
    }
    let named_twice = text.replacen("\"name\"", "\"name\": \"x\", \"name\"", 1);
    let blobs = Blobs {
        manifest: named_twice.into_bytes(),
        ..good.clone()
    };
    assert!(message(&blobs).contains("duplicate field `name`"));
    let sealed = edit_manifest(&good, "0.571", "0.471");
    let set = FunctionSet::from_blobs(&sealed).expect("written so by somebody's tool");
    assert_eq!(set.functions[0].notes.measured_ulp, Some(0.471));
}

#[test]
fn load_descriptors_are_those_of_the_set() {
    let good = set_for(Target::Cayman).to_blobs().expect("valid");
    let text = String::from_utf8(good.dma.clone()).expect("text");
    let dma = text.replace("0x28024c0000", "0x28024c0040").into_bytes();
    let found = message(&Blobs { dma, ..good });
    assert!(
        found.starts_with("dma.json: line 11: expected `\"address\": \"0x28024c0000\"`"),
        "{found}"
    );
    assert!(
        found.ends_with("found `\"address\": \"0x28024c0040\"`"),
        "{found}"
    );
}

/// Reserved bits are refused by number, also when the digest is right.
#[test]
fn reserved_bits_behind_the_digest() {
    let good = set_for(Target::Cayman).to_blobs().expect("valid");
    for (table, byte, part) in [
        (
            Table::Cam,
            32 + 9,
            "cam.bin: entry 1: CAM entry: bit 72 is reserved",
        ),
        (
            Table::Profile,
            2 * 128 + 127,
            "profile.bin: entry 2: PROFILE entry: bit 1016 is reserved",
        ),
        (
            Table::Control,
            3,
            "control.bin: entry 0: CONTROL entry: bit 24 is reserved",
        ),
        (
            Table::Control,
            4,
            "control.bin: entry 0: CONTROL entry: bit 32 is reserved",
        ),
        (
            Table::Bucket,
            3 * 32 + 20,
            "bucket.bin: entry 3: BUCKET entry: bit 160 is reserved",
        ),
        (
            Table::Bucket,
            831,
            "bucket.bin: padding to 64 bytes: expected zeros",
        ),
    ] {
        let mut blobs = good.clone();
        blobs.table_mut(table)[byte] |= 1;
        seal(&mut blobs);
        let found = message(&blobs);
        assert!(found.contains(part), "{found}");
    }
}

/// What could not be read back is not written.
#[test]
fn a_manifest_has_a_greatest_length() {
    let mut set = set_for(Target::Cayman);
    set.functions[0].notes.bucket_bounds = vec![1.0 / 3.0; 200_000];
    let error = set.to_blobs().expect_err("too long").to_string();
    assert!(
        error.starts_with("set.json: length: expected at most 4194304 bytes"),
        "{error}"
    );
}

#[test]
fn errors_carry_their_parts() {
    let mut blobs = set_for(Target::Cayman).to_blobs().expect("valid");
    blobs.cam.clear();
    match FunctionSet::from_blobs(&blobs) {
        Err(ContainerError::Content {
            file,
            field,
            expected,
            found,
        }) => {
            assert_eq!((file, field.as_str()), ("cam.bin", "length"));
            assert_eq!(
                (expected.as_str(), found.as_str()),
                ("128 bytes for 3 entries", "0 bytes")
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_difference_is_named() {
    let set = set_for(Target::Cayman);
    assert_eq!(set.first_difference(&set).expect("valid"), None);
    let shown = |change: &dyn Fn(&mut FunctionSet)| {
        let mut other = set.clone();
        change(&mut other);
        let difference = set.first_difference(&other).expect("valid");
        difference.expect("changed").to_string()
    };
    let index = set.functions[0].buckets.start;
    let d1 = set.buckets[index].d[1];
    assert_eq!(
        shown(&|other| other.buckets[index].d[1] = 0.75),
        format!(
            "bucket.bin: entry {index} ({}), d1: expected {:#010x} ({d1:?}), found 0x3f400000 (0.75)",
            set.functions[0].name,
            d1.to_bits()
        )
    );
    let said = shown(&|other| other.profiles[0].func_rslt_for_nan = f32::from_bits(0x7fc0_0001));
    assert!(said.starts_with("profile.bin: entry 0 ("), "{said}");
    let said = shown(&|other| other.name = "other".to_owned());
    assert!(
        said.starts_with("set.json: line 4: expected `\"name\": "),
        "{said}"
    );
    let said = shown(&|other| other.record_spec(String::new()));
    assert!(said.starts_with("set.json: line 7"), "{said}");
}
