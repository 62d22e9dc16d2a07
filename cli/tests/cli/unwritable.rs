//! Places that cannot be written: a full disk, no permission, a limit on the size of files, a signal in the midst of
//! writing. Whatever writes leaves what was there as it was.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Run, actforge, line};

const EARLIER: &[u8] = b"earlier";

/// A command that replaces files.
struct Writer {
    name: &'static str,
    /// The directory that it writes into.
    place: PathBuf,
    arguments: Vec<String>,
    /// Whether several files are replaced one by one.
    is_by_file: bool,
    /// What is there before.
    before: BTreeMap<PathBuf, Vec<u8>>,
    /// What it would put there.
    after: BTreeMap<PathBuf, Vec<u8>>,
}

/// Every file below a directory, by its path there.
fn files_below(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let below = path.strip_prefix(directory).unwrap().to_owned();
                files.insert(below, fs::read(path).unwrap());
            }
        }
    }
    files
}

/// Sets every directory below, and this one, to a mode.
fn allow(directory: &Path, mode: u32) {
    let set = || fs::set_permissions(directory, Permissions::from_mode(mode)).unwrap();
    // To look into it takes the permissions that are given, or taken away afterwards.
    if mode & 0o200 != 0 {
        set();
    }
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            allow(&path, mode);
        }
    }
    set();
}

/// The commands that write, each with a place of its own below `root` where something of an earlier run is.
fn writers(root: &Path) -> Vec<Writer> {
    let inputs = root.join("inputs");
    fs::create_dir(&inputs).unwrap();
    line(
        "build --functions relu --range=1,2 --set-name old -o {}/set",
        &inputs,
    )
    .succeeded();
    line("replay {}/set --json {}/report.json", &inputs).succeeded();
    line(
        "build --functions abs --target stock-with-ln --set-name s -o {}/stock-set",
        &inputs,
    )
    .succeeded();
    line("export --format stock {}/stock-set -o {}/stock", &inputs).succeeded();
    let budgets = format!(
        "{}[[rule]]\nfunction = \"*\"\nmax_ulp = 1.0\n",
        "# long\n".repeat(400)
    );
    let commands = [
        (
            "build",
            "build --functions relu --range=1,2 --force -o {out}/set",
            false,
        ),
        ("replay", "replay {in}/set --json {out}/report.json", false),
        (
            "release",
            "release {in}/set --report {in}/report.json -o {out}/out.tar.zst",
            false,
        ),
        (
            "export",
            "export --format c {in}/set --force -o {out}/c",
            true,
        ),
        (
            "report",
            "report {in}/set --replay {in}/report.json -o {out}/page.html",
            false,
        ),
        (
            "plot",
            "plot {in}/set --report {in}/report.json --kind histogram -o {out}/plots",
            true,
        ),
        ("import", "import {in}/stock --force -o {out}/sets", false),
        (
            "stock",
            "stock --target stock-trainium --set small --force -o {out}/sets",
            false,
        ),
        (
            "update",
            "gate {in}/set --budgets {out}/budgets.toml --report {in}/report.json --update",
            false,
        ),
        (
            "gate",
            "gate {in}/set --budgets {in}/budgets.toml --report {in}/report.json --sarif {out}/gate.sarif",
            false,
        ),
    ];
    fs::write(inputs.join("budgets.toml"), &budgets).unwrap();
    let writer = |(name, text, is_by_file): (&'static str, &str, bool)| {
        let place = root.join(name);
        fs::create_dir(&place).unwrap();
        let text = text
            .replace("{in}", inputs.to_str().unwrap())
            .replace("{out}", place.to_str().unwrap());
        let arguments: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if name == "update" {
            fs::write(place.join("budgets.toml"), &budgets).unwrap();
        }
        actforge(&arguments).succeeded();
        let after = files_below(&place);
        for path in after.keys() {
            let earlier = if name == "update" {
                budgets.as_bytes()
            } else {
                EARLIER
            };
            fs::write(place.join(path), earlier).unwrap();
        }
        Writer {
            name,
            before: files_below(&place),
            place,
            arguments,
            is_by_file,
            after,
        }
    };
    commands.into_iter().map(writer).collect()
}

impl Writer {
    /// Nothing was replaced, or with files one by one, some of them as a whole. Only a run that was killed leaves
    /// anything else.
    fn check(&self, was_killed: bool) {
        let found = files_below(&self.place);
        let is_hidden = |path: &Path| {
            let mut parts = path.iter();
            parts.any(|part| part.as_encoded_bytes().starts_with(b"."))
        };
        let named: BTreeMap<_, _> = found
            .iter()
            .filter(|(path, _)| !was_killed || !is_hidden(path))
            .collect();
        let paths: Vec<_> = named.keys().copied().collect();
        assert_eq!(
            paths,
            self.before.keys().collect::<Vec<_>>(),
            "{}",
            self.name
        );
        for (path, bytes) in named {
            let is_new = self.is_by_file && *bytes == self.after[path];
            assert!(
                is_new || *bytes == self.before[path],
                "{}: {} is another file",
                self.name,
                path.display()
            );
        }
    }
}

/// Runs each command in a shell with such a beginning.
fn limited(writers: &[Writer], beginning: &str, check: impl Fn(&Writer, Run)) {
    for writer in writers {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{beginning}; exec \"$@\""), "sh"])
            .arg(env!("CARGO_BIN_EXE_actforge"))
            .args(&writer.arguments)
            .env_remove("CI");
        check(writer, shell.output().unwrap().into());
    }
}

/// The system refuses more than a few hundred bytes in a file: an error like that of a full disk.
#[test]
fn a_file_that_must_not_grow_leaves_what_was_there() {
    let root = tempfile::tempdir().unwrap();
    let writers = writers(root.path());
    limited(&writers, "trap '' XFSZ; ulimit -f 1", |writer, run| {
        run.failed(3, &["cannot", "File too large"]);
        writer.check(false);
    });
}

/// The same, and who writes more is killed: in the midst of it.
#[test]
fn a_run_that_is_killed_while_it_writes_leaves_what_was_there() {
    let root = tempfile::tempdir().unwrap();
    let writers = writers(root.path());
    limited(&writers, "ulimit -c 0; ulimit -f 1", |writer, run| {
        assert_eq!(run.code, None, "{}: {}", writer.name, run.stderr);
        writer.check(true);
    });
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
    const SIZE: usize = 8 << 20;
    let Some(disk) = Small::mount(8 << 20) else {
        eprintln!("skipped: a small file system to fill can be mounted by root alone");
        return;
    };
    let writers = writers(disk.0.path());
    // To the last page.
    let filler = disk.0.path().join("filler");
    let mut length = SIZE;
    while fs::write(&filler, vec![1; length]).is_err() {
        length -= 4096;
    }
    for writer in &writers {
        let mut run = crate::support::command();
        run.args(&writer.arguments);
        let run: Run = run.output().unwrap().into();
        run.failed(3, &["cannot", "No space left"]);
        writer.check(false);
    }
}

#[test]
fn without_permission_nothing_is_touched() {
    // Permissions do not hold for root: then the command runs as nobody.
    let root = tempfile::tempdir().unwrap();
    let is_root = fs::metadata(root.path()).unwrap().uid() == 0;
    let run = |arguments: &[String]| {
        let mut run = if is_root {
            let mut run = Command::new("setpriv");
            run.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
            run.arg(env!("CARGO_BIN_EXE_actforge"));
            run
        } else {
            crate::support::command()
        };
        run.args(arguments).env_remove("CI").output()
    };
    if !run(&["--version".to_owned()]).is_ok_and(|run| run.status.success()) {
        eprintln!("skipped: run as root, and nobody else can run the command");
        return;
    }
    let writers = writers(root.path());
    allow(root.path(), 0o555);
    let runs: Vec<Run> = writers
        .iter()
        .map(|writer| run(&writer.arguments).unwrap().into())
        .collect();
    allow(root.path(), 0o755);
    for (writer, run) in writers.iter().zip(runs) {
        run.failed(3, &["cannot be written", "Permission denied"]);
        writer.check(false);
    }
}
