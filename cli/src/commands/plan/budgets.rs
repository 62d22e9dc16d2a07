//! What a budgets file asks of the sets of a plan.

use std::collections::BTreeSet;

use actforge_fit::FunctionRequest;
use actforge_reference::Format;
use actforge_reports::budget::{Budgets, Given, Inputs, Limit, Rule};
use actforge_reports::document::quoted;
use actforge_tables::FunctionSet;
use serde_json::{Value, json};

use super::measure::Measured;
use crate::commands::tailored::measured_ulp;
use crate::exit::Failure;
use crate::numbers::{counted, decimal, ulp};
use crate::output::Output;

/// The name by which rules may speak of the sets made for a model.
const SET: &str = "tailored";

/// A budgets file, and what became of its rules.
pub(super) struct Judged<'b> {
    budgets: &'b Budgets,
    /// Promises that a plan does not keep, a line each.
    broken: Vec<String>,
    /// What no fit can take as a ceiling, and how ranges were taken.
    remarks: Vec<String>,
    /// Promises that were kept.
    kept: usize,
    /// The lines of the rules that were about something.
    used: BTreeSet<usize>,
}

impl<'b> Judged<'b> {
    pub(super) fn new(budgets: &'b Budgets) -> Self {
        Self {
            budgets,
            broken: Vec::new(),
            remarks: Vec::new(),
            kept: 0,
            used: BTreeSet::new(),
        }
    }

    /// Makes the rules the ceilings of what is asked for: the most specific `max_ulp` and `max_buckets` of the function in
    /// this type. A rule about a range is kept over all inputs where another is about all of them, and otherwise says which
    /// inputs the function is made for.
    pub(super) fn set_ceilings(&mut self, requests: &mut [FunctionRequest]) {
        for request in requests {
            let name = request.name.clone();
            let whole = self.limit(&name, request.dtype, &Inputs::ALL, Limit::MaxUlp);
            let ranges: Vec<(Inputs, f64)> = self
                .ranges(&name, request.dtype)
                .into_iter()
                .filter_map(|inputs| {
                    let given = self.limit(&name, request.dtype, &inputs, Limit::MaxUlp)?;
                    Some((inputs, given.demand.allowed()))
                })
                .collect();
            let least = ranges
                .iter()
                .map(|(_, allowed)| *allowed)
                .fold(f64::INFINITY, f64::min);
            let mut wanted = whole.map(|given| given.demand.allowed());
            let dtype = request.dtype.name();
            match wanted {
                Some(allowed) if least < allowed => {
                    wanted = Some(least);
                    self.remarks.push(format!(
                        "{name}: {least} {dtype} ulp, which a rule asks of a range, is kept over all inputs"
                    ));
                }
                None if least.is_finite() => {
                    wanted = Some(least);
                    request.range = hull(ranges.iter().filter_map(|(inputs, _)| inputs.range));
                    let [low, high] = request
                        .range
                        .map_or([f32::MIN, f32::MAX], |(low, high)| [low, high]);
                    self.remarks.push(format!(
                        "{name} is made for inputs from {} to {} alone, since no max_ulp rule in {dtype} is about all inputs",
                        decimal(low),
                        decimal(high),
                    ));
                }
                _ => {}
            }
            // Only exact results are within nothing; whether they are is judged afterwards.
            if let Some(wanted) = wanted.filter(|wanted| *wanted > 0.0) {
                request.max_ulp = Some(wanted);
            }
            if let Some(most) = self.limit(&name, request.dtype, &Inputs::ALL, Limit::MaxBuckets) {
                request.buckets = Some(most.demand.allowed() as u32);
            }
        }
    }

    /// Holds a set that was made for the model against the rules.
    pub(super) fn judge_set(&mut self, plan: &str, set: &FunctionSet, dtype: Format) {
        for entry in &set.functions {
            let mut inputs = self.ranges(&entry.name, dtype);
            inputs.push(Inputs::ALL);
            for inputs in inputs {
                let Some(given) = self.limit(&entry.name, dtype, &inputs, Limit::MaxUlp) else {
                    continue;
                };
                let measured = measured_ulp(entry);
                self.judge(
                    plan,
                    &entry.name,
                    &set.name,
                    given,
                    measured,
                    dtype,
                    &inputs,
                );
            }
            for (limit, count) in [
                (Limit::MaxBuckets, entry.bucket_count()),
                (Limit::MaxControlWords, entry.control.len()),
            ] {
                if let Some(given) = self.limit(&entry.name, dtype, &Inputs::ALL, limit) {
                    let count = Some(count as f64);
                    self.judge(
                        plan,
                        &entry.name,
                        &set.name,
                        given,
                        count,
                        dtype,
                        &Inputs::ALL,
                    );
                }
            }
        }
    }

    /// Holds what was measured of the sets of a roster against the rules.
    pub(super) fn judge_measured(&mut self, measured: &[Measured], input: Format) {
        let inputs = Inputs {
            dtype: input,
            range: None,
        };
        for Measured { plan, worst, dtype } in measured {
            let given =
                self.rule_limit(&worst.set, &worst.function, *dtype, &inputs, Limit::MaxUlp);
            if let Some(given) = given {
                self.judge(
                    plan,
                    &worst.function,
                    &worst.set,
                    given,
                    worst.ulp,
                    *dtype,
                    &inputs,
                );
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one line of a judgement")]
    fn judge(
        &mut self,
        plan: &str,
        function: &str,
        set: &str,
        given: &'b Given,
        found: Option<f64>,
        dtype: Format,
        inputs: &Inputs,
    ) {
        let allowed = given.demand.allowed();
        if found.is_some_and(|found| found <= allowed) {
            self.kept += 1;
            return;
        }
        let found = found.map_or_else(
            || "no finite number".to_owned(),
            |found| match given.limit {
                Limit::MaxUlp => ulp(found),
                _ => found.to_string(),
            },
        );
        self.broken.push(format!(
            "{plan}: {function} in {set}, {} over {inputs}: {} {found}, at most {allowed} allowed ({}:{}:{})",
            dtype.name(),
            given.limit.key(),
            self.budgets.file,
            given.line,
            given.column,
        ));
    }

    /// The ranges of fp32 inputs that rules are about, each once.
    fn ranges(&self, function: &str, dtype: Format) -> Vec<Inputs> {
        let mut ranges: Vec<Inputs> = Vec::new();
        for rule in &self.budgets.rules {
            let is_one = rule.inputs.dtype == Format::Fp32 && rule.inputs.range.is_some();
            if is_one
                && rule.covers(SET, function, dtype, &rule.inputs)
                && !ranges.contains(&rule.inputs)
            {
                ranges.push(rule.inputs);
            }
        }
        ranges
    }

    /// What the most specific rule for these results of a set made for the model says of a figure.
    fn limit(
        &mut self,
        function: &str,
        dtype: Format,
        inputs: &Inputs,
        limit: Limit,
    ) -> Option<&'b Given> {
        self.rule_limit(SET, function, dtype, inputs, limit)
    }

    fn rule_limit(
        &mut self,
        set: &str,
        function: &str,
        dtype: Format,
        inputs: &Inputs,
        limit: Limit,
    ) -> Option<&'b Given> {
        let covering = self.budgets.rules.iter();
        let covering = covering.filter(|rule| rule.covers(set, function, dtype, inputs));
        let given = covering.filter_map(|rule| {
            let given = rule.given.iter().find(|given| given.limit == limit)?;
            Some((rule, given))
        });
        // No two rules have one scope, so there is one that is the most specific.
        let (rule, given) = given.max_by_key(|(rule, _)| rule.specificity())?;
        self.used.insert(rule.line);
        Some(given)
    }

    /// Ends the judgement: what the rules say that no plan was held against. `functions` are those of the model, `dtypes`
    /// the types of the sets that were made for it.
    pub(super) fn finish(&mut self, functions: &[&str], dtypes: &[Format]) {
        for rule in &self.budgets.rules {
            let place = format!("{}:{}", self.budgets.file, rule.line);
            let is_named = |name: &&&str| rule.function.as_deref().is_none_or(|own| own == **name);
            if !functions.iter().any(|name| is_named(&name)) {
                let name = rule.function.as_deref().unwrap_or_default();
                self.remarks.push(format!(
                    "the model has no function {} ({place})",
                    quoted(name)
                ));
                continue;
            }
            let others: Vec<&str> = rule
                .given
                .iter()
                .filter(|given| !is_held_to(rule, given.limit, dtypes))
                .map(|given| given.limit.key())
                .collect();
            if !others.is_empty() {
                self.remarks.push(format!(
                    "no ceiling of a fit: {} of the rule for {rule} ({place}); `actforge gate` judges it",
                    others.join(", ")
                ));
            } else if !self.used.contains(&rule.line) {
                self.remarks.push(format!(
                    "nothing was held against the rule for {rule} ({place})"
                ));
            }
        }
        let without = functions.iter().filter(|name| {
            let mut rules = self.budgets.rules.iter();
            !rules.any(|rule| rule.is_about(SET, name))
        });
        let without: Vec<&str> = without.copied().collect();
        if !without.is_empty() {
            self.remarks
                .push(format!("no rule is about {}", without.join(", ")));
        }
    }

    /// Whether no promise is broken.
    pub(super) fn passed(&self) -> bool {
        self.broken.is_empty()
    }

    pub(super) fn show(&self, output: &mut Output) -> Result<(), Failure> {
        for remark in &self.remarks {
            output.line(format!("budgets: {remark}"))?;
        }
        for broken in &self.broken {
            output.line(format!("FAIL  {broken}"))?;
        }
        let verdict = if self.passed() { "PASS" } else { "FAIL" };
        let kept = self.kept;
        let all = kept + self.broken.len();
        output.line(format!(
            "{verdict}: {kept} of {} of {} {} kept by what was planned",
            counted(all, "promise"),
            self.budgets.file,
            if all == 1 { "is" } else { "are" },
        ))
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "file": self.budgets.file,
            "passed": self.passed(),
            "kept": self.kept,
            "broken": self.broken,
            "remarks": self.remarks,
        })
    }
}

/// Whether plans are held to a limit of a rule.
fn is_held_to(rule: &Rule, limit: Limit, dtypes: &[Format]) -> bool {
    let is_ceiling = match limit {
        Limit::MaxUlp => true,
        Limit::MaxBuckets | Limit::MaxControlWords => rule.inputs.range.is_none(),
        _ => false,
    };
    is_ceiling
        && rule.inputs.dtype == Format::Fp32
        && rule.dtype.is_none_or(|dtype| dtypes.contains(&dtype))
        && rule.set.as_deref().is_none_or(|set| set == SET)
}

/// The least range that holds all of these; `None` for all inputs.
fn hull(ranges: impl Iterator<Item = [f32; 2]>) -> Option<(f32, f32)> {
    let hull = ranges
        .reduce(|[low, high], [other_low, other_high]| [low.min(other_low), high.max(other_high)]);
    let [low, high] = hull?.map(|end| end.clamp(f32::MIN, f32::MAX));
    ((low, high) != (f32::MIN, f32::MAX)).then_some((low, high))
}
