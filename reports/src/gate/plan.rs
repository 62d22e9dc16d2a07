//! Which results have to be measured, and which rule gives each of their limits.

use actforge_reference::Format;
use actforge_tables::{Datapath, FunctionEntry, FunctionSet};

use super::codes::{Code, Level};
use super::result::{Finding, Location};
use crate::budget::{Budgets, Given, Inputs, Rule};
use crate::document::did_you_mean;
use crate::reference::reference;
use crate::replay::{Judged, ReplayError, ReplayOptions, count_inputs, own_format};
use crate::report::{FunctionReport, Report};

/// A set to be gated.
#[derive(Clone, Copy, Debug)]
pub struct GatedSet<'a> {
    /// Its directory, as the user named it; commands that reproduce a finding name it.
    pub directory: &'a str,
    /// The set.
    pub set: &'a FunctionSet,
    /// The rounding schedule to judge.
    pub datapath: Datapath,
}

/// What has to be measured: one function of one set, in one output type, over one range of inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Check<'a> {
    /// The place of the set in [`Plan::sets`].
    pub set: usize,
    /// The function.
    pub entry: &'a FunctionEntry,
    /// The output type.
    pub dtype: Format,
    /// The inputs.
    pub inputs: Inputs,
    /// The limits, in the order of [`Limit::ALL`](crate::budget::Limit::ALL).
    pub limits: Vec<Chosen<'a>>,
}

/// A limit with the rule it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen<'a> {
    /// The place of the rule in [`Budgets::rules`].
    pub rule: usize,
    /// What the rule says.
    pub given: &'a Given,
    /// The less specific rules that say something of the same figure, as places in [`Budgets::rules`].
    pub overridden: Vec<usize>,
}

/// Everything that a gate has to measure.
pub struct Plan<'a> {
    /// The sets.
    pub sets: Vec<GatedSet<'a>>,
    /// The budgets.
    pub budgets: &'a Budgets,
    /// The checks: set by set, in the order of their functions.
    pub checks: Vec<Check<'a>>,
    /// What is wrong before anything is measured.
    pub findings: Vec<Finding>,
    /// The digest of each set.
    digests: Vec<Option<String>>,
}

impl<'a> Plan<'a> {
    /// Matches sets and rules.
    ///
    /// # Errors
    /// [`ReplayError::Dtype`] for a set whose manifest names no output type that exists.
    pub fn new(sets: Vec<GatedSet<'a>>, budgets: &'a Budgets) -> Result<Self, ReplayError> {
        let digests = sets.iter().map(|gated| gated.set.digest().ok()).collect();
        let mut plan = Self {
            digests,
            sets,
            budgets,
            checks: Vec::new(),
            findings: Vec::new(),
        };
        plan.required_sets();
        for (place, gated) in plan.sets.clone().into_iter().enumerate() {
            for entry in &gated.set.functions {
                let own = own_format(entry)?;
                let checks = checks_of(place, &gated.set.name, entry, own, budgets);
                let is_whole = checks.iter().any(|check| check.inputs.range.is_none());
                if !is_whole {
                    plan.without_rule(&gated.set.name, &entry.name, checks.is_empty());
                }
                plan.checks.extend(checks);
            }
        }
        plan.unused_rules();
        if plan.checks.is_empty() {
            let message = "nothing was checked: no rule covers a function of the sets";
            plan.findings
                .push(Finding::new(Code::NothingChecked, Level::Error, message));
        }
        Ok(plan)
    }

    /// What has to be replayed for a check.
    pub fn options(&self, check: &Check<'_>) -> ReplayOptions {
        ReplayOptions {
            functions: vec![check.entry.name.clone()],
            datapath: self.sets.get(check.set).map(|gated| gated.datapath),
            output: Some(check.dtype),
            input: check.inputs.dtype,
            range: check.inputs.range,
            ..ReplayOptions::default()
        }
    }

    /// The part of a report that answers a check: of exactly this set, type and range.
    pub fn answer<'r>(&self, check: &Check<'_>, report: &'r Report) -> Option<&'r FunctionReport> {
        let gated = self.sets.get(check.set)?;
        let is_of_set = report.set == gated.set.name
            && report.datapath == gated.datapath.as_str()
            && report.set_sha256.as_ref() == self.digest(check.set);
        let function = reference(&check.entry.name, &check.entry.notes).ok()?;
        let judged = Judged::new(check.entry, &function, check.inputs.range);
        let range = judged.map(Judged::stated);
        // A range to one side of zero reads the same whether its mirror image was judged or not.
        let inputs = count_inputs(check.inputs.dtype, judged);
        report.functions.iter().find(|found| {
            is_of_set
                && found.name == check.entry.name
                && found.dtype == check.dtype.name()
                && found.input_dtype == check.inputs.dtype.name()
                && found.range == range
                && found.inputs == inputs
        })
    }

    /// The digest of a set, by its place.
    pub fn digest(&self, set: usize) -> Option<&String> {
        self.digests.get(set)?.as_ref()
    }

    /// Where a line of the budgets file is.
    pub(super) fn location(&self, line: usize, column: usize) -> Location {
        Location {
            file: self.budgets.file.clone(),
            line,
            column,
        }
    }

    fn required_sets(&mut self) {
        if self.budgets.sets.is_empty() {
            return;
        }
        let mut findings = Vec::new();
        for (name, required) in &self.budgets.sets {
            let mut found = |code, message: String, function: Option<&str>| {
                findings.push(Finding {
                    location: Some(self.location(required.line, 1)),
                    set: Some(name.clone()),
                    function: function.map(str::to_owned),
                    ..Finding::new(code, Level::Error, message)
                });
            };
            let Some(gated) = self.sets.iter().find(|gated| gated.set.name == *name) else {
                found(Code::SetMissing, format!("no set {name} was given"), None);
                continue;
            };
            if let Some(target) = required.target.filter(|target| *target != gated.set.target) {
                let message = format!(
                    "set {name}: expected target {target}, found {}",
                    gated.set.target
                );
                found(Code::WrongTarget, message, None);
            }
            if let Some(datapath) = required
                .datapath
                .filter(|datapath| *datapath != gated.datapath)
            {
                let message = format!(
                    "set {name}: expected datapath {datapath}, found {}",
                    gated.datapath
                );
                found(Code::WrongDatapath, message, None);
            }
            let Some(functions) = &required.functions else {
                continue;
            };
            for function in functions {
                if gated.set.function(function).is_none() {
                    let message = format!("set {name} has no function {function}");
                    found(Code::FunctionMissing, message, Some(function));
                }
            }
            for entry in &gated.set.functions {
                if !functions.contains(&entry.name) {
                    let message = format!(
                        "set {name} holds {}, which is not listed for it",
                        entry.name
                    );
                    found(Code::FunctionUnlisted, message, Some(&entry.name));
                }
            }
        }
        for gated in &self.sets {
            if !self.budgets.sets.contains_key(&gated.set.name) {
                let message = format!(
                    "set {} is not among those that {} lists",
                    gated.set.name, self.budgets.file
                );
                findings.push(Finding {
                    set: Some(gated.set.name.clone()),
                    ..Finding::new(Code::SetUnlisted, Level::Error, message)
                });
            }
        }
        self.findings.extend(findings);
    }

    fn without_rule(&mut self, set: &str, function: &str, has_none: bool) {
        let what = if has_none {
            "no rule"
        } else {
            "no rule over all of its inputs"
        };
        let message = format!("{function} of set {set} has {what}");
        let (code, level) = if self.budgets.allows_unlisted {
            (Code::NotChecked, Level::Note)
        } else {
            (Code::FunctionWithoutRule, Level::Error)
        };
        self.findings.push(Finding {
            set: Some(set.to_owned()),
            function: Some(function.to_owned()),
            ..Finding::new(code, level, message)
        });
    }

    /// Rules that promise something nobody checks: most likely a misspelt or an outdated name.
    fn unused_rules(&mut self) {
        for rule in &self.budgets.rules {
            let is_used = self.checks.iter().any(|check| {
                let set = self.sets.get(check.set).map_or("", |gated| &gated.set.name);
                rule.covers(set, &check.entry.name, check.dtype, &check.inputs)
            });
            if !is_used {
                let sets: Vec<&str> = self
                    .sets
                    .iter()
                    .map(|gated| gated.set.name.as_str())
                    .collect();
                let held: Vec<&str> = self
                    .sets
                    .iter()
                    .flat_map(|gated| &gated.set.functions)
                    .map(|entry| entry.name.as_str())
                    .collect();
                let named = rule.function.as_deref().unwrap_or_default();
                let meant = did_you_mean(named, &held).filter(|near| *near != named);
                let message = format!(
                    "no function of {} is covered by the rule for {rule}{}",
                    sets.join(", "),
                    meant.map_or_else(String::new, |near| format!(" (did you mean {near}?)"))
                );
                self.findings.push(Finding {
                    location: Some(self.location(rule.line, 1)),
                    set: rule.set.clone(),
                    function: rule.function.clone(),
                    ..Finding::new(Code::RuleUnused, Level::Error, message)
                });
            }
        }
    }
}

/// The checks of one function: one for each output type and range of inputs that a rule asks for.
fn checks_of<'a>(
    place: usize,
    set: &str,
    entry: &'a FunctionEntry,
    own: Format,
    budgets: &'a Budgets,
) -> Vec<Check<'a>> {
    let mut checks: Vec<Check<'a>> = Vec::new();
    for rule in budgets
        .rules
        .iter()
        .filter(|rule| rule.is_about(set, &entry.name))
    {
        let dtype = rule.dtype.unwrap_or(own);
        // A rule for all functions that states an output type is about those that have it: it asks for no other.
        if dtype != own && rule.function.is_none() {
            continue;
        }
        let is_there = checks
            .iter()
            .any(|check| check.dtype == dtype && check.inputs == rule.inputs);
        if !is_there {
            checks.push(Check {
                set: place,
                entry,
                dtype,
                inputs: rule.inputs,
                limits: choose(set, &entry.name, dtype, &rule.inputs, &budgets.rules),
            });
        }
    }
    // All inputs before ranges of them, the function's own type before others.
    checks.sort_by_key(|check| (check.inputs.range.is_some(), check.dtype != own));
    checks
}

/// For each figure the most specific rule that says something of it.
fn choose<'a>(
    set: &str,
    function: &str,
    dtype: Format,
    inputs: &Inputs,
    rules: &'a [Rule],
) -> Vec<Chosen<'a>> {
    let mut covering: Vec<(usize, &Rule)> = rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| rule.covers(set, function, dtype, inputs))
        .collect();
    covering.sort_by_key(|(_, rule)| std::cmp::Reverse(rule.specificity()));
    let mut chosen: Vec<Chosen<'a>> = Vec::new();
    for (place, rule) in covering {
        for given in &rule.given {
            match chosen
                .iter_mut()
                .find(|known| known.given.limit == given.limit)
            {
                Some(known) => known.overridden.push(place),
                None => chosen.push(Chosen {
                    rule: place,
                    given,
                    overridden: Vec::new(),
                }),
            }
        }
    }
    chosen.sort_by_key(|chosen| chosen.given.limit);
    chosen
}
