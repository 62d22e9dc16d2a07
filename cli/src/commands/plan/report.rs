//! Plans side by side, as text and as JSON.

use actforge_models::ModelNeeds;
use actforge_models::plan::{
    Cost, Counting, LoopLoads, MOST_SETS_OF_A_KERNEL, Roster, RosterSet, Schedule, unserved,
};
use actforge_models::program::{InputRange, Program};
use actforge_reference::lookup;
use actforge_reports::document::quoted;
use actforge_tables::stock::StockRange;
use serde_json::{Value, json};

use crate::commands::histogram::{Weighted, in_words};
use crate::commands::models::kind;
use crate::exit::Failure;
use crate::numbers::{counted, decimal, ulp};
use crate::output::{Output, Table};

/// A plan under its name. Plans of one report may be for different rosters.
pub(super) struct NamedPlan<'r> {
    pub(super) name: &'static str,
    pub(super) roster: &'r Roster,
    pub(super) schedule: Schedule,
    /// The largest error of what it runs, where that was measured.
    pub(super) worst: Option<Worst>,
}

/// The largest error of a plan.
#[derive(Clone)]
pub(super) struct Worst {
    pub(super) set: String,
    pub(super) function: String,
    /// In ulp of the function's own output type; `None` where no error is finite.
    pub(super) ulp: Option<f64>,
}

impl Worst {
    /// Whether the other error is larger; one that is not finite is the largest.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        match (self.ulp, other.ulp) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(own), Some(other)) => own < other,
        }
    }
}

impl<'r> NamedPlan<'r> {
    pub(super) fn new(name: &'static str, roster: &'r Roster, schedule: Schedule) -> Self {
        Self {
            name,
            roster,
            schedule,
            worst: None,
        }
    }

    /// The sets it loads, with their indices.
    fn sets(&self) -> Vec<(u16, &'r RosterSet)> {
        let indices = self.schedule.sets().into_iter();
        indices
            .filter_map(|index| Some((index, self.roster.sets().get(usize::from(index))?)))
            .collect()
    }
}

/// What is known of a model and its plans.
pub(super) struct Report<'r> {
    pub(super) file: String,
    pub(super) model: &'r ModelNeeds,
    pub(super) roster_name: &'r str,
    pub(super) roster: &'r Roster,
    pub(super) counting: Counting,
    pub(super) plans: Vec<NamedPlan<'r>>,
    /// The mean errors where inputs fall, with the plan that runs the function in that set.
    pub(super) weighted: Vec<(&'static str, Weighted)>,
    /// What became of a budgets file.
    pub(super) budgets: Option<Value>,
    /// Whether every place is listed.
    pub(super) has_places: bool,
}

/// A place where a function is used.
struct Place<'r> {
    function: &'r str,
    node: &'r str,
    reason: &'r str,
    /// Whether the function is fitted for a range, and inputs may lie outside of it.
    is_limited: bool,
    /// What the model proves of its inputs.
    inputs: Option<&'r InputRange>,
}

/// A function whose table does not serve every input.
struct LimitedRange {
    function: String,
    /// The inputs it is for, in words.
    inputs: String,
    /// The places whose inputs may lie elsewhere, and the first of them.
    places: u64,
    first: String,
}

impl<'r> Report<'r> {
    fn program(&self) -> &'r Program {
        &self.model.program
    }

    /// The plan of this name.
    pub(super) fn plan(&self, name: &str) -> Result<&NamedPlan<'r>, Failure> {
        let plan = self.plans.iter().find(|plan| plan.name == name);
        // The sets of a model are made for its functions; without any there are none.
        plan.ok_or_else(|| {
            Failure::failed(
                format!("{}: expected functions that tables can be made for, found none: there is no plan {name}", self.file),
                "write the plan stock or fewest",
            )
        })
    }

    /// The functions that no set of the roster holds, and their places.
    pub(super) fn unserved(&self) -> Vec<(&'r str, u64)> {
        unserved(self.program(), self.roster)
    }

    /// Every place where a function is used.
    fn places(&self) -> impl Iterator<Item = Place<'r>> {
        let program = self.program();
        let limited: Vec<bool> = program
            .functions
            .iter()
            .map(|function| range(function).is_some())
            .collect();
        program.uses.iter().filter_map(move |place| {
            let index = place.function as usize;
            let function = program.functions.get(index)?;
            let reason = program.reasons.get(place.reason as usize)?;
            // The sum of a softmax is at least one and far from both ends.
            let of_softmax = ["oftmax", "ttention", "experts"];
            let is_sum =
                function == "reciprocal" && of_softmax.iter().any(|word| reason.contains(word));
            Some(Place {
                function,
                node: &place.node,
                reason,
                is_limited: limited.get(index) == Some(&true)
                    && !is_sum
                    && !place
                        .inputs
                        .as_ref()
                        .is_some_and(|inputs| serves(function, inputs)),
                inputs: place.inputs.as_ref(),
            })
        })
    }

    /// Functions that are fitted for a range, with the places where inputs may lie outside of it.
    fn limited_ranges(&self) -> Vec<LimitedRange> {
        let mut limited: Vec<LimitedRange> = Vec::new();
        for place in self.places().filter(|place| place.is_limited) {
            match limited
                .iter_mut()
                .find(|row| row.function == place.function)
            {
                Some(row) => row.places += 1,
                None => limited.push(LimitedRange {
                    function: place.function.to_owned(),
                    inputs: range(place.function).unwrap_or_default(),
                    places: 1,
                    first: place.node.to_owned(),
                }),
            }
        }
        limited
    }

    /// Writes everything as text.
    pub(super) fn show(&self, output: &mut Output) -> Result<(), Failure> {
        let counts = self.program().counts();
        let activations: u64 = counts.iter().map(|(_, count)| count).sum();
        output.line(format!(
            "{} ({}): {}",
            self.file,
            kind(self.model.format),
            counted(activations, "activation")
        ))?;
        let mut table = Table::new(&["function", ">places", "sets that hold it"]);
        for (function, count) in counts.iter().filter(|(_, count)| *count > 0) {
            let holders = self.roster.holders(function);
            let sets = holders.filter_map(|index| self.roster.sets().get(usize::from(index)));
            let names: Vec<&str> = sets.map(|set| set.name.as_str()).collect();
            let shown = match names.len() {
                0 => "none".to_owned(),
                all if all == self.roster.sets().len() => "all".to_owned(),
                1..=3 => names.join(", "),
                more => format!("{} and {} more", names[..2].join(", "), more - 2),
            };
            table.row([(*function).to_owned(), count.to_string(), shown]);
        }
        output.table(&table, 2)?;
        for unknown in &self.model.unknown {
            let reasons = unknown.reasons.join("; ");
            output.line(format!(
                "not known as an activation, not planned: {} ({reasons})",
                quoted(&unknown.name)
            ))?;
        }
        let missing: Vec<&str> = self.unserved().iter().map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            output.line(format!(
                "in no set of the roster, not planned: {}",
                missing.join(", ")
            ))?;
        }
        output.line("")?;
        self.show_plans(output)?;
        for (plan, weighted) in &self.weighted {
            output.line(format!(
                "{plan}: {} in {}, where its inputs fall: {}",
                weighted.function,
                weighted.set,
                in_words(&weighted.found)
            ))?;
        }
        for row in self.limited_ranges() {
            output.line(format!(
                "{} is fitted for inputs {}: look at {}, first {}",
                row.function,
                row.inputs,
                counted(row.places, "place"),
                quoted(&row.first)
            ))?;
        }
        if self.has_places {
            let mut table = Table::new(&["function", "inputs", "node", "reason"]);
            for place in self.places() {
                let mut inputs = if place.is_limited { "limited" } else { "" }.to_owned();
                if let Some(InputRange { low, high, .. }) = place.inputs {
                    let gap = if place.is_limited { ", " } else { "" };
                    inputs += &format!("{gap}{} to {}", decimal(*low), decimal(*high));
                }
                let [function, node, reason] =
                    [place.function, place.node, place.reason].map(str::to_owned);
                table.row([function, inputs, node, reason]);
            }
            output.table(&table, 0)?;
        }
        Ok(())
    }

    fn show_plans(&self, output: &mut Output) -> Result<(), Failure> {
        output.line(format!(
            "roster {} ({}); a loop of unknown length counts {}",
            self.roster_name,
            counted(self.roster.sets().len(), "set"),
            counted(self.counting.unknown_iterations, "time")
        ))?;
        let mut table = Table::new(&[
            "plan",
            ">sets",
            ">loads",
            ">bytes",
            ">loads of each further run",
            ">bytes",
            "worst error",
        ]);
        for plan in &self.plans {
            let first = plan.schedule.cost(plan.roster, self.counting);
            let further = plan.schedule.repeated_cost(plan.roster, self.counting);
            let worst = plan.worst.as_ref();
            let worst = worst.map_or_else(
                || "not measured".to_owned(),
                |worst| {
                    let error = worst.ulp.map_or_else(|| "not finite".to_owned(), ulp);
                    format!("{error} ulp, {} in {}", worst.function, worst.set)
                },
            );
            table.row([
                plan.name.to_owned(),
                plan.sets().len().to_string(),
                first.loads.to_string(),
                first.bytes.to_string(),
                further.loads.to_string(),
                further.bytes.to_string(),
                worst,
            ]);
        }
        output.table(&table, 2)?;
        for plan in &self.plans {
            let names: Vec<&str> = plan
                .sets()
                .iter()
                .map(|(_, set)| set.name.as_str())
                .collect();
            let names = match names.as_slice() {
                [] => "nothing to load".to_owned(),
                names => names.join(", "),
            };
            output.line(format!("{}: {names}", plan.name))?;
            for inside in plan.schedule.loops(plan.roster, self.counting) {
                output.line(format!(
                    "  {}, {} in each iteration of {} ({})",
                    counted(inside.each.loads, "load"),
                    counted(inside.each.bytes, "byte"),
                    quoted(&inside.place),
                    inside.iterations.map_or_else(
                        || "how many is not said".to_owned(),
                        |n| format!("{n} of them")
                    )
                ))?;
            }
            if plan.sets().len() > MOST_SETS_OF_A_KERNEL {
                output.line(format!(
                    "  more than {MOST_SETS_OF_A_KERNEL} sets: the stock compiler cuts such a program"
                ))?;
            }
        }
        Ok(())
    }

    /// Everything as JSON.
    pub(super) fn to_json(&self) -> Value {
        let functions = self.program().counts().into_iter();
        let functions = functions.filter(|(_, count)| *count > 0);
        let functions = functions.map(|(name, count)| {
            let sets: Vec<u16> = self.roster.holders(name).collect();
            json!({ "name": name, "places": count, "sets": sets })
        });
        let unknown = self.model.unknown.iter();
        let unknown =
            unknown.map(|unknown| json!({ "name": unknown.name, "reasons": unknown.reasons }));
        let limited = self.limited_ranges().into_iter().map(|row| {
            json!({ "function": row.function, "inputs": row.inputs, "places": row.places, "first": row.first })
        });
        let missing = self.unserved().into_iter();
        let missing = missing.map(|(name, places)| json!({ "name": name, "places": places }));
        let plans = self.plans.iter().map(|plan| self.plan_json(plan));
        let places = self.has_places.then(|| {
            let places = self.places().map(|place| {
                json!({ "function": place.function, "node": place.node, "reason": place.reason, "limited": place.is_limited, "inputs": place.inputs.map(inputs_json) })
            });
            places.collect::<Vec<_>>()
        });
        json!({
            "schema_version": 1,
            "model": self.file,
            "format": kind(self.model.format),
            "functions": functions.collect::<Vec<_>>(),
            "unknown": unknown.collect::<Vec<_>>(),
            "in_no_set": missing.collect::<Vec<_>>(),
            "limited_ranges": limited.collect::<Vec<_>>(),
            "roster": { "name": self.roster_name, "sets": self.roster.sets().len() },
            "iterations_where_unknown": self.counting.unknown_iterations,
            "plans": plans.collect::<Vec<_>>(),
            "places": places,
            "budgets": self.budgets,
        })
    }

    fn plan_json(&self, plan: &NamedPlan<'_>) -> Value {
        let cost = |cost: Cost| json!({ "loads": cost.loads, "bytes": cost.bytes });
        let sets = plan.sets().into_iter();
        let sets = sets
            .map(|(index, set)| json!({ "index": index, "name": set.name, "bytes": set.bytes }));
        let loops = plan.schedule.loops(plan.roster, self.counting).into_iter();
        let loops = loops.map(
            |LoopLoads {
                 place,
                 iterations,
                 each,
             }| json!({ "place": place, "iterations": iterations, "each": cost(each) }),
        );
        let weighted = self.weighted.iter().filter(|(name, _)| *name == plan.name);
        let weighted = weighted.map(|(_, weighted)| weighted.to_json());
        let worst = plan.worst.as_ref();
        let worst = worst
            .map(|worst| json!({ "set": worst.set, "function": worst.function, "ulp": worst.ulp }));
        json!({
            "name": plan.name,
            "sets": sets.collect::<Vec<_>>(),
            "first_run": cost(plan.schedule.cost(plan.roster, self.counting)),
            "further_runs": cost(plan.schedule.repeated_cost(plan.roster, self.counting)),
            "loops": loops.collect::<Vec<_>>(),
            "worst": worst,
            "weighted": weighted.collect::<Vec<_>>(),
        })
    }
}

fn inputs_json(inputs: &InputRange) -> Value {
    // JSON has no infinities; an open side is null.
    let end = |end: f32| end.is_finite().then_some(end);
    json!({ "low": end(inputs.low), "high": end(inputs.high), "since": inputs.why })
}

/// Whether a table of a function that is fitted for a range of inputs serves all of these.
fn serves(function: &str, inputs: &InputRange) -> bool {
    if let Some((lowest, highest)) = StockRange::default().of(function) {
        return inputs.low > 0.0 && inputs.low >= lowest && inputs.high <= highest;
    }
    let Ok(entry) = lookup(function) else {
        return false;
    };
    let function = entry.function();
    match function.natural_range() {
        Some((lowest, highest)) => inputs.low >= lowest && inputs.high <= highest,
        None => function.has_positive_domain() && inputs.low > 0.0,
    }
}

/// The inputs that a function is fitted for, in words; `None` if that is all of them.
fn range(function: &str) -> Option<String> {
    if let Some((lowest, highest)) = StockRange::default().of(function) {
        return Some(format!(
            "of magnitude {} to {}",
            decimal(lowest),
            decimal(highest)
        ));
    }
    let entry = lookup(function).ok()?;
    match entry.function().natural_range() {
        Some((lowest, highest)) => {
            Some(format!("from {} to {}", decimal(lowest), decimal(highest)))
        }
        None => entry
            .function()
            .has_positive_domain()
            .then(|| "above 0".to_owned()),
    }
}
