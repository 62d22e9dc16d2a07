//! What the gate says of each function, and of the whole.

use std::path::Path;

use actforge_reports::budget::{Budgets, Limit, Limits, Measured, UnusedBudget};
use actforge_reports::report::FunctionReport;
use actforge_tables::FunctionSet;
use serde_json::{Value, json};

use crate::commands::reports::types;
use crate::exit::Failure;
use crate::output::{Output, Table};

/// The verdict on a set.
pub(super) struct Gate {
    set: String,
    budgets: String,
    functions: Vec<Verdict>,
    /// Functions of the set that nobody set a limit for.
    without_budget: Vec<String>,
    /// Budgets for functions that the set does not hold: nothing was checked for them.
    unused: Vec<UnusedBudget>,
}

/// The verdict on one function.
struct Verdict {
    name: String,
    dtype: String,
    input_dtype: String,
    inputs: u64,
    limits: Vec<Checked>,
    /// The input of the largest error, where that exceeds its limit.
    worst: Option<String>,
    /// What fails a function whatever its limits are.
    defects: Vec<String>,
}

/// One limit with what was measured.
struct Checked {
    limit: Limit,
    allowed: f64,
    /// None where there is no finite error.
    measured: Option<f64>,
    kept: bool,
}

impl Checked {
    /// How much is left of the limit; negative when it is exceeded.
    fn margin(&self) -> Option<f64> {
        let measured = self.measured?;
        Some(if self.limit == Limit::MinCorrectlyRounded {
            measured - self.allowed
        } else {
            self.allowed - measured
        })
    }
}

impl Verdict {
    fn judge(limits: &Limits, found: &FunctionReport) -> Self {
        let measured = Measured {
            max_ulp: found.max_ulp,
            // The mean leaves out results that have no error, so it says nothing where there are any.
            mean_ulp: found.max_ulp.map(|_| found.mean_ulp),
            buckets: found.buckets,
            correctly_rounded: found.correctly_rounded,
        };
        let breaches = limits.check(&measured);
        let checked = Limit::ALL.into_iter().filter_map(|limit| {
            let (allowed, value) = match limit {
                Limit::MaxUlp => (limits.max_ulp?, measured.max_ulp),
                Limit::MeanUlp => (limits.mean_ulp?, measured.mean_ulp),
                Limit::MaxBuckets => (
                    f64::from(limits.max_buckets?),
                    Some(f64::from(measured.buckets)),
                ),
                Limit::MinCorrectlyRounded => (
                    limits.min_correctly_rounded?,
                    Some(measured.correctly_rounded),
                ),
            };
            let kept = breaches.iter().all(|breach| breach.limit != limit);
            Some(Checked {
                limit,
                allowed,
                measured: value,
                kept,
            })
        });
        let worst = found
            .max_ulp_at
            .as_ref()
            .filter(|_| breaches.iter().any(|breach| breach.limit == Limit::MaxUlp));
        let worst = worst.map(|at| {
            format!(
                "at {} ({}): got {}, want {}",
                at.value, at.bits, at.got, at.want
            )
        });
        let mut defects = Vec::new();
        if found.violations.nan_results > 0 {
            defects.push(format!(
                "{} results are NaN where a number is right",
                found.violations.nan_results
            ));
        }
        for special in found.special.iter().filter(|special| !special.ok) {
            let at = format!("special input {} ({})", special.input, special.bits);
            defects.push(format!("{at}: got {}, want {}", special.got, special.want));
        }
        if found.inputs == 0 {
            defects.push("no input was judged".to_owned());
        }
        Self {
            name: found.name.clone(),
            dtype: found.dtype.clone(),
            input_dtype: found.input_dtype.clone(),
            inputs: found.inputs,
            limits: checked.collect(),
            worst,
            defects,
        }
    }

    fn passes(&self) -> bool {
        self.defects.is_empty()
            && !self.limits.is_empty()
            && self.limits.iter().all(|checked| checked.kept)
    }
}

impl Gate {
    /// Judges the measured functions; those without limits are left aside.
    pub(super) fn judge(
        set: &FunctionSet,
        budgets: &Budgets,
        file: &Path,
        measured: &[FunctionReport],
    ) -> Self {
        let names: Vec<&str> = set
            .functions
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let verdict =
            |found: &FunctionReport| Some(Verdict::judge(budgets.limits(&found.name)?, found));
        Self {
            set: set.name.clone(),
            budgets: file.display().to_string(),
            functions: measured.iter().filter_map(verdict).collect(),
            without_budget: budgets
                .without_limits(&names)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            unused: budgets.unused(&names),
        }
    }

    /// Whether everything that was to be checked was checked and is right.
    pub(super) fn passes(&self) -> bool {
        !self.functions.is_empty()
            && self.unused.is_empty()
            && self.functions.iter().all(Verdict::passes)
    }

    pub(super) fn as_json(&self) -> Value {
        let functions: Vec<Value> = self.functions.iter().map(Verdict::as_json).collect();
        let unused: Vec<Value> = self
            .unused
            .iter()
            .map(|unused| json!({ "function": unused.function, "line": unused.line }))
            .collect();
        json!({
            "schema_version": 1,
            "set": self.set,
            "passed": self.passes(),
            "functions": functions,
            "without_budget": self.without_budget,
            "unused_budgets": unused,
        })
    }

    pub(super) fn show(&self, output: &mut Output) -> Result<(), Failure> {
        let mut table = Table::new(&[
            "",
            "function",
            "type",
            ">inputs",
            "limit",
            ">allowed",
            ">measured",
            ">margin",
        ]);
        for verdict in &self.functions {
            for checked in &verdict.limits {
                table.row(verdict.row(checked));
            }
        }
        if !self.functions.is_empty() {
            output.table(&table, 0)?;
        }
        for verdict in &self.functions {
            if let Some(worst) = &verdict.worst {
                output.line(format!(
                    "FAIL  {}: the largest error is {worst}",
                    verdict.name
                ))?;
            }
            for defect in &verdict.defects {
                output.line(format!("FAIL  {}: {defect}", verdict.name))?;
            }
        }
        for unused in &self.unused {
            let place = format!("{}:{}", self.budgets, unused.line);
            output.line(format!(
                "FAIL  {place}: set {} has no function {}",
                self.set, unused.function
            ))?;
        }
        if !self.without_budget.is_empty() {
            output.line(format!(
                "without a budget, not checked: {}",
                self.without_budget.join(", ")
            ))?;
        }
        output.line(self.summary())
    }

    fn summary(&self) -> String {
        if self.functions.is_empty() {
            return format!(
                "FAIL: nothing was checked, no function of set {} has a budget",
                self.set
            );
        }
        let failed: Vec<&str> = self
            .functions
            .iter()
            .filter(|verdict| !verdict.passes())
            .map(|verdict| verdict.name.as_str())
            .collect();
        match (failed.as_slice(), self.unused.len()) {
            ([], 0) => format!(
                "PASS: {} of set {} within budget",
                counted(self.functions.len(), "function"),
                self.set
            ),
            ([], unused) => {
                format!(
                    "FAIL: {} for functions that set {} does not hold",
                    counted(unused, "budget"),
                    self.set
                )
            }
            (failed, _) => format!("FAIL: {} of set {}", failed.join(", "), self.set),
        }
    }
}

impl Verdict {
    fn row(&self, checked: &Checked) -> [String; 8] {
        [
            if checked.kept { "PASS" } else { "FAIL" }.to_owned(),
            self.name.clone(),
            types(&self.input_dtype, &self.dtype),
            self.inputs.to_string(),
            checked.limit.key().to_owned(),
            checked.allowed.to_string(),
            shown(checked.measured, checked.limit),
            shown(checked.margin(), checked.limit),
        ]
    }

    fn as_json(&self) -> Value {
        let limits: Vec<Value> = self
            .limits
            .iter()
            .map(|checked| {
                json!({
                    "limit": checked.limit.key(),
                    "allowed": checked.allowed,
                    "measured": checked.measured,
                    "margin": checked.margin(),
                    "passed": checked.kept,
                })
            })
            .collect();
        json!({
            "name": self.name,
            "dtype": self.dtype,
            "input_dtype": self.input_dtype,
            "inputs": self.inputs,
            "passed": self.passes(),
            "limits": limits,
            "worst": self.worst,
            "defects": self.defects,
        })
    }
}

/// `1 function`, `2 functions`.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn shown(value: Option<f64>, limit: Limit) -> String {
    match value {
        None => "nan".to_owned(),
        Some(value) if limit == Limit::MaxBuckets => value.to_string(),
        Some(value) => format!("{value:.6}"),
    }
}
