//! Differences as text: a summary, then what there is to say of each function.

use actforge_reports::diff::{
    EntryChange, FunctionDiff, FunctionFigures, OutputChange, ReportDiff, ServedInputs, SetDiff,
    SetTitle, Shown, Status, ValueChange,
};
use serde_json::Value;

use crate::exit::Failure;
use crate::output::{Output, Table};

/// Entries and rows of one function that are shown without `--all`.
const SHOWN: usize = 12;

pub(super) fn sets(diff: &SetDiff, all: bool, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("old: {}", title(&diff.old)))?;
    output.line(format!("new: {}", title(&diff.new)))?;
    if diff.equal {
        return output.line(format!(
            "equal: {} functions, every entry and all 4294967296 results of each",
            diff.functions.len()
        ));
    }
    for field in &diff.set {
        output.line(format!(
            "{}: {} -> {}",
            field.field, field.old.value, field.new.value
        ))?;
    }
    let mut table = Table::new(&[
        "function",
        "status",
        ">entries",
        ">results",
        ">most steps",
        "at",
        "old -> new",
    ]);
    for function in &diff.functions {
        table.row(summary(function));
    }
    output.table(&table, 0)?;
    for function in &diff.functions {
        details(function, all, output)?;
    }
    output.line("entries: those whose fields differ; results: inputs whose result has other bits, of all 4294967296")?;
    output.line("steps: representable numbers between the two results")
}

fn title(set: &SetTitle) -> String {
    let built = set.spec_sha256.as_ref().map_or_else(String::new, |hash| {
        format!(" from {}", hash.get(..12).unwrap_or(hash))
    });
    format!(
        "set {}, target {}, datapath {}, built by actforge {}{built}",
        set.name, set.target, set.datapath, set.tool_version
    )
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Equal => "equal",
        Status::Changed => "changed",
        Status::OnlyOld => "only in old",
        Status::OnlyNew => "only in new",
    }
}

fn summary(function: &FunctionDiff) -> Vec<String> {
    let mut cells = vec![function.name.clone(), status(function.status).to_owned()];
    let Some(outputs) = &function.outputs else {
        return cells;
    };
    cells.push(function.entries.len().to_string());
    cells.push(outputs.changed.to_string());
    if let Some(OutputChange {
        input,
        old,
        new,
        steps,
    }) = &outputs.largest
    {
        cells.push(steps.map_or_else(String::new, |steps| steps.to_string()));
        cells.push(shown(input));
        cells.push(format!("{} -> {}", old.value, new.value));
    }
    cells
}

/// `0.5 (0x3f000000)`, or text as it is.
fn shown(value: &Shown) -> String {
    match &value.bits {
        Some(bits) => format!("{} ({bits})", value.value),
        None => value.value.clone(),
    }
}

fn details(function: &FunctionDiff, all: bool, output: &mut Output) -> Result<(), Failure> {
    if function.status != Status::Changed {
        return Ok(());
    }
    output.line("")?;
    output.line(&function.name)?;
    if let Some(outputs) = &function.outputs
        && let Some(first) = &outputs.first
    {
        output.line(format!(
            "  first changed result: at {}: {} -> {}",
            shown(&first.input),
            shown(&first.old),
            shown(&first.new)
        ))?;
        if outputs.nan_changes > 0 {
            output.line(format!(
                "  {} results were NaN and are numbers now, or the reverse",
                outputs.nan_changes
            ))?;
        }
    }
    for moved in &function.moved {
        let (what, old, new) = (&moved.what, moved.old, moved.new);
        output.line(format!("  {what}: moved from index {old} to {new}"))?;
    }
    for unmatched in &function.unmatched {
        output.line(format!(
            "  {} table: {} entries in old alone, {} in new alone",
            unmatched.table, unmatched.only_old, unmatched.only_new
        ))?;
    }
    let limit = if all { usize::MAX } else { SHOWN };
    for entry in function.entries.iter().take(limit) {
        output.line(format!("  {}", heading(entry)))?;
        let mut table = Table::new(&["field", "bits", "old", "new"]);
        for field in &entry.fields {
            table.row([
                field.field.clone(),
                field
                    .position
                    .map_or_else(String::new, |[lsb, msb]| format!("{msb}:{lsb}")),
                shown(&field.old),
                shown(&field.new),
            ]);
        }
        output.table(&table, 4)?;
    }
    more(function.entries.len(), limit, "entries", output)
}

fn more(count: usize, limit: usize, what: &str, output: &mut Output) -> Result<(), Failure> {
    match count.checked_sub(limit) {
        Some(hidden) if hidden > 0 => {
            output.line(format!("  and {hidden} more {what} (--all shows them)"))
        }
        _ => Ok(()),
    }
}

/// `bucket 60, inputs 0.25 (0x3e800000) to 0.26 (0x3e851eb8), 1234 of 16384 results changed`
fn heading(entry: &EntryChange) -> String {
    let place = match (entry.old_index, entry.new_index) {
        (Some(old), Some(new)) if old != new => format!(" {old} -> {new}"),
        (Some(index), _) | (None, Some(index)) => format!(" {index}"),
        (None, None) => String::new(),
    };
    let mut text = format!("{}{place}", entry.table);
    if let Some(role) = &entry.role {
        text += &format!(" ({role})");
    }
    if let Some(old) = &entry.old_inputs {
        text += &format!(", inputs {}", inputs(old));
        if let Some(new) = entry.new_inputs.as_ref().filter(|new| *new != old) {
            text += &format!(", now {}", inputs(new));
        }
        if let Some(changed) = entry.changed_inputs {
            text += &format!(", {changed} of {} results changed", old.count);
        }
    }
    text
}

fn inputs(served: &ServedInputs) -> String {
    let sides = [&served.positive, &served.negative];
    let stretches = sides
        .into_iter()
        .flatten()
        .map(|[first, last]| format!("{} to {}", shown(first), shown(last)));
    let stretches: Vec<String> = stretches.collect();
    if stretches.is_empty() {
        "none".to_owned()
    } else {
        stretches.join(" and ")
    }
}

pub(super) fn reports(diff: &ReportDiff, all: bool, output: &mut Output) -> Result<(), Failure> {
    if diff.equal {
        return output.line(format!(
            "equal: every figure of {} functions",
            diff.functions.len()
        ));
    }
    for change in &diff.report {
        output.line(format!(
            "{}: {} -> {}",
            change.name,
            cell(&change.old),
            cell(&change.new)
        ))?;
    }
    for function in &diff.functions {
        figures(function, all, output)?;
    }
    Ok(())
}

fn figures(function: &FunctionFigures, all: bool, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("{}: {}", function.name, status(function.status)))?;
    if !function.figures.is_empty() {
        let mut table = Table::new(&["figure", ">old", ">new", ">change"]);
        for figure in &function.figures {
            table.row(row(figure));
        }
        output.table(&table, 2)?;
    }
    let limit = if all { usize::MAX } else { SHOWN };
    for row in function.rows.iter().take(limit) {
        let values: Vec<String> = row
            .values
            .iter()
            .map(|value| {
                format!(
                    "{} {} -> {}",
                    value.name,
                    cell(&value.old),
                    cell(&value.new)
                )
            })
            .collect();
        output.line(format!(
            "  {} {}: {}",
            row.table,
            row.row,
            values.join(", ")
        ))?;
    }
    more(function.rows.len(), limit, "rows", output)
}

fn row(figure: &ValueChange) -> [String; 4] {
    [
        figure.name.clone(),
        cell(&figure.old),
        cell(&figure.new),
        figure.change.map_or_else(String::new, difference),
    ]
}

/// A difference of two figures, without the digits that the subtraction alone has made: reports are exact to six
/// decimals, shares to a few more.
fn difference(change: f64) -> String {
    let text = format!("{change:+.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// A value of a report; `-` where it has none.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_signed_and_short() {
        assert_eq!(difference(0.3 - 0.1), "+0.2");
        assert_eq!(difference(-100.0), "-100");
        assert_eq!(difference(2.0_f64.powi(-15)), "+0.000030518");
    }
}
