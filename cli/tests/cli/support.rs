//! Running the binary, and a set that several tests read.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// How a run ended.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// The run did what was asked and had nothing to complain about.
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(
            (self.code, self.stderr.as_str()),
            (Some(0), ""),
            "{}",
            self.stdout
        );
        self
    }

    /// The run ended with this code, and said why in two lines (with a drawing between them, perhaps) that contain all
    /// of `parts`.
    pub(crate) fn failed(self, code: i32, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        let lines: Vec<&str> = self.stderr.lines().collect();
        let [error, .., hint] = lines.as_slice() else {
            panic!("expected two lines, found: {}", self.stderr)
        };
        assert!(
            error.starts_with("actforge: error: ") && hint.starts_with("hint: "),
            "{}",
            self.stderr
        );
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "expected {part:?} in: {}",
                self.stderr
            );
        }
        self
    }

    /// What it printed, as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// The command, to be given arguments. It is outside of a pipeline, wherever the tests themselves run.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_actforge"));
    command.env_remove("CI");
    command
}

/// Runs the command with these arguments.
pub(crate) fn actforge<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    command().args(arguments).output().unwrap().into()
}

/// Runs the command with the words of a line; `{}` stands for `path`.
pub(crate) fn line(text: &str, path: &Path) -> Run {
    let words = text
        .split_whitespace()
        .map(|word| match word.split_once("{}") {
            Some((before, after)) => {
                let mut joined = PathBuf::from(before).into_os_string();
                joined.push(path);
                joined.push(after);
                joined
            }
            None => word.into(),
        });
    actforge(words)
}

/// A set of relu and tanh, tanh within 8 ulp; built once for all tests that only read it.
pub(crate) fn set() -> &'static Path {
    static SET: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = SET.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("set");
        line(
            "build --functions relu,tanh --max-ulp 8 --set-name small -o {}",
            &path,
        )
        .succeeded();
        (directory, path)
    });
    path
}

/// A copy of that set, to be damaged.
pub(crate) fn copy_of_set(directory: &Path) -> PathBuf {
    let path = directory.join("copy");
    fs::create_dir(&path).unwrap();
    for entry in fs::read_dir(set()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), path.join(entry.file_name())).unwrap();
    }
    path
}

/// Every file of a directory with its content, in the order of the names.
pub(crate) fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}
