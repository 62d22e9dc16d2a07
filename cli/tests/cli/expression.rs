//! Functions by expression: from the text to a judged table, and errors with a caret.

use std::fs;

use serde_json::Value;

use crate::support::{actforge, line};

#[test]
fn a_function_by_expression_is_built_replayed_and_evaluated_from_its_directory() {
    let directory = tempfile::tempdir().unwrap();
    let spec = directory.path().join("spec.toml");
    fs::write(
        &spec,
        "[set]\nname = \"own\"\n\
         [[function]]\nname = \"clip\"\nexpr = \"min(max(a*x, -1), 1)\"\nparams = { a = 0.25 }\nmax_ulp = 2.0\n\
         [[function]]\nname = \"relu\"\n",
    )
    .unwrap();
    let out = directory.path().join("out");
    let build = format!("build {} -o {{}}", spec.display());
    line(&build, &out).succeeded();
    let manifest: Value = serde_json::from_slice(&fs::read(out.join("set.json")).unwrap()).unwrap();
    let function = &manifest["functions"][0];
    assert_eq!(function["func_id"], 210);
    assert_eq!(
        function["notes"]["definition"]["expr"],
        "min(max(a*x, -1), 1)"
    );
    assert_eq!(function["notes"]["definition"]["params"]["a"], "0.25");

    let report = line("replay {} --input bf16 --json -", &out)
        .succeeded()
        .json();
    let clip = &report["functions"][0];
    assert_eq!(clip["inputs"], 1_u64 << 16);
    assert!(clip["max_ulp"].as_f64().unwrap() <= 2.0);
    assert!(
        clip["special"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["ok"] == true)
    );

    let results = line("eval {} clip 2 -100 --json", &out).succeeded().json();
    assert_eq!(results["results"][0]["reference"], 0.5);
    assert_eq!(results["results"][1]["result_bits"], "0xbf800000");

    // Another formula is another specification.
    let other = fs::read_to_string(&spec).unwrap().replace("0.25", "0.5");
    fs::write(&spec, other).unwrap();
    assert!(!line(&build, &out).succeeded().stdout.contains("unchanged"));
}

#[test]
fn a_fault_is_shown_with_a_caret() {
    let run = actforge([
        "build",
        "--expr",
        "my_act=x * tanh(log1p(exp(x))",
        "-o",
        "never",
    ]);
    let run = run.failed(
        2,
        &["function[my_act].expr: expected `)`, found the end in column 23"],
    );
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines[1], "  x * tanh(log1p(exp(x))");
    assert_eq!(lines[2], format!("  {}^", " ".repeat(22)));
    assert!(lines[3].starts_with("hint: "), "{}", run.stderr);
    actforge(["build", "--expr", "tanh=x", "-o", "never"])
        .failed(2, &["a name that the catalogue does not have"]);
    actforge(["build", "--expr", "x", "-o", "never"]).failed(2, &["NAME=EXPR"]);
    actforge(["functions", "--expr", "f=x*sin(x)"]).failed(1, &["limits"]);
    // Near a pole no cubic follows.
    actforge(["build", "--expr", "bad=1/(x - 1)", "-o", "never"])
        .failed(1, &["bad cannot be followed by cubics between"]);
}

#[test]
fn what_was_found_of_a_function_is_shown() {
    let run = actforge(["functions", "--expr", "my_act=x/(1 + exp(-x))"]).succeeded();
    for part in [
        "my_act",
        "210*",
        "none",
        "turns at -1.278464",
        "inf at plus infinity, 0.0 at minus",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}
