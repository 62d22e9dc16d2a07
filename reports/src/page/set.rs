//! One set of a page: summary, resources, provenance.

use actforge_tables::Table as Kind;
use actforge_tables::container::sha256_hex;
use rayon::prelude::*;

use super::function::FunctionView;
use super::table::{Cell, TableView, Tone};
use super::text::{bound, count, percent, ulp, witness};
use super::{Definition, PageError, SetPart};
use crate::report::{FunctionReport, Witness};

/// A set as the template shows it.
#[derive(Clone, Debug)]
pub(super) struct SetView {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) target: String,
    pub(super) datapath: String,
    pub(super) summary: TableView,
    pub(super) resources: TableView,
    pub(super) provenance: Vec<Definition>,
    pub(super) commands: Vec<Definition>,
    pub(super) functions: Vec<FunctionView>,
}

impl SetView {
    /// The set that stands at `place` of the page.
    pub(super) fn new(part: &SetPart<'_>, place: usize) -> Result<Self, PageError> {
        let reports: Vec<(usize, &FunctionReport)> =
            part.report.functions.iter().enumerate().collect();
        let id = format!("set{place}");
        let functions: Result<Vec<FunctionView>, PageError> = reports
            .par_iter()
            .map(|(k, report)| FunctionView::new(part, report, format!("{id}f{k}")))
            .collect();
        let functions = functions?;
        Ok(Self {
            name: part.set.name.clone(),
            target: part.set.target.to_string(),
            datapath: part.report.datapath.clone(),
            summary: summary(part, &functions),
            resources: resources(part),
            provenance: provenance(part)?,
            commands: commands(part),
            functions,
            id,
        })
    }
}

/// One row a function.
fn summary(part: &SetPart<'_>, functions: &[FunctionView]) -> TableView {
    let mut columns = vec![
        "function",
        "type",
        ">max ulp",
        ">floor",
        ">mean",
        ">steps",
        ">rounded %",
        ">buckets",
        ">control words",
        ">findings",
        "worst input",
        "got \u{2192} want",
        ">inputs",
    ];
    if !part.budgets.is_empty() {
        columns.insert(3, ">budget");
    }
    let reports = &part.report.functions;
    let has_weights = reports.iter().any(|report| report.weighted.is_some());
    if has_weights {
        let mean = columns.iter().position(|title| *title == ">mean");
        columns.insert(mean.map_or(0, |mean| mean + 1), ">weighted mean");
    }
    let mut table = TableView::new(
        "Summary",
        "The largest error of each function over all of its inputs, and the input that has it",
        &columns,
    );
    for (report, view) in part.report.functions.iter().zip(functions) {
        let [at, got] = witness(worst(report));
        let budget = part.budgets.iter().find(|(name, _)| *name == report.name);
        let tone = match (report.max_ulp, budget) {
            (None, _) => Tone::Bad,
            (Some(max), Some((_, budget))) if max > *budget => Tone::Bad,
            (Some(_), Some(_)) => Tone::Good,
            (Some(_), None) => Tone::Plain,
        };
        let types = if report.input_dtype == report.dtype {
            report.dtype.clone()
        } else {
            format!("{} to {}", report.input_dtype, report.dtype)
        };
        let findings = view.findings.len();
        let mut cells = vec![
            Cell::link(report.name.clone(), view.id.clone()),
            types.into(),
            Cell::toned(ulp(report.max_ulp), tone),
        ];
        if !part.budgets.is_empty() {
            let budget = budget.map_or_else(String::new, |(_, budget)| budget.to_string());
            cells.push(budget.into());
        }
        let tone = if findings > 0 { Tone::Bad } else { Tone::Plain };
        cells.extend([
            bound(report.lower_bound_ulp).into(),
            ulp(Some(report.mean_ulp)).into(),
        ]);
        if has_weights {
            let mean = report.weighted.as_ref().map(|weighted| weighted.mean_ulp);
            cells.push(mean.map_or_else(String::new, bound).into());
        }
        cells.extend([
            report.max_steps.to_string().into(),
            percent(report.correctly_rounded).into(),
            report.buckets.to_string().into(),
            report.control_words.to_string().into(),
            Cell::toned(findings.to_string(), tone),
            at.into(),
            got.into(),
            count(report.inputs).into(),
        ]);
        table.row(cells);
    }
    table
}

/// The worst input; where everything is exact there is none.
pub(super) fn worst(report: &FunctionReport) -> Option<&Witness> {
    let at = report.max_ulp_at.as_ref();
    at.filter(|_| report.max_ulp != Some(0.0))
}

/// What the set takes of its target.
fn resources(part: &SetPart<'_>) -> TableView {
    let mut table = TableView::new(
        "Resources",
        format!(
            "Entries of the four tables of target {}; buckets that functions share count once",
            part.set.target
        ),
        &["table", ">used", ">of", ">used %", ">bytes an entry"],
    );
    let capacity = part.set.target.capacity();
    for kind in Kind::ALL {
        let (used, of) = (part.set.entries(kind), capacity.of(kind));
        let share = if of == 0 {
            0.0
        } else {
            used as f64 / of as f64
        };
        table.row([
            kind.as_str().into(),
            used.to_string().into(),
            of.to_string().into(),
            percent(share).into(),
            part.set.target.stride(kind).to_string().into(),
        ]);
    }
    table
}

/// Where the set and the numbers come from.
fn provenance(part: &SetPart<'_>) -> Result<Vec<Definition>, PageError> {
    let set = part.set;
    let term = |term: &str, value: &str| (term.to_owned(), value.to_owned());
    let mut provenance = vec![
        term("built by", &format!("actforge {}", set.tool_version)),
        term(
            "specification, SHA-256",
            set.spec_hash.as_deref().unwrap_or("not recorded"),
        ),
        term("datapath of the set", set.datapath.as_str()),
        term("datapath of the replay", &part.report.datapath),
    ];
    let blobs = set.to_blobs()?;
    for kind in Kind::ALL {
        provenance.push((
            format!("{kind}.bin, SHA-256"),
            sha256_hex(blobs.table(kind)),
        ));
    }
    provenance.push(("set.json, SHA-256".to_owned(), sha256_hex(&blobs.manifest)));
    Ok(provenance)
}

/// How to get each number of the set again.
fn commands(part: &SetPart<'_>) -> Vec<Definition> {
    let term = |term: &str, value: &str| (term.to_owned(), value.to_owned());
    let mut commands = vec![
        term(
            "errors, counts, places",
            "actforge replay DIR --json report.json",
        ),
        term("octaves as CSV", "actforge replay DIR --csv octaves.csv"),
        term(
            "pictures and their data",
            "actforge plot DIR --report report.json --data -o plots",
        ),
        term("entries, profiles, hashes", "actforge inspect DIR --json"),
        term(
            "this page",
            "actforge report DIR --replay report.json -o report.html",
        ),
    ];
    if !part.budgets.is_empty() {
        commands.push(term(
            "budgets",
            "actforge gate DIR --budgets budgets.toml --report report.json",
        ));
    }
    commands
}
