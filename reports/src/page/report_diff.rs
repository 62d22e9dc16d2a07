//! The difference of two reports as a page.

use askama::Template;
use serde_json::Value;

use super::figures::figure_views;
use super::set_diff::{DiffPage, FunctionDifference, status, tone};
use super::table::{Cell, TableView, Tone};
use super::{PageError, TOOL_VERSION};
use crate::diff::{FunctionFigures, ReportDiff, RowChange, Status, ValueChange};
use crate::legible::legible;
use crate::plot::{PlotKind, PlotRequest, figures};
use crate::report::Report;

/// The page of a comparison of two reports: every figure that moved, and the errors of both over the inputs.
///
/// # Errors
/// [`PageError::Plot`] for a report that contradicts itself.
pub fn report_diff_page(diff: &ReportDiff, [old, new]: [&Report; 2]) -> Result<String, PageError> {
    let functions: Result<Vec<FunctionDifference>, PageError> = diff
        .functions
        .iter()
        .enumerate()
        .map(|(place, function)| difference(function, [old, new], place))
        .collect();
    let title = |report: &Report| {
        format!(
            "set {}, target {}, datapath {}",
            report.set, report.target, report.datapath
        )
    };
    let mut facts = vec![
        ("old".to_owned(), title(old)),
        ("new".to_owned(), title(new)),
    ];
    facts.extend(diff.report.iter().map(|change| {
        (
            change.name.clone(),
            format!("{} \u{2192} {}", value(&change.old), value(&change.new)),
        )
    }));
    let changed = diff
        .functions
        .iter()
        .filter(|function| function.status != Status::Equal)
        .count();
    let page = DiffPage {
        title: format!("Difference of reports on {} and {}", old.set, new.set),
        tool_version: TOOL_VERSION,
        equal: diff.equal,
        verdict: if diff.equal {
            "Equal: every figure.".to_owned()
        } else {
            format!(
                "Different: {changed} of {} functions.",
                diff.functions.len()
            )
        },
        facts,
        tables: vec![summary(diff)],
        functions: functions?,
    };
    Ok(legible(&page.render()?))
}

fn summary(diff: &ReportDiff) -> TableView {
    let mut table = TableView::new(
        "Summary",
        "Figures of the whole function, and rows of its tables, that moved",
        &[
            "function",
            "status",
            ">figures",
            ">rows",
            ">max ulp, old",
            ">new",
            ">change",
        ],
    );
    for (place, function) in diff.functions.iter().enumerate() {
        let max = function
            .figures
            .iter()
            .find(|figure| figure.name == "max_ulp");
        let cells = max.map_or_else(<[Cell; 3]>::default, |max| {
            [value(&max.old).into(), value(&max.new).into(), change(max)]
        });
        let head = [
            Cell::link(function.name.clone(), format!("f{place}")),
            Cell::toned(status(function.status), tone(function.status)),
            function.figures.len().to_string().into(),
            function.rows.len().to_string().into(),
        ];
        table.row(head.into_iter().chain(cells));
    }
    table
}

fn difference(
    function: &FunctionFigures,
    [old, new]: [&Report; 2],
    place: usize,
) -> Result<FunctionDifference, PageError> {
    let id = format!("f{place}");
    let mut pictures = Vec::new();
    let report = new
        .functions
        .iter()
        .find(|found| found.name == function.name);
    if let Some(report) = report.filter(|_| function.status == Status::Changed) {
        let request = PlotRequest {
            older: Some(old),
            ..PlotRequest::only(&[PlotKind::Comparison])
        };
        pictures = figure_views(&function.name, &figures(new, report, &request)?, &id)?;
    }
    let mut tables = Vec::new();
    if !function.figures.is_empty() {
        let mut table = TableView::new(
            "Figures",
            format!("Figures of {} that moved", function.name),
            &["figure", ">old", ">new", ">change"],
        );
        for figure in &function.figures {
            table.row([
                figure.name.clone().into(),
                value(&figure.old).into(),
                value(&figure.new).into(),
                change(figure),
            ]);
        }
        tables.push(table);
    }
    tables.extend(row_tables(function));
    Ok(FunctionDifference {
        id,
        name: function.name.clone(),
        status: status(function.status),
        facts: Vec::new(),
        figures: pictures,
        tables,
    })
}

/// The rows that moved, a table for each table of the report. The largest error has columns of its own, as it is what
/// readers sort by; the rest stands in one cell.
fn row_tables(function: &FunctionFigures) -> Vec<TableView> {
    let same_table = |one: &RowChange, other: &RowChange| one.table == other.table;
    let tables = function.rows.chunk_by(same_table);
    tables
        .filter_map(|rows| {
            let name = &rows.first()?.table;
            let mut table = TableView::new(
                format!("{} rows of {name}", rows.len()),
                format!("Rows of {name} of {} that moved", function.name),
                &["row", ">max ulp, old", ">new", ">change", "what else moved"],
            );
            for row in rows {
                let (max, others): (Vec<_>, Vec<_>) =
                    row.values.iter().partition(|value| value.name == "max_ulp");
                let max = max.first().map_or_else(<[Cell; 3]>::default, |max| {
                    [value(&max.old).into(), value(&max.new).into(), change(max)]
                });
                let others: Vec<String> = others
                    .iter()
                    .map(|other| {
                        format!(
                            "{} {} \u{2192} {}",
                            other.name,
                            value(&other.old),
                            value(&other.new)
                        )
                    })
                    .collect();
                let head = [Cell::from(row.row.clone())];
                let rest = [Cell::toned(others.join("; "), Tone::Wrapped)];
                table.row(head.into_iter().chain(max).chain(rest));
            }
            Some(table)
        })
        .collect()
}

/// A value of a report.
fn value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// By how much a figure moved. More error is bad, and so are fewer correctly rounded results; of others nothing is said.
fn change(figure: &ValueChange) -> Cell {
    let Some(change) = figure.change else {
        return Cell::default();
    };
    let text = format!("{change:+.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.').to_owned();
    let is_worse = match figure.name.as_str() {
        "correctly_rounded" => Some(change < 0.0),
        name if name.contains("_ulp") || name.starts_with("max_") => Some(change > 0.0),
        _ => None,
    };
    let tone = match is_worse {
        _ if change == 0.0 => Tone::Plain,
        Some(true) => Tone::Bad,
        Some(false) => Tone::Good,
        None => Tone::Plain,
    };
    Cell::toned(text, tone)
}
