//! Help texts, wrong command lines, completions, the catalogue.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::support::{actforge, command, set};

const COMMANDS: [&str; 10] = [
    "functions",
    "build",
    "replay",
    "plot",
    "gate",
    "inspect",
    "eval",
    "merge",
    "pareto",
    "completions",
];

#[test]
fn help_names_every_command_and_every_exit_code() {
    let help = actforge(["--help"]).succeeded().stdout;
    for command in COMMANDS {
        assert!(
            help.contains(&format!("\n  {command} ")),
            "{command}: {help}"
        );
    }
    for code in 0..=4 {
        assert!(help.contains(&format!("\n  {code}  ")), "{code}: {help}");
    }
}

#[test]
fn the_help_of_every_command_has_an_example() {
    for name in COMMANDS {
        let help = actforge([name, "--help"]).succeeded().stdout;
        assert!(help.contains("Example"), "{name}");
        assert!(help.contains(&format!("actforge {name}")), "{name}");
    }
}

#[test]
fn wrong_usage_is_exit_code_2_with_a_line_and_a_hint() {
    actforge(["biuld"]).failed(
        2,
        &[
            "unrecognized subcommand 'biuld'",
            "hint: a similar subcommand exists: 'build'",
        ],
    );
    actforge(["replay"]).failed(2, &["<DIR>"]);
    actforge(["replay", "x", "--datapath", "fam"])
        .failed(2, &["'fam'", "fma, muladd, estrin, mixed"]);
    actforge(["build", "-o", "x"]).failed(
        2,
        &["<SPEC|--functions <NAME,...>|--model <FILE>|--expr <NAME=EXPR>>"],
    );
    actforge(["build", "a.toml", "--functions", "tanh", "-o", "x"])
        .failed(2, &["cannot be used with"]);
    actforge(["build", "a.toml", "--max-ulp", "1", "-o", "x"]).failed(2, &["cannot be used with"]);
    actforge(["build", "--functions", "tanh"]).failed(2, &["--out <DIR>"]);
    actforge(["replay", "x", "--shard", "5/4", "--json", "y"]).failed(2, &["I/N"]);
    actforge(["replay", "x", "--shard", "1/4"]).failed(2, &["--json <FILE>"]);
}

#[test]
fn no_command_shows_the_help_but_is_no_success() {
    let run = actforge::<&str>([]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(
        run.stderr.contains("Usage: actforge <COMMAND>"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(
        actforge(["--version"]).succeeded().stdout,
        format!("actforge {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = actforge(["completions", shell]).succeeded().stdout;
        assert!(script.contains("max-ulp"), "{shell}");
    }
}

#[test]
fn the_catalogue_marks_ids_of_our_own() {
    let text = actforge(["functions"]).succeeded().stdout;
    assert!(
        text.lines()
            .any(|line| line.starts_with("tanh ") && line.contains(" 6 ")),
        "{text}"
    );
    assert!(
        text.lines()
            .any(|line| line.starts_with("derivative_tanh ") && line.contains(" 204* ")),
        "{text}"
    );
    let json = actforge(["functions", "--json"]).succeeded().json();
    let functions = json["functions"].as_array().unwrap();
    let exp = functions
        .iter()
        .find(|function| function["name"] == "exp")
        .unwrap();
    assert_eq!(
        (exp["func_id"].as_u64(), exp["table_driven"].as_bool()),
        (Some(7), Some(true))
    );
}

#[test]
fn a_reader_that_leaves_is_not_complained_about() {
    let mut child = command()
        .args(["inspect", "--json"])
        .arg(set())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than a pipe holds is still to come when the reader leaves.
    let mut first = [0];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), b"".as_slice())
    );
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        eprintln!("skipped: this system has no /dev/full");
        return;
    }
    let sink = std::fs::OpenOptions::new().write(true).open(full).unwrap();
    let output = command()
        .arg("functions")
        .stdout(sink)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("standard output: cannot be written")
    );
}
