//! `actforge gate`: what it takes, what it shows, and what it writes.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::release::{BUDGETS, Release, copy};
use crate::support::Run;

#[test]
fn the_most_specific_rule_wins_limit_by_limit() {
    let release = Release::new();
    release.add("max_ulp = 7.75\n[[rule]]\nfunction = \"tanh\"\nset = \"small\"\ninput = \"bf16\"\nmax_steps = 9\n[[rule]]\nfunction = \"tanh\"\ndtype = \"bf16\"\ninput = \"bf16\"\nmax_ulp = 0.51");
    let run = release.replayed(&["--explain"]).succeeded();
    let line = |parts: &[&str]| {
        let mut lines = run.stdout.lines();
        let found = lines.find(|line| parts.iter().all(|part| line.contains(part)));
        assert!(found.is_some(), "{parts:?} in: {}", run.stdout);
    };
    line(&[
        "small  relu",
        "fp32  all bf16  max_ulp",
        "8",
        "budgets.toml:13",
    ]);
    line(&[
        "small  tanh",
        "fp32  all bf16  max_ulp",
        "7.75",
        "budgets.toml:20",
        "the rule of line 10",
    ]);
    line(&[
        "small  tanh",
        "max_steps",
        "9",
        "budgets.toml:25",
        "the rule of line 15",
    ]);
    // A type that is named besides the function's own is one more check, and wins for itself.
    line(&[
        "small  tanh",
        "bf16  all bf16  max_ulp",
        "0.51",
        "the rule of line 15, the rule of line 10",
    ]);
    line(&[
        "wide   exp",
        "bf16  all bf16  max_ulp",
        "8",
        "budgets.toml:13",
    ]);
}

#[test]
fn a_range_is_a_check_of_its_own() {
    let release = Release::new();
    release.add("[[rule]]\nfunction = \"tanh\"\nrange = [\"0x1p-1\", 1.0]\nmax_ulp = 8.0\nmax_non_monotone = 100000\nbounds = [0.4, 0.8]");
    let run = release.replayed(&["--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let json = run.json();
    let checks = json["checks"].as_array().unwrap();
    let check = checks
        .iter()
        .find(|check| check["range"] != Value::Null)
        .unwrap();
    assert_eq!(
        check["range"],
        serde_json::json!(["0x3f000000", "0x3f800000"])
    );
    // 2^23 + 1 numbers, two zeros, two infinities and all NaNs.
    assert_eq!(check["inputs"], (1 << 23) + 1 + 4 + 2 * ((1 << 23) - 1));
    // The same as a stored report.
    release
        .run(&[
            "replay",
            "small",
            "--function",
            "tanh",
            "--range",
            "0.5,1",
            "--json",
            "range.json",
        ])
        .succeeded();
    let stored = release.gate(&["--report", "range.json", "--json", "-"]);
    assert_eq!(stored.stdout, run.stdout);
}

#[test]
fn the_result_is_stored_and_rendered_again() {
    let release = Release::new();
    release.add("max_ulp = 7.5");
    let all = [
        "--json",
        "gate.json",
        "--junit",
        "gate.xml",
        "--sarif",
        "gate.sarif",
        "--markdown",
        "gate.md",
    ];
    let first = release.gate(&all);
    assert_eq!(first.code, Some(1));
    let files = ["gate.json", "gate.xml", "gate.sarif", "gate.md"];
    let texts = files.map(|file| release.read(file));
    let again = release.run(&[&["gate", "--from", "gate.json"], all.as_slice()].concat());
    assert_eq!((again.code, &again.stdout), (Some(1), &first.stdout));
    assert_eq!(files.map(|file| release.read(file)), texts);
    assert!(
        texts[3].contains("**over-budget** tanh of set small over all bf16: max\\_ulp"),
        "{}",
        texts[3]
    );
    assert!(
        texts[3].contains("reproduce: `actforge eval small tanh 0x40f50000`"),
        "{}",
        texts[3]
    );
    // `-` is standard output, for one of them.
    assert_eq!(release.gate(&["--sarif", "-"]).stdout, texts[2]);
    release
        .gate(&["--json", "-", "--sarif", "-"])
        .failed(2, &["standard output"]);
    release
        .run(&["gate", "--from", "small.json"])
        .failed(3, &["small.json: schema_version"]);
    release
        .run(&["gate", "--from", "gate.json", "small"])
        .failed(2, &["--from"]);
}

#[test]
fn annotations_and_summary_for_github() {
    let release = Release::new();
    release.add("max_ulp = 7.5");
    release.write("summary.md", "before\n");
    let stored = [
        "gate",
        "small",
        "wide",
        "--budgets",
        "budgets.toml",
        "--report",
        "small.json",
        "--report",
        "wide.json",
        "--github",
    ];
    let summary = release.path().join("summary.md");
    let run = release.run_with(
        &stored,
        &[("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())],
    );
    assert_eq!(run.code, Some(1));
    let annotation = run
        .stdout
        .lines()
        .find(|line| line.starts_with("::error "))
        .unwrap();
    let start = "::error file=budgets.toml,line=20,col=11,title=over-budget::tanh of set small over all bf16: max_ulp";
    assert!(annotation.starts_with(start), "{annotation}");
    assert!(
        annotation.contains("%0Areproduce: actforge eval small tanh 0x40f50000"),
        "{annotation}"
    );
    let summary = release.read("summary.md");
    assert!(
        summary.starts_with("before\n## actforge gate: FAIL"),
        "{summary}"
    );
}

#[test]
fn update_tightens_the_file_in_place() {
    let release = Release::new();
    release.add("max_buckets = 64 # of 2048\nmin_correctly_rounded = 0.0");
    let run = release.gate(&["--update"]).succeeded();
    assert!(
        run.stdout
            .contains("budgets.toml:20: max_buckets = 64 tightened to 45"),
        "{}",
        run.stdout
    );
    let share = release.read("budgets.toml");
    let share = share
        .lines()
        .find_map(|line| line.strip_prefix("min_correctly_rounded = "))
        .unwrap()
        .to_owned();
    // One rule serves four functions: the worst of them decides.
    let expected = BUDGETS.replace("max_ulp = 8.0", "max_ulp = 7.509578")
        + &format!("max_buckets = 45 # of 2048\nmin_correctly_rounded = {share}\n");
    assert_eq!(release.read("budgets.toml"), expected);
    // What was measured is kept, and there is nothing left.
    let run = release.gate(&["--update"]).succeeded();
    assert!(
        run.stdout
            .contains("budgets.toml: no limit can be tightened"),
        "{}",
        run.stdout
    );
    // A limit that fails stays, and so does the verdict.
    release.replace("budgets.toml", "max_steps = 8", "max_steps = 7");
    assert_eq!(release.gate(&["--update"]).code, Some(1));
    assert!(release.read("budgets.toml").contains("max_steps = 7 "));
    // Never in CI.
    let before = release.read("budgets.toml");
    let stored = [
        "gate",
        "small",
        "wide",
        "--budgets",
        "budgets.toml",
        "--update",
    ];
    release
        .run_with(&stored, &[("CI", "1")])
        .failed(2, &["--update does not work where CI is set"]);
    assert_eq!(release.read("budgets.toml"), before);
}

#[test]
fn usage() {
    let release = Release::new();
    release.run(&["gate", "small"]).failed(2, &["--budgets"]);
    release
        .run(&["gate", "--budgets", "budgets.toml"])
        .failed(2, &["DIR"]);
    release
        .run(&["gate", "small", "small", "--budgets", "budgets.toml"])
        .failed(2, &["both hold a set small"]);
    release
        .run(&["gate", "small", "--budgets", "none.toml"])
        .failed(3, &["none.toml: cannot be read"]);
    release.write("budgets.toml", "[[rule]]\nfunction = \"*\"\nmax_upl = 1\n");
    release.replayed(&[]).failed(
        3,
        &["budgets.toml:3:1: rule[0].max_upl", "did you mean max_ulp?"],
    );
    let schema = release.run(&["gate", "--schema"]).succeeded().json();
    assert_eq!(schema["title"], "actforge budgets");
}

#[test]
fn a_report_of_the_last_release_serves_as_baseline_alone_or_in_directories() {
    let release = Release::new();
    for name in ["small", "wide"] {
        fs::create_dir(release.path().join("last").join(name)).unwrap();
        fs::copy(
            release.path().join(format!("{name}.json")),
            release.path().join("last").join(name).join("report.json"),
        )
        .unwrap();
    }
    fs::remove_file(release.path().join("last/gate.json")).unwrap();
    release.gate(&["--baseline", "last"]).succeeded();
    // One report has one set: the other has nothing to be compared with, and loses nothing.
    release
        .gate(&["--baseline", "last/small/report.json"])
        .succeeded();
    let alone = [
        "gate",
        "small",
        "--budgets",
        "alone.toml",
        "--report",
        "small.json",
        "--baseline",
        "last",
    ];
    release.write(
        "alone.toml",
        "[[rule]]\nfunction = \"*\"\ninput = \"bf16\"\nmax_ulp = 8\n",
    );
    let run = release.run(&alone);
    assert!(
        run.code == Some(1) && run.stdout.contains("set-dropped"),
        "{}",
        run.stdout
    );
}

/// JUnit and SARIF of a gate without a verdict are well-formed, and hold its code and why.
fn says_why(release: &Release, code: i32, why: &str) {
    let xml = release.read("found/gate.xml");
    let document = roxmltree::Document::parse(&xml).unwrap();
    let root = document.root_element();
    assert_eq!(
        (root.attribute("errors"), root.attribute("tests")),
        (Some("1"), Some("1"))
    );
    let error = document
        .descendants()
        .find(|node| node.has_tag_name("error"))
        .unwrap();
    let message = error.attribute("message").unwrap();
    assert!(message.contains(why), "{message}");
    assert_eq!(error.text(), Some(message));
    let sarif: Value = serde_json::from_str(&release.read("found/gate.sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["invocations"][0]["exitCode"], code);
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert_eq!(run["results"][0]["message"]["text"], message);
    assert_eq!(run["results"][0]["ruleId"], "not-judged");
}

/// The step of `action.yml`, as the runner would start it.
fn action(release: &Release) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut step = Command::new(root.join("scripts/gate-action"));
    step.current_dir(release.path())
        .env_remove("GITHUB_STEP_SUMMARY")
        .env("CI", "true")
        .env("GATE_BINARY", env!("CARGO_BIN_EXE_actforge"))
        .env("GATE_SETS", "small\nwide\n")
        .env("GATE_REPORTS", "small.json\nwide.json\n")
        .env("GATE_BUDGETS", "budgets.toml")
        .env("GATE_BASELINE", "last")
        .env("GATE_OUTPUT", "found")
        .env("GITHUB_OUTPUT", release.path().join("outputs"));
    step
}

#[test]
fn the_github_action_ends_with_the_code_of_the_gate_and_names_its_files() {
    let step = |release: &Release| Run::from(action(release).output().unwrap());
    let release = Release::new();
    step(&release).succeeded();
    let files = "json=found/gate.json\njunit=found/gate.xml\nsarif=found/gate.sarif\nmarkdown=found/gate.md\n";
    assert_eq!(release.read("outputs"), format!("exit-code=0\n{files}"));
    release.add("max_ulp = 7.5");
    let run = step(&release);
    assert!(
        run.code == Some(1) && run.stdout.contains("::error file=budgets.toml,line=20"),
        "{}",
        run.stdout
    );
    release.write("outputs", "");
    release.write("budgets.toml", "rule = 1");
    let run = step(&release).failed(3, &["budgets.toml:1:8"]);
    let annotation =
        "::error file=budgets.toml,line=1,title=the gate could not judge: exit code 3::";
    assert!(run.stdout.starts_with(annotation), "{}", run.stdout);
    let written = "junit=found/gate.xml\nsarif=found/gate.sarif\n";
    assert_eq!(release.read("outputs"), format!("exit-code=3\n{written}"));
    says_why(&release, 3, "budgets.toml:1:8: ");
    let sarif: Value = serde_json::from_str(&release.read("found/gate.sarif")).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "budgets.toml");
    assert_eq!(place["region"], json!({"startLine": 1, "startColumn": 8}));
    // Whatever the message quotes, the files are well-formed.
    release.write(
        "budgets.toml",
        "[[rule]]\n\"<a> & 'b' \\\"c\\\" \\\\ 100%\" = 1\n",
    );
    step(&release).failed(3, &["<a> & 'b'"]);
    says_why(&release, 3, "<a> & 'b' ");
    // The set is there, but its files are not.
    release.write("budgets.toml", BUDGETS);
    fs::remove_file(release.path().join("small/set.json")).unwrap();
    let run = step(&release).failed(3, &["small"]);
    says_why(&release, 3, "set.json");
    // Which no line of the budgets is to blame for.
    let unplaced = "::error title=the gate could not judge: exit code 3::";
    assert!(run.stdout.starts_with(unplaced), "{}", run.stdout);
    // A mistake in the waivers is marked there.
    let release = Release::new();
    release.write("waivers.toml", "\n[[waiver]]\nidd = 1\n");
    let mut waived = action(&release);
    let run = Run::from(waived.env("GATE_WAIVERS", "waivers.toml").output().unwrap());
    let marked = "::error file=waivers.toml,line=3,";
    assert!(run.stdout.starts_with(marked), "{}", run.stdout);
    let sarif: Value = serde_json::from_str(&release.read("found/gate.sarif")).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "waivers.toml");
    // A command line that is wrong.
    let release = Release::new();
    fs::rename(
        release.path().join("wide"),
        release.path().join("small/wide"),
    )
    .unwrap();
    let wrong = |day: &str| {
        let mut step = action(&release);
        Run::from(step.env("GATE_AS_OF", day).output().unwrap())
    };
    assert_eq!(wrong("yesterday").code, Some(2));
    says_why(&release, 2, "yesterday");
    // Every input of the action reaches the step.
    let action = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../action.yml")).unwrap();
    let script = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../scripts/gate-action"
    ))
    .unwrap();
    let names: Vec<&str> = action
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("GATE_"))
        .collect();
    assert_eq!(names.len(), 8);
    for name in names {
        assert!(
            script.contains(&format!("GATE_{}", name.trim_end_matches(':'))),
            "{name}"
        );
    }
}

/// `cargo test --release --test cli -- --ignored the_example_release`.
#[test]
#[ignore = "builds two sets and replays all fp32 inputs of seven checks"]
fn the_example_release_passes_its_gate_and_fails_a_tighter_one() {
    let directory = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/release");
    copy(&example, directory.path());
    let ci = || {
        let mut ci = Command::new(directory.path().join("ci.sh"));
        ci.env("ACTFORGE", env!("CARGO_BIN_EXE_actforge"))
            .env("OUT", directory.path().join("out"))
            .env("RELEASE", directory.path().join("out/release.tar.zst"))
            .env("CI", "true");
        Run::from(ci.output().unwrap())
    };
    let passed = ci().succeeded().stdout;
    assert!(
        passed.contains("PASS: 8 checks of core, attention, 1 waiver in use"),
        "{passed}"
    );
    assert!(
        passed.contains("judged again, it passes its gate"),
        "{passed}"
    );
    fs::remove_file(directory.path().join("out/release.tar.zst")).unwrap();
    let baseline = directory.path().join("baseline/gate.json");
    let mut last: Value = serde_json::from_str(&fs::read_to_string(&baseline).unwrap()).unwrap();
    last["checks"][1]["figures"]["max_ulp"] = 0.99.into();
    fs::write(&baseline, last.to_string()).unwrap();
    let failed = ci();
    assert!(
        failed.code == Some(1)
            && failed
                .stdout
                .contains("worse-than-baseline  tanh of set core"),
        "{}",
        failed.stdout
    );
    assert!(!directory.path().join("out/release.tar.zst").exists());
}

#[test]
fn outputs_do_not_replace_what_the_gate_reads_nor_each_other() {
    let release = Release::new();
    let before = release.read("last/gate.json");
    for (arguments, says) in [
        (
            ["--json", "budgets.toml"].as_slice(),
            "budgets.toml: would be replaced",
        ),
        (
            &["--markdown", "small.json"],
            "small.json: would be replaced",
        ),
        // A release that is worse than the last one would pass when it is gated again.
        (
            &["--baseline", "last", "--json", "last/../last/gate.json"],
            "last/gate.json: would be replaced",
        ),
        (
            &["--json", "one", "--junit", "./one"],
            "two outputs of one command",
        ),
        (&["--json", "-", "--sarif", "-"], "can have standard output"),
    ] {
        release.gate(arguments).failed(2, &[says]);
    }
    assert_eq!(release.read("budgets.toml"), BUDGETS);
    assert_eq!(release.read("last/gate.json"), before);
    release
        .replayed(&["--explain", "--json", "gate.json"])
        .failed(2, &["--json", "--explain", "`actforge gate --help`"]);
}

#[test]
fn json_on_standard_output_stays_json_when_limits_are_tightened() {
    let release = Release::new();
    let run = release.gate(&["--update", "--json", "-"]).succeeded();
    assert_eq!(run.json()["passed"], true);
    assert_ne!(release.read("budgets.toml"), BUDGETS);
}
