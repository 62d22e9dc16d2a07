//! The result of a gate for people: every limit, then what was found, the worst first.

use actforge_reports::budget::Limit;
use actforge_reports::gate::render::details;
use actforge_reports::gate::{
    CheckResult, Finding, GateResult, LimitResult, Outcome, Source, WaiverState,
};

use crate::commands::reports::types;
use crate::exit::Failure;
use crate::numbers::as_written;
use crate::output::{Output, Table};

/// Shows a result.
pub(in crate::commands) fn show(result: &GateResult, output: &mut Output) -> Result<(), Failure> {
    if !result.checks.is_empty() {
        output.table(&limits(result), 0)?;
    }
    for finding in &result.findings {
        show_finding(finding, output)?;
    }
    for waiver in result
        .waivers
        .iter()
        .filter(|waiver| waiver.state == WaiverState::Used)
    {
        output.line(format!(
            "waived  {}: {} of {} up to {} until {} ({}; {})",
            waiver.id,
            waiver.limit.key(),
            waiver.function,
            waiver.limit.shown(waiver.ceiling),
            waiver.expires,
            waiver.reason,
            waiver.owner
        ))?;
    }
    for better in result
        .can_tighten
        .iter()
        .filter(|spare| spare.source == Source::Baseline)
    {
        output.line(format!(
            "can tighten  {} of {}, {}: {}, the last release had {}",
            better.function,
            better.set,
            better.limit.key(),
            better.limit.shown(better.measured),
            better.limit.shown(better.allowed)
        ))?;
    }
    output.line(result.summary())
}

fn show_finding(finding: &Finding, output: &mut Output) -> Result<(), Failure> {
    let word = finding.level.word();
    output.line(format!(
        "{word}  {}  {}",
        finding.code.name(),
        finding.message
    ))?;
    for (word, detail) in details(finding) {
        output.line(format!("      {word:<9} {detail}"))?;
    }
    Ok(())
}

/// Every limit of a rule, and the others where they are not kept.
fn limits(result: &GateResult) -> Table {
    let mut titles = vec![
        "",
        "function",
        "type",
        ">inputs",
        "limit",
        ">allowed",
        ">measured",
        ">margin",
    ];
    let has_sets = result.sets.len() > 1;
    if has_sets {
        titles.insert(1, "set");
    }
    let mut table = Table::new(&titles);
    for check in &result.checks {
        for limit in &check.limits {
            if limit.source == Source::Rule || limit.outcome != Outcome::Kept {
                let mut cells = row(check, limit);
                if has_sets {
                    cells.insert(1, check.set.clone());
                }
                table.row(cells);
            }
        }
    }
    table
}

fn row(check: &CheckResult, limit: &LimitResult) -> Vec<String> {
    let key = limit.limit.key();
    let number = |value: Option<f64>| {
        value.map_or_else(|| "none".to_owned(), |value| limit.limit.shown(value))
    };
    vec![
        limit.outcome.word().to_owned(),
        check.function.clone(),
        types(&check.input_dtype, &check.dtype),
        check.inputs.to_string(),
        match limit.source {
            Source::Baseline => format!("{key} of the last release"),
            Source::Rule | Source::Always => key.to_owned(),
        },
        match limit.limit {
            // As it was written: all digits of an ulp are zeros as a rule.
            Limit::MaxUlp | Limit::MeanUlp | Limit::MinCorrectlyRounded => {
                as_written(limit.allowed)
            }
            other => other.shown(limit.allowed),
        },
        number(limit.measured),
        number(limit.margin),
    ]
}
