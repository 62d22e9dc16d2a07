//! The verdict on a release: what it was judged by is packed with it, so whoever reads the archive judges again.

use std::collections::BTreeMap;

use actforge_reports::Report;
use actforge_reports::budget::Budgets;
use actforge_reports::gate::{Baseline, Circumstances, GateResult, GatedSet, Plan, judge};
use actforge_reports::report::FunctionReport;
use actforge_tables::FunctionSet;
use jiff::civil::Date;

use super::{ArchiveError, BASELINE, BUDGETS, GATE, GateRecord, WAIVERS, set_directory};

/// What sets are gated by: texts, so that nothing but the archive decides.
#[derive(Clone, Debug, PartialEq)]
pub struct GatedBy {
    /// The budgets file.
    pub budgets: String,
    /// The file of waivers.
    pub waivers: Option<String>,
    /// The reports, or the result of a gate, of the last release.
    pub baseline: Vec<String>,
    /// Reports that answer what those of the sets do not: other types, parts of the inputs.
    pub reports: Vec<Report>,
    /// The day that waivers are held against.
    pub as_of: Date,
}

/// The one form of a stored result.
fn text_of(result: &GateResult) -> Result<Vec<u8>, ArchiveError> {
    let mut text = serde_json::to_vec_pretty(result).map_err(|source| ArchiveError::Json {
        file: GATE.to_owned(),
        source,
    })?;
    text.push(b'\n');
    Ok(text)
}

impl GatedBy {
    /// Its files and that of the verdict, by their paths.
    ///
    /// # Errors
    /// As [`GatedBy::judge`]; [`ArchiveError::Content`] for sets that do not pass.
    pub(super) fn files(
        &self,
        sets: &[(&FunctionSet, &Report)],
    ) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
        let result = self.judge(sets)?;
        if !result.passed {
            return Err(ArchiveError::content(GATE, "passed", true, false));
        }
        let record = GateRecord::of(self);
        let mut files = BTreeMap::from([
            (record.file, text_of(&result)?),
            (record.budgets, self.budgets.clone().into_bytes()),
        ]);
        let waivers = record.waivers.zip(self.waivers.clone());
        files.extend(waivers.map(|(path, text)| (path, text.into_bytes())));
        for (path, text) in record.baseline.into_iter().zip(&self.baseline) {
            files.insert(path, text.clone().into_bytes());
        }
        for (path, report) in record.reports.into_iter().zip(&self.reports) {
            files.insert(path.clone(), super::report_text(&path, report)?);
        }
        Ok(files)
    }

    /// Reads what was packed: `text` gives the content of a file.
    pub(super) fn read(
        record: &GateRecord,
        text: impl Fn(&str) -> Result<String, ArchiveError>,
    ) -> Result<Self, ArchiveError> {
        let stored = stored(&text(&record.file)?)?;
        let as_of = stored.as_of.as_deref().map_or(Ok(Date::ZERO), |day| {
            let parsed = day.parse::<Date>();
            parsed.map_err(|_| ArchiveError::content(GATE, "as_of", "a date", format!("{day:?}")))
        })?;
        let by = Self {
            budgets: text(&record.budgets)?,
            waivers: record.waivers.as_deref().map(&text).transpose()?,
            baseline: record
                .baseline
                .iter()
                .map(|path| text(path))
                .collect::<Result<_, _>>()?,
            reports: record
                .reports
                .iter()
                .map(|path| super::read_report(path, &text(path)?))
                .collect::<Result<_, _>>()?,
            as_of,
        };
        let expected = GateRecord::of(&by);
        if *record != expected {
            return Err(ArchiveError::content(
                super::MANIFEST,
                "gate",
                format!("{expected:?}"),
                format!("{record:?}"),
            ));
        }
        Ok(by)
    }

    /// Whether the stored result is, to the byte, what judging gives.
    pub(super) fn check(
        &self,
        sets: &[(&FunctionSet, &Report)],
        stored: &[u8],
    ) -> Result<(), ArchiveError> {
        for (file, report) in GateRecord::of(self).reports.into_iter().zip(&self.reports) {
            let set = sets.iter().find(|(set, _)| set.name == report.set);
            let Some((set, _)) = set else {
                return Err(ArchiveError::content(
                    &file,
                    "set",
                    "one of the release",
                    &report.set,
                ));
            };
            let checked = report.check_against(set, set.datapath);
            checked.map_err(|source| ArchiveError::Report {
                file,
                source: Box::new(source),
            })?;
        }
        let result = self.judge(sets)?;
        if !result.passed {
            let first = result.findings.first();
            let found = first.map_or_else(String::new, |finding| finding.message.clone());
            let expected = "sets that keep the budgets";
            return Err(ArchiveError::content(GATE, "verdict", expected, found));
        }
        if text_of(&result)? != stored {
            return Err(ArchiveError::content(
                GATE,
                "text",
                "what the gate says of these sets",
                "another result",
            ));
        }
        Ok(())
    }

    /// Judges the sets by the reports at hand, under the names that all of it has in an archive. Releases are judged as
    /// in CI: an unused waiver is a failure.
    ///
    /// # Errors
    /// [`ArchiveError`] for budgets, waivers and figures of the last release that cannot be read, and for a check that no
    /// report answers.
    pub(super) fn judge(
        &self,
        sets: &[(&FunctionSet, &Report)],
    ) -> Result<GateResult, ArchiveError> {
        let mut budgets = Budgets::parse(BUDGETS, &self.budgets)?;
        if let Some(waivers) = &self.waivers {
            budgets.add_waivers(WAIVERS, waivers)?;
        }
        let directories: Vec<String> = sets
            .iter()
            .map(|(set, _)| set_directory(&set.name))
            .collect();
        let gated = sets
            .iter()
            .zip(&directories)
            .map(|((set, _), directory)| GatedSet {
                directory,
                set,
                datapath: set.datapath,
            });
        let plan = Plan::new(gated.collect(), &budgets)?;
        let mut baseline = Baseline::new(BASELINE);
        for (text, path) in self.baseline.iter().zip(GateRecord::of(self).baseline) {
            baseline
                .add(text)
                .map_err(|source| ArchiveError::Baseline {
                    file: path,
                    source: Box::new(source),
                })?;
        }
        let at_hand: Vec<&Report> = sets
            .iter()
            .map(|(_, report)| *report)
            .chain(&self.reports)
            .collect();
        let answers = plan.checks.iter().map(|check| {
            let mut answers = at_hand
                .iter()
                .filter_map(|report| plan.answer(check, report));
            answers.next().cloned().ok_or_else(|| {
                let expected = format!(
                    "a report of {} in {} over {}",
                    check.entry.name,
                    check.dtype.name(),
                    check.inputs
                );
                ArchiveError::content(GATE, "reports", expected, "none")
            })
        });
        let answers: Vec<FunctionReport> = answers.collect::<Result<_, _>>()?;
        let circumstances = Circumstances {
            as_of: self.as_of,
            in_ci: true,
        };
        let baseline = (!self.baseline.is_empty()).then_some(&baseline);
        Ok(judge(&plan, &answers, baseline, circumstances)?)
    }
}

fn stored(text: &str) -> Result<GateResult, ArchiveError> {
    GateResult::from_json(text).map_err(|source| ArchiveError::Result {
        file: GATE.to_owned(),
        source,
    })
}
