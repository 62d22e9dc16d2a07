//! The archive of `actforge release`: what is packed, what is refused, and that the archive is one and the same however
//! it is made.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use actforge_cli::archive::{Release, ReleasedSet, pack, read_archive};
use actforge_tables::FunctionSet;
use actforge_tables::container::sha256_hex;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Run, command, line, set as small};

/// The files of an archive by their paths.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A set that is replayed over all fp32 inputs in no time, with its report and its archive.
pub(crate) struct Sample {
    _directory: TempDir,
    pub(crate) set: PathBuf,
    pub(crate) report: PathBuf,
    pub(crate) archive: PathBuf,
}

pub(crate) fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let [set, report, archive] =
            ["plain", "report.json", "plain.tar.zst"].map(|name| directory.path().join(name));
        line(
            "build --functions relu --range=1,2 --set-name plain -o {}",
            &set,
        )
        .succeeded();
        command()
            .arg("replay")
            .arg(&set)
            .arg("--json")
            .arg(&report)
            .output()
            .unwrap();
        let packed: Run = command()
            .arg("release")
            .arg(&set)
            .arg("-o")
            .arg(&archive)
            .output()
            .unwrap()
            .into();
        let said = packed.succeeded().stdout;
        let digest = sha256_hex(&fs::read(&archive).unwrap());
        assert!(said.contains(&format!("sha256 {digest}")), "{said}");
        Sample {
            _directory: directory,
            set,
            report,
            archive,
        }
    })
}

pub(crate) fn release(sets: &[&Path], out: &Path, further: &[&str]) -> Run {
    let mut release = command();
    release
        .arg("release")
        .args(sets)
        .arg("-o")
        .arg(out)
        .args(further);
    release.output().unwrap().into()
}

/// The files of an archive, with all of their content.
pub(crate) fn unpacked(archive: &Path) -> Files {
    let bytes = fs::read(archive).unwrap();
    let members = read_archive(bytes.as_slice(), |_| Some(u64::MAX)).unwrap();
    members
        .into_iter()
        .map(|member| (member.path, member.content.unwrap()))
        .collect()
}

#[test]
fn an_archive_holds_the_set_its_report_and_every_digest() {
    let Sample {
        set,
        report,
        archive,
        ..
    } = sample();
    let files = unpacked(archive);
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "SHA256SUMS",
            "manifest.json",
            "report.html",
            "reports/plain.json",
            "sets/plain/bucket.bin",
            "sets/plain/cam.bin",
            "sets/plain/control.bin",
            "sets/plain/dma.json",
            "sets/plain/profile.bin",
            "sets/plain/set.json",
            "sets/plain/spec.toml",
        ]
    );
    for (path, bytes) in &files {
        if let Some(file) = path.strip_prefix("sets/plain/") {
            assert_eq!(*bytes, fs::read(set.join(file)).unwrap(), "{path}");
        }
    }
    assert_eq!(files["reports/plain.json"], fs::read(report).unwrap());
    let manifest: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    assert_eq!(manifest["sets"][0]["rebuilt"], true);
    assert_eq!(manifest["files"].as_array().unwrap().len(), 9);
    let sums = String::from_utf8(files["SHA256SUMS"].clone()).unwrap();
    assert_eq!(sums.lines().count(), 10);
    for sum in sums.lines() {
        let (digest, path) = sum.split_once("  ").unwrap();
        assert_eq!(digest, sha256_hex(&files[path]), "{path}");
    }
    let verified = line("verify {}", archive).succeeded().stdout;
    assert!(
        verified.contains("11 files as the manifest says"),
        "{verified}"
    );
    assert!(
        verified.contains("its specification gives the same bytes"),
        "{verified}"
    );
}

#[test]
fn threads_vector_instructions_and_places_do_not_matter() {
    let Sample { archive, .. } = sample();
    let expected = fs::read(archive).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let set = directory.path().join("elsewhere");
    let run = |arguments: &[&str], path: &Path| {
        let done: Run = command()
            .env("RAYON_NUM_THREADS", "1")
            .env("ACTFORGE_LEVEL", "portable")
            .args(arguments)
            .arg(path)
            .output()
            .unwrap()
            .into();
        done.succeeded();
    };
    let build = [
        "build",
        "--functions",
        "relu",
        "--range=1,2",
        "--set-name",
        "plain",
        "-o",
    ];
    run(&build, &set);
    let out = directory.path().join("other-name.tar.zst");
    run(&["release", set.to_str().unwrap(), "-o"], &out);
    assert!(fs::read(&out).unwrap() == expected);
    let unknown: Run = command()
        .env("ACTFORGE_LEVEL", "sse9")
        .arg("functions")
        .output()
        .unwrap()
        .into();
    unknown.failed(2, &["ACTFORGE_LEVEL", "sse9", "it has portable"]);
}

#[test]
fn a_report_is_taken_only_if_it_is_the_whole_one_of_the_set() {
    let Sample {
        set,
        report,
        archive,
        ..
    } = sample();
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.tar.zst");
    release(&[set], &out, &["--report", report.to_str().unwrap()]).succeeded();
    assert!(fs::read(&out).unwrap() == fs::read(archive).unwrap());
    fs::remove_file(&out).unwrap();
    let other = directory.path().join("other.json");
    let replayed = |options: &str, parts: &[&str], code| {
        let replay = format!("replay {} {options} --json {{}}", set.display());
        line(&replay, &other).succeeded();
        release(&[set], &out, &["--report", other.to_str().unwrap()]).failed(code, parts);
        assert!(!out.exists());
    };
    replayed(
        "--input fp16",
        &["other.json: relu: expected a replay over all fp32 inputs, found fp16 from 0x3f800000"],
        3,
    );
    replayed(
        "--range=1,1.5",
        &[
            "other.json: relu: expected a replay over all fp32 inputs, found fp32 from 0x3f800000 to 0x3fc00000",
        ],
        3,
    );
    let replay = format!("replay {} --input fp16 --json {{}}", small().display());
    line(&replay, &other).succeeded();
    release(&[set], &out, &["--report", other.to_str().unwrap()])
        .failed(3, &["a report of set small, which is not to be released"]);
    let twice = ["--report", report.to_str().unwrap()].repeat(2);
    release(&[set], &out, &twice).failed(2, &["a second report of set plain"]);
}

#[test]
fn sets_that_cannot_be_verified_are_not_released() {
    let Sample { set, report, .. } = sample();
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.tar.zst");
    fs::write(&out, "earlier").unwrap();
    let report = ["--report", report.to_str().unwrap()];
    let edited = directory.path().join("edited");
    let mut other = FunctionSet::read_dir(set).unwrap();
    other.functions[0].notes.measured_ulp = Some(0.25);
    other.write_dir(&edited).unwrap();
    let refused = release(&[&edited], &out, &[]).failed(1, &["not released", "actforge verify"]);
    assert!(
        refused.stdout.contains("set.json: line "),
        "{}",
        refused.stdout
    );
    other = FunctionSet::read_dir(set).unwrap();
    other.spec = None;
    other.write_dir(&edited).unwrap();
    release(&[&edited], &out, &report).failed(1, &["not released"]);
    release(&[set, &edited], &out, &report).failed(2, &["sets of the name plain"]);
    assert_eq!(fs::read(&out).unwrap(), b"earlier");
    // Taken all the same, the manifest says so.
    let further = [report.as_slice(), &["--no-rebuild", "--json"]].concat();
    let json = release(&[&edited], &out, &further).succeeded().json();
    assert_eq!(json["sets"][0]["rebuild"], "skipped");
    let manifest: Value = serde_json::from_slice(&unpacked(&out)["manifest.json"]).unwrap();
    assert_eq!(manifest["sets"][0]["rebuilt"], false);
    line("verify {} --no-rebuild", &out).succeeded();
    assert_eq!(line("verify {}", &out).code, Some(1));
}

/// An archive of our form whose content was changed, with or without its digests.
#[test]
fn archives_that_contradict_themselves_are_refused() {
    let Sample { archive, .. } = sample();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("edited.tar.zst");
    let edited = |change: &dyn Fn(&mut Files)| {
        let mut files = unpacked(archive);
        change(&mut files);
        fs::write(&path, pack(&files).unwrap()).unwrap();
        line("verify {}", &path)
    };
    edited(&|_| ()).succeeded();
    let replace = |file: &'static str, from: &'static str, to: &'static str| {
        move |files: &mut Files| {
            let text = String::from_utf8(files[file].clone()).unwrap();
            assert!(text.contains(from), "{file}: {from}");
            files.insert(file.to_owned(), text.replacen(from, to, 1).into_bytes());
        }
    };
    edited(&replace("report.html", "relu", "rely")).failed(3, &["report.html: SHA-256: expected"]);
    edited(&replace("SHA256SUMS", "a", "b")).failed(3, &["SHA256SUMS: lines"]);
    edited(&replace(
        "manifest.json",
        "\"rebuilt\": true",
        "\"rebuilt\": false",
    ))
    .failed(3, &["SHA256SUMS"]);
    edited(&replace(
        "manifest.json",
        "\"schema_version\": 2",
        "\"schema_version\": 9",
    ))
    .failed(3, &["schema_version: expected 2"]);
    edited(&replace("manifest.json", "{", "[")).failed(3, &["manifest.json"]);
    edited(&|files| drop(files.remove("report.html"))).failed(3, &["files"]);
    edited(&|files| drop(files.remove("manifest.json")))
        .failed(3, &["manifest.json: file: expected"]);
    edited(&|files| drop(files.insert("extra".to_owned(), Vec::new()))).failed(3, &["files"]);
}

#[test]
fn an_unpacked_release_is_no_set() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("release");
    for (path, bytes) in unpacked(&sample().archive) {
        let file = place.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    for path in [directory.path(), place.as_path()] {
        let says = "expected a set, found an unpacked release";
        let hint = format!(
            "hint: verify the archive itself, or the sets alone: `actforge verify {}/sets/*`",
            place.display()
        );
        line("verify {}", path).failed(3, &[says, &hint]);
    }
    line("verify {}/sets/plain", &place).succeeded();
}

/// With all digests made anew, only the sets themselves and the specification are left to tell.
#[test]
fn a_release_of_an_edited_set_is_found_out() {
    let Sample { set, .. } = sample();
    let directory = tempfile::tempdir().unwrap();
    let mut other = FunctionSet::read_dir(set).unwrap();
    let bucket = other.function("relu").unwrap().buckets.start;
    other.buckets[bucket].d[1] = 1.5;
    let options = actforge_reports::ReplayOptions::default();
    let report = actforge_reports::replay(&other, &options, &|_| {}).unwrap();
    let released = ReleasedSet {
        set: other,
        rebuilt: true,
        report,
    };
    let files = Release::files(vec![released], String::new(), None).unwrap();
    let path = directory.path().join("edited.tar.zst");
    fs::write(&path, pack(&files).unwrap()).unwrap();
    let found = line("verify {}", &path);
    assert_eq!(found.code, Some(1), "{}", found.stderr);
    assert!(
        found.stdout.contains("bucket.bin: entry"),
        "{}",
        found.stdout
    );
    let reproduce = "edited.tar.zst && actforge build release/sets/plain/spec.toml";
    for part in [", d1: expected", "reproduce tar xf ", reproduce] {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
}

#[test]
fn standard_output_gets_the_archive_and_nothing_else() {
    let Sample {
        set,
        report,
        archive,
        ..
    } = sample();
    let release = |further: &[&str]| {
        let mut release = command();
        release.arg("release").arg(set).arg("--report").arg(report);
        release.args(["-o", "-"]).args(further).output().unwrap()
    };
    assert_eq!(release(&[]).stdout, fs::read(archive).unwrap());
    Run::from(release(&["--json"])).failed(2, &["--json and -o"]);
    // What a release is made of is not replaced by it.
    line("release {} --report {}/set.json -o {}/set.json", set).failed(2, &["reads it"]);
}
