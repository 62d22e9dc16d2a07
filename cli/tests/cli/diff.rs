//! `actforge diff`: equal and different, sets and reports.

use std::fs;

use crate::support::{actforge, line, set};

/// A set as the shared one, with `edit` made to the arguments of its build.
fn build(text: &str, path: &std::path::Path) {
    line(text, path).succeeded();
}

#[test]
fn a_set_is_equal_to_itself() {
    let run = actforge(["diff".as_ref(), set().as_os_str(), set().as_os_str()]).succeeded();
    assert!(
        run.stdout
            .contains("equal: 2 functions, every entry and all 4294967296 results of each"),
        "{}",
        run.stdout
    );
    let json = actforge([
        "diff".as_ref(),
        set().as_os_str(),
        set().as_os_str(),
        "--json".as_ref(),
    ])
    .succeeded()
    .json();
    assert_eq!(
        (&json["equal"], &json["kind"], &json["schema_version"]),
        (&true.into(), &"sets".into(), &1.into())
    );
}

#[test]
fn another_fit_is_told_field_by_field() {
    let directory = tempfile::tempdir().unwrap();
    let other = directory.path().join("other");
    // The same buckets and another method: other coefficients, other results.
    build(
        "build --functions tanh,relu --max-ulp 8 --method minimax --set-name small -o {}",
        &other,
    );
    let paths = [set().as_os_str(), other.as_os_str()];
    let run = actforge(["diff".as_ref(), paths[0], paths[1]]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(1), ""),
        "{}",
        run.stdout
    );
    for part in [
        "old: set small",
        "tanh",
        "changed",
        "first changed result: at ",
        "bucket ",
        "results changed",
        "d0",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let json = actforge(["diff".as_ref(), paths[0], paths[1], "--json".as_ref()]).json();
    assert_eq!(json["equal"], false);
    let functions = json["functions"].as_array().unwrap();
    let tanh = functions
        .iter()
        .find(|function| function["name"] == "tanh")
        .unwrap();
    assert_eq!(tanh["status"], "changed");
    assert_eq!(tanh["outputs"]["compared"], 1_u64 << 32);
    assert!(tanh["outputs"]["changed"].as_u64().unwrap() > 0);
    let relu = functions
        .iter()
        .find(|function| function["name"] == "relu")
        .unwrap();
    assert_eq!(relu["outputs"]["changed"], 0);
}

#[test]
fn reports_are_compared_figure_by_figure() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    for (name, datapath) in [("a", "fma"), ("b", "fma"), ("c", "muladd")] {
        let text = format!(
            "replay {} --input bf16 --datapath {datapath} --json {{}}/{name}",
            set().display()
        );
        line(&text, here).succeeded();
    }
    let run = line("diff {}/a {}/b", here).succeeded();
    assert_eq!(run.stdout, "equal: every figure of 2 functions\n");
    let run = line("diff {}/a {}/c", here);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for part in [
        "datapath: fma -> muladd",
        "relu: equal",
        "tanh: changed",
        "mean_ulp",
        "octaves ",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let json = line("diff {}/a {}/c --json", here).json();
    assert_eq!(
        (&json["kind"], &json["equal"]),
        (&"reports".into(), &false.into())
    );
}

#[test]
fn what_cannot_be_compared_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.json");
    fs::write(&file, "{}").unwrap();
    let text = format!("diff {} {{}}", set().display());
    line(&text, &file).failed(2, &["is the directory of a set", "two sets or two reports"]);
    line(&text, &directory.path().join("missing")).failed(3, &["missing", "cannot be read"]);
    line("diff {} {}", &file).failed(3, &["not a report"]);
}
