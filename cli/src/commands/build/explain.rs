//! What was decided, and what a model's output in bf16 would have allowed.

use actforge_fit::FunctionRequest;
use actforge_models::approximations::approximations_of;
use actforge_reference::{Format, lookup};
use actforge_reports::replacement::{Replacement, replacement};
use actforge_tables::{FunctionEntry, FunctionSet};

use super::{Built, Request, request};
use crate::commands::tailored::{BF16_ULP, Common, parts};
use crate::exit::Failure;
use crate::numbers::{decimal, percent, ulp};
use crate::output::{Output, Table};
use crate::progress::Progress;

/// Prints all of it.
pub(super) fn show(request: &Request, built: &[Built], output: &mut Output) -> Result<(), Failure> {
    for one in built {
        one.explanation
            .iter()
            .try_for_each(|line| output.line(line))?;
    }
    if request.model.is_none() {
        return Ok(());
    }
    output.line("")?;
    output.line("what each function got")?;
    output.table(&allotments(built), 2)?;
    output.line("")?;
    output.flush()?;
    show_bf16(request, built, output)?;
    output.line("")
}

/// Who got what, and who shares it.
fn allotments(built: &[Built]) -> Table {
    let mut table = Table::new(&[
        "function",
        "set",
        "type",
        ">ceiling ulp",
        ">measured ulp",
        ">buckets",
        ">of them shared",
        ">control words",
        "made for inputs",
        "shares with",
    ]);
    for Built { set, .. } in built {
        for entry in &set.functions {
            let notes = &entry.notes;
            let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), ulp);
            let range = notes.range.map_or_else(
                || "all".to_owned(),
                |[low, high]| format!("{} to {}", decimal(low), decimal(high)),
            );
            let (shared, with) = sharers(set, entry);
            table.row([
                entry.name.clone(),
                set.name.clone(),
                notes.dtype.clone().unwrap_or_default(),
                number(notes.target_ulp),
                number(notes.measured_ulp),
                entry.bucket_count().to_string(),
                shared.to_string(),
                entry.control.len().to_string(),
                range,
                with.join(", "),
            ]);
        }
    }
    table
}

/// How many buckets of a function's octaves another function uses as well, and which functions those are.
fn sharers<'s>(set: &'s FunctionSet, entry: &FunctionEntry) -> (usize, Vec<&'s str>) {
    let own: std::collections::BTreeSet<usize> = entry.octave_buckets().collect();
    let mut shared = std::collections::BTreeSet::new();
    let mut with = Vec::new();
    for other in set
        .functions
        .iter()
        .filter(|other| other.name != entry.name)
    {
        let common: Vec<usize> = other
            .octave_buckets()
            .filter(|bucket| own.contains(bucket))
            .collect();
        if !common.is_empty() {
            shared.extend(common);
            with.push(other.name.as_str());
        }
    }
    (shared.len(), with)
}

/// What bf16 results would need, function by function, and how far approximations that are in use are from the functions.
fn show_bf16(request: &Request, built: &[Built], output: &mut Output) -> Result<(), Failure> {
    output.line(format!(
        "if the model reads bf16 results: what {BF16_ULP} bf16 ulp need"
    ))?;
    let mut table = Table::new(&[
        "function",
        ">buckets now",
        ">buckets",
        ">control words now",
        ">control words",
        "in place of",
    ]);
    let mut lines = Vec::new();
    let spec = &request.spec;
    for function in request::for_fit(spec) {
        let entry = built
            .iter()
            .find_map(|one| one.set.function(&function.name));
        let now = |of: fn(&FunctionEntry) -> usize| {
            entry.map_or_else(String::new, |entry| of(entry).to_string())
        };
        let approximations = match function.definition {
            None => approximations_of(&function.name),
            Some(_) => &[],
        };
        let range = entry.and_then(|entry| entry.notes.range);
        let own = FunctionRequest {
            dtype: Format::Bf16,
            max_ulp: Some(BF16_ULP),
            buckets: None,
            range: range.map(|[low, high]| (low, high)),
            ..function.clone()
        };
        let [buckets, words] = needed(request, own);
        table.row([
            function.name.clone(),
            now(FunctionEntry::bucket_count),
            buckets,
            now(|entry| entry.control.len()),
            words,
            String::new(),
        ]);
        for name in approximations {
            let own = FunctionRequest {
                dtype: Format::Bf16,
                max_ulp: Some(BF16_ULP),
                ..FunctionRequest::new(*name)
            };
            let [buckets, words] = needed(request, own);
            table.row([
                (*name).to_owned(),
                String::new(),
                buckets,
                String::new(),
                words,
                function.name.clone(),
            ]);
            lines.extend(distance(&function.name, name));
        }
    }
    output.table(&table, 2)?;
    lines.iter().try_for_each(|line| output.line(line))
}

/// Buckets and control words of one function alone; a dash where it cannot be.
fn needed(request: &Request, function: FunctionRequest) -> [String; 2] {
    let common = Common {
        name: "bf16",
        target: request.spec.set.target,
        datapath: request.spec.set.datapath,
        is_one: true,
    };
    let progress = Progress::new();
    let parts = parts(&common, &[function], &progress).unwrap_or_default();
    let entry = parts.first().and_then(|part| part.set.functions.first());
    entry.map_or_else(
        || ["-".to_owned(), "-".to_owned()],
        |entry| {
            [
                entry.bucket_count().to_string(),
                entry.control.len().to_string(),
            ]
        },
    )
}

/// How far an approximation is from the function, in a sentence.
fn distance(exact: &str, other: &str) -> Option<String> {
    let [function, approximation] = [exact, other].map(|name| lookup(name).ok());
    let found = replacement(
        function?.function(),
        approximation?.function(),
        Format::Bf16,
    )?;
    let Replacement {
        max_ulp: (most, at),
        max_absolute: (absolute, absolute_at),
        within_one_step,
        near_zero,
        ..
    } = found;
    let near = near_zero.map_or_else(String::new, |(low, high)| {
        format!(
            ", all from {} to {} among them",
            decimal(low),
            decimal(high)
        )
    });
    Some(format!(
        "{other} in place of {exact} in bf16: at most {} ulp (at {}) and {absolute:.3e} absolute (at {}); {} % of the inputs give the same or a neighbouring number{near}",
        if most < 1e6 {
            format!("{most:.3}")
        } else {
            format!("{most:.3e}")
        },
        decimal(at),
        decimal(absolute_at),
        percent(within_one_step),
    ))
}
