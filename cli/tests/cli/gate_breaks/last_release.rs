//! The last release: what falls behind it, and what is no baseline.

use serde_json::{Value, json};

use super::{BASELINE, Break, check};
use crate::release::Release;

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
                "nothing-compared  tanh of set small: the last release has no figures of what was measured now",
                "WARN  baseline-unused  tanh of set small: the last release has figures in fp32 over all fp16, which no rule asks for",
                "note  new-figures",
            ],
        ),
        worse(
            "a function that is now made for a smaller range",
            |release| {
                release.rebuild("small", |set| {
                    for entry in &mut set.functions {
                        entry.notes.range = (entry.name == "tanh").then_some([-4.0, 4.0]);
                    }
                });
                release.replay("small");
            },
            &[
                "nothing-compared  tanh of set small: the last release has no figures of what was measured now",
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
