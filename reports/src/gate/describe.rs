//! A limit that is not kept, put into words: what was measured, what was promised, an input and a command.

use actforge_reference::Format;

use super::codes::{Code, Level};
use super::demand::{Reached, Subject};
use super::plan::{Check, Plan};
use super::reproduce::command;
use super::result::{Finding, Location, Source};
use crate::budget::{Demand, Limit};

/// A limit to be judged.
pub(super) struct Asked<'a> {
    pub(super) limit: Limit,
    pub(super) source: Source,
    pub(super) demand: Option<&'a Demand>,
    pub(super) allowed: f64,
    pub(super) location: Option<Location>,
    /// The figure of the last release, without the slack.
    pub(super) before: Option<f64>,
}

/// How a limit failed.
pub(super) struct Failed<'a> {
    pub(super) code: Code,
    pub(super) reached: &'a Reached,
    /// The waiver that is exceeded too, and its ceiling.
    pub(super) ceiling: Option<(&'a str, f64)>,
}

impl Failed<'_> {
    /// The finding; none if the check is of no set of the plan.
    pub(super) fn finding(
        &self,
        plan: &Plan<'_>,
        check: &Check<'_>,
        subject: &Subject<'_>,
        asked: &Asked<'_>,
    ) -> Option<Finding> {
        let gated = plan.sets.get(check.set)?;
        let limit = asked.limit;
        let is_measured = !matches!(self.reached, Reached::Nothing(_));
        let witness = is_measured
            .then(|| subject.witness(limit, asked.demand, asked.allowed))
            .flatten();
        Some(Finding {
            location: asked.location.clone(),
            set: Some(gated.set.name.clone()),
            function: Some(check.entry.name.clone()),
            dtype: Some(check.dtype.name().to_owned()),
            limit: Some(limit),
            source: Some(asked.source),
            allowed: Some(asked.allowed),
            measured: self.reached.value(),
            reproduce: is_measured.then(|| command(gated, check, limit, witness.as_ref())),
            witness,
            ..Finding::new(
                self.code,
                Level::Error,
                self.message(check, &gated.set.name, asked),
            )
        })
    }

    fn message(&self, check: &Check<'_>, set: &str, asked: &Asked<'_>) -> String {
        let limit = asked.limit;
        let found = match self.reached {
            Reached::Figure(value) => format!("measured {}", limit.shown(*value)),
            Reached::Infinite => "measured no finite value".to_owned(),
            Reached::Nothing(reason) => format!("not measured: {reason}"),
        };
        let mut message = format!(
            "{}: {} ({}): {found}, {}",
            about(check, set),
            limit.key(),
            limit.meaning(),
            promise(asked)
        );
        if let Some((id, ceiling)) = self.ceiling {
            let ceiling = limit.shown(ceiling);
            message.push_str(&format!(
                ", and waiver {id} allows {} {ceiling}",
                side(limit)
            ));
        }
        message
    }
}

fn promise(asked: &Asked<'_>) -> String {
    let limit = asked.limit;
    let (side, allowed) = (side(limit), limit.shown(asked.allowed));
    match (asked.source, asked.before) {
        (Source::Baseline, Some(before)) if before != asked.allowed => format!(
            "the last release has {}, with the slack {side} {allowed}",
            limit.shown(before)
        ),
        (Source::Baseline, _) => format!("the last release has {allowed}"),
        (Source::Rule | Source::Always, _) => format!("{side} {allowed} allowed"),
    }
}

const fn side(limit: Limit) -> &'static str {
    if limit.is_at_least() {
        "at least"
    } else {
        "at most"
    }
}

/// `tanh of set core`, and what is special about the check.
pub(super) fn about(check: &Check<'_>, set: &str) -> String {
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
