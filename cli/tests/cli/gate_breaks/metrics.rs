//! Every limit, broken by itself.

use std::sync::OnceLock;

use serde_json::{Value, json};

use super::{check, ending};
use crate::release::Release;

#[test]
fn every_metric() {
    let limit = ending(1);
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
    fn over_fp32(release: &Release, limit: &str, change: fn(&mut Value)) {
        release.write("small.json", report_over_fp32());
        release.edit_tanh(change);
        release.replace(
            "budgets.toml",
            "function = \"tanh\"\ninput = \"bf16\"",
            "function = \"tanh\"",
        );
        release.replace(
            "budgets.toml",
            "function = \"*\"\ninput = \"bf16\"",
            "function = \"relu\"",
        );
        release.add(&format!(
            "{limit}\n[[rule]]\nfunction = \"*\"\nset = \"wide\"\ninput = \"bf16\"\nmax_ulp = 8"
        ));
    }
    let limit = ending(1);
    check(&[
        limit(
            "max_non_monotone",
            |release| over_fp32(release, "max_non_monotone = 1", |_| ()),
            &[
                "max_non_monotone (steps against the function's direction): measured 8, at most 1 allowed",
            ],
        ),
        limit(
            "another symmetry",
            |release| over_fp32(release, "symmetry = \"even\"", |_| ()),
            &["not-measured", "symmetry", "not measured: tanh is not even"],
        ),
        limit(
            "saturated_above",
            |release| over_fp32(release, "saturated_above = 2", |_| ()),
            &[
                "saturated_above",
                "measured 7.6436443, at most 2 allowed",
                "eval small tanh",
            ],
        ),
        limit(
            "saturated_below",
            |release| over_fp32(release, "saturated_below = -2", |_| ()),
            &["saturated_below", "at least -2 allowed"],
        ),
        limit(
            "never saturated",
            |release| {
                over_fp32(release, "saturated_above = 9.5", |tanh| {
                    tanh["saturation"][0]["first"] = json!(null)
                })
            },
            &["measured no finite value"],
        ),
        limit(
            "a side without saturation",
            |release| {
                over_fp32(release, "saturated_above = 9.5", |tanh| {
                    tanh["saturation"] = json!([])
                })
            },
            &[
                "not-measured",
                "has no limit that finite inputs of this side reach",
            ],
        ),
    ]);
}

#[test]
fn special_values() {
    let special = ending(1);
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
            |release| {
                release.add("mean_ulp = 8.0");
                release.rebuild("small", |set| {
                    let bucket = set.function("tanh").unwrap().buckets.start;
                    set.buckets[bucket].d[0] = f32::NAN;
                });
                release.replay("small");
            },
            &[
                "nan-results",
                "nan_results (results that are NaN where a number is right): measured ",
                "mean_ulp (mean error in ulp): measured no finite value, at most 8.000000 allowed",
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

/// The report of set small over all fp32 inputs, which takes seconds and is made once.
fn report_over_fp32() -> &'static str {
    static REPORT: OnceLock<String> = OnceLock::new();
    REPORT.get_or_init(|| {
        let release = Release::new();
        let replay = ["replay", "small", "--json", "small.json"];
        release.run(&replay).succeeded();
        release.read("small.json")
    })
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
