//! Two reports, figure by figure.
//!
//! The figures are those of the report's own layout, by its names: what a report holds is compared, whatever comes to be
//! added to it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{DiffError, SCHEMA_VERSION, Status};
use crate::report::{FunctionReport, Report};

/// What differs between two reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportDiff {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// `reports`, to tell it from a comparison of sets.
    pub kind: &'static str,
    /// Whether nothing differs but the seconds that the replays took.
    pub equal: bool,
    /// What differs for the report as a whole: set, target, datapath, metrics.
    pub report: Vec<ValueChange>,
    /// The functions of both in the order of the first, then those that the second alone has.
    pub functions: Vec<FunctionFigures>,
}

/// What differs in one function's report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FunctionFigures {
    /// Its name.
    pub name: String,
    /// Whether it is in both, and the same.
    pub status: Status,
    /// The figures of the whole function that moved.
    pub figures: Vec<ValueChange>,
    /// The rows that moved: octaves, buckets, special inputs, saturation, the histogram.
    pub rows: Vec<RowChange>,
}

/// A figure that moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueChange {
    /// Its name in the report; parts of an object are separated by dots.
    pub name: String,
    /// The first report's value; null where it has none.
    pub old: Value,
    /// The second report's value.
    pub new: Value,
    /// Second less first, where both are numbers.
    pub change: Option<f64>,
}

/// A row that moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowChange {
    /// Its table in the report.
    pub table: String,
    /// Which row: the octave (`negative -3`), the bucket's index, the special input, the bin.
    pub row: String,
    /// What of it moved.
    pub values: Vec<ValueChange>,
}

/// Compares two reports.
///
/// # Errors
/// [`DiffError::Json`] if a report has no form in JSON, which those that were read have.
pub fn diff_reports(old: &Report, new: &Report) -> Result<ReportDiff, DiffError> {
    fn by_name(report: &Report) -> BTreeMap<&str, &FunctionReport> {
        let functions = report.functions.iter();
        functions
            .map(|function| (function.name.as_str(), function))
            .collect()
    }
    let (old_names, new_names) = (by_name(old), by_name(new));
    let mut functions = Vec::new();
    for function in &old.functions {
        functions.push(match new_names.get(function.name.as_str()) {
            Some(other) => both(function, other)?,
            None => alone(&function.name, Status::OnlyOld),
        });
    }
    for function in &new.functions {
        if !old_names.contains_key(function.name.as_str()) {
            functions.push(alone(&function.name, Status::OnlyNew));
        }
    }
    let head = |report: &Report| -> Result<Value, serde_json::Error> {
        let head = Report {
            functions: Vec::new(),
            // Which set it was is no figure: another build may have the same.
            set_sha256: None,
            ..report.clone()
        };
        serde_json::to_value(&head)
    };
    let report = moved(&head(old)?, &head(new)?);
    Ok(ReportDiff {
        schema_version: SCHEMA_VERSION,
        kind: "reports",
        equal: report.is_empty() && functions.iter().all(|f| f.status == Status::Equal),
        report,
        functions,
    })
}

/// The lists of a function's report that are tables. Other lists, such as a pair of inputs, are values.
const TABLES: [&str; 6] = [
    "octaves",
    "bucket_rows",
    "special",
    "saturation",
    "histogram",
    "histogram_edges",
];

fn alone(name: &str, status: Status) -> FunctionFigures {
    FunctionFigures {
        name: name.to_owned(),
        status,
        figures: Vec::new(),
        rows: Vec::new(),
    }
}

fn both(old: &FunctionReport, new: &FunctionReport) -> Result<FunctionFigures, DiffError> {
    let value = |report: &FunctionReport| {
        // How long a replay took says nothing about the function.
        serde_json::to_value(FunctionReport {
            seconds: None,
            ..report.clone()
        })
    };
    let [a, b] = [value(old)?, value(new)?];
    let mut figures = moved(&a, &b);
    let mut rows = Vec::new();
    for table in TABLES {
        let list = |value: &Value| value.get(table).and_then(Value::as_array).cloned();
        let [old, new] = [&a, &b].map(|value| list(value).unwrap_or_default());
        if table == "bucket_rows" {
            figures.extend(relocation(&old, &new));
        }
        compare_rows(table, &old, &new, &mut rows);
    }
    let is_equal = figures.is_empty() && rows.is_empty() && a == b;
    Ok(FunctionFigures {
        name: old.name.clone(),
        status: if is_equal {
            Status::Equal
        } else {
            Status::Changed
        },
        figures,
        rows,
    })
}

/// The rows of one table that are not the same, matched by what they are about: buckets by the inputs that reach them, since a
/// function can lie elsewhere in the pool. In the order of the first report; those of the second alone come last.
fn compare_rows(table: &str, old: &[Value], new: &[Value], found: &mut Vec<RowChange>) {
    let keys = |rows: &[Value]| -> Vec<String> {
        let keys = rows.iter().enumerate();
        keys.map(|(place, row)| inputs(row).unwrap_or_else(|| key(row, place)))
            .collect()
    };
    let (old_keys, new_keys) = (keys(old), keys(new));
    let old_rows: BTreeMap<&String, &Value> = old_keys.iter().zip(old).collect();
    let new_rows: BTreeMap<&String, &Value> = new_keys.iter().zip(new).collect();
    let added = new_keys.iter().filter(|key| !old_rows.contains_key(key));
    for match_key in old_keys.iter().chain(added) {
        let pair = [&old_rows, &new_rows].map(|rows| rows.get(match_key).copied().cloned());
        let bucket = pair.iter().flatten().find_map(|row| row.get("index"));
        let name = bucket.map_or_else(|| match_key.clone(), ToString::to_string);
        let is_in_both = pair.iter().all(Option::is_some);
        let [old, new] = pair.map(Option::unwrap_or_default);
        let mut values = moved(&old, &new);
        // That it lies elsewhere is said once for the function.
        values.retain(|value| !(is_in_both && value.name == "index"));
        if !values.is_empty() {
            found.push(RowChange {
                table: table.to_owned(),
                row: name,
                values,
            });
        }
    }
}

/// The inputs that reach a bucket, as the row of the bucket has them.
fn inputs(row: &Value) -> Option<String> {
    row.get("reached")?.as_array().map(|ends| {
        let ends: Vec<&str> = ends.iter().filter_map(Value::as_str).collect();
        ends.join(" to ")
    })
}

/// That the buckets lie elsewhere in the pool: the place of the first that does.
fn relocation(old: &[Value], new: &[Value]) -> Option<ValueChange> {
    let index = |row: &Value| row.get("index").cloned();
    let places: BTreeMap<String, Value> = new
        .iter()
        .filter_map(|row| Some((inputs(row)?, index(row)?)))
        .collect();
    old.iter().find_map(|row| {
        let (before, now) = (index(row)?, places.get(&inputs(row)?)?);
        let change = now.as_f64()? - before.as_f64()?;
        (change != 0.0).then(|| ValueChange {
            name: "bucket_rows.index".to_owned(),
            change: Some(change),
            old: before,
            new: now.clone(),
        })
    })
}

/// What a row is about, by the fields that name it.
fn key(row: &Value, place: usize) -> String {
    let side = row.get("negative").and_then(Value::as_bool);
    let side = side.map(|negative| if negative { "negative" } else { "positive" });
    let number = row.get("exponent").or_else(|| row.get("index"));
    let number = number.map(ToString::to_string);
    let input = row.get("input").and_then(Value::as_str).map(str::to_owned);
    let parts: Vec<String> = [side.map(str::to_owned), number, input]
        .into_iter()
        .flatten()
        .collect();
    if parts.is_empty() {
        place.to_string()
    } else {
        parts.join(" ")
    }
}

/// The leaves of two values that are not the same. [`TABLES`] are left out.
fn moved(old: &Value, new: &Value) -> Vec<ValueChange> {
    let mut leaves: Vec<(String, [Value; 2])> = Vec::new();
    collect(old, "", 0, &mut leaves);
    collect(new, "", 1, &mut leaves);
    leaves
        .into_iter()
        .filter(|(_, [old, new])| old != new)
        .map(|(name, [old, new])| ValueChange {
            change: match (old.as_f64(), new.as_f64()) {
                (Some(old), Some(new)) => Some(new - old),
                _ => None,
            },
            name,
            old,
            new,
        })
        .collect()
}

/// Puts the leaves of a value in their places, in the order of the first.
fn collect(value: &Value, name: &str, side: usize, leaves: &mut Vec<(String, [Value; 2])>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() {
                    field.clone()
                } else {
                    format!("{name}.{field}")
                };
                collect(value, &name, side, leaves);
            }
        }
        Value::Array(_) if TABLES.contains(&name) => {}
        Value::Null => {}
        leaf => {
            // A row that is a number has no fields.
            let name = if name.is_empty() { "value" } else { name };
            let place = leaves.iter().position(|(known, _)| known == name);
            let place = place.unwrap_or_else(|| {
                leaves.push((name.to_owned(), [Value::Null, Value::Null]));
                leaves.len() - 1
            });
            if let Some(slot) = leaves
                .get_mut(place)
                .and_then(|(_, pair)| pair.get_mut(side))
            {
                *slot = leaf.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn buckets_that_only_lie_elsewhere_are_no_rows() {
        let row = |index: u32, first: &str, max: f64| json!({ "index": index, "reached": [first, "0x3fffffff"], "max_ulp": max });
        let old = [row(5, "0x3f800000", 0.5), row(6, "0x3fa00000", 0.6)];
        let new = [row(2, "0x3f800000", 0.5), row(3, "0x3fa00000", 0.7)];
        let mut found = Vec::new();
        compare_rows("bucket_rows", &old, &new, &mut found);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].row.as_str(), found[0].values.len()), ("6", 1));
        let figure = relocation(&old, &new).unwrap();
        assert_eq!(
            (figure.old, figure.new, figure.change),
            (json!(5), json!(2), Some(-3.0))
        );
        assert_eq!(relocation(&old, &old), None);

        // A bucket without a counterpart is told whole.
        let mut found = Vec::new();
        compare_rows("bucket_rows", &old[..1], &new[1..], &mut found);
        let rows: Vec<&str> = found.iter().map(|row| row.row.as_str()).collect();
        assert_eq!(rows, ["5", "3"]);
        assert!(
            found
                .iter()
                .all(|row| row.values.iter().any(|value| value.name == "index"))
        );
    }

    #[test]
    fn rows_without_a_name_go_by_their_place() {
        let mut found = Vec::new();
        compare_rows(
            "histogram",
            &[json!(1), json!(2)],
            &[json!(1), json!(3), json!(4)],
            &mut found,
        );
        let rows: Vec<&str> = found.iter().map(|row| row.row.as_str()).collect();
        assert_eq!(rows, ["1", "2"]);
    }
}
