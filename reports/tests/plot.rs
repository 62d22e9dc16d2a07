//! Plots of invented reports: the same bytes each time, and nothing written for a report that cannot be right.

#[allow(dead_code)]
mod sample;

use std::fs;
use std::path::Path;

use actforge_reports::Report;
use actforge_reports::plot::{PlotError, PlotKind, PlotRequest, plot_fronts, plot_report};
use sample::{EXP, LOG, RELU, STOCK_EXP, TANH};

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The plots of errors alone.
fn errors() -> PlotRequest<'static> {
    PlotRequest::only(&[PlotKind::Error])
}

/// The SVG of a report with one function.
fn svg(report: &Report) -> String {
    let dir = tempfile::tempdir().unwrap();
    let paths = plot_report(report, &errors(), dir.path()).unwrap();
    fs::read_to_string(&paths[1]).unwrap()
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let report = sample::report(&[TANH, EXP, STOCK_EXP, RELU, LOG]);
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let paths = plot_report(&report, &errors(), one.path()).unwrap();
    plot_report(&report, &errors(), two.path()).unwrap();
    let drawn: Vec<_> = paths
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(drawn[..4], ["tanh.png", "tanh.svg", "exp.png", "exp.svg"]);
    assert_eq!(names(one.path()).len(), 10);
    for name in names(one.path()) {
        assert_eq!(
            fs::read(one.path().join(&name)).unwrap(),
            fs::read(two.path().join(&name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn a_png_is_twelve_hundred_by_six_hundred_and_not_blank() {
    let dir = tempfile::tempdir().unwrap();
    let paths = plot_report(&sample::report(&[TANH]), &errors(), dir.path()).unwrap();
    let bytes = fs::read(&paths[0]).unwrap();
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(bytes[16..24], [0, 0, 4, 176, 0, 0, 2, 88]);
    assert!(bytes.len() > 20_000);
}

#[test]
fn the_plot_says_what_the_report_says() {
    let text = svg(&sample::report(&[TANH]));
    assert!(text.starts_with("<svg width=\"1200\" height=\"600\" viewBox=\"0 0 12000 6000\""));
    for said in [
        "\ntanh\n",
        "fp32 · datapath fma · max 0.601 ulp",
        "target cayman",
        "max 0.601 ulp at 0x3e6fffff = 0.23437499",
        "error in fp32 ulp",
        "floor of the fit",
        "small region",
        "large region",
    ] {
        assert!(text.contains(said), "{said}");
    }
}

#[test]
fn an_exact_function_has_no_worst_input() {
    let text = svg(&sample::report(&[RELU]));
    assert!(text.contains("exact (max 0 ulp)") && !text.contains(" ulp at 0x"));
    assert!(!text.contains("not to scale"));
}

#[test]
fn a_nan_is_marked() {
    let mut report = sample::report(&[TANH]);
    let function = &mut report.functions[0];
    function.max_ulp = None;
    function.bucket_rows[20].group.max_ulp = None;
    function.max_ulp_at.as_mut().unwrap().bits = "0x3e000001".to_owned();
    let text = svg(&report);
    assert!(text.contains("NaN where a number is right") && text.contains("NaN at 0x3e000001"));
}

#[test]
fn text_of_the_report_is_escaped_and_cut() {
    let mut report = sample::report(&[TANH]);
    report.set = "<a&b>".repeat(100);
    let text = svg(&report);
    assert!(text.contains("&lt;a&amp;b&gt;") && text.contains('…'));
}

#[test]
fn extreme_numbers_are_drawn() {
    let mut report = sample::report(&[TANH]);
    for (row, error) in
        report.functions[0]
            .bucket_rows
            .iter_mut()
            .zip([f64::MAX, f64::INFINITY, 0.0, 1e-300, -1.0])
    {
        row.group.max_ulp = Some(error);
        row.group.mean_ulp = error;
        row.lower_bound_ulp = Some(error);
    }
    report.functions[0].max_ulp = Some(f64::MAX);
    report.functions[0].octaves[0].exponent = i32::MAX;
    report.functions[0].max_ulp_at.as_mut().unwrap().value = "1".repeat(1000);
    let text = svg(&report);
    assert!(!text.contains("NaN,") && !text.contains("inf"));
}

#[test]
fn a_report_that_contradicts_itself_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("plots");
    type Change = fn(&mut Report);
    let changes: [(Change, &str); 7] = [
        (
            |report| {
                report.functions[0].bucket_rows[0].reached =
                    Some(["1".to_owned(), "0x2".to_owned()])
            },
            "function tanh: reached: expected 0x and 1 to 8 hexadecimal digits, found \"1\"",
        ),
        (
            |report| {
                report.functions[0].bucket_rows[0].reached =
                    Some(["0x+1".to_owned(), "0x2".to_owned()])
            },
            "function tanh: reached: expected 0x and 1 to 8 hexadecimal digits, found \"0x+1\"",
        ),
        (
            |report| {
                report.functions[0].bucket_rows[0].reached =
                    Some(["0x3".to_owned(), "0x2".to_owned()])
            },
            "function tanh: bucket 0: reached: expected the first input not to be above the last, found 0x3 to 0x2",
        ),
        (
            |report| {
                report.functions[0].max_ulp_at.as_mut().unwrap().bits = "0x123456789".to_owned()
            },
            "function tanh: max_ulp_at.bits: expected 0x and 1 to 8 hexadecimal digits, found \"0x123456789\"",
        ),
        (
            |report| report.functions[0].name = "../tanh".to_owned(),
            "function \"../tanh\": name: expected letters, digits, '_', '-' and, not at the start, '.' for the name of a file",
        ),
        (
            |report| report.functions[1].name = "TANH".to_owned(),
            "function TANH: name: expected each function once, found it twice",
        ),
        (
            |report| report.functions.clear(),
            "nothing to plot: expected at least one function, found none",
        ),
    ];
    for (change, message) in changes {
        let mut report = sample::report(&[TANH, RELU]);
        change(&mut report);
        assert_eq!(
            plot_report(&report, &errors(), &out)
                .unwrap_err()
                .to_string(),
            message
        );
        assert!(!out.exists());
    }
}

#[test]
fn files_are_replaced_and_no_partial_ones_stay() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("relu.svg"), "old").unwrap();
    plot_report(&sample::report(&[RELU]), &errors(), dir.path()).unwrap();
    assert_eq!(names(dir.path()), ["relu.png", "relu.svg"]);
    assert_ne!(fs::read(dir.path().join("relu.svg")).unwrap(), b"old");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = plot_report(&sample::report(&[RELU]), &errors(), &file).unwrap_err();
    assert!(
        matches!(&error, PlotError::Write { path, .. } if *path == file),
        "{error}"
    );

    let taken = dir.path().join("taken");
    fs::create_dir_all(taken.join("relu.png")).unwrap();
    let error = plot_report(&sample::report(&[RELU]), &errors(), &taken).unwrap_err();
    assert!(
        matches!(&error, PlotError::Write { path, .. } if path.ends_with("relu.png")),
        "{error}"
    );
    assert_eq!(names(&taken), ["relu.png"]);
}

#[test]
fn fronts_give_the_same_bytes_and_their_labels() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let paths = plot_fronts(&sample::fronts(), one.path()).unwrap();
    plot_fronts(&sample::fronts(), two.path()).unwrap();
    assert_eq!(names(one.path()), ["pareto.png", "pareto.svg"]);
    for name in names(one.path()) {
        assert_eq!(
            fs::read(one.path().join(&name)).unwrap(),
            fs::read(two.path().join(&name)).unwrap(),
            "{name}"
        );
    }
    let text = fs::read_to_string(&paths[1]).unwrap();
    for said in [
        "tanh fp32",
        "gelu fp32",
        "stock exp",
        "stock layout, refitted",
        "floor of the fit",
    ] {
        assert!(text.contains(said), "{said}");
    }
}

#[test]
fn more_fronts_than_colours_and_one_point_alone_are_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let many: Vec<_> = sample::fronts().into_iter().cycle().take(40).collect();
    let paths = plot_fronts(&many, dir.path()).unwrap();
    assert!(fs::read_to_string(&paths[1]).unwrap().contains(" more\n"));
    let mut one = sample::fronts().remove(0);
    one.points.truncate(1);
    one.reference_points.clear();
    let paths = plot_fronts(&[one], dir.path()).unwrap();
    assert!(
        fs::read_to_string(&paths[1])
            .unwrap()
            .contains("buckets against error")
    );
    assert!(plot_fronts(&[], dir.path()).is_err());
}
