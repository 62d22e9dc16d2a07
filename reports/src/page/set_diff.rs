//! The difference of two sets as a page.

use askama::Template;

use super::figures::FigureView;
use super::table::{Cell, TableView, Tone};
use super::text::count;
use super::{Definition, PageError, SCRIPT, STYLE, TOOL_VERSION};
use crate::diff::{EntryChange, FunctionDiff, ServedInputs, SetDiff, SetTitle, Shown, Status};
use crate::legible::legible;

/// A difference as the template shows it.
#[derive(Template)]
#[template(path = "diff.html")]
pub(super) struct DiffPage {
    pub(super) title: String,
    pub(super) tool_version: &'static str,
    pub(super) equal: bool,
    pub(super) verdict: String,
    pub(super) facts: Vec<Definition>,
    pub(super) tables: Vec<TableView>,
    pub(super) functions: Vec<FunctionDifference>,
}

/// What differs in one function.
pub(super) struct FunctionDifference {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) status: &'static str,
    pub(super) facts: Vec<Definition>,
    pub(super) figures: Vec<FigureView>,
    pub(super) tables: Vec<TableView>,
}

/// The page of a comparison of two sets: every field that differs, and what the results became.
///
/// # Errors
/// [`PageError::Template`], which no difference leads to.
pub fn set_diff_page(diff: &SetDiff) -> Result<String, PageError> {
    let mut facts = vec![
        ("old".to_owned(), title(&diff.old)),
        ("new".to_owned(), title(&diff.new)),
    ];
    facts.extend(diff.set.iter().map(|field| {
        let change = format!("{} \u{2192} {}", field.old.value, field.new.value);
        (field.field.clone(), change)
    }));
    let functions: Vec<FunctionDifference> = diff
        .functions
        .iter()
        .enumerate()
        .map(|(place, function)| difference(function, place))
        .collect();
    let page = DiffPage {
        title: format!("Difference of sets {} and {}", diff.old.name, diff.new.name),
        tool_version: TOOL_VERSION,
        equal: diff.equal,
        verdict: if diff.equal {
            "Equal: every entry, and all 4294967296 results of each function.".to_owned()
        } else {
            let changed = diff
                .functions
                .iter()
                .filter(|function| function.status != Status::Equal);
            format!(
                "Different: {} of {} functions.",
                changed.count(),
                diff.functions.len()
            )
        },
        facts,
        tables: vec![summary(diff)],
        functions,
    };
    Ok(legible(&page.render()?))
}

fn title(title: &SetTitle) -> String {
    let built = title
        .spec_sha256
        .as_ref()
        .map_or_else(String::new, |hash| format!(" from specification {hash}"));
    format!(
        "set {}, target {}, datapath {}, built by actforge {}{built}",
        title.name, title.target, title.datapath, title.tool_version
    )
}

/// A status in words.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Equal => "Equal.",
        Status::Changed => "Changed.",
        Status::OnlyOld => "Only in old.",
        Status::OnlyNew => "Only in new.",
    }
}

/// The tone of a status.
pub(super) fn tone(status: Status) -> Tone {
    if status == Status::Equal {
        Tone::Good
    } else {
        Tone::Bad
    }
}

fn summary(diff: &SetDiff) -> TableView {
    let mut table = TableView::new(
        "Summary",
        "Entries: those whose fields differ. Results: inputs whose result has other bits, of all 4294967296. Steps: representable numbers between the two results",
        &[
            "function",
            "status",
            ">entries",
            ">results",
            ">most steps",
            "at",
            "old \u{2192} new",
        ],
    );
    for (place, function) in diff.functions.iter().enumerate() {
        let mut cells = vec![
            Cell::link(function.name.clone(), format!("f{place}")),
            Cell::toned(status(function.status), tone(function.status)),
        ];
        if let Some(outputs) = &function.outputs {
            cells.extend([
                function.entries.len().to_string().into(),
                count(outputs.changed).into(),
            ]);
            match &outputs.largest {
                Some(largest) => cells.extend([
                    largest.steps.map_or_else(String::new, count).into(),
                    shown(&largest.input).into(),
                    format!("{} \u{2192} {}", shown(&largest.old), shown(&largest.new)).into(),
                ]),
                None => cells.extend([Cell::default(), Cell::default(), Cell::default()]),
            }
        } else {
            cells.extend(std::iter::repeat_n(Cell::default(), 5));
        }
        table.row(cells);
    }
    table
}

/// `0x3f000000 = 0.5`, or text as it is.
fn shown(value: &Shown) -> String {
    match &value.bits {
        Some(bits) => format!("{bits} = {}", value.value),
        None => value.value.clone(),
    }
}

fn difference(function: &FunctionDiff, place: usize) -> FunctionDifference {
    let mut facts = Vec::new();
    if let Some(outputs) = &function.outputs {
        let compared = format!("{} of {}", count(outputs.changed), count(outputs.compared));
        facts.push(("changed results".to_owned(), compared));
        if let Some(first) = &outputs.first {
            let text = format!(
                "at {}: {} \u{2192} {}",
                shown(&first.input),
                shown(&first.old),
                shown(&first.new)
            );
            facts.push(("first of them".to_owned(), text));
        }
        if outputs.nan_changes > 0 {
            facts.push((
                "NaN and now a number, or the reverse".to_owned(),
                count(outputs.nan_changes),
            ));
        }
    }
    facts.extend(function.moved.iter().map(|moved| {
        (
            moved.what.clone(),
            format!("moved from index {} to {}", moved.old, moved.new),
        )
    }));
    facts.extend(function.unmatched.iter().map(|unmatched| {
        (
            format!("{} table", unmatched.table),
            format!(
                "{} entries in old alone, {} in new alone",
                unmatched.only_old, unmatched.only_new
            ),
        )
    }));
    let tables = if function.entries.is_empty() {
        Vec::new()
    } else {
        vec![entries(function)]
    };
    FunctionDifference {
        id: format!("f{place}"),
        name: function.name.clone(),
        status: status(function.status),
        facts,
        figures: Vec::new(),
        tables,
    }
}

/// One row a field that differs.
fn entries(function: &FunctionDiff) -> TableView {
    let mut table = TableView::new(
        "Entries",
        format!(
            "Fields of {} that differ, with the inputs that the entry serves in the old set and how many of their results changed",
            function.name
        ),
        &[
            "entry", "field", ">bits", "old", "new", "inputs", ">changed", ">of",
        ],
    );
    for entry in &function.entries {
        let inputs = entry.old_inputs.as_ref();
        for field in &entry.fields {
            let position = field
                .position
                .map_or_else(String::new, |[lsb, msb]| format!("{msb}:{lsb}"));
            table.row([
                name(entry).into(),
                field.field.clone().into(),
                position.into(),
                shown(&field.old).into(),
                shown(&field.new).into(),
                inputs.map_or_else(String::new, served).into(),
                entry.changed_inputs.map_or_else(String::new, count).into(),
                inputs
                    .map_or_else(String::new, |inputs| count(inputs.count))
                    .into(),
            ]);
        }
    }
    table
}

/// `bucket 60`, `control 3 -> 4 (octave -2)`.
fn name(entry: &EntryChange) -> String {
    let place = match (entry.old_index, entry.new_index) {
        (Some(old), Some(new)) if old != new => format!(" {old} \u{2192} {new}"),
        (Some(index), _) | (None, Some(index)) => format!(" {index}"),
        (None, None) => String::new(),
    };
    let role = entry
        .role
        .as_ref()
        .map_or_else(String::new, |role| format!(" ({role})"));
    format!("{}{place}{role}", entry.table)
}

fn served(inputs: &ServedInputs) -> String {
    let sides = [&inputs.positive, &inputs.negative].into_iter().flatten();
    let sides: Vec<String> = sides
        .map(|[first, last]| format!("{} to {}", shown(first), shown(last)))
        .collect();
    if sides.is_empty() {
        "none".to_owned()
    } else {
        sides.join(" and ")
    }
}
