//! Releases that are gated: what does not pass is not packed, and an archive is judged again by what is in it.

use std::fs;
use std::path::PathBuf;

use actforge_cli::archive::pack;
use actforge_reports::Report;
use actforge_tables::container::sha256_hex;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::archive::{Files, Sample, release, sample, unpacked};
use crate::support::{Run, command, line};

/// What the sample keeps: its only function is exact.
const BUDGETS: &str = "[[rule]]\nfunction = \"*\"\nmax_ulp = 0.0\n";

/// Waivers that nothing needs.
const UNUSED: &str = r#"[[waiver]]
id = "A-1"
function = "relu"
limit = "max_ulp"
ceiling = 1.0
reason = "none"
owner = "nobody"
expires = 2030-12-31
"#;

/// A directory in which the sample is released with budgets.
struct Gated {
    directory: TempDir,
}

impl Gated {
    fn new(budgets: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("budgets.toml"), budgets).unwrap();
        Self { directory }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.directory.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.path(file), text).unwrap();
    }

    fn release(&self, further: &[&str]) -> Run {
        let Sample { set, report, .. } = sample();
        let mut release = command();
        release
            .current_dir(self.directory.path())
            .arg("release")
            .arg(set)
            .arg("--report")
            .arg(report)
            .args(["--budgets", "budgets.toml", "-o", "out.tar.zst"])
            .args(further);
        release.output().unwrap().into()
    }

    fn files(&self) -> Files {
        unpacked(&self.path("out.tar.zst"))
    }
}

#[test]
fn a_release_that_fails_its_gate_is_not_packed() {
    let gated = Gated::new(BUDGETS);
    gated.write("out.tar.zst", "earlier");
    let refused = |code: i32, further: &[&str], parts: &[&str]| {
        let run = gated.release(further).failed(code, parts);
        assert_eq!(fs::read(gated.path("out.tar.zst")).unwrap(), b"earlier");
        run.stdout
    };
    let not_released = "not released: the gate does not pass";
    gated.write(
        "budgets.toml",
        "[[rule]]\nfunction = \"*\"\nmax_buckets = 0\n",
    );
    let said = refused(1, &[], &[not_released]);
    assert!(
        said.contains("over-budget") && said.contains("budgets.toml:3:"),
        "{said}"
    );
    gated.write(
        "budgets.toml",
        "[[rule]]\nfunction = \"tanh\"\nmax_ulp = 1.0\n",
    );
    let said = refused(1, &[], &[not_released]);
    assert!(said.contains("nothing was checked"), "{said}");
    gated.write(
        "budgets.toml",
        "[[rule]]\nfunction = \"*\"\nmax_upl = 1.0\n",
    );
    refused(3, &[], &["budgets.toml:3:1", "did you mean max_ulp?"]);
    gated.write("budgets.toml", BUDGETS);
    // As in CI: a waiver that nothing needs is a failure, wherever it runs.
    gated.write("waivers.toml", UNUSED);
    let said = refused(
        1,
        &["--waivers", "waivers.toml", "--as-of", "2026-01-01"],
        &[not_released],
    );
    assert!(
        said.contains("waiver-unused") && said.contains("A-1"),
        "{said}"
    );
    // The last release had fewer buckets.
    let report = fs::read_to_string(&sample().report).unwrap();
    let mut last: Value = serde_json::from_str(&report).unwrap();
    last["functions"][0]["buckets"] = json!(0);
    last["functions"][0]["bucket_rows"] = json!([]);
    gated.write("last.json", &last.to_string());
    let said = refused(1, &["--baseline", "last.json"], &[not_released]);
    assert!(said.contains("max_buckets of the last release"), "{said}");
    gated.write("last.json", "{}");
    refused(3, &["--baseline", "last.json"], &["last.json"]);
    for option in ["--waivers", "--baseline", "--as-of"] {
        let Sample { set, .. } = sample();
        let out = gated.path("out.tar.zst");
        let run = release(&[set], &out, &[option, "2026-01-01"]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
    }
}

#[test]
fn what_a_release_was_gated_by_is_packed_and_judged_again() {
    // One limit is judged over other inputs than those of the report: what was replayed for it is packed, too.
    let gated = Gated::new(
        "# Ours.\n[[rule]]\nfunction = \"*\"\nmax_ulp = 0.0\nmax_buckets = 1\n\n\
         [[rule]]\nfunction = \"relu\"\ninput = \"bf16\"\nmax_steps = 0\n",
    );
    let waivers = UNUSED
        .replace("max_ulp", "max_buckets")
        .replace("ceiling = 1.0", "ceiling = 99");
    gated.write("waivers.toml", &waivers);
    fs::copy(&sample().report, gated.path("last.json")).unwrap();
    let further = [
        "--waivers",
        "waivers.toml",
        "--as-of",
        "2026-01-01",
        "--baseline",
        "last.json",
    ];
    let said = gated.release(&further).succeeded().stdout;
    assert!(
        said.contains("WAIVED") && said.contains("PASS: 2 checks of plain"),
        "{said}"
    );
    let files = gated.files();
    for (path, file) in [
        ("gate/budgets.toml", gated.path("budgets.toml")),
        ("gate/waivers.toml", gated.path("waivers.toml")),
        ("gate/baseline/1.json", sample().report.clone()),
    ] {
        assert_eq!(files[path], fs::read(file).unwrap(), "{path}");
    }
    let report: Value = serde_json::from_slice(&files["gate/reports/1.json"]).unwrap();
    assert_eq!(report["functions"][0]["input_dtype"], "bf16");
    let gate: Value = serde_json::from_slice(&files["gate.json"]).unwrap();
    // Nothing of this machine stands in it.
    assert_eq!(gate["sets"][0]["directory"], "sets/plain");
    assert_eq!(gate["budgets"], "gate/budgets.toml");
    assert_eq!(gate["baseline"], "gate/baseline");
    let archive = gated.path("out.tar.zst");
    let verified = line("verify {}", &archive).succeeded().stdout;
    assert!(
        verified.contains("judged again, it passes its gate"),
        "{verified}"
    );
    // Elsewhere, under other names: the same archive.
    let before = fs::read(&archive).unwrap();
    fs::rename(gated.path("last.json"), gated.path("renamed.json")).unwrap();
    let further = [&further[..5], &["renamed.json"]].concat();
    gated.release(&further).succeeded();
    assert!(fs::read(&archive).unwrap() == before);
}

/// All digests are made anew: the verdict alone tells.
#[test]
fn a_verdict_that_does_not_follow_is_found_out() {
    let gated = Gated::new(BUDGETS);
    gated.release(&[]).succeeded();
    let edited = |change: &dyn Fn(&mut Files), parts: &[&str]| {
        let mut files = gated.files();
        change(&mut files);
        seal(&mut files);
        gated.write("edited", "");
        let path = gated.path("edited");
        fs::write(&path, pack(&files).unwrap()).unwrap();
        line("verify {}", &path).failed(3, parts);
    };
    let json = |file: &'static str, change: fn(&mut Value)| {
        move |files: &mut Files| {
            let mut value: Value = serde_json::from_slice(&files[file]).unwrap();
            change(&mut value);
            let mut text = serde_json::to_vec_pretty(&value).unwrap();
            text.push(b'\n');
            files.insert(file.to_owned(), text);
        }
    };
    let budgets = |text: &'static str| {
        move |files: &mut Files| drop(files.insert("gate/budgets.toml".to_owned(), text.into()))
    };
    edited(
        &budgets("[[rule]]\nfunction = \"*\"\nmax_buckets = 0\n"),
        &[
            "gate.json: verdict: expected sets that keep the budgets",
            "max_buckets",
        ],
    );
    // Looser budgets than those of the verdict.
    edited(
        &budgets("[[rule]]\nfunction = \"*\"\nmax_ulp = 5.0\n"),
        &["gate.json: text: expected what the gate says of these sets"],
    );
    edited(&budgets("["), &["gate/budgets.toml:1:"]);
    edited(
        &budgets("[[rule]]\nfunction = \"*\"\ninput = \"fp16\"\nmax_ulp = 5.0\n"),
        &["gate.json: reports: expected a report of relu in fp32"],
    );
    edited(
        &json("gate.json", |gate| gate["passed"] = json!(false)),
        &["gate.json: text"],
    );
    edited(
        &json("gate.json", |gate| gate["sets"][0]["sha256"] = json!("0")),
        &["gate.json: text"],
    );
    edited(
        &json("gate.json", |gate| gate["schema_version"] = json!(1)),
        &["gate.json: schema_version: expected 2"],
    );
    let report = |change: fn(&mut Report)| {
        move |files: &mut Files| {
            let path = "reports/plain.json";
            let mut report: Report = serde_json::from_slice(&files[path]).unwrap();
            change(&mut report);
            files.insert(path.to_owned(), report.to_json().unwrap().into_bytes());
        }
    };
    edited(
        &report(|report| report.functions[0].max_ulp = Some(7.0)),
        &["reports/plain.json: relu: max_ulp: expected 0"],
    );
    edited(
        &json("reports/plain.json", |report| {
            report["set_sha256"] = json!("0")
        }),
        &["reports/plain.json: not a report of this set: set_sha256: expected"],
    );
    edited(
        &json("manifest.json", |manifest| {
            manifest["gate"]["passed"] = json!(false)
        }),
        &["manifest.json: gate: expected"],
    );
    edited(
        &json("manifest.json", |manifest| manifest["gate"] = json!(null)),
        &["gate.json: file: expected one of a set"],
    );
    edited(
        &|files| drop(files.remove("gate/budgets.toml")),
        &["gate/budgets.toml: file: expected one in the archive"],
    );
}

/// Makes all digests of a release anew.
fn seal(files: &mut Files) {
    let mut manifest: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    let listed = files
        .iter()
        .filter(|(path, _)| !["SHA256SUMS", "manifest.json"].contains(&path.as_str()));
    manifest["files"] = listed
        .map(
            |(path, bytes)| json!({"path": path, "size": bytes.len(), "sha256": sha256_hex(bytes)}),
        )
        .collect();
    let mut text = serde_json::to_vec_pretty(&manifest).unwrap();
    text.push(b'\n');
    files.insert("manifest.json".to_owned(), text);
    files.remove("SHA256SUMS");
    let sums = files
        .iter()
        .map(|(path, bytes)| format!("{}  {path}\n", sha256_hex(bytes)));
    let sums: String = sums.collect();
    files.insert("SHA256SUMS".to_owned(), sums.into_bytes());
}
