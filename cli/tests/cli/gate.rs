//! `actforge gate`: pass, fail, and the cases in which nothing was checked.

use std::fs;
use std::path::Path;

use crate::support::{Run, command, set};

fn gate(directory: &Path, budgets: &str, further: &[&str]) -> Run {
    let file = directory.join("budgets.toml");
    fs::write(&file, budgets).unwrap();
    let mut gate = command();
    gate.arg("gate")
        .arg(set())
        .arg("--budgets")
        .arg(&file)
        .args(further);
    gate.output().unwrap().into()
}

/// Over 16-bit inputs, which is enough to see what the gate does.
const QUICK: [&str; 2] = ["--input", "fp16"];

#[test]
fn within_the_budget() {
    let directory = tempfile::tempdir().unwrap();
    let budgets = "[function.tanh]\nmax_ulp = 8.0\nmean_ulp = 8.0\nmax_buckets = 2048\nmin_correctly_rounded = 0.01\n";
    let passed = gate(directory.path(), budgets, &QUICK).succeeded().stdout;
    assert_eq!(passed.matches("PASS  tanh").count(), 4, "{passed}");
    assert!(
        passed.contains("without a budget, not checked: relu"),
        "{passed}"
    );
    assert!(
        passed.ends_with("PASS: 1 function of set small within budget\n"),
        "{passed}"
    );
    let passed = gate(directory.path(), "[default]\nmax_ulp = 8.0\n", &QUICK)
        .succeeded()
        .stdout;
    assert!(passed.contains("PASS: 2 functions"), "{passed}");
}

#[test]
fn over_the_budget() {
    let directory = tempfile::tempdir().unwrap();
    let run = gate(
        directory.path(),
        "[function.tanh]\nmax_ulp = 0.01\nmax_buckets = 2048\n",
        &QUICK,
    );
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(
        run.stdout.contains("FAIL  tanh") && run.stdout.contains("PASS  tanh"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("the largest error is at"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.ends_with("FAIL: tanh of set small\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_budget_that_checks_nothing_fails() {
    let directory = tempfile::tempdir().unwrap();
    let run = gate(directory.path(), "[function.gelu]\nmax_ulp = 1.0\n", &QUICK);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout
            .contains("budgets.toml:1: set small has no function gelu"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("FAIL: nothing was checked"),
        "{}",
        run.stdout
    );
    let run = gate(
        directory.path(),
        "[function.tanh]\nmax_ulp = 8.0\n\n[function.gelu]\nmax_ulp = 1.0\n",
        &QUICK,
    );
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("PASS  tanh") && run.stdout.contains("budgets.toml:4:"),
        "{}",
        run.stdout
    );
}

#[test]
fn budgets_that_cannot_be_read() {
    let directory = tempfile::tempdir().unwrap();
    gate(directory.path(), "[function.tanh]\nmax_upl = 1.0\n", &QUICK)
        .failed(3, &["budgets.toml:2:", "max_ulp"]);
    gate(
        directory.path(),
        "[function.tanh]\nmax_ulp = -1.0\n",
        &QUICK,
    )
    .failed(3, &["budgets.toml:2:"]);
    gate(directory.path(), "[function.tanh]\n", &QUICK)
        .failed(3, &["budgets.toml:1:", "at least one limit"]);
    gate(directory.path(), "", &QUICK).failed(3, &["a gate needs something to check"]);
}

#[test]
fn verdicts_as_json() {
    let directory = tempfile::tempdir().unwrap();
    let budgets = "[function.tanh]\nmax_ulp = 0.01\n";
    let run = gate(
        directory.path(),
        budgets,
        &[QUICK.as_slice(), &["--json", "-"]].concat(),
    );
    assert_eq!(run.code, Some(1));
    let json = run.json();
    assert_eq!(json["passed"], false);
    assert_eq!(json["functions"][0]["limits"][0]["limit"], "max_ulp");
    assert!(
        json["functions"][0]["limits"][0]["margin"]
            .as_f64()
            .unwrap()
            < 0.0
    );
    assert_eq!(json["without_budget"][0], "relu");
}

#[test]
fn a_report_stands_in_for_the_replay_if_it_is_of_this_set() {
    let directory = tempfile::tempdir().unwrap();
    let report = directory.path().join("report.json");
    let name = report.to_str().unwrap();
    let replay = |further: &[&str]| {
        let mut replay = command();
        replay
            .arg("replay")
            .arg(set())
            .args(QUICK)
            .arg("--json")
            .arg(&report)
            .args(further);
        Run::from(replay.output().unwrap()).succeeded();
    };
    let judged = |budgets: &str| gate(directory.path(), budgets, &["--report", name]);
    replay(&[]);
    let passed = judged("[default]\nmax_ulp = 8.0\n").succeeded().stdout;
    assert!(passed.contains("65536"), "{passed}");
    let text = fs::read_to_string(&report).unwrap();
    for (from, to, field) in [
        (
            "\"set\": \"small\"",
            "\"set\": \"other\"",
            "set: expected small, found other",
        ),
        (
            "\"target\": \"cayman\"",
            "\"target\": \"sunda\"",
            "target: expected cayman",
        ),
        (
            "\"name\": \"tanh\"",
            "\"name\": \"gelu\"",
            "function: expected none, found gelu",
        ),
        (
            "\"func_id\": 6",
            "\"func_id\": 7",
            "func_id: expected 6, found 7",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&report, text.replacen(from, to, 1)).unwrap();
        judged("[default]\nmax_ulp = 8.0\n").failed(3, &["not a report of this set", field]);
    }
    replay(&["--function", "relu"]);
    judged("[function.tanh]\nmax_ulp = 8.0\n").failed(3, &["functions: expected tanh"]);
    replay(&["--datapath", "mixed"]);
    judged("[default]\nmax_ulp = 8.0\n").failed(3, &["datapath: expected fma, found mixed"]);
    replay(&["--output", "bf16"]);
    judged("[default]\nmax_ulp = 8.0\n").failed(3, &["dtype: expected fp32, found bf16"]);
}
