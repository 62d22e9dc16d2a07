//! The octaves of a function as a table. Octaves that follow each other with the same figures share a row.

use super::table::{Cell, TableView, Tone};
use super::text::{bound, count, percent, ulp, witness};
use crate::report::{FunctionReport, OctaveReport};

/// The table of the octaves.
pub(super) fn octave_table(function: &FunctionReport) -> TableView {
    let runs: Vec<&[OctaveReport]> = function.octaves.chunk_by(has_same_figures).collect();
    let mut table = TableView::new(
        format!("{} octaves", function.octaves.len()),
        format!(
            "Octaves of {}: magnitudes from 2^exponent to 2^(exponent + 1); \u{2212}127 stands for all subnormals, and neighbours with the same figures share a row",
            function.name
        ),
        &[
            "exponent",
            "sign",
            ">buckets",
            ">inputs",
            ">max ulp",
            "at",
            "got \u{2192} want",
            ">floor",
            ">mean",
            ">rounded %",
            ">against direction",
        ],
    );
    for run in runs {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            continue;
        };
        let group = &first.group;
        let exponents = if run.len() == 1 {
            exponent(first.exponent)
        } else {
            format!(
                "{} to {}",
                exponent(first.exponent),
                exponent(last.exponent)
            )
        };
        let [at, got] = witness(group.max_ulp_at.as_ref());
        let inputs = run.iter().map(|octave| octave.group.inputs);
        let inputs = inputs.fold(0, u64::saturating_add);
        let tone = |is_bad: bool| if is_bad { Tone::Bad } else { Tone::Plain };
        table.row([
            exponents.into(),
            if first.negative {
                "negative"
            } else {
                "positive"
            }
            .into(),
            first.buckets.to_string().into(),
            count(inputs).into(),
            Cell::toned(ulp(group.max_ulp), tone(group.max_ulp.is_none())),
            at.into(),
            got.into(),
            bound(first.lower_bound_ulp).into(),
            ulp(Some(group.mean_ulp)).into(),
            percent(group.correctly_rounded).into(),
            Cell::toned(count(first.non_monotone), tone(first.non_monotone > 0)),
        ]);
    }
    table
}

fn exponent(exponent: i32) -> String {
    let sign = if exponent < 0 { "\u{2212}" } else { "" };
    format!("{sign}{}", exponent.unsigned_abs())
}

/// Whether two neighbours have nothing to tell them apart but their inputs.
fn has_same_figures(one: &OctaveReport, other: &OctaveReport) -> bool {
    let figures = |octave: &OctaveReport| {
        let group = &octave.group;
        (
            octave.negative,
            octave.buckets,
            octave.lower_bound_ulp,
            group.max_ulp,
            group.mean_ulp,
            group.correctly_rounded,
        )
    };
    figures(one) == figures(other) && one.non_monotone == 0 && other.non_monotone == 0
}
