//! `--histogram`: the mean error where inputs really fall, beside the largest.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{line, set};

/// Half of the weight on one number that relu is exact at, the rest where tanh is 1 or beyond all numbers.
const BINS: &str = "function,lower,upper,count\ntanh,-4,-0.5,3\ntanh,0.5,0.5,1\ntanh,10,inf,1\n";

fn bins(directory: &Path, text: &str) {
    fs::write(directory.join("bins.csv"), text).unwrap();
}

fn replay(directory: &Path, rest: &str) -> crate::support::Run {
    line(
        &format!(
            "replay {} --input bf16 --histogram {{}}/bins.csv {rest}",
            set().display()
        ),
        directory,
    )
}

#[test]
fn a_replay_says_the_mean_beside_the_maximum() {
    let here = tempfile::tempdir().unwrap();
    bins(here.path(), BINS);
    let shown = replay(here.path(), "").succeeded().stdout;
    assert!(
        shown.contains("tanh: where its inputs fall: mean error "),
        "{shown}"
    );
    assert!(
        shown.contains("over 80.0000 % of the weight; 20.0000 % is in open bins"),
        "{shown}"
    );
    assert!(shown.contains("bins.csv has no bins of relu"), "{shown}");
    let with = replay(here.path(), "--json -").succeeded().json();
    let plain = line(
        &format!("replay {} --input bf16 --json -", set().display()),
        here.path(),
    )
    .succeeded()
    .json();
    let weighted = &with["functions"][1]["weighted"];
    assert_eq!(
        (&weighted["bins"], &weighted["count"]),
        (&Value::from(3), &Value::from(5.0))
    );
    assert_eq!(
        (&weighted["inside"], &weighted["open"]),
        (&Value::from(0.8), &Value::from(0.2))
    );
    let mean = weighted["mean_ulp"].as_f64().unwrap();
    assert!(mean > 0.0 && mean < with["functions"][1]["max_ulp"].as_f64().unwrap());
    // An ulp of values from 0.46 to 1 is between 2^-25 and 2^-24.
    let absolute = weighted["mean_absolute"].as_f64().unwrap();
    assert!(absolute >= mean * 2f64.powi(-25) * 0.999 && absolute <= mean * 2f64.powi(-24) * 1.001);
    // Everything else is as it is without a histogram.
    let mut rest = with.clone();
    rest["functions"][1]
        .as_object_mut()
        .unwrap()
        .remove("weighted");
    assert_eq!(rest, plain);
}

#[test]
fn the_page_shows_both() {
    let here = tempfile::tempdir().unwrap();
    bins(here.path(), BINS);
    let set = set().display();
    line(
        &format!("replay {set} --input bf16 --json {{}}/report.json"),
        here.path(),
    )
    .succeeded();
    line(
        &format!(
            "report {set} --replay {{}}/report.json --histogram {{}}/bins.csv -o {{}}/page.html"
        ),
        here.path(),
    )
    .succeeded();
    let page = fs::read_to_string(here.path().join("page.html")).unwrap();
    for expected in [
        "weighted mean",
        "mean error where inputs fall",
        "the histogram has no bins of it",
        "20.0000 % in open bins",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn wrong_histograms_are_refused_with_their_place() {
    let here = tempfile::tempdir().unwrap();
    for (text, parts) in [
        (
            "function,lower,upper,count\ntanh,0,1,2\ntanh,0.5,2,1\n",
            &[
                "bins.csv:3: lower: expected bins of tanh that do not overlap",
                "examples/activations.csv",
            ][..],
        ),
        (
            "function,lower,upper,weight\n",
            &["bins.csv:1", "unknown column \"weight\""],
        ),
        (
            "function,lower,upper,count\ntanh,0,1,2\nexp,0,1,2\ngelu,0,1,2\n",
            &[
                "expected bins of functions of set small, found bins of \"exp\", \"gelu\"",
                "it has relu, tanh",
            ],
        ),
    ] {
        bins(here.path(), text);
        replay(here.path(), "").failed(3, parts);
    }
    fs::remove_file(here.path().join("bins.csv")).unwrap();
    replay(here.path(), "").failed(3, &["bins.csv"]);
    bins(here.path(), BINS);
    replay(here.path(), "--shard 1/2 --json {}/part.json").failed(2, &["--histogram"]);
    replay(here.path(), "--range=-1,1").failed(2, &["found --range", "bins of the range alone"]);
    let set = set().display();
    let report = format!("report {set} -o {{}}/page.html --histogram {{}}/bins.csv --range=-1,1");
    line(&report, here.path()).failed(2, &["found --range"]);
    // A range that an earlier report would not take up either.
    let earlier = format!("report {set} -o {{}}/page.html --replay {{}}/report.json --range=-1,1");
    line(&earlier, here.path()).failed(2, &["--range"]);
    assert!(!here.path().join("page.html").exists());
}
