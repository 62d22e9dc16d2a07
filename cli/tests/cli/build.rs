//! `actforge build`: specifications, flags, models, caching, determinism, refusals.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{actforge, command, contents, line};

const SPEC: &str = r#"
[set]
name = "core"

[[function]]
name = "tanh"
max_ulp = 8.0
"#;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/models")
}

#[test]
fn a_set_is_built_once_and_again_only_by_force() {
    let directory = tempfile::tempdir().unwrap();
    let (spec, out) = (
        directory.path().join("core.toml"),
        directory.path().join("out"),
    );
    fs::write(&spec, SPEC).unwrap();
    let build = |further: &[&str]| {
        let mut build = command();
        build
            .arg("build")
            .arg(&spec)
            .arg("-o")
            .arg(&out)
            .args(further);
        crate::support::Run::from(build.output().unwrap())
            .succeeded()
            .stdout
    };
    let first = build(&[]);
    assert!(
        first.contains("written to") && first.contains("tanh"),
        "{first}"
    );
    let files = contents(&out);
    assert_eq!(files.len(), 7);
    assert!(build(&[]).contains("unchanged"));
    // Comments and formatting are not what a specification is.
    fs::write(&spec, format!("# a comment\n{SPEC}")).unwrap();
    assert!(build(&[]).contains("unchanged"));
    assert!(build(&["--force"]).contains("written to"));
    assert_eq!(contents(&out), files);
    fs::write(&spec, SPEC.replace("8.0", "9.0")).unwrap();
    assert!(build(&[]).contains("written to"));
}

#[test]
fn an_open_side_of_a_range_reaches_to_the_last_number() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    line(
        "build --functions tanh --max-ulp 1000 --range=-inf,0.5 -o {}/out",
        here,
    )
    .succeeded();
    let shown = line("inspect {}/out", here).succeeded().stdout;
    assert!(
        shown.contains("range        [-3.4028235e38, 0.5]"),
        "{shown}"
    );
    // The specification says what was asked for.
    let spec = fs::read_to_string(here.join("out/spec.toml")).unwrap();
    assert!(
        spec.contains("range = [\"0xff800000\", \"0x3f000000\"]"),
        "{spec}"
    );
    line("verify {}/out", here).succeeded();
    line("build --functions tanh --range 2,1 -o {}/other", here).failed(
        2,
        &[
            "expected two numbers, the smaller one first",
            "`actforge build --help`",
        ],
    );
}

#[test]
fn hints_of_names_say_what_helps() {
    let directory = tempfile::tempdir().unwrap();
    for (flags, hint) in [
        ("--functions tanh,tanh", "hint: leave one of the two out"),
        (
            "--functions tahn",
            "hint: `actforge functions` lists the catalogue",
        ),
        (
            "--functions tanh --set-name A",
            "hint: `actforge build --help` explains the flags",
        ),
    ] {
        let build = format!("build {flags} -o {{}}/out");
        line(&build, directory.path()).failed(2, &[hint]);
    }
}

#[test]
fn a_damaged_set_is_built_again() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let build = || {
        line("build --functions relu -o {}", &out)
            .succeeded()
            .stdout
    };
    build();
    fs::write(out.join("bucket.bin"), "").unwrap();
    assert!(build().contains("written to"));
    assert!(build().contains("unchanged"));
}

#[test]
fn the_same_bytes_with_one_thread_and_with_two() {
    let directory = tempfile::tempdir().unwrap();
    let built = ["1", "2"].map(|threads| {
        let out = directory.path().join(threads);
        let mut build = command();
        build.env("RAYON_NUM_THREADS", threads).args([
            "build",
            "--functions",
            "relu,tanh",
            "--max-ulp",
            "8",
            "-o",
        ]);
        let run: crate::support::Run = build.arg(&out).output().unwrap().into();
        run.succeeded();
        contents(&out)
    });
    assert!(built[0] == built[1]);
}

#[test]
fn dry_runs_show_the_specification_and_write_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let shown = line(
        "build --functions tanh --buckets 256 --range=-4,0x1p3 --dry-run -o {}",
        &out,
    )
    .succeeded()
    .stdout;
    assert!(
        shown.contains("buckets = 256\nrange = [\"0xc0800000\", \"0x41000000\"]"),
        "{shown}"
    );
    assert!(!out.exists());
    // What is shown is a specification itself.
    let spec = directory.path().join("spec.toml");
    fs::write(&spec, &shown).unwrap();
    assert_eq!(line("build {} --dry-run", &spec).succeeded().stdout, shown);
}

#[test]
fn models_say_what_they_need_and_why() {
    let onnx = line("build --dry-run --model {}", &models().join("mlp.onnx"))
        .succeeded()
        .stdout;
    for part in [
        "ONNX model",
        "\n  gelu\n",
        "\n  exp\n",
        "because of",
        "name = \"gelu\"",
    ] {
        assert!(onnx.contains(part), "{part}: {onnx}");
    }
    let config = line(
        "build --dry-run --model {} --set-name bert",
        &models().join("bert-tiny-config.json"),
    );
    let config = config.succeeded().stdout;
    for part in [
        "Hugging Face",
        "\n  gelu\n",
        "hidden_act",
        "name = \"bert\"",
    ] {
        assert!(config.contains(part), "{part}: {config}");
    }
}

#[test]
fn models_say_what_is_not_known() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config.json");
    fs::write(&config, r#"{"model_type": "x", "hidden_act": "prelu"}"#).unwrap();
    let shown = line("build --dry-run --model {}", &config)
        .succeeded()
        .stdout;
    assert!(
        shown.contains("\n  parametric_relu\n") && shown.contains("name = \"parametric_relu\""),
        "{shown}"
    );
    fs::write(&config, r#"{"model_type": "x", "hidden_act": "xielu"}"#).unwrap();
    let shown = line("build --dry-run --model {}", &config)
        .succeeded()
        .stdout;
    assert!(
        shown.contains("\"xielu\" - not known as an activation"),
        "{shown}"
    );
}

#[test]
fn unknown_functions_come_with_a_suggestion() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    line("build --functions tnah -o {}", &out).failed(2, &["\"tnah\"", "did you mean tanh?"]);
    let spec = directory.path().join("spec.toml");
    fs::write(&spec, SPEC.replace("tanh", "swish")).unwrap();
    line("build {} --dry-run", &spec).failed(3, &["spec.toml:6:", "did you mean silu?"]);
    assert!(!out.exists());
}

#[test]
fn a_misspelt_key_is_named_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let spec = directory.path().join("spec.toml");
    fs::write(&spec, SPEC.replace("max_ulp", "max_upl")).unwrap();
    line("build {} --dry-run", &spec)
        .failed(3, &["spec.toml:7:", "max_upl", "did you mean max_ulp?"]);
    fs::write(&spec, "[set\n").unwrap();
    line("build {} --dry-run", &spec).failed(3, &["spec.toml:1:", "not valid TOML"]);
    line("build {}/missing.toml --dry-run", directory.path())
        .failed(3, &["missing.toml: cannot be read"]);
}

#[test]
fn what_cannot_be_met_is_said_and_leaves_no_set() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    // Rounding alone costs half an ulp.
    line("build --functions tanh --max-ulp 0.4 -o {}", &out).failed(1, &["tanh"]);
    assert!(!out.exists());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_place_that_cannot_be_written_is_found_before_the_work() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "kept").unwrap();
    // Also for the superuser: nothing lies below a file.
    line("build --functions tanh -o {}/out", &file)
        .failed(3, &["cannot be written", "to be a directory, found a file"]);
    line("build --functions tanh -o {}", &file).failed(3, &["cannot be written"]);
    line("build --functions tanh -o {}", directory.path()).failed(3, &["no set.json"]);
    assert_eq!(
        contents(directory.path()),
        [("file".to_owned(), b"kept".to_vec())]
    );
}

#[test]
fn explanations_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let plain = line("build --functions tanh --max-ulp 8 -o {}", &out)
        .succeeded()
        .stdout;
    let explained = line(
        "build --functions tanh --max-ulp 8 --force --explain -o {}",
        &out,
    )
    .succeeded()
    .stdout;
    assert!(
        explained.ends_with(&plain) && explained.len() > plain.len(),
        "{explained}"
    );
}

#[test]
fn input_that_is_no_model_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let model = directory.path().join("model.onnx");
    fs::write(&model, "plain text").unwrap();
    line("build --dry-run --model {}", &model).failed(3, &["model.onnx", "expected an ONNX model"]);
    actforge(["build", "--dry-run", "--model", "/nowhere/model.onnx"])
        .failed(3, &["cannot be read"]);
}

#[test]
fn a_model_that_one_set_does_not_hold_gets_several() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("list"), "ln\nreciprocal\nrelu\n").unwrap();
    // Each of the first two takes 80 of 128 control words, one for an octave.
    let build = "build --model {}/list --max-ulp 0.52 --dtype bf16 --set-name pair";
    let bounded = format!("{build} --range=1e-12,1e12");
    line(&format!("{bounded} --one-set -o {{}}/one"), here)
        .failed(1, &["control words", "target cayman has 128"]);
    assert!(!here.join("one").exists());
    let shown = line(&format!("{bounded} -o {{}}/sets --json"), here)
        .succeeded()
        .json();
    let sets = shown["sets"].as_array().unwrap();
    assert_eq!(sets.len(), 2, "{shown}");
    assert_eq!(
        (&sets[0]["name"], &sets[1]["name"]),
        (&"pair-0".into(), &"pair-1".into())
    );
    assert_eq!(sets[0]["functions"][0]["name"], "ln");
    // Each is a set that is made again from what it holds, and both are a roster.
    for place in 0..2 {
        line(&format!("verify {{}}/sets/pair-{place}"), here).succeeded();
    }
    let plan = line("plan {}/list --no-tailored --roster {}/sets --json", here)
        .succeeded()
        .json();
    assert_eq!(plan["roster"]["sets"], 2);
    assert_eq!(plan["in_no_set"], serde_json::json!([]));
    // A set is not replaced by several.
    line("build --functions relu -o {}/other", here).succeeded();
    line(&format!("{bounded} -o {{}}/other"), here).failed(3, &["found a set", "--one-set"]);
    assert!(here.join("other/set.json").is_file());
}

#[test]
fn force_replaces_what_an_earlier_build_of_a_model_left_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let list = |text: &str| fs::write(here.join("list"), text).unwrap();
    let build = "build --model {}/list --max-ulp 0.52 --dtype bf16 --range=1e-12,1e12 --set-name pair -o {}/sets";
    let names = || {
        let mut names: Vec<String> = fs::read_dir(here.join("sets"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    list("ln\nreciprocal\nrelu\n");
    line(build, here).succeeded();
    // Not without being told to, before anything is fitted.
    line(build, here).failed(3, &["found sets of an earlier build", "--force"]);
    // One set more, then one alone, then two in its place.
    list("ln\nreciprocal\nsqrt\nrelu\n");
    line(&format!("{build} --force"), here).succeeded();
    assert_eq!(names().len(), 3, "{:?}", names());
    line("verify {}/sets/pair-2", here).succeeded();
    list("relu\n");
    line(&format!("{build} --force"), here).succeeded();
    line("verify {}/sets", here).succeeded();
    list("ln\nreciprocal\n");
    line(&format!("{build} --force"), here).succeeded();
    assert_eq!(names(), ["pair-0", "pair-1"]);
    // Files, sets and links of others stay where they are.
    fs::write(here.join("sets/pair-1/notes"), "mine").unwrap();
    line(&format!("{build} --force"), here).failed(3, &["pair-1/notes"]);
    fs::rename(here.join("sets/pair-1/notes"), here.join("sets/notes")).unwrap();
    line(&format!("{build} --force"), here).failed(3, &["sets/notes"]);
    fs::remove_file(here.join("sets/notes")).unwrap();
    line("build --functions relu -o {}/sets/other", here).succeeded();
    line(&format!("{build} --force"), here).failed(3, &["sets/other"]);
    assert_eq!(names(), ["other", "pair-0", "pair-1"]);
    line("verify {}/sets/pair-0", here).succeeded();
}

#[test]
fn explanations_of_a_model_say_what_bf16_would_allow() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("list"), "sigmoid\nrelu\n").unwrap();
    fs::write(
        here.join("bins.csv"),
        "function,lower,upper,count\nsigmoid,1,2,10\n",
    )
    .unwrap();
    let shown = line(
        "build --model {}/list --max-ulp 64 --histogram {}/bins.csv --explain -o {}/set",
        here,
    )
    .succeeded()
    .stdout;
    for expected in [
        "what each function got",
        "if the model reads bf16 results: what 0.52 bf16 ulp need",
        "hard_sigmoid in place of sigmoid in bf16: at most ",
        "sigmoid: where its inputs fall: mean error ",
        "bins.csv has no bins of relu",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let again = line(
        "build --model {}/list --max-ulp 64 --histogram {}/bins.csv --json -o {}/set",
        here,
    );
    let again = again.succeeded().json();
    assert_eq!(again["status"], "unchanged");
    assert_eq!(again["weighted"][0]["function"], "sigmoid");
    assert_eq!(again["weighted"][0]["weighted"]["inside"], 1.0);
}
