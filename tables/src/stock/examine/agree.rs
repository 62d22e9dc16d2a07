//! Two JSON values that should say the same.

use serde::Serialize;
use serde_json::Value;

use super::value;
use crate::lint::{Findings, Lint};

/// Adds each place in which the file of a set differs from what the set is written as.
pub(super) fn agree<T: Serialize + PartialEq>(
    file: &str,
    expected: &T,
    found: &T,
    findings: &mut Findings,
) {
    agree_as(file, expected, found, findings, lint_of_key);
}

/// The same, with another choice of the lint by the first key.
pub(super) fn agree_as<T: Serialize + PartialEq>(
    file: &str,
    expected: &T,
    found: &T,
    findings: &mut Findings,
    lint: impl Fn(&str) -> Lint,
) {
    // As a rule they do, and nothing has to be turned into JSON.
    if expected == found {
        return;
    }
    let mut compare = Compare {
        file,
        findings,
        lint: Lint::JsonStructure,
    };
    let (expected, found) = (value(expected), value(found));
    let (Value::Object(expected), Value::Object(found)) = (&expected, &found) else {
        return;
    };
    for (key, wanted) in expected {
        compare.lint = lint(key);
        compare.values(key, wanted, found.get(key).unwrap_or(&Value::Null));
    }
}

/// Which invariant a key of a set's file is about.
fn lint_of_key(key: &str) -> Lint {
    match key {
        "bkt_bin" | "ctl_bin" => Lint::FileName,
        "bkt_entry_cnt" => Lint::BucketCount,
        "ctl_entry_cnt" => Lint::ControlCount,
        "func_to_bkt_start_idx" | "func_to_ctl_start_idx" => Lint::StartIndex,
        "func_exp_to_bkt_start_idx" | "func_exp_to_ctl_start_idx" => Lint::OctaveIndex,
        _ => Lint::ProfileField,
    }
}

struct Compare<'a> {
    file: &'a str,
    findings: &'a mut Findings,
    lint: Lint,
}

impl Compare<'_> {
    fn values(&mut self, path: &str, expected: &Value, found: &Value) {
        match (expected, found) {
            (Value::Object(expected), Value::Object(found)) => {
                for (key, wanted) in expected {
                    let path = format!("{path}.{key}");
                    match found.get(key) {
                        Some(found) => self.values(&path, wanted, found),
                        None => self.add(&path, short(wanted), "nothing"),
                    }
                }
                for (key, extra) in found {
                    if !expected.contains_key(key) {
                        self.add(&format!("{path}.{key}"), "nothing", short(extra));
                    }
                }
            }
            (Value::Array(expected), Value::Array(found)) => {
                if expected.len() != found.len() {
                    let count = |list: &[Value]| format!("{} elements", list.len());
                    self.add(path, count(expected), count(found));
                }
                for (place, (wanted, found)) in expected.iter().zip(found).enumerate() {
                    self.values(&format!("{path}[{place}]"), wanted, found);
                }
            }
            _ if expected == found => {}
            _ => self.add(path, short(expected), short(found)),
        }
    }

    fn add(&mut self, key: &str, expected: impl ToString, found: impl ToString) {
        self.findings
            .add(self.lint, self.file, key, expected, found);
    }
}

/// A value on one line; the finding cuts it where it is long.
fn short(value: &Value) -> String {
    match value {
        Value::Object(map) => format!("an object of {} keys", map.len()),
        Value::Array(list) => format!("an array of {} elements", list.len()),
        value => value.to_string(),
    }
}
