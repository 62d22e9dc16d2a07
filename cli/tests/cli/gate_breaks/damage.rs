//! Sets and reports that prove nothing: refused before anything is judged.

use actforge_tables::container::sha256_hex;
use serde_json::json;

use super::{check, ending};

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
            &["small.json: not a report of these sets: set_sha256: expected"],
        ),
        refused(
            "the report of another set",
            |release| {
                release.edit("small.json", |report| report["set"] = json!("core"));
            },
            &["small.json: not a report of these sets: set: expected small or wide, found core"],
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
