//! Holding what was measured against the rules, the waivers and the last release.

use jiff::civil::Date;

use super::baseline::Baseline;
use super::codes::{Code, Level};
use super::demand::{Reached, Subject};
use super::describe::{Asked, Failed, about};
use super::figures::{Figures, figures};
use super::plan::{Check, GatedSet, Plan};
use super::release::against_release;
use super::result::{
    CanTighten, CheckResult, Finding, GateResult, LimitResult, Outcome, RESULT_SCHEMA_VERSION,
    SetResult, Source,
};
use super::waive::{Scope, Waivers};
use crate::budget::Limit;
use crate::replay::{Probe, ReplayError, with_operand};
use crate::report::FunctionReport;

/// What besides the files decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The day that waivers are held against.
    pub as_of: Date,
    /// Whether this is an automatic run, in which an unused waiver is a failure.
    pub in_ci: bool,
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
    if let Some(baseline) = baseline {
        judge
            .findings
            .extend(against_release(plan, baseline, &checks));
    }
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
        sets: sets(plan),
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
        let options = plan.options(check);
        let set = with_operand(gated.set, &options)?;
        let probe = Probe::new(&set, &check.entry.name, &options)?;
        let own = figures(report);
        let subject = Subject {
            probe: &probe,
            report,
            figures: &own,
        };
        let before = self
            .baseline
            .and_then(|baseline| baseline.figures(&gated.set.name, report));
        let mut limits = Vec::new();
        for asked in self.asked(check, before) {
            limits.push(self.limit(check, &subject, &asked));
        }
        if self.baseline.is_some() && before.is_none() {
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
                allowed: with_slack(value, slack),
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
            let failed = Failed {
                code,
                reached: &reached,
                ceiling,
            };
            self.findings
                .extend(failed.finding(self.plan, check, subject, asked));
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
}

fn sets(plan: &Plan<'_>) -> Vec<SetResult> {
    let result = |(place, gated): (usize, &GatedSet<'_>)| SetResult {
        name: gated.set.name.clone(),
        directory: gated.directory.to_owned(),
        sha256: plan.digest(place).cloned(),
        target: gated.set.target.to_string(),
        datapath: gated.datapath.to_string(),
    };
    plan.sets.iter().enumerate().map(result).collect()
}

/// A figure and its slack, added as the decimals that they are written as: binary, 0.999999 and 0.01 are less than 1.009999.
/// Every decimal of 15 digits is a double of its own.
fn with_slack(figure: f64, slack: f64) -> f64 {
    if slack == 0.0 {
        return figure;
    }
    let sum = figure + slack;
    format!("{sum:.14e}").parse().unwrap_or(sum)
}

#[cfg(test)]
mod tests {
    use super::with_slack;

    #[test]
    fn a_slack_is_added_as_written() {
        for (figure, slack, sum) in [
            (0.999999, 0.01, 1.009999),
            (0.1, 0.2, 0.3),
            (0.3, -0.1, 0.2),
            (19.271309, 0.000001, 19.27131),
            (1e-300, 1e-301, 1.1e-300),
            (f64::INFINITY, 0.5, f64::INFINITY),
        ] {
            assert_eq!(with_slack(figure, slack), sum, "{figure} and {slack}");
        }
        let exact = 0.1 + 0.2;
        assert_eq!(with_slack(exact, 0.0), exact);
    }
}
