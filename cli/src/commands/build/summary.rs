//! What a set costs and what it is worth, in one table.

use std::collections::BTreeSet;

use actforge_tables::{FunctionEntry, FunctionSet, Table as Kind};

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
            bucket_count(entry).to_string(),
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
    ))
}

/// The buckets of a function's octaves and regions. Those that it shares with other functions count for each.
fn bucket_count(entry: &FunctionEntry) -> usize {
    let saturation: BTreeSet<usize> = entry.saturation.into_iter().collect();
    let further = saturation
        .iter()
        .filter(|index| !entry.buckets.contains(*index));
    entry.buckets.len() + further.count()
}
