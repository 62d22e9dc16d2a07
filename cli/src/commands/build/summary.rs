//! What a set costs and what it is worth, in one table.

use std::path::Path;

use actforge_reference::Format;
use actforge_tables::{FunctionEntry, FunctionSet, Table as Kind};

use serde_json::{Map, Value, json};

use crate::commands::histogram::Weighted;
use crate::exit::Failure;
use crate::numbers::ulp;
use crate::output::{Output, Table};

pub(super) fn show(set: &FunctionSet, output: &mut Output) -> Result<(), Failure> {
    output.line(format!(
        "set {}, target {}, datapath {}",
        set.name, set.target, set.datapath
    ))?;
    let mut table = Table::new(&[
        "function",
        "dtype",
        "method",
        ">buckets",
        ">control words",
        ">target ulp",
        ">floor ulp",
        ">measured ulp",
    ]);
    for entry in &set.functions {
        let notes = &entry.notes;
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), ulp);
        table.row([
            entry.name.clone(),
            text(&notes.dtype),
            text(&notes.method),
            entry.bucket_count().to_string(),
            entry.control.len().to_string(),
            number(notes.target_ulp),
            number(notes.lower_bound_ulp),
            number(notes.measured_ulp),
        ]);
    }
    output.table(&table, 0)?;
    let capacity = set.target.capacity();
    let used = |kind: Kind| format!("{} of {}", set.entries(kind), capacity.of(kind));
    output.line(format!(
        "in all {} buckets (shared ones once), {} control words, {} profiles",
        used(Kind::Bucket),
        used(Kind::Control),
        used(Kind::Profile),
    ))?;
    for entry in set.functions.iter().filter(|entry| is_useless(entry)) {
        output.line(format!(
            "warning: {}: the largest error is as large as the value; give the function a range or more of the target",
            entry.name
        ))?;
    }
    Ok(())
}

/// What was built as JSON: one set, or several below a directory.
pub(super) fn all_as_json(
    sets: &[&FunctionSet],
    path: &Path,
    status: &str,
    weighted: &[Weighted],
) -> Value {
    if let [set] = sets {
        return as_json(set, path, status, weighted);
    }
    let sets = sets
        .iter()
        .map(|set| as_json(set, &path.join(&set.name), status, weighted));
    json!({
        "schema_version": 1,
        "status": status,
        "path": path.display().to_string(),
        "sets": sets.collect::<Vec<_>>(),
    })
}

/// The same as JSON, with the place of the set and what was done about it.
pub(super) fn as_json(
    set: &FunctionSet,
    path: &Path,
    status: &str,
    weighted: &[Weighted],
) -> Value {
    let own = weighted.iter().filter(|weighted| weighted.set == set.name);
    let weighted: Vec<Value> = own.map(Weighted::to_json).collect();
    let functions = set.functions.iter().map(|entry| {
        let notes = &entry.notes;
        json!({
            "name": entry.name,
            "dtype": notes.dtype,
            "method": notes.method,
            "buckets": entry.bucket_count(),
            "control_words": entry.control.len(),
            "target_ulp": notes.target_ulp,
            "lower_bound_ulp": notes.lower_bound_ulp,
            "measured_ulp": notes.measured_ulp,
            "is_useless": is_useless(entry),
        })
    });
    let capacity = set.target.capacity();
    let tables: Map<String, Value> = Kind::ALL
        .into_iter()
        .map(|kind| {
            let table = json!({ "entries": set.entries(kind), "capacity": capacity.of(kind) });
            (kind.as_str().to_owned(), table)
        })
        .collect();
    json!({
        "schema_version": 1,
        "status": status,
        "path": path.display().to_string(),
        "name": set.name,
        "target": set.target.as_str(),
        "datapath": set.datapath.as_str(),
        "spec_sha256": set.spec_hash,
        "tables": tables,
        "functions": functions.collect::<Vec<_>>(),
        "weighted": weighted,
    })
}

/// Whether some result has not a single bit right. It happens when the target has too few control words for the
/// octaves of a function that is neither constant nor straight towards an end, such as the reciprocal.
fn is_useless(entry: &FunctionEntry) -> bool {
    let format: Option<Format> = entry
        .notes
        .dtype
        .as_deref()
        .and_then(|name| name.parse().ok());
    let whole = f64::from(format.unwrap_or(Format::Fp32).precision() - 2).exp2();
    entry
        .notes
        .measured_ulp
        .is_some_and(|measured| measured >= whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actforge_tables::FunctionNotes;

    #[test]
    fn shared_and_repeated_saturation_buckets_count_once() {
        let entry = FunctionEntry {
            name: "tanh".to_owned(),
            func_id: 6,
            profile: 0,
            control: 0..1,
            buckets: 10..14,
            shared: Vec::new(),
            saturation: [14, 14, 3, 11],
            notes: FunctionNotes::default(),
        };
        assert_eq!(entry.bucket_count(), 6);
        let with = |dtype: &str, measured| {
            let notes = FunctionNotes {
                dtype: Some(dtype.to_owned()),
                measured_ulp: Some(measured),
                ..FunctionNotes::default()
            };
            is_useless(&FunctionEntry {
                notes,
                ..entry.clone()
            })
        };
        assert!(with("bf16", 255.9) && !with("bf16", 60.0));
        assert!(with("fp32", 2.0_f64.powi(23)) && !with("fp32", 255.9));
        assert!(!is_useless(&entry));
    }
}
