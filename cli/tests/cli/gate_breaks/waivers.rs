//! Every rule of waivers.

use serde_json::json;

use super::{Break, check};
use crate::release::Release;

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
