//! `actforge diff`: equal and different, sets and reports.

use std::fs;

use actforge_engine::{EngineConfig, Function};
use actforge_tables::{Bucket, FunctionSet};

use crate::support::{actforge, line, set};

/// A set as the shared one, with `edit` made to the arguments of its build.
fn build(text: &str, path: &std::path::Path) {
    line(text, path).succeeded();
}

#[test]
fn a_set_is_equal_to_itself() {
    let run = actforge(["diff".as_ref(), set().as_os_str(), set().as_os_str()]).succeeded();
    assert!(
        run.stdout
            .contains("equal: 2 functions, every entry and all 4294967296 results of each"),
        "{}",
        run.stdout
    );
    let json = actforge([
        "diff".as_ref(),
        set().as_os_str(),
        set().as_os_str(),
        "--json".as_ref(),
    ])
    .succeeded()
    .json();
    assert_eq!(
        (&json["equal"], &json["kind"], &json["schema_version"]),
        (&true.into(), &"sets".into(), &1.into())
    );
}

/// What a reviewer reads when one bit of a release is not what it was.
#[test]
fn one_bit_is_named_with_its_bucket_its_inputs_and_what_it_changes() {
    let directory = tempfile::tempdir().unwrap();
    let other = directory.path().join("flipped");
    let old = FunctionSet::read_dir(set()).unwrap();
    let mut new = old.clone();
    let entry = old.function("tanh").unwrap().clone();
    let octave = old.octaves(&entry).unwrap().pop().unwrap();
    let index = octave.buckets.start;
    let mut words = new.buckets[index].to_words();
    words[1] ^= 1 << 2;
    new.buckets[index] = Bucket::from_words(words);
    new.write_dir(&other).unwrap();

    // The octave's first bucket, on both sides of zero, one input at a time.
    let [f, g] = [&old, &new]
        .map(|set| Function::from_set(set, &entry, EngineConfig::from(set.datapath)).unwrap());
    let first = ((i32::from(octave.exponent) + 127) as u32) << 23 | octave.mantissas.0;
    let last = first | ((1 << octave.word.lsb) - 1);
    let inputs = (first..=last).flat_map(|bits| [bits, bits | 1 << 31]);
    let count = inputs.clone().count();
    let changed = inputs.filter(|bits| {
        let [a, b] = [&f, &g].map(|function| function.eval(f32::from_bits(*bits)).to_bits());
        a != b
    });
    let changed = changed.count();
    assert!(changed > 0 && changed < count, "{changed} of {count}");

    let run = actforge(["diff".as_ref(), set().as_os_str(), other.as_os_str()]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let [least, greatest] = [first, last].map(f32::from_bits);
    for part in [
        format!(
            "bucket {index}, inputs {least:?} ({first:#010x}) to {greatest:?} ({last:#010x}) and -{least:?}"
        ),
        format!("{changed} of {count} results changed"),
        format!("({:#010x})", words[1]),
        format!("tanh      changed        1  {changed:>7}"),
        "relu      equal          0        0".to_owned(),
    ] {
        assert!(run.stdout.contains(&part), "{part}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("d0"), "{}", run.stdout);
}

#[test]
fn another_fit_is_told_field_by_field() {
    let directory = tempfile::tempdir().unwrap();
    let other = directory.path().join("other");
    // The same buckets and another method: other coefficients, other results.
    build(
        "build --functions tanh,relu --max-ulp 8 --method minimax --set-name small -o {}",
        &other,
    );
    let paths = [set().as_os_str(), other.as_os_str()];
    let run = actforge(["diff".as_ref(), paths[0], paths[1]]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(1), ""),
        "{}",
        run.stdout
    );
    for part in [
        "old: set small",
        "tanh",
        "changed",
        "first changed result: at ",
        "bucket ",
        "results changed",
        "d0",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let json = actforge(["diff".as_ref(), paths[0], paths[1], "--json".as_ref()]).json();
    assert_eq!(json["equal"], false);
    let functions = json["functions"].as_array().unwrap();
    let tanh = functions
        .iter()
        .find(|function| function["name"] == "tanh")
        .unwrap();
    assert_eq!(tanh["status"], "changed");
    assert_eq!(tanh["outputs"]["compared"], 1_u64 << 32);
    assert!(tanh["outputs"]["changed"].as_u64().unwrap() > 0);
    let relu = functions
        .iter()
        .find(|function| function["name"] == "relu")
        .unwrap();
    assert_eq!(relu["outputs"]["changed"], 0);
}

#[test]
fn reports_are_compared_figure_by_figure() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    for (name, datapath) in [("a", "fma"), ("b", "fma"), ("c", "muladd")] {
        let text = format!(
            "replay {} --input bf16 --datapath {datapath} --json {{}}/{name}",
            set().display()
        );
        line(&text, here).succeeded();
    }
    let run = line("diff {}/a {}/b", here).succeeded();
    assert_eq!(run.stdout, "equal: every figure of 2 functions\n");
    let run = line("diff {}/a {}/c", here);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for part in [
        "datapath: fma -> muladd",
        "relu: equal",
        "tanh: changed",
        "mean_ulp",
        "octaves ",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let json = line("diff {}/a {}/c --json", here).json();
    assert_eq!(
        (&json["kind"], &json["equal"]),
        (&"reports".into(), &false.into())
    );
}

#[test]
fn what_cannot_be_compared_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.json");
    fs::write(&file, "{}").unwrap();
    let text = format!("diff {} {{}}", set().display());
    line(&text, &file).failed(2, &["is the directory of a set", "two sets or two reports"]);
    line(&text, &directory.path().join("missing")).failed(3, &["missing", "cannot be read"]);
    line("diff {} {}", &file).failed(3, &["not a report"]);
}
