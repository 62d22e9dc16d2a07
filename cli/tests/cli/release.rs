//! A release of two small sets that keeps its budgets and its baseline, to be gated and to be broken.
//!
//! Its reports are stored, so that a gate has nothing to replay; those that break a set replay 16-bit inputs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use actforge_tables::FunctionSet;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Run, command, line, set};

/// What the release keeps. Tests replace parts of it.
pub(crate) const BUDGETS: &str = r#"# The budgets of the release.
[set.small]
target = "cayman"
datapath = "fma"
functions = ["relu", "tanh"]

[set.wide]
target = "cayman"

[[rule]]
function = "*"
input = "bf16"
max_ulp = 8.0

[[rule]]
function = "tanh"
input = "bf16"
max_steps = 8   # of fp32
# more limits of tanh
"#;

/// A copy of the release that a test can change.
pub(crate) struct Release {
    directory: TempDir,
}

/// The two sets, their reports and the result of gating them, made once.
fn sound() -> &'static Path {
    static SOUND: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = SOUND.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_owned();
        copy(set(), &path.join("small"));
        line(
            "build --functions sigmoid,exp --max-ulp 4 --dtype bf16 --set-name wide -o {}/wide",
            &path,
        )
        .succeeded();
        for name in ["small", "wide"] {
            let replay = format!(
                "replay {{}}/{name} --input bf16 --json {}/{name}.json",
                path.display()
            );
            line(&replay, &path).succeeded();
        }
        fs::write(path.join("budgets.toml"), BUDGETS).unwrap();
        let release = Release {
            directory: tempfile::tempdir().unwrap(),
        };
        copy(&path, release.path());
        release.gate(&["--json", "gate.json"]).succeeded();
        fs::create_dir(path.join("last")).unwrap();
        fs::copy(
            release.path().join("gate.json"),
            path.join("last/gate.json"),
        )
        .unwrap();
        (directory, path)
    });
    path
}

/// Copies a directory with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Release {
    /// A fresh copy.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        copy(sound(), directory.path());
        Self { directory }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Gates both sets by the stored reports, with paths relative to the release.
    pub(crate) fn gate(&self, further: &[&str]) -> Run {
        let stored = [
            "small",
            "wide",
            "--report",
            "small.json",
            "--report",
            "wide.json",
            "--report-only",
        ];
        self.run(
            &[
                &["gate", "--budgets", "budgets.toml"],
                stored.as_slice(),
                further,
            ]
            .concat(),
        )
    }

    /// Gates by replays.
    pub(crate) fn replayed(&self, further: &[&str]) -> Run {
        self.run(
            &[
                &["gate", "small", "wide", "--budgets", "budgets.toml"],
                further,
            ]
            .concat(),
        )
    }

    /// Any command line in the directory of the release, outside of CI.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, &[])
    }

    /// The same with further variables of the environment.
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut gate = command();
        gate.args(arguments)
            .current_dir(self.path())
            .env_remove("GITHUB_STEP_SUMMARY")
            .envs(variables.iter().copied());
        gate.output().unwrap().into()
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        fs::write(self.path().join(file), text).unwrap();
    }

    /// Replaces the first `from` of a file, which has to be there.
    pub(crate) fn replace(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{from:?} is not in {file}");
        self.write(file, &text.replacen(from, to, 1));
    }

    /// Adds text to the end of the budgets: limits of the rule for tanh, or tables.
    pub(crate) fn add(&self, text: &str) {
        let budgets = self.read("budgets.toml");
        self.write("budgets.toml", &format!("{budgets}{text}\n"));
    }

    /// Changes a JSON file.
    pub(crate) fn edit(&self, file: &str, change: impl FnOnce(&mut Value)) {
        let mut value: Value = serde_json::from_str(&self.read(file)).unwrap();
        change(&mut value);
        self.write(file, &serde_json::to_string(&value).unwrap());
    }

    /// Changes the report of tanh.
    pub(crate) fn edit_tanh(&self, change: impl FnOnce(&mut Value)) {
        self.edit("small.json", |report| {
            let functions = report["functions"].as_array_mut().unwrap();
            let tanh = functions
                .iter_mut()
                .find(|function| function["name"] == "tanh");
            change(tanh.unwrap());
        });
    }

    /// Changes the tables of a set and writes it with right digests, as a faulty build would.
    pub(crate) fn rebuild(&self, name: &str, change: impl FnOnce(&mut FunctionSet)) {
        let path = self.path().join(name);
        let mut set = FunctionSet::read_dir(&path).unwrap();
        change(&mut set);
        set.write_dir(&path).unwrap();
    }

    /// Replays a set over all bf16 inputs, in place of its stored report.
    pub(crate) fn replay(&self, name: &str) {
        let report = format!("{name}.json");
        self.run(&["replay", name, "--input", "bf16", "--json", &report])
            .succeeded();
    }

    /// Gives set small a file of set wide.
    pub(crate) fn swap(&self, file: &str) {
        let [from, to] = ["wide", "small"].map(|set| self.path().join(set).join(file));
        fs::copy(from, to).unwrap();
    }

    /// Changes a byte of a file of a set.
    pub(crate) fn flip(&self, file: &str) {
        let path = self.path().join(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes[4] ^= 0x10;
        fs::write(path, bytes).unwrap();
    }
}
