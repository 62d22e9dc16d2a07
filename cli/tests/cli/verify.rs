//! `actforge verify`: sets that are what their specification gives, and sets that are not.

use std::fs;

use actforge_tables::FunctionSet;

use crate::support::{Run, copy_of_set, line, set};

#[test]
fn a_set_that_was_built_is_verified() {
    let verified = line("verify {}", set()).succeeded().stdout;
    assert_eq!(
        verified,
        format!(
            "PASS  {}: set small: all digests are right; its specification gives the same bytes\n",
            set().display()
        )
    );
    let json = line("verify {} --json", set()).succeeded().json();
    assert_eq!(json["passed"], true);
    let found = &json["verified"][0];
    assert_eq!(found["kind"], "set");
    assert_eq!(found["sets"][0]["rebuild"], "same");
    assert_eq!(found["sets"][0]["difference"], serde_json::Value::Null);
    // The recorded text is the one that --dry-run prints, and builds the set by itself.
    let spec = fs::read_to_string(set().join("spec.toml")).unwrap();
    let dry = line("build {} --dry-run", &set().join("spec.toml"));
    assert!(dry.succeeded().stdout.starts_with(&spec));
}

/// It failed with these words in its verdict.
fn failed(run: Run, parts: &[&str]) -> String {
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(1), ""),
        "{}",
        run.stdout
    );
    for part in parts {
        assert!(
            run.stdout.contains(part),
            "expected {part:?} in: {}",
            run.stdout
        );
    }
    run.stdout
}

#[test]
fn another_table_is_named_by_entry_and_field() {
    let directory = tempfile::tempdir().unwrap();
    let copy = copy_of_set(directory.path());
    let mut set = FunctionSet::read_dir(&copy).unwrap();
    let index = set.function("tanh").unwrap().buckets.start;
    let right = set.buckets[index].d[2];
    set.buckets[index].d[2] = right.next_up();
    // All digests are made anew: only the specification tells.
    set.write_dir(&copy).unwrap();
    line("lint {}", &copy).succeeded();
    let place = format!(
        "bucket.bin: entry {index} (tanh), d2: expected {:#010x}",
        right.to_bits()
    );
    failed(
        line("verify {}", &copy),
        &["FAIL  ", &place, "reproduce actforge build"],
    );
    line("verify {} --no-rebuild", &copy).succeeded();
    let json = line("verify {} --json", &copy);
    assert_eq!(json.code, Some(1));
    assert_eq!(
        json.json()["verified"][0]["sets"][0]["difference"]["file"],
        "bucket.bin"
    );
}

#[test]
fn nothing_to_build_from_is_no_pass() {
    let directory = tempfile::tempdir().unwrap();
    let copy = copy_of_set(directory.path());
    fs::remove_file(copy.join("spec.toml")).unwrap();
    failed(line("verify {}", &copy), &["has no spec.toml"]);
    let passed = line("verify {} --no-rebuild", &copy).succeeded().stdout;
    assert!(passed.contains("not built again"), "{passed}");
    // Building again records it, with the set otherwise as it was.
    let spec = set().join("spec.toml");
    line(&format!("build {} -o {{}}", spec.display()), &copy).succeeded();
    line("verify {}", &copy).succeeded();
}

#[test]
fn damage_is_invalid_and_not_merely_different() {
    let directory = tempfile::tempdir().unwrap();
    let copy = copy_of_set(directory.path());
    fs::write(copy.join("spec.toml"), "[set]\nname = \"small\"\n").unwrap();
    line("verify {}", &copy).failed(3, &["spec.toml: SHA-256: expected"]);
    line("verify {}", &directory.path().join("none")).failed(3, &["No such file"]);
    let text = directory.path().join("text");
    fs::write(&text, "no archive").unwrap();
    line("verify {}", &text).failed(3, &["cannot be read as a zstd-compressed tar file"]);
    fs::write(&text, "").unwrap();
    line("verify {}", &text).failed(3, &["text: "]);
}

#[test]
fn what_is_not_there_is_not_called_damaged() {
    let run = line("verify {}/none", set()).failed(3, &["none: cannot be read: No such file"]);
    assert!(!run.stderr.contains("undamaged"), "{}", run.stderr);
}
