//! Plots compared by what they show, not by how they look: the series of their SVGs, point by point.
//!
//! `tests/golden` holds them. After a change that is meant, `ACTFORGE_GOLDEN=write cargo test -p actforge-reports --test
//! golden` writes them again, and the difference is to be read like any other.

#[allow(dead_code)]
mod sample;

use std::fmt::Write;
use std::path::Path;

use actforge_reports::plot::{Figure, PlotKind, PlotRequest, figures, front_data, plot_fronts};
use actforge_reports::{Course, CoursePoint, Report};
use roxmltree::{Document, Node};
use sample::{EXP, LOG, RELU, STOCK_EXP, TANH};

/// The series of an SVG: a line with the name of each, then its shapes in whole units of a tenth of a point.
fn series(svg: &str) -> String {
    let document = Document::parse(svg).unwrap();
    let mut text = String::new();
    for group in document.descendants() {
        let Some(name) = group.attribute("data-series") else {
            continue;
        };
        writeln!(text, "{name}").unwrap();
        for shape in group.children().filter(Node::is_element) {
            let at = |name| shape.attribute(name).unwrap();
            match shape.tag_name().name() {
                "polyline" => writeln!(text, "  line {}", at("points").trim()).unwrap(),
                "rect" => writeln!(
                    text,
                    "  rect {},{} {}x{} {}",
                    at("x"),
                    at("y"),
                    at("width"),
                    at("height"),
                    at("fill")
                )
                .unwrap(),
                "circle" => writeln!(text, "  disc {},{}", at("cx"), at("cy")).unwrap(),
                other => panic!("a series of {other}"),
            }
        }
    }
    text
}

fn compare(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
        .with_extension("txt");
    if std::env::var_os("ACTFORGE_GOLDEN").is_some_and(|wanted| wanted == "write") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; the first line of this file says how to make it",
            path.display()
        )
    });
    let lines = expected.lines().zip(found.lines()).enumerate();
    for (k, (expected, found)) in lines {
        assert_eq!(expected, found, "{name}, line {}", k + 1);
    }
    assert_eq!(
        expected.lines().count(),
        found.lines().count(),
        "{name}: lines"
    );
}

/// x / (1 + |x|), close enough to a table's results to be drawn with them.
fn course() -> Course {
    let point = |k: i32| {
        let x = f32::powi(2.0, k % 24 - 14) * if k < 24 { -1.0 } else { 1.0 };
        let value = f64::from(x) / (1.0 + f64::from(x.abs()));
        CoursePoint {
            bits: x.to_bits(),
            result: value as f32,
            value,
        }
    };
    Course {
        function: "tanh".to_owned(),
        definition: "x / (1 + |x|)".to_owned(),
        points: (0..24).rev().chain(24..48).map(point).collect(),
    }
}

fn drawn(report: &Report, function: usize, request: &PlotRequest<'_>) -> Vec<Figure> {
    figures(report, &report.functions[function], request).unwrap()
}

#[test]
fn every_series_of_every_plot() {
    let report = sample::report(&[TANH, EXP, STOCK_EXP, RELU, LOG]);
    let mut older = sample::report(&[TANH]);
    for row in &mut older.functions[0].bucket_rows {
        row.group.max_ulp = row.group.max_ulp.map(|max| max + 0.25);
    }
    let courses = [course()];
    let request = PlotRequest {
        courses: &courses,
        older: Some(&older),
        budgets: vec![("tanh".to_owned(), 1.0)],
        ..PlotRequest::default()
    };
    let kinds: Vec<PlotKind> = drawn(&report, 0, &request)
        .iter()
        .map(|figure| figure.kind)
        .collect();
    assert_eq!(kinds, PlotKind::ALL);
    for figure in drawn(&report, 0, &request) {
        compare(&figure.name, &series(&figure.svg().unwrap()));
    }
    for (function, kind) in [
        (1, PlotKind::Error),
        (2, PlotKind::Error),
        (3, PlotKind::Heat),
        (4, PlotKind::Heat),
    ] {
        for figure in drawn(&report, function, &PlotRequest::only(&[kind])) {
            compare(&figure.name, &series(&figure.svg().unwrap()));
        }
    }
}

#[test]
fn fronts() {
    let dir = tempfile::tempdir().unwrap();
    let paths = plot_fronts(&sample::fronts(), dir.path()).unwrap();
    compare(
        "pareto",
        &series(&std::fs::read_to_string(&paths[1]).unwrap()),
    );
}

/// The line through the largest errors stands where the rows of the report say, bucket by bucket.
#[test]
fn the_envelope_is_that_of_the_report() {
    let report = sample::report(&[TANH]);
    let figure = drawn(&report, 0, &PlotRequest::only(&[PlotKind::Error])).remove(0);
    let svg = figure.svg().unwrap();
    let document = Document::parse(&svg).unwrap();
    let group = document
        .descendants()
        .find(|node| node.attribute("data-series") == Some("maximum"));
    let lines = group.unwrap().children().filter(Node::is_element);
    let points: Vec<Vec<(f64, f64)>> = lines
        .map(|line| {
            let points = line.attribute("points").unwrap().split_whitespace();
            points
                .map(|pair| {
                    let (x, y) = pair.split_once(',').unwrap();
                    (x.parse().unwrap(), y.parse().unwrap())
                })
                .collect()
        })
        .collect();
    let height = |x: f64| {
        let mut steps = points.iter().flat_map(|line| line.windows(2));
        steps
            .find(|pair| pair[0].0 <= x && x < pair[1].0)
            .map(|pair| pair[0].1)
    };
    let mut seen: Vec<(f64, f64)> = Vec::new();
    for place in figure
        .places()
        .iter()
        .filter(|place| place.right - place.left >= 2.0)
    {
        let rows = &report.functions[0].bucket_rows;
        let row = rows.iter().find(|row| row.index == place.bucket).unwrap();
        let y = height(5.0 * (place.left + place.right)).unwrap();
        seen.push((row.group.max_ulp.unwrap(), y));
    }
    assert!(seen.len() > 30, "{}", seen.len());
    // A linear axis: two errors that are far apart say where all others have to be.
    let by_error = |a: &&(f64, f64), b: &&(f64, f64)| a.0.total_cmp(&b.0);
    let (low, high) = (
        seen.iter().min_by(by_error).unwrap(),
        seen.iter().max_by(by_error).unwrap(),
    );
    let slope = (high.1 - low.1) / (high.0 - low.0);
    assert!(slope < 0.0);
    for (error, y) in &seen {
        let expected = low.1 + slope * (error - low.0);
        assert!(
            (y - expected).abs() <= 2.0,
            "{error}: {y} instead of {expected}"
        );
    }
}

#[test]
fn data_is_that_of_the_report() {
    let report = sample::report(&[TANH]);
    let figure = drawn(&report, 0, &PlotRequest::only(&[PlotKind::Error])).remove(0);
    let (name, data) = figure.data().remove(0);
    assert_eq!((name.as_str(), data.plot), ("tanh", "error"));
    let rows = &report.functions[0].bucket_rows;
    // Each bucket stands on both sides, since the function is folded.
    assert_eq!(data.rows.len(), 2 * rows.len());
    for row in &data.rows {
        let bucket = &rows[row[3].as_u64().unwrap() as usize];
        assert_eq!(row[5].as_f64(), bucket.group.max_ulp);
        assert_eq!(row[7].as_f64(), bucket.lower_bound_ulp);
    }
    let text = data.to_csv().unwrap();
    assert!(text.starts_with(
        "sign,from_log2,to_log2,bucket,region,max_ulp,mean_ulp,lower_bound_ulp\nnegative,-149.0,"
    ));
}

#[test]
fn the_document_names_every_column_and_every_mark() {
    let document = include_str!("../../docs/report.md");
    let report = sample::report(&[TANH]);
    let courses = [course()];
    let request = PlotRequest {
        courses: &courses,
        older: Some(&report),
        ..PlotRequest::default()
    };
    let figures = drawn(&report, 0, &request);
    let mut tables: Vec<_> = figures
        .iter()
        .flat_map(Figure::data)
        .map(|(_, data)| data)
        .collect();
    tables.push(front_data(&sample::fronts()));
    assert_eq!(tables.len(), 7);
    for data in tables {
        let columns: Vec<String> = data
            .columns
            .iter()
            .map(|column| format!("`{column}`"))
            .collect();
        let columns = columns.join(", ");
        let row = document
            .lines()
            .find(|line| line.contains(&format!("| `{}` |", data.plot)));
        assert!(
            row.is_some_and(|row| row.contains(&columns)),
            "{}: {columns}",
            data.plot
        );
        for (mark, _) in &data.about {
            assert!(document.contains(&format!("`{mark}`")), "{mark}");
        }
    }
}
