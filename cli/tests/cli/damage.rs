//! Sets that are damaged or contradict themselves: every command that reads them says so in the same way.

use std::fs;
use std::path::Path;

use crate::support::{copy_of_set, line};

/// Damages a copy of the set and expects every reading command to refuse it with these words.
fn refused(damage: impl Fn(&Path), parts: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let copy = copy_of_set(directory.path());
    damage(&copy);
    let budgets = directory.path().join("budgets.toml");
    fs::write(&budgets, "[[rule]]\nfunction = \"*\"\nmax_ulp = 8.0\n").unwrap();
    let gate = format!("gate {{}} --budgets {}", budgets.display());
    let plot = format!("plot {{}} -o {}", directory.path().join("plots").display());
    for command in [
        "inspect {}",
        "eval {} tanh 1",
        "replay {}",
        gate.as_str(),
        plot.as_str(),
    ] {
        line(command, &copy).failed(3, parts);
    }
    assert!(!directory.path().join("plots").exists());
}

fn edit(directory: &Path, file: &str, change: impl Fn(&mut Vec<u8>)) {
    let path = directory.join(file);
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
}

#[test]
fn truncated_blobs() {
    for file in ["cam.bin", "profile.bin", "control.bin", "bucket.bin"] {
        refused(
            |set| edit(set, file, |bytes| bytes.truncate(bytes.len() - 1)),
            &[file],
        );
    }
}

#[test]
fn flipped_bits() {
    for file in ["cam.bin", "profile.bin", "control.bin", "bucket.bin"] {
        refused(
            |set| edit(set, file, |bytes| bytes[4] ^= 0x10),
            &[file, "SHA-256"],
        );
    }
}

#[test]
fn manifests_that_contradict_the_blobs() {
    let replace = |from: &'static str, to: &'static str| {
        move |set: &Path| {
            edit(set, "set.json", |bytes| {
                let text = String::from_utf8(bytes.clone()).unwrap();
                let changed = text.replacen(from, to, 1);
                assert_ne!(changed, text);
                *bytes = changed.into_bytes();
            });
        }
    };
    refused(
        replace("\"target\": \"cayman\"", "\"target\": \"sunda\""),
        &[],
    );
    refused(
        replace("\"target\": \"cayman\"", "\"target\": \"caymen\""),
        &["target", "caymen"],
    );
    refused(
        replace("\"schema_version\": 1", "\"schema_version\": 2"),
        &["schema_version"],
    );
    refused(replace("\"func_id\": 6", "\"func_id\": 7"), &[]);
    refused(replace("{", "["), &["set.json"]);
}

#[test]
fn missing_files() {
    refused(
        |set| fs::remove_file(set.join("control.bin")).unwrap(),
        &["control.bin"],
    );
    refused(|set| fs::remove_dir_all(set).unwrap(), &["No such file"]);
}
