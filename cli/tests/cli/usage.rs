//! Help texts, wrong command lines, completions, the catalogue.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::support::{Run, actforge, command, set};

const COMMANDS: [&str; 12] = [
    "functions",
    "build",
    "replay",
    "plot",
    "report",
    "diff",
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
    actforge(["build", "--functions", "relu", "--set-name=-x", "-o", "x"])
        .failed(2, &["does not begin with -", "`actforge build --help`"]);
    actforge(["replay", "x", "--shard", "5/4", "--json", "y"]).failed(2, &["I/N"]);
    actforge(["replay", "x", "--shard", "1/4"]).failed(2, &["--json <FILE>"]);
}

/// Commands that end in files or in text have a form for scripts, and all of them can be silent.
#[test]
fn every_command_speaks_json_and_can_be_quiet() {
    let named = [
        "functions",
        "build",
        "replay",
        "plot",
        "report",
        "gate",
        "inspect",
        "eval",
        "diff",
        "merge",
        "pareto",
        "export",
        "import",
        "lint",
        "stock",
    ];
    for name in named {
        let help = actforge([name, "--help"]).succeeded().stdout;
        assert!(help.contains("--json"), "{name}");
        assert!(help.contains("--quiet"), "{name}");
    }
    assert_eq!(actforge(["functions", "--quiet"]).succeeded().stdout, "");
    assert_eq!(actforge(["-q", "inspect"]).code, Some(2));
    let inspect = |further: &str| {
        let set = set().to_str().unwrap();
        actforge(["--quiet", "inspect", set, further])
            .succeeded()
            .stdout
    };
    assert_eq!(inspect("--buckets"), "");
    assert!(inspect("--json").starts_with("{\n  \"schema_version\": 1,"));
    actforge(["--quiet", "inspect", "missing"]).failed(3, &["missing"]);
}

/// Pipes hold plain text, whatever the terminal could do.
#[test]
fn there_is_no_colour_in_a_pipe() {
    let output = command()
        .arg("inspect")
        .arg(set())
        .env("TERM", "xterm-256color")
        .output()
        .unwrap();
    assert!(output.status.success() && !output.stdout.contains(&0x1b));
    let output = command()
        .args(["inspect", "missing"])
        .env("TERM", "xterm-256color")
        .output()
        .unwrap();
    assert!(!output.stderr.contains(&0x1b));
}

#[test]
fn what_was_built_is_said_in_json() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("set");
    let text = "build --functions relu,tanh --max-ulp 8 --set-name small --json -o {}";
    for status in ["written", "unchanged"] {
        let json = crate::support::line(text, &out).succeeded().json();
        assert_eq!(
            (&json["status"], &json["name"]),
            (&status.into(), &"small".into())
        );
        assert_eq!(json["path"], out.to_str().unwrap());
        assert_eq!(json["functions"][1]["name"], "tanh");
        assert!(json["functions"][1]["measured_ulp"].as_f64().unwrap() <= 8.0);
        assert_eq!(json["tables"]["profile"]["entries"], 2);
    }
    let files = directory.path().join("c");
    let text = format!("export {} --format c --json -o {{}}", out.display());
    let json = crate::support::line(&text, &files).succeeded().json();
    let written = json["files"].as_array().unwrap();
    assert!(!written.is_empty());
    assert!(
        written
            .iter()
            .all(|path| Path::new(path.as_str().unwrap()).is_file())
    );
}

#[test]
fn no_command_shows_the_help_but_is_no_success() {
    let run = actforge::<&str>([]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(
        run.stderr.contains("Usage: actforge [OPTIONS] <COMMAND>"),
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

#[test]
fn a_directory_is_not_standard_output() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [
        ["build", "--functions", "relu", "-o", "-"].as_slice(),
        &["pareto", "relu", "--dtype", "bf16", "-o", "-"],
        &["stock", "--target", "stock-trainium", "-o", "-"],
    ] {
        let mut run = command();
        let run = run.args(arguments).current_dir(directory.path());
        Run::from(run.output().unwrap()).failed(2, &["-: expected a directory", "./-"]);
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
