//! `--explain`: which rule gives each limit.

use actforge_reports::budget::{Bounds, Demand};
use actforge_reports::gate::Plan;

use crate::exit::Failure;
use crate::numbers::as_written;
use crate::output::{Output, Table};

pub(super) fn show(plan: &Plan<'_>, output: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(&[
        "set",
        "function",
        "type",
        "inputs",
        "limit",
        "allowed",
        "from",
        "wins over",
    ]);
    for check in &plan.checks {
        let set = plan.sets.get(check.set).map_or("", |gated| &gated.set.name);
        for chosen in &check.limits {
            let wins: Vec<String> = chosen
                .overridden
                .iter()
                .filter_map(|place| plan.budgets.rules.get(*place))
                .map(|rule| format!("the rule of line {}", rule.line))
                .collect();
            table.row([
                set.to_owned(),
                check.entry.name.clone(),
                check.dtype.name().to_owned(),
                check.inputs.to_string(),
                chosen.given.limit.key().to_owned(),
                allowed(&chosen.given.demand),
                format!("{}:{}", plan.budgets.file, chosen.given.line),
                wins.join(", "),
            ]);
        }
    }
    output.table(&table, 0)?;
    output
        .line("always: no NaN where a number is right, and right results for all special inputs")?;
    for finding in &plan.findings {
        output.line(format!("{}  {}", finding.level.word(), finding.message))?;
    }
    Ok(())
}

fn allowed(demand: &Demand) -> String {
    match demand {
        Demand::Number(number) => as_written(*number),
        Demand::Symmetry(symmetry) => symmetry.name().to_owned(),
        Demand::Bounds(Bounds::Function) => "its own".to_owned(),
        Demand::Bounds(Bounds::Stated(low, high)) => format!("{low:?} to {high:?}"),
        Demand::Exact(points) => format!("{} points", points.len()),
        Demand::Special(results) => format!("{} stated", results.len()),
    }
}
