//! What the files of an archive say: no content makes the reader panic, and what it accepts holds valid sets, keeps its
//! budgets, and is packed to the very same files again. How the files are packed is the target `archive`.
#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use actforge_cli::archive::{GatedBy, Member, Release, ReleasedSet};
use actforge_reports::{ReplayOptions, Report, replay};
use actforge_tables::container::sha256_hex;
use actforge_tables::{FunctionSet, Target};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

mod edits;
#[path = "../../tables/tests/support/mod.rs"]
mod support;

type Files = BTreeMap<String, Vec<u8>>;

const BUDGETS: &str = "[[rule]]\nfunction = \"*\"\nmax_ulp = 0.5\nmax_buckets = 1\n";

const WAIVERS: &str = "[[waiver]]\nid = \"A\"\nfunction = \"relu\"\nlimit = \"max_buckets\"\nceiling = 2\n\
                       reason = \"r\"\nowner = \"o\"\nexpires = 2030-01-01\n";

/// What stands in archives as the version of the command that packs them here.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let release = Release::check(GOOD[0].clone()).expect("a release");
    release.manifest.tool_version
});

/// Two releases of one set. A release has a report over all inputs, which takes some seconds with the fuzzer's counters.
static GOOD: LazyLock<[Vec<Member>; 2]> = LazyLock::new(|| {
    let set = support::least_set(Target::Cayman, support::relu());
    let report = replay(&set, &ReplayOptions::default(), &|_| {}).expect("a report");
    [true, false].map(|is_gated| good(set.clone(), report.clone(), is_gated))
});

fn good(set: FunctionSet, report: Report, is_gated: bool) -> Vec<Member> {
    let gate = is_gated.then(|| GatedBy {
        budgets: BUDGETS.to_owned(),
        waivers: Some(WAIVERS.to_owned()),
        baseline: vec![report.to_json().expect("a report")],
        reports: Vec::new(),
        as_of: "2026-01-01".parse().expect("a day"),
    });
    let released = ReleasedSet {
        set,
        rebuilt: true,
        report,
    };
    let page = "<html>\n".to_owned();
    let files = Release::files(vec![released], page, gate.as_ref()).expect("a release");
    let members: Vec<Member> = files
        .into_iter()
        .map(|(path, bytes)| member(path, bytes))
        .collect();
    assert!(Release::check(members.clone()).is_ok());
    members
}

fn member(path: String, bytes: Vec<u8>) -> Member {
    Member {
        path,
        size: bytes.len() as u64,
        sha256: sha256_hex(&bytes),
        content: Some(bytes),
    }
}

/// Makes the digests in the manifest, and the list of them, anew. A manifest that is not JSON is left alone.
fn seal(members: &mut [Member]) {
    let find =
        |members: &[Member], path: &str| members.iter().position(|member| member.path == path);
    let (Some(manifest), Some(sums)) =
        (find(members, "manifest.json"), find(members, "SHA256SUMS"))
    else {
        return;
    };
    let text = members[manifest].content.clone().unwrap_or_default();
    if let Ok(mut value) = serde_json::from_slice::<Value>(&text) {
        for member in members.iter() {
            let records = value.pointer_mut("/files").and_then(Value::as_array_mut);
            let record =
                records.and_then(|records| records.iter_mut().find(|r| r["path"] == member.path));
            if let Some(Value::Object(record)) = record {
                record.insert("size".to_owned(), member.size.into());
                record.insert("sha256".to_owned(), member.sha256.clone().into());
            }
        }
        let mut text = serde_json::to_vec_pretty(&value).unwrap_or_default();
        text.push(b'\n');
        members[manifest] = member("manifest.json".to_owned(), text);
    }
    let lines = members
        .iter()
        .filter(|member| member.path != "SHA256SUMS")
        .map(|member| format!("{}  {}\n", member.sha256, member.path));
    let text: String = lines.collect();
    members[sums] = member("SHA256SUMS".to_owned(), text.into_bytes());
}

/// The files that the parts of a release are packed to.
fn packed(release: Release, page: Vec<u8>) -> Files {
    let Release {
        manifest,
        sets,
        reports,
        gated_by,
    } = release;
    let parts = manifest.sets.iter().zip(sets).zip(reports);
    let released = parts.map(|((record, set), report)| ReleasedSet {
        set,
        rebuilt: record.rebuilt,
        report,
    });
    let page = String::from_utf8_lossy(&page).into_owned();
    Release::files(released.collect(), page, gated_by.as_ref()).expect("what was read")
}

// The first byte says which file of which release is another, whether the other bytes are that file or edits of it, and
// whether the digests are made anew. The releases are made before the fuzzer begins to count time.
fuzz_target!(init: { LazyLock::force(&GOOD); }, |input: &[u8]| {
    let Some((&how, rest)) = input.split_first() else {
        return;
    };
    let how = usize::from(how);
    let good = &GOOD[how % 2];
    let mut members = good.clone();
    let place = how / 4 % members.len();
    let chosen = &mut members[place];
    let (path, old) = (chosen.path.clone(), chosen.content.take().expect("kept"));
    let new = match how / 2 % 2 {
        0 => edits::edited(&old, rest),
        _ => rest.to_vec(),
    };
    if new == old {
        return;
    }
    *chosen = member(path, new);
    if how / 4 / members.len() % 4 != 0 {
        seal(&mut members);
    }
    let files: Files = members
        .iter()
        .map(|member| (member.path.clone(), member.content.clone().expect("kept")))
        .collect();
    match Release::check(members) {
        Ok(release) => {
            for set in &release.sets {
                assert_eq!(set.validate(), Ok(()));
            }
            // Another version of the command may have packed it.
            let version = release.manifest.tool_version.clone();
            let page = files["report.html"].clone();
            let mut again = packed(release, page);
            if std::str::from_utf8(&files["report.html"]).is_ok() && version == *VERSION {
                assert!(again == files);
            } else {
                for path in ["manifest.json", "SHA256SUMS", "report.html"] {
                    again.remove(path);
                }
                assert!(
                    again
                        .iter()
                        .all(|(path, bytes)| files.get(path) == Some(bytes))
                );
            }
        }
        // What quotes a file may take several lines; the command shows them as one.
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
