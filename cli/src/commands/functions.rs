//! `actforge functions`: the catalogue.

use actforge_reference::{CatalogueEntry, Parity, catalogue};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::numbers::decimal;
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
  actforge functions --json | jq -r '.functions[] | select(.table_driven) | .name'")]
pub(crate) struct Arguments {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.json {
        let functions: Vec<Value> = catalogue().iter().map(as_json).collect();
        output.json(&json!({ "schema_version": 1, "functions": functions }))?;
        return Ok(Exit::Success);
    }
    let mut table = Table::new(&["function", ">id", "table", "parity", "range", "formula"]);
    for entry in catalogue() {
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
    Ok(Exit::Success)
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
    match function.natural_range() {
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
        "range": function.natural_range().map(|(lowest, highest)| [lowest, highest]),
        "formula": function.definition(),
    })
}
