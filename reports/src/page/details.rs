//! The smaller tables of a function: special inputs, seams, saturation, histogram, profile.

use actforge_tables::FunctionEntry;

use super::table::{Cell, TableView, Tone};
use super::text::{bits, count, ulp};
use super::{PageError, SetPart};
use crate::profile_words::profile_words;
use crate::report::{FunctionReport, Seam};

/// What zeros, infinities and NaNs give.
pub(super) fn special_table(report: &FunctionReport) -> TableView {
    let mut table = TableView::new(
        "Special inputs",
        format!("Zeros, infinities and NaNs into {}", report.name),
        &[
            "input",
            ">bit patterns",
            "one of them",
            "got",
            "want",
            "right",
        ],
    );
    for special in &report.special {
        let (text, tone) = if special.ok {
            ("yes", Tone::Good)
        } else {
            ("no", Tone::Bad)
        };
        table.row([
            special.input.clone().into(),
            count(special.inputs).into(),
            special.bits.clone().into(),
            bits(&special.got).into(),
            bits(&special.want).into(),
            Cell::toned(text, tone),
        ]);
    }
    table
}

/// The jumps between neighbours.
pub(super) fn seam_table(report: &FunctionReport) -> TableView {
    let mut table = TableView::new(
        "Seams",
        format!(
            "Neighbouring inputs of {} that different cubics serve",
            report.name
        ),
        &[
            "between",
            ">seams",
            ">largest jump, ulp",
            "input before it",
            ">against direction",
        ],
    );
    let seams = &report.seams;
    let rows: [(&str, &Seam); 3] = [
        ("buckets of an octave", &seams.bucket),
        ("octaves", &seams.octave),
        ("a region and the rest", &seams.region),
    ];
    for (between, seam) in rows {
        table.row([
            between.into(),
            count(seam.count).into(),
            ulp(Some(seam.max_jump_ulp)).into(),
            seam.at.as_deref().map_or_else(String::new, bits).into(),
            count(seam.non_monotone).into(),
        ]);
    }
    table
}

/// From where on each side gives its limit.
pub(super) fn saturation_table(report: &FunctionReport) -> TableView {
    let mut table = TableView::new(
        "Saturation",
        format!("From where on {} gives its limit", report.name),
        &["side", "limit", "all results from", "right from"],
    );
    for side in &report.saturation {
        let place =
            |place: &Option<String>| place.as_deref().map_or_else(|| "nowhere".to_owned(), bits);
        table.row([
            if side.negative {
                "negative"
            } else {
                "positive"
            }
            .into(),
            bits(&side.limit).into(),
            place(&side.first).into(),
            place(&side.right).into(),
        ]);
    }
    table
}

/// How many inputs have how large an error.
pub(super) fn histogram_table(report: &FunctionReport) -> TableView {
    let mut table = TableView::new(
        "Histogram",
        format!(
            "Inputs of {} by their error; the bins up to 0.5 hold the correctly rounded results and no others",
            report.name
        ),
        &[">up to, ulp", ">inputs"],
    );
    let edges = report
        .histogram_edges
        .iter()
        .map(ToString::to_string)
        .chain(["more".to_owned()]);
    for (edge, inputs) in edges.zip(&report.histogram) {
        table.row([edge.into(), count(*inputs).into()]);
    }
    table
}

/// The fields of the profile in words.
pub(super) fn profile_table(
    part: &SetPart<'_>,
    entry: &FunctionEntry,
) -> Result<TableView, PageError> {
    let mut table = TableView::new(
        "Profile words, explained",
        format!(
            "The PROFILE entry of {}, bits counted from bit 0 of byte 0",
            entry.name
        ),
        &["field", ">bits", ">hex", "value", "meaning"],
    );
    let words = part.set.profile(entry).map(profile_words).transpose();
    let words = words.map_err(|source| PageError::Profile {
        function: entry.name.clone(),
        source,
    })?;
    for word in words.unwrap_or_default() {
        table.row([
            word.name.into(),
            format!("{}:{}", word.msb, word.lsb).into(),
            word.hex.into(),
            Cell::toned(word.value, Tone::Wrapped),
            Cell::toned(word.meaning, Tone::Wrapped),
        ]);
    }
    Ok(table)
}
