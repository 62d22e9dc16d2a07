//! Releases that break one promise each: the gate says which, and ends with the right code.

use actforge_tables::container::sha256_hex;
use serde_json::{Value, json};

use crate::release::Release;

/// One way to break the release.
struct Break {
    /// What is broken.
    name: &'static str,
    /// How.
    edit: fn(&Release),
    /// Further arguments of the gate.
    arguments: &'static [&'static str],
    /// The exit code.
    code: i32,
    /// What the gate has to say.
    says: &'static [&'static str],
}

/// Breaks each of these, and gates by stored reports.
fn check(breaks: &[Break]) {
    for one in breaks {
        let release = Release::new();
        (one.edit)(&release);
        let run = release.gate(one.arguments);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(one.code), "{}: {said}", one.name);
        for part in one.says {
            assert!(
                said.contains(part),
                "{}: expected {part:?} in: {said}",
                one.name
            );
        }
        match one.code {
            // A gate that fails is a result.
            0 | 1 => assert_eq!(run.stderr, "", "{}", one.name),
            code => {
                run.failed(code, &[]);
            }
        }
    }
}

const NOTHING: &[&str] = &[];
const BASELINE: &[&str] = &["--baseline", "last"];

#[test]
fn a_sound_release_passes() {
    let says = &["PASS: 4 checks of small, wide"];
    check(&[
        Break {
            name: "nothing",
            edit: |_| (),
            arguments: NOTHING,
            code: 0,
            says,
        },
        Break {
            name: "nothing, with a baseline",
            edit: |_| (),
            arguments: BASELINE,
            code: 0,
            says,
        },
    ]);
    // By replays as well, to the same result.
    let release = Release::new();
    let replayed = release.replayed(&["--json", "-"]);
    assert_eq!(replayed.code, Some(0));
    assert_eq!(replayed.stdout, release.gate(&["--json", "-"]).stdout);
}

#[test]
fn every_metric() {
    let limit = |name, edit, says| Break {
        name,
        edit,
        arguments: NOTHING,
        code: 1,
        says,
    };
    check(&[
        limit(
            "max_ulp",
            |release| release.add("max_ulp = 0.5"),
            &[
                "FAIL  over-budget  tanh of set small over all bf16: max_ulp (largest error in ulp): measured 7.509578, at most 0.500000 allowed",
                "budgets.toml:20:11",
                "input     7.65625 (0x1.eap2, 0x40f50000), bucket 46",
                "got       1.0 (0x1p0, 0x3f800000)",
                "want      0.9999995 (0x1.fffffp-1, 0x3f7ffff8)",
                "reproduce actforge eval small tanh 0x40f50000",
                "FAIL: 1 finding in 4 checks",
            ],
        ),
        limit(
            "max_steps",
            |release| release.replace("budgets.toml", "max_steps = 8", "max_steps = 7"),
            &[
                "over-budget",
                "max_steps",
                "measured 8, at most 7 allowed",
                "budgets.toml:18:13",
                "eval small tanh",
            ],
        ),
        limit(
            "mean_ulp",
            |release| release.add("mean_ulp = 1.0"),
            &[
                "over-budget",
                "mean_ulp",
                "measured 1.434644",
                "reproduce actforge replay small --function tanh --input bf16",
            ],
        ),
        limit(
            "min_correctly_rounded",
            |release| release.add("min_correctly_rounded = 0.99"),
            &[
                "over-budget",
                "min_correctly_rounded",
                "at least 0.990000 allowed",
            ],
        ),
        limit(
            "max_abs",
            |release| release.add("max_abs = 1e-9"),
            &[
                "over-budget",
                "max_abs",
                "at most 1e-9 allowed",
                "eval small tanh",
            ],
        ),
        limit(
            "max_rel",
            |release| release.add("max_rel = 1e-9"),
            &["over-budget", "max_rel", "eval small tanh"],
        ),
        limit(
            "max_buckets",
            |release| release.add("max_buckets = 44"),
            &[
                "over-budget",
                "measured 45, at most 44 allowed",
                "reproduce actforge inspect small",
            ],
        ),
        limit(
            "max_control_words",
            |release| release.add("max_control_words = 6"),
            &["measured 7, at most 6 allowed"],
        ),
        limit(
            "bounds",
            |release| release.add("bounds = [-0.5, 1.0]"),
            &[
                "over-budget",
                "bounds (results outside of the bounds): measured 16499, at most 0 allowed",
                "input     -0.55078125",
            ],
        ),
        limit(
            "its own bounds",
            |release| {
                release.add("bounds = \"function\"");
                release.edit_tanh(|tanh| tanh["violations"]["out_of_range"] = json!(3));
            },
            &["bounds (results outside of the bounds): measured 3"],
        ),
        limit(
            "an exact point",
            |release| {
                release
                    .add("exact = [{ input = 0.0, result = 0.0 }, { input = 1.0, result = 0.75 }]")
            },
            &[
                "exact (exact points with another result): measured 1",
                "input     1.0 (0x1p0, 0x3f800000)",
                "want      0.75",
            ],
        ),
        limit(
            "an exact point that has to be correctly rounded",
            |release| release.add("exact = [{ input = 7.65625 }]"),
            &[
                "exact (exact points with another result): measured 1",
                "want      0.9999995",
            ],
        ),
    ]);
}

#[test]
fn figures_of_fp32_inputs() {
    // Reports of all fp32 inputs take seconds each: these are the stored ones, said to be of fp32.
    fn over_fp32(release: &Release, limit: &str, change: fn(&mut Value)) {
        release.edit_tanh(|tanh| {
            tanh["input_dtype"] = json!("fp32");
            change(tanh);
        });
        release.replace(
            "budgets.toml",
            "function = \"tanh\"\ninput = \"bf16\"",
            "function = \"tanh\"",
        );
        release.replace(
            "budgets.toml",
            "function = \"*\"\ninput = \"bf16\"",
            "function = \"relu\"\ninput = \"bf16\"",
        );
        release.add(&format!(
            "{limit}\n[[rule]]\nfunction = \"*\"\nset = \"wide\"\ninput = \"bf16\"\nmax_ulp = 8"
        ));
    }
    let limit = |name, edit, says| Break {
        name,
        edit,
        arguments: NOTHING,
        code: 1,
        says,
    };
    check(&[
        limit(
            "max_non_monotone",
            |release| {
                over_fp32(release, "max_non_monotone = 1", |tanh| {
                    tanh["violations"]["non_monotone"] = json!(2)
                })
            },
            &[
                "max_non_monotone (steps against the function's direction): measured 2, at most 1 allowed",
            ],
        ),
        limit(
            "another symmetry",
            |release| over_fp32(release, "symmetry = \"even\"", |_| ()),
            &["not-measured", "symmetry", "not measured: tanh is not even"],
        ),
        limit(
            "saturated_above",
            |release| {
                over_fp32(release, "saturated_above = 8.5", |tanh| {
                    tanh["saturation"] = json!([{ "negative": false, "limit": "0x3f800000", "first": "0x41100000", "right": "0x41100000" }]);
                })
            },
            &[
                "saturated_above",
                "measured 9, at most 8.5 allowed",
                "input     8.999999",
            ],
        ),
        limit(
            "saturated_below",
            |release| {
                over_fp32(release, "saturated_below = -8.5", |tanh| {
                    tanh["saturation"] = json!([{ "negative": true, "limit": "0xbf800000", "first": "0xc1100000", "right": "0xc1100000" }]);
                })
            },
            &["saturated_below", "measured -9, at least -8.5 allowed"],
        ),
        limit(
            "never saturated",
            |release| {
                over_fp32(release, "saturated_above = 9.5", |tanh| {
                    tanh["saturation"] = json!([{ "negative": false, "limit": "0x3f800000", "first": null, "right": "0x41100000" }]);
                })
            },
            &["measured no finite value"],
        ),
        limit(
            "a side without saturation",
            |release| over_fp32(release, "saturated_above = 9.5", |_| ()),
            &[
                "not-measured",
                "has no limit that finite inputs of this side reach",
            ],
        ),
        limit(
            "an error without a number",
            |release| {
                over_fp32(release, "mean_ulp = 8.0", |tanh| {
                    tanh["max_ulp"] = json!(null)
                })
            },
            &[
                "mean_ulp",
                "measured no finite value",
                "at most 8.000000 allowed",
            ],
        ),
    ]);
}

#[test]
fn special_values() {
    let special = |name, edit, says| Break {
        name,
        edit,
        arguments: NOTHING,
        code: 1,
        says,
    };
    check(&[
        special(
            "a stated special result",
            |release| release.add("special = { \"-inf\" = 0.0 }"),
            &[
                "special-input",
                "budgets.toml:20:11",
                "input     -inf (-inf, 0xff800000)",
                "want      0.0",
                "reproduce actforge eval small tanh 0xff800000",
            ],
        ),
        special(
            "NaN results",
            |release| release.edit_tanh(|tanh| tanh["violations"]["nan_results"] = json!(7)),
            &[
                "nan-results",
                "nan_results (results that are NaN where a number is right): measured 7, at most 0 allowed",
            ],
        ),
    ]);
    // In the tables themselves, which have to be replayed.
    for (name, change, says) in [
        (
            "zero",
            (|profile, wrong| profile.func_rslt_for_zero = wrong)
                as fn(&mut actforge_tables::Profile, f32),
            "0x00000000",
        ),
        (
            "nan",
            |profile, wrong| profile.func_rslt_for_nan = wrong,
            "0x7fc00000",
        ),
        (
            "+inf",
            |profile, wrong| profile.func_rslt_for_pos_inf = wrong,
            "0x7f800000",
        ),
        (
            "-inf",
            |profile, wrong| profile.func_rslt_for_neg_inf = wrong,
            "0xff800000",
        ),
    ] {
        let release = Release::new();
        release.rebuild("small", |set| {
            let profile = set.function("tanh").unwrap().profile;
            change(&mut set.profiles[profile], 0.5);
        });
        let run = release.replayed(&[]);
        assert_eq!(run.code, Some(1), "{name}: {}", run.stdout);
        for part in [
            "FAIL  special-input  tanh of set small",
            says,
            "got       0.5 (0x1p-1, 0x3f000000)",
        ] {
            assert!(
                run.stdout.contains(part),
                "{name}: expected {part:?} in: {}",
                run.stdout
            );
        }
    }
}

#[test]
fn functions_sets_and_rules_that_do_not_match() {
    let failed = |name, edit, says| Break {
        name,
        edit,
        arguments: NOTHING,
        code: 1,
        says,
    };
    check(&[
        failed(
            "a function without a rule",
            |release| {
                release.replace("budgets.toml", "function = \"*\"", "function = \"relu\"");
            },
            &[
                "function-without-rule  sigmoid of set wide has no rule",
                "function-without-rule  exp of set wide has no rule",
            ],
        ),
        failed(
            "a rule for a function that is not there",
            |release| {
                release.add("[[rule]]\nfunction = \"silu\"\ninput = \"bf16\"\nmax_ulp = 2");
            },
            &[
                "budgets.toml:20:1",
                "rule-unused  no function of small, wide is covered by the rule for silu, over all bf16",
            ],
        ),
        failed(
            "a rule for another set",
            |release| {
                release.add(
                    "[[rule]]\nfunction = \"tanh\"\nset = \"wide\"\ninput = \"bf16\"\nmax_ulp = 2",
                );
            },
            &["rule-unused", "the rule for tanh of set wide"],
        ),
        failed(
            "a rule for an output type that no function has",
            |release| {
                release.add(
                    "[[rule]]\nfunction = \"*\"\ndtype = \"fp16\"\ninput = \"bf16\"\nmax_ulp = 2",
                );
            },
            &[
                "rule-unused",
                "the rule for every function, fp16, over all bf16",
            ],
        ),
        failed(
            "a missing function",
            |release| {
                release.replace(
                    "budgets.toml",
                    "[\"relu\", \"tanh\"]",
                    "[\"relu\", \"tanh\", \"gelu\"]",
                );
            },
            &[
                "function-missing  set small has no function gelu",
                "budgets.toml:2:",
            ],
        ),
        failed(
            "a function that is not listed",
            |release| {
                release.replace("budgets.toml", "[\"relu\", \"tanh\"]", "[\"tanh\"]");
            },
            &["function-unlisted  set small holds relu, which is not listed for it"],
        ),
        failed(
            "a missing set",
            |release| release.replace("budgets.toml", "[set.wide]", "[set.wide]\n[set.attention]"),
            &["set-missing  no set attention was given"],
        ),
        failed(
            "a set that is not listed",
            |release| {
                release.replace("budgets.toml", "[set.wide]\ntarget = \"cayman\"\n", "");
            },
            &["set-unlisted  set wide is not among those that budgets.toml lists"],
        ),
        failed(
            "the wrong target",
            |release| {
                release.replace(
                    "budgets.toml",
                    "[set.wide]\ntarget = \"cayman\"",
                    "[set.wide]\ntarget = \"sunda\"",
                );
            },
            &["wrong-target  set wide: expected target sunda, found cayman"],
        ),
        failed(
            "the wrong datapath",
            |release| release.replace("budgets.toml", "\"fma\"", "\"mixed\""),
            &["wrong-datapath  set small: expected datapath mixed, found fma"],
        ),
        failed(
            "nothing to check",
            |release| {
                release.write(
                    "budgets.toml",
                    "[[rule]]\nfunction = \"gelu\"\nmax_ulp = 1\n",
                );
            },
            &[
                "nothing-checked  nothing was checked",
                "rule-unused",
                "FAIL: 6 findings in 0 checks",
            ],
        ),
        Break {
            name: "functions without a rule, where that is allowed",
            edit: |release| {
                release.replace("budgets.toml", "function = \"*\"", "function = \"relu\"");
                release.add("[gate]\nunlisted = \"allow\"");
            },
            arguments: NOTHING,
            code: 0,
            says: &[
                "note  not-checked  exp of set wide has no rule",
                "PASS: 2 checks",
            ],
        },
    ]);
}

#[test]
fn damaged_sets_are_refused_before_anything_is_judged() {
    let refused = |name, edit, says| Break {
        name,
        edit,
        arguments: NOTHING,
        code: 3,
        says,
    };
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
            |release| {
                std::fs::copy(
                    release.path().join("wide/bucket.bin"),
                    release.path().join("small/bucket.bin"),
                )
                .unwrap();
            },
            &["small: bucket.bin"],
        ),
        refused(
            "swapped manifests",
            |release| {
                std::fs::copy(
                    release.path().join("wide/set.json"),
                    release.path().join("small/set.json"),
                )
                .unwrap();
            },
            &["small: "],
        ),
        refused(
            "swapped load descriptors",
            |release| {
                std::fs::copy(
                    release.path().join("wide/dma.json"),
                    release.path().join("small/dma.json"),
                )
                .unwrap();
            },
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
    let refused = |name, edit, says| Break {
        name,
        edit,
        arguments: NOTHING,
        code: 3,
        says,
    };
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
            "no report at all",
            |release| release.write("small.json", "[]"),
            &["small.json: not a report"],
        ),
    ]);
}

#[test]
fn the_last_release() {
    fn figure(release: &Release, function: &str, figure: &str, value: Value) {
        release.edit("last/gate.json", |result| {
            let checks = result["checks"].as_array_mut().unwrap();
            let check = checks
                .iter_mut()
                .find(|check| check["function"] == function)
                .unwrap();
            check["figures"][figure] = value;
        });
    }
    let worse = |name, edit, says| Break {
        name,
        edit,
        arguments: BASELINE,
        code: 1,
        says,
    };
    check(&[
        worse(
            "a larger error",
            |release| figure(release, "tanh", "max_ulp", json!(7.509577)),
            &[
                "max_ulp of the last release",
                "worse-than-baseline  tanh of set small over all bf16: max_ulp (largest error in ulp): measured 7.509578, the last release has 7.509577",
                "reproduce actforge eval small tanh 0x40f50000",
            ],
        ),
        worse(
            "a smaller share",
            |release| figure(release, "exp", "min_correctly_rounded", json!(0.999_999)),
            &[
                "worse-than-baseline  exp of set wide",
                "min_correctly_rounded",
            ],
        ),
        worse(
            "more buckets",
            |release| figure(release, "tanh", "max_buckets", json!(44)),
            &["measured 45, the last release has 44"],
        ),
        worse(
            "a dropped function",
            |release| {
                release.edit("last/gate.json", |result| {
                    let mut gone = result["checks"][0].clone();
                    gone["function"] = json!("gelu");
                    result["checks"].as_array_mut().unwrap().push(gone);
                });
            },
            &["function-dropped  set small no longer holds gelu, which the last release had"],
        ),
        worse(
            "a dropped set",
            |release| {
                release.edit("last/gate.json", |result| {
                    let mut gone = result["sets"][0].clone();
                    gone["name"] = json!("attention");
                    result["sets"].as_array_mut().unwrap().push(gone);
                });
            },
            &["set-dropped  set attention of the last release was not given"],
        ),
        worse(
            "a stale baseline, of another target",
            |release| {
                release.edit("last/gate.json", |result| {
                    result["sets"][1]["target"] = json!("sunda")
                });
            },
            &[
                "baseline-mismatch  set wide: the last release is for target sunda, this is for cayman",
            ],
        ),
        worse(
            "a stale baseline, of another datapath",
            |release| {
                release.edit("last/gate.json", |result| {
                    result["sets"][1]["datapath"] = json!("mixed")
                });
            },
            &[
                "baseline-mismatch  set wide: the last release is for datapath mixed, this is for fma",
            ],
        ),
        worse(
            "a stale baseline, over other inputs",
            |release| {
                release.edit("last/gate.json", |result| {
                    for check in result["checks"].as_array_mut().unwrap() {
                        check["input_dtype"] = json!("fp16");
                    }
                });
            },
            &[
                "nothing-compared  set small: the last release has no figures of what was measured now",
                "note  new-figures",
            ],
        ),
        worse(
            "a baseline of other sets",
            |release| {
                release.edit("last/gate.json", |result| {
                    for (place, name) in ["a", "b"].iter().enumerate() {
                        result["sets"][place]["name"] = json!(name);
                    }
                });
            },
            &[
                "nothing-compared  last: none of the sets is in it",
                "set-dropped",
            ],
        ),
        Break {
            name: "slack",
            edit: |release| {
                figure(release, "tanh", "max_ulp", json!(7.5));
                release.add("[baseline.slack]\nmax_ulp = 0.01");
            },
            arguments: BASELINE,
            code: 0,
            says: &["PASS: 4 checks"],
        },
        Break {
            name: "too little slack",
            edit: |release| {
                figure(release, "tanh", "max_ulp", json!(7.5));
                release.add("[baseline.slack]\nmax_ulp = 0.001");
            },
            arguments: BASELINE,
            code: 1,
            says: &[
                "measured 7.509578, the last release has 7.500000, with the slack at most 7.501000",
            ],
        },
        Break {
            name: "an improvement",
            edit: |release| figure(release, "tanh", "max_ulp", json!(7.75)),
            arguments: BASELINE,
            code: 0,
            says: &["can tighten  tanh of small, max_ulp: 7.509578, the last release had 7.750000"],
        },
    ]);
    let unreadable = |name, edit, says| Break {
        name,
        edit,
        arguments: BASELINE,
        code: 3,
        says,
    };
    check(&[
        unreadable(
            "a baseline of another version",
            |release| {
                release.edit("last/gate.json", |result| {
                    result["schema_version"] = json!(1)
                });
            },
            &["last/gate.json: schema_version: expected 2, found 1"],
        ),
        unreadable(
            "an empty baseline",
            |release| release.edit("last/gate.json", |result| result["checks"] = json!([])),
            &["last/gate.json: no figures of any function"],
        ),
        unreadable(
            "a baseline without files",
            |release| std::fs::remove_file(release.path().join("last/gate.json")).unwrap(),
            &["last: no figures of a release in it"],
        ),
        unreadable(
            "a baseline measured by another definition",
            |release| {
                std::fs::remove_file(release.path().join("last/gate.json")).unwrap();
                std::fs::copy(
                    release.path().join("small.json"),
                    release.path().join("last/report.json"),
                )
                .unwrap();
                release.edit("last/report.json", |report| {
                    report["metrics"]["ulp"] = json!("before rounding")
                });
            },
            &[
                "last/report.json: metrics: expected those of this version of actforge, found \"before rounding\"",
            ],
        ),
    ]);
}

const AS_OF: &[&str] = &["--as-of", "2030-06-01"];

/// A waiver for the error of tanh, whose budget is then too small.
fn waived(release: &Release, ceiling: &str, expires: &str) {
    release.add("max_ulp = 7.5");
    waiver(release, "tanh", ceiling, expires);
}

fn waiver(release: &Release, function: &str, ceiling: &str, expires: &str) {
    release.add(&format!(
        "[[waiver]]\nid = \"T-1\"\nfunction = \"{function}\"\nlimit = \"max_ulp\"\nceiling = {ceiling}\nreason = \"old layout\"\nowner = \"tables team\"\nexpires = {expires}"
    ));
}

#[test]
fn every_waiver_rule() {
    let with = |name, edit, code, says| Break {
        name,
        edit,
        arguments: AS_OF,
        code,
        says,
    };
    check(&[
        with(
            "a waiver in use",
            |release| waived(release, "7.6", "2030-06-01"),
            0,
            &[
                "WAIVED  small  tanh",
                "waived  T-1: max_ulp of tanh up to 7.600000 until 2030-06-01 (old layout; tables team)",
                "PASS: 4 checks of small, wide, 1 waiver in use",
            ],
        ),
        with(
            "beyond the ceiling",
            |release| waived(release, "7.505", "2030-06-01"),
            1,
            &[
                "waiver-exceeded",
                "at most 7.500000 allowed, and waiver T-1 allows at most 7.505000",
            ],
        ),
        with(
            "expired",
            |release| waived(release, "7.6", "2030-05-31"),
            1,
            &[
                "waiver-expired  waiver T-1 for max_ulp of tanh expired on 2030-05-31 (as of 2030-06-01); its owner is tables team",
                "over-budget  tanh",
            ],
        ),
        with(
            "expired and not needed",
            |release| waiver(release, "tanh", "9", "2030-05-31"),
            1,
            &["waiver-expired", "FAIL: 1 finding"],
        ),
        with(
            "unused, on somebody's machine",
            |release| waiver(release, "tanh", "9", "2031-01-01"),
            0,
            &["WARN  waiver-unused  waiver T-1 is not needed"],
        ),
        with(
            "for another function",
            |release| {
                release.add("max_ulp = 7.5");
                waiver(release, "exp", "9", "2031-01-01");
            },
            1,
            &["over-budget  tanh", "WARN  waiver-unused"],
        ),
        with(
            "without an owner",
            |release| {
                waived(release, "9", "2031-01-01");
                release.replace("budgets.toml", "owner = \"tables team\"\n", "");
            },
            3,
            &["waiver[0].owner: missing"],
        ),
        with(
            "that skips",
            |release| {
                waived(release, "9", "2031-01-01");
                release.replace("budgets.toml", "ceiling = 9\n", "");
            },
            3,
            &["waiver[0].ceiling: missing, expected the limit that holds instead"],
        ),
        with(
            "for all functions",
            |release| waiver(release, "*", "9", "2031-01-01"),
            3,
            &["expected the name of one function, found \"*\""],
        ),
        with(
            "twice",
            |release| {
                waived(release, "9", "2031-01-01");
                waiver(release, "tanh", "9", "2031-01-01");
            },
            3,
            &["expected an id of its own"],
        ),
    ]);
    let release = Release::new();
    waiver(&release, "tanh", "9", "2031-01-01");
    let gate = [
        "gate",
        "small",
        "wide",
        "--budgets",
        "budgets.toml",
        "--as-of",
        "2030-06-01",
        "--report",
        "small.json",
        "--report",
        "wide.json",
    ];
    let run = release.run_with(&gate, &[("CI", "true")]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("FAIL  waiver-unused  waiver T-1 is not needed"),
        "{}",
        run.stdout
    );
    release.gate(&["--as-of", "June"]).failed(2, &["--as-of"]);
}

#[test]
fn waivers_of_a_file_of_their_own_lift_the_last_release_too() {
    let release = Release::new();
    let text = "[[waiver]]\nid = \"T-2\"\nfunction = \"tanh\"\nset = \"small\"\ninput = \"bf16\"\nlimit = \"max_ulp\"\nceiling = 7.6\nreason = \"old layout\"\nowner = \"tables team\"\nexpires = 2030-12-31\n";
    release.write("waivers.toml", text);
    release.edit("last/gate.json", |result| {
        for check in result["checks"].as_array_mut().unwrap() {
            if check["function"] == "tanh" {
                check["figures"]["max_ulp"] = json!(7.0);
            }
        }
    });
    let arguments = [
        "--baseline",
        "last",
        "--waivers",
        "waivers.toml",
        "--as-of",
        "2030-06-01",
    ];
    let run = release.gate(&arguments).succeeded();
    assert!(
        run.stdout.contains("WAIVED  ") && run.stdout.contains("max_ulp of the last release"),
        "{}",
        run.stdout
    );
    release.write("waivers.toml", &text.replace("\"small\"", "\"wide\""));
    let run = release.gate(&arguments);
    assert!(
        run.stdout.contains("worse-than-baseline") && run.stdout.contains("waivers.toml:1:1"),
        "{}",
        run.stdout
    );
    release.write("waivers.toml", "[[rule]]\nfunction = \"*\"\nmax_ulp = 1\n");
    release
        .gate(&arguments)
        .failed(3, &["waivers.toml:1:", "rule: unknown key"]);
}

/// Real faults, found over all fp32 inputs: `cargo test --release --test cli -- --ignored gate_breaks`.
#[test]
#[ignore = "replays all fp32 inputs of four functions"]
fn faults_in_the_tables_are_found_over_all_fp32_inputs() {
    let rules = "[[rule]]\nfunction = \"*\"\nmax_ulp = 1e30\n[[rule]]\nfunction = \"tanh\"\nmax_non_monotone = 8\nbounds = \"function\"\nsaturated_above = 9.1\n";
    let sound = Release::new();
    sound.write("budgets.toml", rules);
    sound
        .run(&["gate", "small", "--budgets", "budgets.toml"])
        .succeeded();
    for (bucket, says) in [
        (20, "max_non_monotone"),
        (46, "saturated_above"),
        (46, "bounds"),
    ] {
        let release = Release::new();
        release.write("budgets.toml", rules);
        release.rebuild("small", |set| set.buckets[bucket].d[0] += 0.01);
        let run = release.run(&["gate", "small", "--budgets", "budgets.toml"]);
        assert_eq!(run.code, Some(1), "{}", run.stdout);
        let line = run
            .stdout
            .lines()
            .find(|line| line.contains("over-budget") && line.contains(says));
        assert!(line.is_some(), "{says}: {}", run.stdout);
        assert!(
            run.stdout.contains("reproduce actforge eval small tanh 0x"),
            "{}",
            run.stdout
        );
    }
}
