//! `actforge stock`: the sets that the vendor ships, with our fits.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::path::{Path, PathBuf};

use actforge_fit::{FitError, Method, StockFit, fit_stock_function};
use actforge_reports::SweepJudge;
use actforge_tables::stock::{StockRange, StockSet, stock_sets};
use actforge_tables::{Datapath, FunctionSet, FunctionTable, Table as Kind, Target};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use serde_json::{Value, json};

use super::import::set_directory;
use super::sets::{check_sets, write_sets};
use crate::exit::{Exit, Failure};
use crate::numbers::{counted, ulp};
use crate::output::{Output, Table};
use crate::progress::Progress;

/// Build the sets of the stock files: same names, functions and sizes, our coefficients
///
/// Every set has exactly as many buckets and control words as the vendor's, so that it takes its place. Each function
/// is fitted once, in the buckets that the stock function has, over all inputs; sqrt, the reciprocals, ln and sine over
/// a range. Each set becomes a directory below OUT, named after its index and name; `actforge export` makes stock files
/// of them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge stock --target stock-trainium -o sets
  actforge export --format stock sets/* -o stock
  actforge stock --target stock-with-ln --set exp_and_others -o sets
  actforge stock --target stock-trainium --set sqrt_and_others --range documented -o sets
  actforge stock --target stock-trainium --set exp_and_others --method taylor --layout documented -o vendor")]
pub(crate) struct Arguments {
    /// Whose sets: the 21 of the trainium files, or the 14 of the with_ln files
    #[arg(long, value_name = "TARGET", value_parser = target_parser())]
    target: Target,

    /// Directory for the sets
    #[arg(short = 'o', long = "out", value_name = "OUT")]
    out: PathBuf,

    /// Only this set; may be given several times
    #[arg(long = "set", value_name = "NAME")]
    sets: Vec<String>,

    /// How coefficients are found
    #[arg(long, value_name = "METHOD", value_parser = method_parser(), default_value = "accurate")]
    method: Method,

    /// How the octaves are cut
    #[arg(long, value_name = "LAYOUT", default_value = "planned")]
    layout: StockLayout,

    /// Which inputs sqrt, reciprocal and the reciprocal roots serve
    #[arg(long, value_name = "RANGE", default_value = "precise")]
    range: RangeChoice,

    /// Replace files that are there already
    #[arg(long)]
    force: bool,

    /// Print the functions and the sets as JSON
    #[arg(long)]
    json: bool,
}

/// How much of what functions without a value everywhere are documented for their tables serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RangeChoice {
    /// As much as keeps 64 ulp in the stock files' buckets
    Precise,
    /// All of it, with errors of thousands of ulp; bfloat16 results stay within 0.7 of theirs
    Documented,
}

impl From<RangeChoice> for StockRange {
    fn from(choice: RangeChoice) -> Self {
        match choice {
            RangeChoice::Precise => Self::Precise,
            RangeChoice::Documented => Self::Documented,
        }
    }
}

/// A function in one of its stock sizes, `<func>_<N>p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Variant {
    name: &'static str,
    selector: u32,
}

/// How the octaves of the functions are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StockLayout {
    /// For the least error in as many buckets
    Planned,
    /// As documented of the vendor's file; known of exp alone, the other functions are planned
    Documented,
}

fn target_parser() -> impl TypedValueParser<Value = Target> {
    let stock = [Target::StockTrainium, Target::StockWithLn];
    PossibleValuesParser::new(stock.map(Target::as_str)).try_map(|name| name.parse::<Target>())
}

fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::as_str))
        .try_map(|name| name.parse::<Method>())
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let target = arguments.target;
    let wanted = chosen(target, &arguments.sets)?;
    let names: Vec<String> = wanted
        .iter()
        .map(|(index, set)| set_directory(*index, set.name))
        .collect();
    check_sets(
        names.iter().map(String::as_str),
        &arguments.out,
        arguments.force,
    )?;
    let progress = Progress::new();
    let judge = SweepJudge::new(Datapath::default());
    let how = StockFit {
        target,
        method: arguments.method,
        documented_layout: arguments.layout == StockLayout::Documented,
        range: arguments.range.into(),
    };
    let mut tables = BTreeMap::new();
    for (_, set) in &wanted {
        for (name, selector) in set.functions() {
            let variant = Variant { name, selector };
            if let Entry::Vacant(place) = tables.entry(variant) {
                let table = fit_stock_function(name, selector, how, &judge, &progress);
                place.insert(table.map_err(|error| failure(&error))?);
            }
        }
    }
    drop(progress);
    let mut built = Vec::new();
    for (index, roster) in wanted {
        built.push((index, assemble(roster, target, &tables)?));
    }
    let sets: Vec<(String, &FunctionSet)> = names
        .into_iter()
        .zip(built.iter().map(|(_, set)| set))
        .collect();
    write_sets(&sets, &arguments.out, arguments.force)?;
    if arguments.json {
        output.json(&as_json(&arguments.out, &tables, &built))?;
        return Ok(Exit::Success);
    }
    show(&tables, &built, output)?;
    output.line(format!(
        "{} written to {}",
        counted(built.len(), "set"),
        arguments.out.display()
    ))?;
    Ok(Exit::Success)
}

/// The sets of the roster with their index, all of them or those that were named.
fn chosen(target: Target, names: &[String]) -> Result<Vec<(usize, &'static StockSet)>, Failure> {
    let all = stock_sets(target);
    if let Some(unknown) = names
        .iter()
        .find(|name| all.iter().all(|set| set.name != name.as_str()))
    {
        let known: Vec<&str> = all.iter().map(|set| set.name).collect();
        return Err(Failure::usage(
            format!("target {target} has no stock set {unknown:?}"),
            format!("there are {}", known.join(", ")),
        ));
    }
    let is_chosen = |set: &StockSet| names.is_empty() || names.iter().any(|name| name == set.name);
    Ok(all
        .iter()
        .enumerate()
        .filter(|(_, set)| is_chosen(set))
        .collect())
}

/// The set, which must have the size of the stock files.
fn assemble(
    roster: &StockSet,
    target: Target,
    tables: &BTreeMap<Variant, FunctionTable>,
) -> Result<FunctionSet, Failure> {
    let functions: Vec<FunctionTable> = roster
        .functions()
        .into_iter()
        .filter_map(|(name, selector)| tables.get(&Variant { name, selector }))
        .cloned()
        .collect();
    let set = FunctionSet::assemble(roster.name, target, Datapath::default(), &functions)
        .map_err(Failure::internal)?;
    for (kind, bytes) in [
        (Kind::Bucket, roster.bucket_bytes),
        (Kind::Control, roster.control_bytes),
    ] {
        let found = set.entries(kind) * target.stride(kind);
        if found != bytes {
            return Err(Failure::internal(format!(
                "set {}: {kind} table: expected {bytes} bytes as in the stock file, found {found}",
                roster.name
            )));
        }
    }
    Ok(set)
}

fn failure(error: &FitError) -> Failure {
    match error {
        error if error.is_impossible() => {
            Failure::failed(error, "choose other sets, or another method")
        }
        error => Failure::internal(error),
    }
}

fn as_json(
    out: &Path,
    tables: &BTreeMap<Variant, FunctionTable>,
    built: &[(usize, FunctionSet)],
) -> Value {
    let functions = tables.iter().map(|(variant, table)| {
        json!({
            "name": variant.to_string(),
            "buckets": table.stored_buckets(),
            "control_words": table.octave_count(),
            "lower_bound_ulp": table.notes.lower_bound_ulp,
            "measured_ulp": table.notes.measured_ulp,
        })
    });
    let sets = built.iter().map(|(index, set)| {
        json!({
            "index": index,
            "name": set.name,
            "path": out.join(set_directory(*index, &set.name)).display().to_string(),
            "buckets": set.entries(Kind::Bucket),
            "control_words": set.entries(Kind::Control),
        })
    });
    json!({
        "schema_version": 1,
        "functions": functions.collect::<Vec<_>>(),
        "sets": sets.collect::<Vec<_>>(),
    })
}

fn show(
    tables: &BTreeMap<Variant, FunctionTable>,
    built: &[(usize, FunctionSet)],
    output: &mut Output,
) -> Result<(), Failure> {
    let mut functions = Table::new(&[
        "function",
        ">buckets",
        ">control words",
        ">floor ulp",
        ">measured ulp",
    ]);
    for (variant, table) in tables {
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), ulp);
        functions.row([
            variant.to_string(),
            table.stored_buckets().to_string(),
            table.octave_count().to_string(),
            number(table.notes.lower_bound_ulp),
            number(table.notes.measured_ulp),
        ]);
    }
    output.table(&functions, 0)?;
    let mut sets = Table::new(&[">set", "name", ">buckets", ">control words"]);
    for (index, set) in built {
        sets.row([
            index.to_string(),
            set.name.clone(),
            set.entries(Kind::Bucket).to_string(),
            set.entries(Kind::Control).to_string(),
        ]);
    }
    output.table(&sets, 0)
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}p", self.name, self.selector)
    }
}
