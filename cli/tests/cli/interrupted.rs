//! Runs that end before they are done: killed, out of space, without permission. What was there stays as it was, and
//! nothing that is there is taken for a whole set or release.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{actforge, command, contents, line};

const OLD: &str = "build --functions relu --range=1,2 --set-name old --force -o {}";
const NEW: &str = "build --functions relu,tanh --max-ulp 8 --set-name new --force -o {}";

/// Moments between 0 and `whole`: half of them anywhere, half in the last tenth, where files are written. The same in
/// every run, so that a failure can be seen again.
fn moments(count: u32, whole: Duration) -> impl Iterator<Item = Duration> {
    let mut state = 0x2545_f491_u32;
    (0..count).map(move |k| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let share = f64::from(state) / f64::from(u32::MAX);
        let share = if k % 2 == 0 {
            share
        } else {
            0.9 + 0.15 * share
        };
        whole.mul_f64(share)
    })
}

fn words(text: &str, path: &Path) -> Vec<String> {
    let path = path.to_str().unwrap();
    text.split_whitespace()
        .map(|word| word.replace("{}", path))
        .collect()
}

/// Starts a run and kills it after `delay`; says whether it was still going on.
fn killed(arguments: &[String], delay: Duration) -> bool {
    let mut run = command()
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    sleep(delay);
    // SIGKILL: nothing of the process gets to clean up.
    run.kill().unwrap();
    !run.wait().unwrap().success()
}

fn timed(arguments: &[String]) -> Duration {
    let start = Instant::now();
    actforge(arguments).succeeded();
    start.elapsed()
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
    let whole = timed(&words(NEW, &new));
    let whole_sets = [contents(&old), contents(&new)];
    let mut stopped = 0;
    for (k, delay) in moments(count, whole).enumerate() {
        let place = tempfile::tempdir().unwrap();
        let set = place.path().join("set");
        let is_replaced = k % 4 < 2;
        if is_replaced {
            line(OLD, &set).succeeded();
        }
        stopped += u32::from(killed(&words(NEW, &set), delay));
        let found = accepted(place.path());
        for path in &found {
            let is_whole = whole_sets.contains(&contents(path));
            assert!(
                is_whole,
                "{} after {delay:?} is part of a set",
                path.display()
            );
        }
        // The earlier set is never lost, not even between the two renames.
        assert!(!is_replaced || !found.is_empty(), "no set after {delay:?}");
        // Whatever was left there is in nobody's way.
        actforge(words(NEW, &set)).succeeded();
        assert_eq!(contents(&set), whole_sets[1]);
    }
    println!("{stopped} of {count} builds were killed before their end");
    assert!(stopped > 0);
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
    let duration = timed(&words(&release, &whole_archive));
    let whole = fs::read(&whole_archive).unwrap();
    let mut stopped = 0;
    for (k, delay) in moments(count, duration).enumerate() {
        let place = tempfile::tempdir().unwrap();
        let archive = place.path().join("out.tar.zst");
        let earlier = (k % 4 < 2).then_some(b"earlier".to_vec());
        if let Some(earlier) = &earlier {
            fs::write(&archive, earlier).unwrap();
        }
        stopped += u32::from(killed(&words(&release, &archive), delay));
        let found = fs::read(&archive).ok();
        assert!(
            found == earlier || found.as_ref() == Some(&whole),
            "an archive that is neither, after {delay:?}"
        );
        for (name, bytes) in contents(place.path()) {
            let verified = line("verify {} --no-rebuild", &place.path().join(&name));
            assert!(
                verified.code == Some(3) || bytes == whole,
                "{name} after {delay:?}"
            );
        }
    }
    println!("{stopped} of {count} releases were killed before their end");
    assert!(stopped > 0);
}

#[test]
fn a_few_kills_leave_no_half_set() {
    kill_builds(4);
}

#[test]
fn a_few_kills_leave_no_half_release() {
    kill_releases(4);
}

/// `cargo test --release -p actforge-cli --test cli -- --ignored --nocapture fifty`: some minutes.
#[test]
#[ignore = "some minutes"]
fn fifty_kills_leave_no_half_set_and_no_half_release() {
    kill_builds(50);
    kill_releases(50);
}

/// A signal in the midst of writing: the shell allows files of some kilobytes, and the system kills who writes more.
#[cfg(unix)]
#[test]
fn a_run_that_is_killed_while_it_writes_leaves_the_earlier_file() {
    let directory = tempfile::tempdir().unwrap();
    let set = crate::support::set();
    let report = directory.path().join("report.json");
    fs::write(&report, "earlier").unwrap();
    let script = format!(
        "ulimit -c 0; ulimit -f 4; exec '{}' replay '{}' --input fp16 --json '{}'",
        env!("CARGO_BIN_EXE_actforge"),
        set.display(),
        report.display()
    );
    let ended = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(!ended.status.success());
    assert_eq!(fs::read(&report).unwrap(), b"earlier");
}

/// A file system of this many bytes, until it is dropped; none where one cannot be mounted.
struct Small(tempfile::TempDir);

impl Small {
    fn mount(bytes: u32) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let options = format!("size={bytes}");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(directory.path())
            .output();
        mount
            .is_ok_and(|mount| mount.status.success())
            .then(|| Self(directory))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let Some(disk) = Small::mount(96 << 10) else {
        eprintln!("skipped: a small file system to fill can be mounted by root alone");
        return;
    };
    let (set, report, archive) = (
        disk.0.path().join("set"),
        disk.0.path().join("report.json"),
        disk.0.path().join("out.tar.zst"),
    );
    line(OLD, &set).succeeded();
    fs::write(&report, "earlier").unwrap();
    fs::write(&archive, "earlier").unwrap();
    // Two pages are left.
    let filler = disk.0.path().join("filler");
    let mut length = 96 << 10;
    while fs::write(&filler, vec![1; length]).is_err() {
        length -= 4096;
    }
    fs::write(&filler, vec![1; length - 8192]).unwrap();
    let before = contents(&set);
    let full = ["cannot", "No space left"];
    actforge(words(NEW, &set)).failed(3, &full);
    let other = crate::support::set().display().to_string();
    line(&format!("replay {other} --input fp16 --json {{}}"), &report).failed(3, &full);
    let elsewhere = tempfile::tempdir().unwrap();
    let whole = elsewhere.path().join("report.json");
    line(&format!("replay {} --json {{}}", set.display()), &whole).succeeded();
    let release = format!(
        "release {} --report {} -o {{}}",
        set.display(),
        whole.display()
    );
    line(&release, &archive).failed(3, &full);
    assert_eq!(contents(&set), before);
    assert_eq!(fs::read(&report).unwrap(), b"earlier");
    assert_eq!(fs::read(&archive).unwrap(), b"earlier");
    let mut names: Vec<_> = fs::read_dir(disk.0.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["filler", "out.tar.zst", "report.json", "set"]);
}

#[cfg(unix)]
#[test]
fn without_permission_nothing_is_touched() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    // Permissions do not hold for root: then the command runs as nobody.
    let directory = tempfile::tempdir().unwrap();
    let is_root = fs::metadata(directory.path()).unwrap().uid() == 0;
    let run = |arguments: &[String]| {
        let mut run = if is_root {
            let mut run = Command::new("setpriv");
            run.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
            run.arg(env!("CARGO_BIN_EXE_actforge"));
            run
        } else {
            command()
        };
        run.args(arguments).output()
    };
    if !run(&["--version".to_owned()]).is_ok_and(|run| run.status.success()) {
        eprintln!("skipped: run as root, and nobody else can run the command");
        return;
    }
    let place = directory.path().join("place");
    let set = place.join("set");
    line(OLD, &set).succeeded();
    let before = contents(&set);
    let allow = |mode| {
        for path in [directory.path(), &place, &set] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    allow(0o555);
    let built: crate::support::Run = run(&words(NEW, &set)).unwrap().into();
    let archive = place.join("out.tar.zst");
    let release = format!("release {} -o {{}}", set.display());
    let released: crate::support::Run = run(&words(&release, &archive)).unwrap().into();
    allow(0o755);
    built.failed(3, &["cannot be written", "Permission denied"]);
    released.failed(3, &["cannot be written", "Permission denied"]);
    assert_eq!(contents(&set), before);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
}
