//! `actforge functions`: the catalogue.

use actforge_reference::{CatalogueEntry, Parity, catalogue, expression_ids};
use clap::Args;
use serde_json::{Value, json};

use super::build::checked_expressions;
use crate::args::{NamedExpression, parse_expression};
use crate::exit::{Exit, Failure};
use crate::numbers::{decimal, decimal64};
use crate::output::{Output, Table};

/// List the functions that tables can be built for
///
/// For each function: its name, the id that an instruction carries (a `*` marks ids that actforge assigned because the
/// hardware's are not known), whether it needs a table beyond its four saturation buckets, how its two sides mirror
/// each other, the inputs it is meant for, and its formula.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge functions
  actforge functions --expr 'my_act=x*tanh(log1p(exp(x)))'
  actforge functions --json | jq -r '.functions[] | select(.table_driven) | .name'")]
pub(crate) struct Arguments {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// Show what is found of a function of your own instead of the catalogue; may be given several times
    #[arg(long = "expr", value_name = "NAME=EXPR", value_parser = parse_expression)]
    expressions: Vec<NamedExpression>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let defined = defined(&arguments.expressions)?;
    let entries = if arguments.expressions.is_empty() {
        catalogue()
    } else {
        &defined
    };
    if arguments.json {
        let functions: Vec<Value> = entries.iter().map(as_json).collect();
        output.json(&json!({ "schema_version": 1, "functions": functions }))?;
        return Ok(Exit::Success);
    }
    let mut table = Table::new(&["function", ">id", "table", "parity", "range", "formula"]);
    for entry in entries {
        let function = entry.function();
        let mark = if entry.id_is_assigned_here() {
            "*"
        } else {
            " "
        };
        table.row([
            function.name().to_owned(),
            format!("{}{mark}", entry.func_id()),
            if entry.is_table_driven() { "yes" } else { "no" }.to_owned(),
            parity(entry),
            range(entry),
            function.definition().to_owned(),
        ]);
    }
    output.table(&table, 0)?;
    output.line("* id assigned by actforge: the hardware's own is not known")?;
    defined
        .iter()
        .try_for_each(|entry| details(entry, output))?;
    Ok(Exit::Success)
}

/// The functions that the command line gives by expression.
fn defined(expressions: &[NamedExpression]) -> Result<Vec<CatalogueEntry>, Failure> {
    let functions = checked_expressions(expressions)?;
    let entries = functions
        .iter()
        .zip(expression_ids())
        .map(|(function, id)| {
            let definition = function.definition.clone().unwrap_or_default();
            CatalogueEntry::define(&function.name, id, &definition, None).map_err(|error| {
                Failure::failed(
                    error,
                    "docs/expressions.md says what can be followed; a narrower range often helps",
                )
            })
        });
    entries.collect()
}

/// What was found of a function by expression.
fn details(entry: &CatalogueEntry, output: &mut Output) -> Result<(), Failure> {
    let function = entry.function();
    let specials = function.specials();
    output.line(format!(
        "{}: {} at zero, {} at plus infinity, {} at minus infinity",
        function.name(),
        decimal(specials.zero),
        decimal(specials.pos_inf),
        decimal(specials.neg_inf)
    ))?;
    if function.parity() != Parity::None && !function.parity_is_proven() {
        output.line(
            "  its symmetry was seen at some hundred inputs, not proven: both sides are judged",
        )?;
    }
    for turn in function.turns() {
        output.line(format!("  turns at {}", decimal64(turn.at)))?;
    }
    Ok(())
}

fn parity(entry: &CatalogueEntry) -> String {
    match entry.function().parity() {
        Parity::None => "none".to_owned(),
        Parity::Even => "even".to_owned(),
        Parity::Odd => "odd".to_owned(),
        Parity::Point { sum } => format!("f(-x) = {} - f(x)", decimal(sum)),
    }
}

fn range(entry: &CatalogueEntry) -> String {
    let function = entry.function();
    match entry.table_range().or(function.natural_range()) {
        Some((lowest, highest)) => format!("[{}, {}]", decimal(lowest), decimal(highest)),
        None if function.has_positive_domain() => "x > 0".to_owned(),
        None => "all".to_owned(),
    }
}

fn as_json(entry: &CatalogueEntry) -> Value {
    let function = entry.function();
    let parity = match function.parity() {
        Parity::None => "none",
        Parity::Even => "even",
        Parity::Odd => "odd",
        Parity::Point { .. } => "point",
    };
    let sum = match function.parity() {
        Parity::Point { sum } => Some(sum),
        _ => None,
    };
    json!({
        "name": function.name(),
        "func_id": entry.func_id(),
        "id_assigned_here": entry.id_is_assigned_here(),
        "table_driven": entry.is_table_driven(),
        "parity": parity,
        "point_sum": sum,
        "positive_inputs_only": function.has_positive_domain(),
        "range": entry.table_range().or(function.natural_range()).map(|(lowest, highest)| [lowest, highest]),
        "formula": function.definition(),
    })
}
