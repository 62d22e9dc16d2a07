//! What a plot of fronts shows.

use serde_json::{Value, json};

use super::data::PlotData;

/// The columns of [`front_data`]: one row a table that was built, or that is there to compare with (it has a label).
const COLUMNS: [&str; 7] = [
    "function",
    "dtype",
    "buckets",
    "control_words",
    "max_ulp",
    "lower_bound_ulp",
    "label",
];

/// The front of a function: for each number of buckets the least error that was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// Name of the function.
    pub name: String,
    /// Output type in whose ulp errors count.
    pub dtype: String,
    /// Tables that were built and measured, in any order.
    pub points: Vec<FrontPoint>,
    /// Tables of others, or of another method, to compare with.
    pub reference_points: Vec<ReferencePoint>,
}

/// One table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontPoint {
    /// Buckets, saturation buckets included.
    pub buckets: u32,
    /// Control words.
    pub control_words: u32,
    /// The largest error in ulp over all inputs.
    pub max_ulp: f64,
    /// The floor of a fit with these buckets: 0.5 and the largest minimax error of a bucket.
    pub lower_bound_ulp: Option<f64>,
}

/// A table to compare with.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferencePoint {
    /// What it is: "stock exp".
    pub label: String,
    /// Buckets, saturation buckets included.
    pub buckets: u32,
    /// The largest error in ulp.
    pub max_ulp: f64,
}

/// Fronts as a table, errors to a millionth of an ulp as in reports.
pub fn front_data(fronts: &[Front]) -> PlotData {
    let rounded = |value: f64| json!((value * 1e6).round() / 1e6);
    let mut rows = Vec::new();
    for front in fronts {
        let row = |rest: [Value; 5]| {
            let mut row = vec![json!(front.name), json!(front.dtype)];
            row.extend(rest);
            row
        };
        rows.extend(front.points.iter().map(|point| {
            row([
                json!(point.buckets),
                json!(point.control_words),
                rounded(point.max_ulp),
                point.lower_bound_ulp.map_or(Value::Null, rounded),
                Value::Null,
            ])
        }));
        rows.extend(front.reference_points.iter().map(|point| {
            row([
                json!(point.buckets),
                Value::Null,
                rounded(point.max_ulp),
                Value::Null,
                json!(point.label),
            ])
        }));
    }
    PlotData {
        plot: "pareto",
        about: Vec::new(),
        columns: &COLUMNS,
        rows,
    }
}
