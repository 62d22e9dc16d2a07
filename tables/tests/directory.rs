//! Sets on disk: whole or not at all.

mod support;

use std::fs;
use std::path::Path;

use actforge_tables::{ContainerError, FunctionSet, Table, Target};
use support::set_for;

/// The names in a directory, hidden ones included.
fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .expect("a directory")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    names
}

const FILES: [&str; 6] = [
    "bucket.bin",
    "cam.bin",
    "control.bin",
    "dma.json",
    "profile.bin",
    "set.json",
];

#[test]
fn write_and_read() {
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = temporary.path().join("a/b/set");
    let set = set_for(Target::Cayman);
    set.write_dir(&dir).expect("written");
    assert_eq!(names(&dir), FILES);
    assert_eq!(names(&temporary.path().join("a/b")), ["set"]);
    assert_eq!(FunctionSet::read_dir(&dir).expect("readable"), set);
    let blobs = set.to_blobs().expect("valid");
    for (file, bytes) in blobs.files() {
        assert_eq!(fs::read(dir.join(file)).expect("readable"), bytes, "{file}");
    }
}

#[test]
fn an_earlier_set_is_replaced_and_other_files_stay() {
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = temporary.path().join("set");
    fs::create_dir(&dir).expect("empty");
    set_for(Target::Sunda)
        .write_dir(&dir)
        .expect("into an empty directory");
    fs::create_dir(dir.join("plots")).expect("made");
    fs::write(dir.join("plots/odd.svg"), "<svg/>").expect("made");
    fs::write(dir.join("report.json"), "{}").expect("made");

    let set = set_for(Target::Maverick);
    set.write_dir(&dir).expect("replaced");
    assert_eq!(FunctionSet::read_dir(&dir).expect("readable"), set);
    assert_eq!(
        fs::read(dir.join("plots/odd.svg")).expect("kept"),
        b"<svg/>"
    );
    assert!(dir.join("report.json").exists());
    assert_eq!(names(temporary.path()), ["set"], "nothing left beside it");
}

#[test]
fn other_directories_and_files_are_left_alone() {
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = temporary.path().join("home");
    fs::create_dir(&dir).expect("made");
    fs::write(dir.join("thesis.txt"), "years of work").expect("made");
    let set = set_for(Target::Cayman);
    let error = set.write_dir(&dir).expect_err("not a set");
    assert!(matches!(error, ContainerError::NotASet { .. }));
    assert!(
        error
            .to_string()
            .contains("home: expected an empty directory or a function set")
    );
    assert_eq!(names(&dir), ["thesis.txt"]);

    let file = dir.join("thesis.txt");
    let error = set.write_dir(&file).expect_err("a file");
    assert!(
        error
            .to_string()
            .contains("thesis.txt: cannot open the directory"),
        "{error}"
    );
    // A path that cannot exist.
    let error = set.write_dir(&file.join("set")).expect_err("below a file");
    assert!(matches!(error, ContainerError::Io { .. }), "{error}");
    assert_eq!(fs::read(&file).expect("kept"), b"years of work");
    assert_eq!(names(temporary.path()), ["home"]);
}

#[test]
fn a_set_that_is_not_valid_leaves_the_earlier_one() {
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = temporary.path().join("set");
    let set = set_for(Target::Cayman);
    set.write_dir(&dir).expect("written");
    let mut bad = set.clone();
    bad.functions[0].func_id = 99;
    assert!(matches!(bad.write_dir(&dir), Err(ContainerError::Set(_))));
    assert!(bad.write_dir(&temporary.path().join("new/set")).is_err());
    assert_eq!(FunctionSet::read_dir(&dir).expect("still there"), set);
    assert_eq!(names(temporary.path()), ["set"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_set_stays_a_link() {
    let temporary = tempfile::tempdir().expect("a directory");
    let (dir, link) = (temporary.path().join("set"), temporary.path().join("link"));
    fs::create_dir(&dir).expect("made");
    std::os::unix::fs::symlink(&dir, &link).expect("linked");
    let set = set_for(Target::Cayman);
    set.write_dir(&link).expect("through the link");
    assert!(link.symlink_metadata().expect("there").is_symlink());
    assert_eq!(FunctionSet::read_dir(&dir).expect("readable"), set);
}

#[test]
fn missing_long_and_strange_files() {
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = temporary.path().join("set");
    let missing = FunctionSet::read_dir(&dir)
        .expect_err("no directory")
        .to_string();
    assert!(
        missing.contains("set.json: cannot read the file"),
        "{missing}"
    );

    let set = set_for(Target::Cayman);
    for file in FILES {
        set.write_dir(&dir).expect("written");
        fs::remove_file(dir.join(file)).expect("removed");
        let error = FunctionSet::read_dir(&dir).expect_err(file).to_string();
        assert!(
            error.contains(&format!("{file}: cannot read the file")),
            "{error}"
        );
        fs::create_dir(dir.join(file)).expect("made");
        let error = FunctionSet::read_dir(&dir).expect_err(file).to_string();
        assert!(
            error.contains(&format!("{file}: type: expected a regular file")),
            "{error}"
        );
        fs::remove_dir_all(&dir).expect("removed");
    }

    // No more is read than a table can hold, whatever the file's length.
    set.write_dir(&dir).expect("written");
    let long = fs::File::options()
        .write(true)
        .open(dir.join("bucket.bin"))
        .expect("there");
    long.set_len(1 << 40).expect("sparse");
    let error = FunctionSet::read_dir(&dir)
        .expect_err("too long")
        .to_string();
    assert_eq!(
        error,
        "bucket.bin: length: expected at most 65536 bytes, found more"
    );
}

#[test]
fn a_damaged_file_is_named() {
    let temporary = tempfile::tempdir().expect("a directory");
    let set = set_for(Target::Cayman);
    for table in Table::ALL {
        let dir = temporary.path().join(table.as_str());
        set.write_dir(&dir).expect("written");
        let file = format!("{table}.bin");
        let mut bytes = fs::read(dir.join(&file)).expect("there");
        bytes[20] ^= 0x10;
        fs::write(dir.join(&file), bytes).expect("damaged");
        let error = FunctionSet::read_dir(&dir)
            .expect_err("damaged")
            .to_string();
        assert!(
            error.starts_with(&format!("{file}: SHA-256: expected ")),
            "{error}"
        );
    }
}

#[test]
fn a_recorded_specification_is_a_file_of_the_set() {
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = temporary.path().join("set");
    let mut set = set_for(Target::Cayman);
    set.record_spec("[set]\nname = \"sample\"\n".to_owned());
    set.write_dir(&dir).expect("written");
    let read = FunctionSet::read_dir(&dir).expect("readable");
    assert_eq!(read, set);
    assert_eq!(
        fs::read_to_string(dir.join("spec.toml")).expect("there"),
        set.spec.clone().expect("recorded")
    );
    // The text must be the one that was hashed; without it the set is still one.
    fs::write(dir.join("spec.toml"), "[set]\nname = \"other\"\n").expect("edited");
    let error = FunctionSet::read_dir(&dir).expect_err("edited");
    assert!(
        error
            .to_string()
            .starts_with("spec.toml: SHA-256: expected"),
        "{error}"
    );
    fs::remove_file(dir.join("spec.toml")).expect("removed");
    let without = FunctionSet::read_dir(&dir).expect("readable");
    assert_eq!((&without.spec, &without.spec_hash), (&None, &set.spec_hash));
    // One that replaces it takes the old text away.
    set.write_dir(&dir).expect("replaced");
    set_for(Target::Sunda).write_dir(&dir).expect("replaced");
    assert_eq!(names(&dir), FILES);
}
