//! Sets and reports that prove nothing: refused before anything is judged.

use actforge_tables::container::sha256_hex;
use serde_json::json;

use super::{check, ending};
use crate::release::Release;

#[test]
fn damaged_sets_are_refused_before_anything_is_judged() {
    let refused = ending(3);
    check(&[
        refused(
            "a flipped bit in the buckets",
            |release| release.flip("small/bucket.bin"),
            &["bucket.bin", "SHA-256", "build it again"],
        ),
        refused(
            "a flipped bit in the control words",
            |release| release.flip("small/control.bin"),
            &["control.bin", "SHA-256"],
        ),
        refused(
            "a flipped bit in the profiles",
            |release| release.flip("wide/profile.bin"),
            &["profile.bin", "SHA-256"],
        ),
        refused(
            "a flipped bit in the CAM",
            |release| release.flip("wide/cam.bin"),
            &["cam.bin", "SHA-256"],
        ),
        refused(
            "swapped buckets",
            |release| release.swap("bucket.bin"),
            &["small: bucket.bin"],
        ),
        refused(
            "swapped manifests",
            |release| release.swap("set.json"),
            &["small: "],
        ),
        refused(
            "swapped load descriptors",
            |release| release.swap("dma.json"),
            &["small: dma.json"],
        ),
        refused(
            "an edited manifest",
            |release| {
                release.replace(
                    "small/set.json",
                    "\"name\": \"small\"",
                    "\"name\": \"smale\"",
                )
            },
            &["small: set.json"],
        ),
        refused(
            "an edited bound in the manifest",
            |release| {
                release.replace(
                    "small/set.json",
                    "\"tool_version\": \"",
                    "\"tool_version\": \"9",
                )
            },
            &["small: set.json"],
        ),
        refused(
            "an empty set",
            |release| {
                release.edit("small/set.json", |manifest| {
                    manifest["functions"] = json!([]);
                    for table in ["cam", "profile", "control", "bucket"] {
                        manifest["tables"][table]["entries"] = json!(0);
                        std::fs::write(release.path().join(format!("small/{table}.bin")), "")
                            .unwrap();
                        manifest["tables"][table]["sha256"] = json!(sha256_hex(b""));
                    }
                });
            },
            &["functions: expected at least one, found 0"],
        ),
        refused(
            "an empty directory",
            |release| {
                std::fs::remove_dir_all(release.path().join("small")).unwrap();
                std::fs::create_dir(release.path().join("small")).unwrap();
            },
            &["small/set.json: cannot read the file"],
        ),
        refused(
            "a missing file",
            |release| std::fs::remove_file(release.path().join("wide/control.bin")).unwrap(),
            &["control.bin"],
        ),
    ]);
}

#[test]
fn reports_that_prove_nothing() {
    let refused = ending(3);
    check(&[
        refused(
            "the report of another build",
            |release| {
                release.rebuild("small", |set| set.buckets[20].d[0] += 1e-6);
            },
            &["small.json: not a report of this set: set_sha256: expected"],
        ),
        refused(
            "the report of another set",
            |release| {
                release.edit("small.json", |report| report["set"] = json!("core"));
            },
            &["small.json: not a report of this set: set: expected small or wide, found core"],
        ),
        refused(
            "the report of another target",
            |release| {
                release.edit("small.json", |report| report["target"] = json!("sunda"));
            },
            &["target: expected cayman, found sunda"],
        ),
        refused(
            "the report of another datapath",
            |release| {
                release.edit("small.json", |report| report["datapath"] = json!("mixed"));
            },
            &["datapath: expected fma, found mixed"],
        ),
        refused(
            "a report without the function",
            |release| {
                release.edit("small.json", |report| {
                    report["functions"].as_array_mut().unwrap().remove(1);
                });
            },
            &[
                "no stored report of tanh of set small, fp32, over all bf16",
                "hint: `actforge replay small --function tanh --input bf16 --output fp32 --json FILE` makes it",
            ],
        ),
        refused(
            "a report over other inputs",
            |release| {
                release.replace(
                    "budgets.toml",
                    "function = \"tanh\"\ninput = \"bf16\"",
                    "function = \"tanh\"\ninput = \"fp16\"",
                );
            },
            &["no stored report of tanh of set small, fp32, over all fp16"],
        ),
        refused(
            "a report of another version",
            |release| {
                release.edit("small.json", |report| report["schema_version"] = json!(0));
            },
            &["small.json: schema_version: expected 1, found 0"],
        ),
        refused(
            "a part of a report",
            |release| {
                release.edit("small.json", |report| report["shard"] = json!({}));
            },
            &[
                "small.json: not a report: a part of one",
                "`actforge merge` joins",
            ],
        ),
        refused(
            "the result of a gate",
            |release| {
                let result = release.read("last/gate.json");
                release.write("small.json", &result);
            },
            &["small.json: not a report: the result of a gate"],
        ),
        refused(
            "no report at all",
            |release| release.write("small.json", "[]"),
            &["small.json: not a report"],
        ),
    ]);
}

/// A report is a file: it may say what no replay finds, and what is not so of these tables.
#[test]
fn reports_that_say_impossible_things() {
    type Edit = fn(&mut serde_json::Value);
    let edits: &[(&str, Edit, &str)] = &[
        (
            "a negative error",
            |tanh| tanh["max_ulp"] = json!(-1.0),
            "max_ulp: expected a finite number that is not negative, found -1",
        ),
        (
            "no error",
            |tanh| tanh["max_ulp"] = json!(0.0),
            "mean_ulp: expected at most max_ulp, 0, found 1.434644",
        ),
        (
            "a smaller error",
            |tanh| tanh["max_ulp"] = json!(7.0),
            "max_ulp: expected at least 7.482666 (octaves[126]), found 7",
        ),
        (
            "a larger error",
            |tanh| tanh["max_ulp"] = json!(7.6),
            "max_ulp: expected 7.509578 (the tables at 0x40f50000), found 7.6",
        ),
        (
            "no error at all",
            |tanh| tanh["max_ulp"] = json!(null),
            "max_ulp: expected 4 to 8 (the last bin of the histogram), found null",
        ),
        (
            "few inputs",
            |tanh| tanh["inputs"] = json!(5),
            "inputs: expected 65536 (every bf16 value), found 5",
        ),
        (
            "other inputs",
            |tanh| tanh["input_dtype"] = json!("fp16"),
            "special: expected 1023 of +quiet nan",
        ),
        (
            "a type that is none",
            |tanh| tanh["dtype"] = json!("fp31"),
            "dtype: expected an output type, found \"fp31\"",
        ),
        (
            "a range that they are not of",
            |tanh| tanh["range"] = json!(["0x3f800000", "0x40000000"]),
            "inputs: expected 258 to 516",
        ),
        (
            "a range that is none",
            |tanh| tanh["range"] = json!(["0x40000000", "0x3f800000"]),
            "range: expected two numbers",
        ),
        (
            "a mean above the maximum",
            |tanh| tanh["mean_ulp"] = json!(8.0),
            "mean_ulp: expected 1.434644 (error_sum over inputs), found 8",
        ),
        (
            "a mean of another sum",
            |tanh| tanh["error_sum"] = json!("0"),
            "mean_ulp: expected 0 (error_sum over inputs), found 1.434644",
        ),
        (
            "a sum that is none",
            |tanh| tanh["error_sum"] = json!("-1"),
            "error_sum: expected decimal digits, found \"-1\"",
        ),
        (
            "more than all correctly rounded",
            |tanh| tanh["correctly_rounded"] = json!(1.5),
            "correctly_rounded: expected a share from 0 to 1, found 1.5",
        ),
        (
            "all correctly rounded",
            |tanh| tanh["correctly_rounded"] = json!(1.0),
            "correctly_rounded: expected 0.",
        ),
        (
            "a histogram of other inputs",
            |tanh| tanh["histogram"][0] = json!(u64::MAX),
            "histogram: expected 65536 inputs in all (inputs), found",
        ),
        (
            "no steps",
            |tanh| tanh["max_steps"] = json!(0),
            "max_steps: expected at least 1 (correctly_rounded is 0.",
        ),
        (
            "fewer steps",
            |tanh| tanh["max_steps"] = json!(7),
            "max_steps: expected 8 (the tables at 0x",
        ),
        (
            "a smaller absolute error",
            |tanh| tanh["max_absolute"]["error"] = json!(1e-12),
            "max_absolute.error: expected",
        ),
        (
            "a smaller relative error",
            |tanh| tanh["max_relative"]["error"] = json!(1e-12),
            "max_relative.error: expected",
        ),
        (
            "a maximum at another input",
            |tanh| {
                tanh["max_ulp_at"]["bits"] = json!("0x3f800000");
                tanh["max_ulp_at"]["value"] = json!("1.0");
            },
            "max_ulp_at.got: expected",
        ),
        (
            "an input that is another number",
            |tanh| tanh["max_ulp_at"]["value"] = json!("1.0"),
            "max_ulp_at.value: expected 7.65625",
        ),
        (
            "a result that is right",
            |tanh| tanh["max_ulp_at"]["got"] = tanh["max_ulp_at"]["want"].clone(),
            "max_ulp_at.got: expected 0x3f800000 (the tables at 0x40f50000)",
        ),
        (
            "a maximum nowhere",
            |tanh| tanh["max_ulp_at"] = json!(null),
            "max_ulp_at: expected the input that has max_ulp, found null",
        ),
        (
            "fewer buckets",
            |tanh| tanh["buckets"] = json!(1),
            "buckets: expected 45 (bucket_rows), found 1",
        ),
        (
            "fewer buckets and rows",
            |tanh| {
                tanh["buckets"] = json!(0);
                tanh["bucket_rows"] = json!([]);
            },
            "buckets: expected 45 (the tables), found 0",
        ),
        (
            "fewer control words",
            |tanh| tanh["control_words"] = json!(1),
            "control_words: expected 7 (the tables), found 1",
        ),
        (
            "more violations than inputs",
            |tanh| tanh["violations"]["asymmetric"] = json!(65_537),
            "violations.asymmetric: expected at most 65536 (inputs), found 65537",
        ),
        (
            "NaN results with an error",
            |tanh| tanh["violations"]["nan_results"] = json!(7),
            "max_ulp: expected null (a result is NaN where a number is right), found 7.509578",
        ),
        (
            "special inputs left out",
            |tanh| tanh["special"] = json!([]),
            "special: expected",
        ),
        (
            "a wrong special input that is fine",
            |tanh| tanh["special"][0]["got"] = json!("0x3f800000"),
            "special \"+0\": ok: expected false",
        ),
        (
            "an uncertain reference",
            |tanh| tanh["reference_bound_ulp"] = json!(1e9),
            "reference_bound_ulp: expected at most",
        ),
    ];
    for (name, change, says) in edits {
        let release = Release::new();
        release.edit_tanh(change);
        let said = release.gate(&[]).failed(3, &["small.json: tanh: ", says]);
        assert_eq!(said.stdout, "", "{name}");
    }
}
