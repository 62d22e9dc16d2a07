//! `actforge replay`, `merge` and `plot`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Run, command, contents, line, set};

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_fp32_input_of_the_set() {
    let directory = tempfile::tempdir().unwrap();
    let (json, csv) = (
        directory.path().join("new/report.json"),
        directory.path().join("octaves.csv"),
    );
    let mut replay = command();
    replay
        .arg("replay")
        .arg(set())
        .arg("--json")
        .arg(&json)
        .arg("--csv")
        .arg(&csv);
    let text = Run::from(replay.output().unwrap()).succeeded().stdout;
    assert!(
        text.contains("set small, target cayman, datapath fma") && text.contains("4294967296"),
        "{text}"
    );
    let report = read(&json);
    for (function, name) in [(0, "relu"), (1, "tanh")] {
        assert_eq!(report["functions"][function]["name"], name);
        assert_eq!(report["functions"][function]["inputs"], 4_294_967_296_u64);
        assert!(report["functions"][function]["seconds"].is_null());
    }
    assert_eq!(report["functions"][0]["max_ulp"], 0.0);
    assert!(report["functions"][1]["max_ulp"].as_f64().unwrap() <= 8.0);
    assert!(fs::read_to_string(&csv).unwrap().lines().count() > 100);
    // The one exhaustive replay of these tests is also gated.
    let budgets = directory.path().join("budgets.toml");
    fs::write(
        &budgets,
        "[[rule]]\nfunction = \"relu\"\nmax_ulp = 0.0\n[[rule]]\nfunction = \"tanh\"\nmax_ulp = 8.0\n",
    )
    .unwrap();
    let mut gate = command();
    gate.arg("gate")
        .arg(set())
        .arg("--budgets")
        .arg(&budgets)
        .arg("--report")
        .arg(&json)
        .arg("--report-only");
    let passed = Run::from(gate.output().unwrap()).succeeded().stdout;
    assert!(
        passed.contains("PASS: 2 checks") && passed.contains("4294967296"),
        "{passed}"
    );
}

#[test]
fn functions_types_and_datapaths_can_be_chosen() {
    let run = line(
        "replay {} --function tanh --input fp16 --output bf16 --datapath mixed --json -",
        set(),
    );
    let report = run.succeeded().json();
    assert_eq!(report["datapath"], "mixed");
    let functions = report["functions"].as_array().unwrap();
    assert_eq!(functions.len(), 1);
    assert_eq!(
        (
            functions[0]["dtype"].as_str(),
            functions[0]["input_dtype"].as_str()
        ),
        (Some("bf16"), Some("fp16"))
    );
    assert_eq!(functions[0]["inputs"], 65536);
    let timed = line("replay {} --function relu --input bf16 --timing", set())
        .succeeded()
        .stdout;
    assert!(timed.contains("seconds"), "{timed}");
    line("replay {} --function gelu", set()).failed(2, &["no function \"gelu\""]);
}

#[test]
fn shards_merge_to_the_bytes_of_the_whole() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let options = ["--input", "fp16", "--json"];
    let replay = |further: &[&str], out: &str| {
        let mut replay = command();
        replay
            .arg("replay")
            .arg(set())
            .args(further)
            .args(options)
            .arg(file(out));
        Run::from(replay.output().unwrap()).succeeded();
    };
    replay(&[], "whole.json");
    for shard in ["1", "2", "3"] {
        replay(
            &["--shard", &format!("{shard}/3")],
            &format!("{shard}.json"),
        );
    }
    let merge = |parts: &[&str]| {
        let mut merge = command();
        merge
            .arg("merge")
            .args(parts.iter().map(|part| file(part)))
            .arg("--json")
            .arg(file("merged.json"));
        Run::from(merge.output().unwrap())
    };
    merge(&["3.json", "1.json", "2.json"]).succeeded();
    assert_eq!(
        fs::read(file("merged.json")).unwrap(),
        fs::read(file("whole.json")).unwrap()
    );
    merge(&["1.json", "3.json"]).failed(3, &["shard 2/3"]);
    merge(&["1.json", "1.json", "2.json", "3.json"]).failed(3, &["shard 1/3"]);
    merge(&["whole.json"]).failed(3, &["whole.json: not a part of a replay"]);
    merge(&["missing.json"]).failed(3, &["missing.json: cannot be read"]);
}

#[test]
fn unwritable_reports_are_found_before_the_replay() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "kept").unwrap();
    for option in ["--json", "--csv"] {
        let mut replay = command();
        replay
            .arg("replay")
            .arg(set())
            .arg(option)
            .arg(file.join("report"));
        Run::from(replay.output().unwrap()).failed(3, &["cannot be written"]);
    }
    assert_eq!(
        contents(directory.path()),
        [("file".to_owned(), b"kept".to_vec())]
    );
    line("replay {} --json - --csv -", set()).failed(2, &["standard output"]);
}

#[test]
fn plots_of_a_set_and_of_a_report() {
    let directory = tempfile::tempdir().unwrap();
    let report = directory.path().join("report.json");
    let mut replay = command();
    replay
        .arg("replay")
        .arg(set())
        .args(["--input", "fp16", "--function", "tanh", "--json"])
        .arg(&report);
    Run::from(replay.output().unwrap()).succeeded();
    for (source, options, out) in [
        (set(), ["--input", "fp16"].as_slice(), "of-set"),
        (report.as_path(), &[], "of-report"),
    ] {
        let out = directory.path().join(out);
        let mut plot = command();
        plot.arg("plot")
            .arg(source)
            .args(options)
            .args(["--function", "tanh", "-o"])
            .arg(&out);
        Run::from(plot.output().unwrap()).succeeded();
        assert!(
            fs::read(out.join("tanh.png"))
                .unwrap()
                .starts_with(b"\x89PNG")
        );
        assert!(
            fs::read_to_string(out.join("tanh.svg"))
                .unwrap()
                .contains("<svg")
        );
    }
    // By the report of the set, with all kinds, a line for the budget, and the data.
    let budgets = directory.path().join("budgets.toml");
    fs::write(
        &budgets,
        "[[rule]]\nfunction = \"tanh\"\ninput = \"fp16\"\nmax_ulp = 8.25\n",
    )
    .unwrap();
    let out = directory.path().join("all");
    let mut plot = command();
    plot.arg("plot").arg(set()).arg("--report").arg(&report);
    plot.arg("--against")
        .arg(&report)
        .arg("--budgets")
        .arg(&budgets);
    plot.args(["--data", "--json", "-o"]).arg(&out);
    let json = Run::from(plot.output().unwrap()).succeeded().json();
    let kinds = ["", "-function", "-histogram", "-heat", "-comparison"];
    assert_eq!(json["files"].as_array().unwrap().len(), 4 * kinds.len() + 2);
    for kind in kinds.into_iter().chain(["-absolute"]) {
        let data = read(&out.join(format!("tanh{kind}.json")));
        assert_eq!(
            (&data["schema_version"], &data["function"]),
            (&1.into(), &"tanh".into())
        );
        let rows = data["rows"].as_array().unwrap();
        let csv = fs::read_to_string(out.join(format!("tanh{kind}.csv"))).unwrap();
        assert_eq!(csv.lines().count(), rows.len() + 1, "{kind}");
        assert!(!rows.is_empty(), "{kind}");
    }
    assert!(
        fs::read_to_string(out.join("tanh.svg"))
            .unwrap()
            .contains("budget 8.250 ulp")
    );
    assert_eq!(read(&out.join("tanh.json"))["budget_ulp"], 8.25);

    let some = directory.path().join("some");
    let mut plot = command();
    plot.arg("plot")
        .arg(&report)
        .args(["--kind", "heat", "-o"])
        .arg(&some);
    Run::from(plot.output().unwrap()).succeeded();
    assert_eq!(contents(&some).len(), 2);
    line("plot {} -o x --kind function", &report)
        .failed(2, &["needs the table itself", "--report"]);
    line("plot {}/missing -o x --report {}", &report).failed(3, &["missing", "directory of a set"]);
    line("plot {} -o x --report {}", &report).failed(2, &["a report is given already"]);
    line("plot {} -o x --kind comparison", &report).failed(2, &["--against"]);
    line("plot {} -o x --kind pie", &report)
        .failed(2, &["error, function, histogram, heat, comparison"]);
    line("plot {} -o x --input fp16", &report).failed(2, &["--input", "already measured"]);
    line("plot {} -o x --function gelu", &report).failed(2, &["no function", "gelu"]);
    fs::write(&report, "{\"schema_version\": 99}").unwrap();
    line("plot {} -o x", &report).failed(3, &["schema_version: expected 1, found 99"]);
    fs::write(&report, "not JSON").unwrap();
    line("plot {} -o x", &report).failed(3, &["not a report"]);
}
