//! The gate of a release: the sets that are packed are judged, and what they were judged by is packed with them.

use std::path::PathBuf;

use actforge_reports::budget::Budgets;
use actforge_reports::document::read_text;
use actforge_reports::gate::{Circumstances, GatedSet, Plan, judge};
use actforge_reports::replay;
use actforge_reports::report::Report;
use actforge_tables::FunctionSet;
use clap::Args;
use jiff::civil::Date;

use crate::archive::GatedBy;
use crate::commands::gate::{LastRelease, last_release, read_budgets, refused, show, today};
use crate::commands::reports::replay_failure;
use crate::exit::Failure;
use crate::output::Output;
use crate::progress::Progress;

/// What a release is gated by.
#[derive(Debug, Args)]
pub(super) struct GateArguments {
    /// The budgets file: the sets are gated as by `actforge gate` in CI, and not packed unless they pass
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,

    /// A file with more waivers, and nothing else
    #[arg(long, value_name = "FILE", requires = "budgets")]
    waivers: Option<PathBuf>,

    /// The last release: a stored report or gate result, or a directory with some of them; no figure may be worse
    #[arg(long, value_name = "DIR|FILE", requires = "budgets")]
    baseline: Option<PathBuf>,

    /// Hold waivers against this day instead of today (UTC); with waivers, it stands in the archive
    #[arg(long, value_name = "DATE", requires = "budgets")]
    as_of: Option<Date>,
}

impl GateArguments {
    /// What the sets are judged by.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.budgets, &self.waivers, &self.baseline];
        files.into_iter().flatten()
    }
}

/// A gate that has been read, and waits for the reports of the sets.
pub(super) struct Gate {
    /// With the names that the user gave the files.
    budgets: Budgets,
    last: Option<LastRelease>,
    by: GatedBy,
}

impl Gate {
    /// Reads budgets, waivers and the last release, if the release is to be gated.
    pub(super) fn read(arguments: &GateArguments) -> Result<Option<Self>, Failure> {
        let Some(file) = &arguments.budgets else {
            return Ok(None);
        };
        let text = read_text(file).map_err(|error| refused(error.into()))?;
        let budgets = read_budgets(file, &text, arguments.waivers.as_deref())?;
        let waivers = arguments.waivers.as_deref().map(read_text).transpose();
        let last = arguments
            .baseline
            .as_deref()
            .map(last_release)
            .transpose()?;
        let by = GatedBy {
            budgets: text,
            waivers: waivers.map_err(|error| refused(error.into()))?,
            baseline: last
                .as_ref()
                .map_or_else(Vec::new, |last| last.texts.clone()),
            reports: Vec::new(),
            as_of: arguments.as_of.unwrap_or_else(today),
        };
        Ok(Some(Self { budgets, last, by }))
    }

    /// Judges the sets by their reports, and by replays of what these do not answer.
    ///
    /// # Errors
    /// A failed check if the gate does not pass: then everything that it found was shown.
    pub(super) fn judge(
        self,
        sets: &[(PathBuf, FunctionSet)],
        reports: &[Report],
        output: &mut Output,
    ) -> Result<GatedBy, Failure> {
        let Self {
            budgets,
            last,
            mut by,
        } = self;
        let directories: Vec<String> = sets
            .iter()
            .map(|(path, _)| path.display().to_string())
            .collect();
        let gated = sets
            .iter()
            .zip(&directories)
            .map(|((_, set), directory)| GatedSet {
                directory,
                set,
                datapath: set.datapath,
            });
        let failed = |set: usize| {
            let path = sets
                .get(set)
                .map_or_else(PathBuf::new, |(path, _)| path.clone());
            move |error| replay_failure(&path, &error)
        };
        let plan = Plan::new(gated.collect(), &budgets).map_err(failed(0))?;
        let progress = Progress::new();
        let mut answers = Vec::new();
        for check in &plan.checks {
            let mut at_hand = reports.iter().chain(&by.reports);
            if let Some(answer) = at_hand.find_map(|report| plan.answer(check, report)) {
                answers.push(answer.clone());
                continue;
            }
            let Some((_, set)) = sets.get(check.set) else {
                return Err(Failure::internal(format!("no set {}", check.set)));
            };
            let report = replay(set, &plan.options(check), &progress.of_replay());
            let report = report.map_err(failed(check.set))?;
            let answer = plan.answer(check, &report);
            answers.push(answer.cloned().ok_or_else(|| {
                Failure::internal(format!(
                    "a replay of {} is of something else",
                    check.entry.name
                ))
            })?);
            by.reports.push(report);
        }
        let circumstances = Circumstances {
            as_of: by.as_of,
            in_ci: true,
        };
        let baseline = last.as_ref().map(|last| &last.baseline);
        let result = judge(&plan, &answers, baseline, circumstances).map_err(failed(0))?;
        show(&result, output)?;
        if result.passed {
            return Ok(by);
        }
        Err(Failure::failed(
            "not released: the gate does not pass",
            "a release keeps its promises: change the sets, or the budgets with a reason; nothing was written",
        ))
    }
}
