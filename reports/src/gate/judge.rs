//! Holding what was measured against the rules, the waivers and the last release.

use actforge_reference::Format;
use jiff::civil::Date;

use super::baseline::Baseline;
use super::codes::{Code, Level};
use super::demand::{Reached, Subject};
use super::figures::{Figures, figures};
use super::plan::{Check, GatedSet, Plan};
use super::reproduce::command;
use super::result::{
    CanTighten, CheckResult, Finding, GateResult, LimitResult, Location, Outcome,
    RESULT_SCHEMA_VERSION, SetResult, Source,
};
use super::waive::{Scope, Waivers};
use crate::budget::{Demand, Limit};
use crate::replay::{Probe, ReplayError};
use crate::report::FunctionReport;

/// What besides the files decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The day that waivers are held against.
    pub as_of: Date,
    /// Whether this is an automatic run, in which an unused waiver is a failure.
    pub in_ci: bool,
}

/// A limit to be judged.
struct Asked<'a> {
    limit: Limit,
    source: Source,
    demand: Option<&'a Demand>,
    allowed: f64,
    location: Option<Location>,
    /// The figure of the last release, without the slack.
    before: Option<f64>,
}

/// Judges the checks of a plan by one report each, in their order.
///
/// # Errors
/// As [`replay`](crate::replay()) for tables that the engine refuses; [`ReplayError::Internal`] if the reports are not those of the
/// checks.
pub fn judge(
    plan: &Plan<'_>,
    reports: &[FunctionReport],
    baseline: Option<&Baseline>,
    circumstances: Circumstances,
) -> Result<GateResult, ReplayError> {
    if plan.checks.len() != reports.len() {
        let (checks, reports) = (plan.checks.len(), reports.len());
        return Err(ReplayError::Internal(format!(
            "{checks} checks, {reports} reports"
        )));
    }
    let mut judge = Judge {
        plan,
        baseline,
        waivers: Waivers::new(&plan.budgets.waivers, circumstances.as_of),
        findings: plan.findings.clone(),
        of_release: plan.findings.len(),
        can_tighten: Vec::new(),
    };
    let mut checks = Vec::new();
    for (place, (check, report)) in plan.checks.iter().zip(reports).enumerate() {
        let judged = judge.check(check, report)?;
        // What was found just now is about this check.
        let found = judge.findings.iter_mut().skip(judge.of_release);
        found.for_each(|finding| finding.check = Some(place));
        judge.of_release = judge.findings.len();
        checks.push(judged);
    }
    judge.release(&checks);
    let Judge {
        waivers,
        mut findings,
        can_tighten,
        ..
    } = judge;
    findings.extend(waivers.findings(circumstances.in_ci));
    // Errors first, among them those of the release as a whole, then the largest excess.
    findings.sort_by(|one, other| {
        let rank = |finding: &Finding| (finding.level, finding.check.is_some());
        rank(one)
            .cmp(&rank(other))
            .then_with(|| other.excess().total_cmp(&one.excess()))
            .then_with(|| one.code.cmp(&other.code))
    });
    let has_waivers = !plan.budgets.waivers.is_empty();
    Ok(GateResult {
        schema_version: RESULT_SCHEMA_VERSION,
        passed: findings.iter().all(|finding| finding.level != Level::Error),
        budgets: plan.budgets.file.clone(),
        baseline: baseline.map(|baseline| baseline.origin.clone()),
        as_of: has_waivers.then(|| circumstances.as_of.to_string()),
        sets: plan.sets.iter().map(SetResult::from).collect(),
        checks,
        findings,
        waivers: waivers.results(),
        can_tighten,
    })
}

struct Judge<'a> {
    plan: &'a Plan<'a>,
    baseline: Option<&'a Baseline>,
    waivers: Waivers<'a>,
    findings: Vec<Finding>,
    /// How many findings there were before the present check.
    of_release: usize,
    can_tighten: Vec<CanTighten>,
}

impl Judge<'_> {
    fn check(
        &mut self,
        check: &Check<'_>,
        report: &FunctionReport,
    ) -> Result<CheckResult, ReplayError> {
        let plan = self.plan;
        let Some(gated) = plan.sets.get(check.set) else {
            return Err(ReplayError::Internal(format!("no set {}", check.set)));
        };
        let probe = Probe::new(gated.set, &check.entry.name, &plan.options(check))?;
        let own = figures(report);
        let subject = Subject {
            probe: &probe,
            report,
            figures: &own,
        };
        let before = self.baseline.and_then(|baseline| {
            let (input, range) = (&report.input_dtype, report.range.as_ref());
            baseline.figures(&gated.set.name, &report.name, &report.dtype, input, range)
        });
        let mut limits = Vec::new();
        for asked in self.asked(check, before) {
            limits.push(self.limit(check, &subject, &asked));
        }
        if self
            .baseline
            .is_some_and(|baseline| baseline.set(&gated.set.name).is_some())
            && before.is_none()
        {
            let message = format!(
                "{}: the last release has no figures of it ({}, over {})",
                about(check, &gated.set.name),
                report.dtype,
                check.inputs
            );
            self.findings.push(Finding {
                set: Some(gated.set.name.clone()),
                function: Some(report.name.clone()),
                dtype: Some(report.dtype.clone()),
                ..Finding::new(Code::NewFigures, Level::Note, message)
            });
        }
        Ok(CheckResult {
            set: gated.set.name.clone(),
            function: report.name.clone(),
            dtype: report.dtype.clone(),
            input_dtype: report.input_dtype.clone(),
            range: report.range.clone(),
            inputs: report.inputs,
            passed: limits.iter().all(|limit| limit.outcome.passes()),
            figures: own,
            limits,
        })
    }

    /// Every limit of a check: what always holds, what rules say, and the last release.
    fn asked<'p>(&self, check: &'p Check<'_>, before: Option<&Figures>) -> Vec<Asked<'p>> {
        let given = |limit: Limit| {
            check
                .limits
                .iter()
                .find(|chosen| chosen.given.limit == limit)
        };
        let rules = Limit::ALL
            .into_iter()
            .filter_map(|limit| match given(limit) {
                Some(chosen) => Some(Asked {
                    limit,
                    source: Source::Rule,
                    demand: Some(&chosen.given.demand),
                    allowed: chosen.given.demand.allowed(),
                    location: Some(self.plan.location(chosen.given.line, chosen.given.column)),
                    before: None,
                }),
                None => matches!(limit, Limit::NanResults | Limit::Special).then_some(Asked {
                    limit,
                    source: Source::Always,
                    demand: None,
                    allowed: 0.0,
                    location: None,
                    before: None,
                }),
            });
        // What was infinite in the last release cannot get worse; and NaNs are not allowed in any case.
        let before = before.into_iter().flatten().filter_map(|(limit, value)| {
            let value = (*value).filter(|_| *limit != Limit::NanResults)?;
            let slack = self.plan.budgets.slack.get(limit).copied().unwrap_or(0.0);
            let slack = if limit.is_at_least() { -slack } else { slack };
            Some(Asked {
                limit: *limit,
                source: Source::Baseline,
                demand: None,
                allowed: value + slack,
                location: None,
                before: Some(value),
            })
        });
        rules.chain(before).collect()
    }

    fn limit(
        &mut self,
        check: &Check<'_>,
        subject: &Subject<'_>,
        asked: &Asked<'_>,
    ) -> LimitResult {
        let Asked { limit, allowed, .. } = *asked;
        let reached = match asked.demand {
            Some(demand) => subject.reached(limit, demand),
            None => subject.figure(limit),
        };
        let measured = reached.value();
        let set = self
            .plan
            .sets
            .get(check.set)
            .map_or("", |gated| &gated.set.name);
        let mut waiver = None;
        let mut code = match (limit, asked.source) {
            (Limit::NanResults, Source::Always | Source::Rule) => Code::NanResults,
            (Limit::Special, Source::Always | Source::Rule) => Code::SpecialInput,
            (_, Source::Baseline) => Code::WorseThanBaseline,
            _ => Code::OverBudget,
        };
        let outcome = if let Reached::Nothing(_) = reached {
            code = Code::NotMeasured;
            Outcome::NotMeasured
        } else if measured.is_some_and(|measured| limit.keeps(measured, allowed)) {
            Outcome::Kept
        } else {
            let scope = Scope {
                set,
                function: &check.entry.name,
                dtype: check.dtype,
                input: check.inputs.dtype,
                range: check.inputs.range,
            };
            match self.waivers.lift(scope, limit, measured) {
                None => Outcome::Exceeded,
                Some((found, is_kept)) => {
                    waiver = Some(found);
                    if is_kept {
                        Outcome::Waived
                    } else {
                        code = Code::WaiverExceeded;
                        Outcome::Exceeded
                    }
                }
            }
        };
        if !outcome.passes() {
            let ceiling = waiver.map(|waiver| (waiver.id.as_str(), waiver.ceiling));
            self.fail(code, check, subject, asked, &reached, ceiling);
        }
        if let (Outcome::Kept, Some(measured)) = (outcome, measured) {
            self.spare(check, asked, measured);
        }
        LimitResult {
            limit,
            source: asked.source,
            line: asked.location.as_ref().map(|location| location.line),
            allowed,
            measured,
            margin: measured.map(|measured| limit.margin(measured, allowed)),
            outcome,
            waiver: waiver.map(|waiver| waiver.id.clone()),
        }
    }

    /// Notes a limit that could be tighter: of a rule whatever it leaves, of the last release what got better.
    fn spare(&mut self, check: &Check<'_>, asked: &Asked<'_>, measured: f64) {
        let allowed = match asked.source {
            Source::Rule if asked.limit.is_number() => asked.allowed,
            Source::Baseline => match asked.before {
                Some(before) => before,
                None => return,
            },
            _ => return,
        };
        if measured == allowed || !asked.limit.keeps(measured, allowed) {
            return;
        }
        let set = self
            .plan
            .sets
            .get(check.set)
            .map_or("", |gated| &gated.set.name);
        self.can_tighten.push(CanTighten {
            set: set.to_owned(),
            function: check.entry.name.clone(),
            dtype: check.dtype.name().to_owned(),
            limit: asked.limit,
            source: asked.source,
            allowed,
            measured,
        });
    }

    fn fail(
        &mut self,
        code: Code,
        check: &Check<'_>,
        subject: &Subject<'_>,
        asked: &Asked<'_>,
        reached: &Reached,
        ceiling: Option<(&str, f64)>,
    ) {
        let Some(gated) = self.plan.sets.get(check.set) else {
            return;
        };
        let limit = asked.limit;
        let side = if limit.is_at_least() {
            "at least"
        } else {
            "at most"
        };
        let allowed = limit.shown(asked.allowed);
        let promise = match asked.source {
            Source::Baseline => match asked.before {
                Some(before) if before != asked.allowed => format!(
                    "the last release has {}, with the slack {side} {allowed}",
                    limit.shown(before)
                ),
                _ => format!("the last release has {allowed}"),
            },
            Source::Rule | Source::Always => format!("{side} {allowed} allowed"),
        };
        let found = match reached {
            Reached::Figure(value) => format!("measured {}", limit.shown(*value)),
            Reached::Infinite => "measured no finite value".to_owned(),
            Reached::Nothing(reason) => format!("not measured: {reason}"),
        };
        let mut message = format!(
            "{}: {} ({}): {found}, {promise}",
            about(check, &gated.set.name),
            limit.key(),
            limit.meaning()
        );
        if let Some((id, ceiling)) = ceiling {
            let ceiling = limit.shown(ceiling);
            message.push_str(&format!(", and waiver {id} allows {side} {ceiling}"));
        }
        let is_measured = !matches!(reached, Reached::Nothing(_));
        let witness = if is_measured {
            subject.witness(limit, asked.demand, asked.allowed)
        } else {
            None
        };
        self.findings.push(Finding {
            location: asked.location.clone(),
            set: Some(gated.set.name.clone()),
            function: Some(check.entry.name.clone()),
            dtype: Some(check.dtype.name().to_owned()),
            limit: Some(limit),
            source: Some(asked.source),
            allowed: Some(asked.allowed),
            measured: reached.value(),
            reproduce: is_measured.then(|| command(gated, check, limit, witness.as_ref())),
            witness,
            ..Finding::new(code, Level::Error, message)
        });
    }

    /// Whether the last release is one of these sets, and nothing of it is gone.
    fn release(&mut self, checks: &[CheckResult]) {
        let Some(baseline) = self.baseline else {
            return;
        };
        for old in baseline.sets() {
            let of_set = |code, message: String| Finding {
                set: Some(old.name.clone()),
                ..Finding::new(code, Level::Error, message)
            };
            let Some(gated) = self
                .plan
                .sets
                .iter()
                .find(|gated| gated.set.name == old.name)
            else {
                let message = format!("set {} of the last release was not given", old.name);
                self.findings.push(of_set(Code::SetDropped, message));
                continue;
            };
            for (field, before, now) in [
                ("target", &old.target, gated.set.target.to_string()),
                ("datapath", &old.datapath, gated.datapath.to_string()),
            ] {
                if *before != now {
                    let message = format!(
                        "set {}: the last release is for {field} {before}, this is for {now}",
                        old.name
                    );
                    self.findings.push(of_set(Code::BaselineMismatch, message));
                }
            }
            let mut dropped: Vec<&str> = baseline
                .entries(&old.name)
                .map(|entry| entry.function.as_str())
                .filter(|function| gated.set.function(function).is_none())
                .collect();
            dropped.dedup();
            for function in dropped {
                let message = format!(
                    "set {} no longer holds {function}, which the last release had",
                    old.name
                );
                self.findings.push(Finding {
                    function: Some(function.to_owned()),
                    ..of_set(Code::FunctionDropped, message)
                });
            }
            let is_compared = checks.iter().any(|check| {
                let from_baseline = |limit: &LimitResult| limit.source == Source::Baseline;
                check.set == old.name && check.limits.iter().any(from_baseline)
            });
            if !is_compared {
                let message = format!(
                    "set {}: the last release has no figures of what was measured now",
                    old.name
                );
                self.findings.push(of_set(Code::NothingCompared, message));
            }
        }
        let old_sets = baseline.sets();
        if old_sets.iter().all(|old| {
            self.plan
                .sets
                .iter()
                .all(|gated| gated.set.name != old.name)
        }) {
            let message = format!("{}: none of the sets is in it", baseline.origin);
            self.findings
                .push(Finding::new(Code::NothingCompared, Level::Error, message));
        }
    }
}

/// `tanh of set core`, and what is special about the check.
fn about(check: &Check<'_>, set: &str) -> String {
    let mut text = format!("{} of set {set}", check.entry.name);
    let own = check.entry.notes.dtype.as_deref().unwrap_or("fp32");
    if check.dtype.name() != own {
        text.push_str(&format!(" in {}", check.dtype.name()));
    }
    if check.inputs.dtype != Format::Fp32 || check.inputs.range.is_some() {
        text.push_str(&format!(" over {}", check.inputs));
    }
    text
}

impl From<&GatedSet<'_>> for SetResult {
    fn from(gated: &GatedSet<'_>) -> Self {
        Self {
            name: gated.set.name.clone(),
            directory: gated.directory.to_owned(),
            sha256: gated.set.digest().ok(),
            target: gated.set.target.to_string(),
            datapath: gated.datapath.to_string(),
        }
    }
}
