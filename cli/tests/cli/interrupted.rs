//! Runs that are killed before they are done. What was there stays as it was, and nothing that is there is taken for a
//! whole set or release.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{actforge, command, contents, line};

const OLD: &str = "build --functions relu --range=1,2 --set-name old --force -o {}";
const NEW: &str = "build --functions relu,tanh --max-ulp 8 --set-name new --force -o {}";

/// When a run is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// So long after its start.
    Running(Duration),
    /// So long after it began to write: after something hidden appeared in the directory.
    Writing(Duration),
}

/// How long a run takes, and how much of that it writes.
struct Course {
    whole: Duration,
    writing: Duration,
}

/// Moments over the whole course of a run: half of them anywhere, half while it writes. The same in every run of the
/// test, as far as the machine's speed is, so that a failure can be seen again.
fn moments(count: u32, course: &Course) -> impl Iterator<Item = Moment> {
    let mut state = 0x2545_f491_u32;
    (0..count).map(move |k| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let share = f64::from(state) / f64::from(u32::MAX);
        if k % 2 == 0 {
            Moment::Running(course.whole.mul_f64(share))
        } else {
            Moment::Writing(course.writing.mul_f64(share))
        }
    })
}

fn words(text: &str, path: &Path) -> Vec<String> {
    let path = path.to_str().unwrap();
    text.split_whitespace()
        .map(|word| word.replace("{}", path))
        .collect()
}

fn start(arguments: &[String]) -> Child {
    command()
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// How many hidden entries a directory has: what is being written stands in one.
fn hidden(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names
        .filter(|name| name.as_encoded_bytes().starts_with(b"."))
        .count()
}

/// Starts a run that writes into `directory`, and kills it; says whether it was still going on.
fn killed(arguments: &[String], directory: &Path, moment: Moment) -> bool {
    let before = hidden(directory);
    let mut run = start(arguments);
    let mut begin = Instant::now();
    let delay = match moment {
        Moment::Running(delay) => delay,
        Moment::Writing(delay) => {
            while hidden(directory) == before && run.try_wait().unwrap().is_none() {}
            begin = Instant::now();
            delay
        }
    };
    // A sleep would be longer than some runs.
    while begin.elapsed() < delay {
        std::hint::spin_loop();
    }
    // SIGKILL: nothing of the process gets to clean up.
    run.kill().unwrap();
    !run.wait().unwrap().success()
}

/// The course of a run that writes into `directory`: the shortest of three.
fn timed(arguments: &[String], directory: &Path) -> Course {
    let courses = (0..3).map(|_| {
        let before = hidden(directory);
        let begin = Instant::now();
        let mut run = start(arguments);
        let mut writes = None;
        let ended = loop {
            if writes.is_none() && hidden(directory) > before {
                writes = Some(Instant::now());
            }
            if let Some(ended) = run.try_wait().unwrap() {
                break ended;
            }
        };
        assert!(ended.success());
        Course {
            whole: begin.elapsed(),
            writing: writes.map_or(Duration::from_millis(1), |writes| writes.elapsed()),
        }
    });
    courses.min_by_key(|course| course.whole).unwrap()
}

/// Every directory below `parent`, hidden ones too, that lint has nothing to say about.
fn accepted(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.is_dir() && line("lint {}", path).code == Some(0))
        .collect()
}

/// Kills builds at so many moments, onto an earlier set and onto nothing in turn.
fn kill_builds(count: u32) {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    line(OLD, &old).succeeded();
    let course = timed(&words(NEW, &new), directory.path());
    let whole_sets = [contents(&old), contents(&new)];
    let mut stopped = 0;
    for (k, moment) in moments(count, &course).enumerate() {
        let place = tempfile::tempdir().unwrap();
        let set = place.path().join("set");
        let is_replaced = k % 4 < 2;
        if is_replaced {
            line(OLD, &set).succeeded();
        }
        stopped += u32::from(killed(&words(NEW, &set), place.path(), moment));
        let found = accepted(place.path());
        for path in &found {
            let is_whole = whole_sets.contains(&contents(path));
            assert!(
                is_whole,
                "{} after {moment:?} is part of a set",
                path.display()
            );
        }
        // There is a set in its place at every moment.
        assert!(
            !is_replaced || found.contains(&set),
            "no set after {moment:?}"
        );
        // Whatever was left there is in nobody's way.
        actforge(words(NEW, &set)).succeeded();
        assert_eq!(contents(&set), whole_sets[1]);
    }
    println!(
        "{stopped} of {count} builds were killed before their end, of {:?}, {:?} of it writing",
        course.whole, course.writing
    );
    assert!(stopped >= count / 2);
}

/// Kills releases at so many moments, onto an earlier archive and onto nothing in turn.
fn kill_releases(count: u32) {
    let directory = tempfile::tempdir().unwrap();
    let [set, report, whole_archive] =
        ["set", "report.json", "whole.tar.zst"].map(|name| directory.path().join(name));
    line(OLD, &set).succeeded();
    line(&format!("replay {} --json {{}}", set.display()), &report).succeeded();
    let release = format!(
        "release {} --report {} -o {{}}",
        set.display(),
        report.display()
    );
    let course = timed(&words(&release, &whole_archive), directory.path());
    let whole = fs::read(&whole_archive).unwrap();
    let mut stopped = 0;
    for (k, moment) in moments(count, &course).enumerate() {
        let place = tempfile::tempdir().unwrap();
        let archive = place.path().join("out.tar.zst");
        let earlier = (k % 4 < 2).then_some(b"earlier".to_vec());
        if let Some(earlier) = &earlier {
            fs::write(&archive, earlier).unwrap();
        }
        stopped += u32::from(killed(&words(&release, &archive), place.path(), moment));
        let found = fs::read(&archive).ok();
        assert!(
            found == earlier || found.as_ref() == Some(&whole),
            "an archive that is neither, after {moment:?}"
        );
        for (name, bytes) in contents(place.path()) {
            let verified = line("verify {} --no-rebuild", &place.path().join(&name));
            assert!(
                verified.code == Some(3) || bytes == whole,
                "{name} after {moment:?}"
            );
        }
    }
    println!(
        "{stopped} of {count} releases were killed before their end, of {:?}, {:?} of it writing",
        course.whole, course.writing
    );
    assert!(stopped >= count / 2);
}

#[test]
fn a_few_kills_leave_no_half_set() {
    kill_builds(4);
}

#[test]
fn a_few_kills_leave_no_half_release() {
    kill_releases(4);
}

/// `cargo test --release -p actforge-cli --test cli -- --ignored --nocapture fifty`.
#[test]
#[ignore = "some minutes without optimisation"]
fn fifty_kills_leave_no_half_set_and_no_half_release() {
    kill_builds(50);
    kill_releases(50);
}
