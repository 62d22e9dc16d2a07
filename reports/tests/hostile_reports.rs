//! Reports that were edited, by hand or by a bad disk: pictures and pages refuse them or show them, but never panic.

#[allow(dead_code)]
mod sample;

use actforge_reports::Report;
use actforge_reports::diff::diff_reports;
use actforge_reports::page::report_diff_page;
use actforge_reports::plot::{PlotRequest, figures};
use sample::{EXP, LOG, RELU, TANH};
use serde_json::{Value, json};

/// What stands in for a value.
fn replacements(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(_) => vec![
            json!(0),
            json!(-1),
            json!(1e308),
            json!(-1e308),
            json!(5e-324),
            json!(u64::MAX),
            json!(i32::MIN),
            json!(i32::MAX),
            json!(255),
        ],
        Value::String(_) => vec![
            json!(""),
            json!("0xffffffff"),
            json!("0x00000000"),
            json!("0x7f800000"),
            json!("\u{1}\u{fffe}<&\"'"),
        ],
        Value::Bool(value) => vec![json!(!value)],
        Value::Array(_) => vec![json!([])],
        Value::Null | Value::Object(_) => vec![Value::Null],
    }
}

/// The paths of all values, as steps from the root.
fn paths(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                paths(value, &format!("{here}/{key}"), found);
            }
        }
        Value::Array(values) => {
            // The first and the last of many are enough.
            for place in [0, values.len().saturating_sub(1)] {
                if let Some(value) = values.get(place) {
                    paths(value, &format!("{here}/{place}"), found);
                }
            }
        }
        _ => {}
    }
}

fn draw_all(report: &Report, older: &Report) {
    let request = PlotRequest {
        older: Some(older),
        budgets: vec![("tanh".to_owned(), 1.0)],
        ..PlotRequest::default()
    };
    for function in &report.functions {
        for figure in figures(report, function, &request).into_iter().flatten() {
            let svg = figure.svg().unwrap();
            roxmltree::Document::parse(&svg).unwrap();
            for (_, data) in figure.data() {
                data.to_csv().unwrap();
                serde_json::from_str::<Value>(&data.to_json()).unwrap();
            }
        }
    }
    let diff = diff_reports(older, report).unwrap();
    // What cannot be drawn is refused.
    if let Ok(page) = report_diff_page(&diff, [older, report]) {
        roxmltree::Document::parse_with_options(
            &page,
            roxmltree::ParsingOptions {
                allow_dtd: true,
                ..roxmltree::ParsingOptions::default()
            },
        )
        .unwrap();
    }
}

/// Replaces every `stride`-th value by every extreme, and returns how many reports that made.
fn edit(stride: usize) -> usize {
    let mut tried = 0;
    for (begin, table) in [TANH, RELU, LOG].into_iter().enumerate() {
        let good = sample::report(&[table]);
        let value = serde_json::to_value(&good).unwrap();
        let mut places = Vec::new();
        paths(&value, "", &mut places);
        for place in places.iter().skip(begin % stride).step_by(stride) {
            for replacement in replacements(value.pointer(place).unwrap()) {
                let mut edited = value.clone();
                *edited.pointer_mut(place).unwrap() = replacement;
                if let Ok(report) = serde_json::from_value::<Report>(edited) {
                    draw_all(&report, &good);
                    tried += 1;
                }
            }
        }
    }
    tried
}

#[test]
fn some_values_replaced_by_every_extreme() {
    assert!(edit(37) > 10);
}

/// A minute: `cargo test -p actforge-reports --test hostile_reports -- --ignored`.
#[test]
#[ignore = "takes a minute"]
fn every_value_replaced_by_every_extreme() {
    assert!(edit(1) > 500);
}

#[test]
fn reports_of_other_functions_are_compared() {
    let (one, other) = (sample::report(&[EXP, TANH]), sample::report(&[TANH, LOG]));
    draw_all(&one, &other);
    draw_all(&other, &sample::report(&[]));
}
