//! The errors of two tables for the same function, on one axis.

use serde_json::{Value, json};

use super::canvas::{Area, Canvas};
use super::columns::Columns;
use super::data::{PlotData, sign};
use super::error::PlotError;
use super::facts::about;
use super::frame::{self, Key, LEFT, RIGHT_MARGIN};
use super::input_axis::InputAxis;
use super::render::Picture;
use super::spans::{Span, spans};
use super::style::{AXIS, DATA_STROKE, HALF_ULP, HEIGHT, MAXIMUM, OLDER, REGION, WIDTH};
use super::ulp_axis::UlpAxis;
use super::{input_frame, number};
use crate::report::{FunctionReport, Report};

const AREA: Area = Area {
    left: LEFT,
    top: 128.0,
    right: WIDTH - RIGHT_MARGIN,
    bottom: HEIGHT - 64.0,
};

/// Stroke of the older table: it is to be seen where the newer one lies on it.
const OLDER_STROKE: f64 = 5.0;

const COLUMNS: [&str; 7] = [
    "sign",
    "from_log2",
    "to_log2",
    "old_bucket",
    "old_max_ulp",
    "new_bucket",
    "new_max_ulp",
];

/// The comparison of one function.
#[derive(Clone, Debug)]
pub(super) struct ComparisonPlot {
    name: String,
    what: String,
    facts: String,
    dtype: String,
    about: Vec<(&'static str, Value)>,
    pieces: Vec<Piece>,
    /// Old and new.
    columns: [Columns; 2],
    inputs: InputAxis,
    errors: UlpAxis,
}

/// Inputs that one bucket serves in each of the two tables.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    negative: bool,
    low: f64,
    high: f64,
    old: Option<Span>,
    new: Option<Span>,
}

impl ComparisonPlot {
    /// Prepares the plot.
    pub(super) fn new(
        [old_report, new_report]: [&Report; 2],
        [old, new]: [&FunctionReport; 2],
    ) -> Result<Self, PlotError> {
        let (old_spans, new_spans) = (spans(old)?, spans(new)?);
        let both: Vec<Span> = old_spans.iter().chain(&new_spans).cloned().collect();
        // The regions of the two need not be the same: the newer one's are shown.
        let inputs = InputAxis::new(&new_spans, AREA.left, AREA.right);
        let errors = both
            .iter()
            .filter_map(|span| span.max)
            .filter(|max| max.is_finite());
        let max = |function: &FunctionReport| {
            function.max_ulp.map_or_else(
                || "NaN".to_owned(),
                |max| format!("{} ulp", number::ulp(max)),
            )
        };
        let title = |report: &Report, function: &FunctionReport| {
            format!(
                "set {}, {}, {}: max {}, mean {} ulp, {} buckets",
                report.set,
                report.target,
                report.datapath,
                max(function),
                number::ulp(function.mean_ulp),
                function.buckets
            )
        };
        let facts = format!(
            "old: {} \u{b7} new: {}",
            title(old_report, old),
            title(new_report, new)
        );
        let marks = [
            ("old_max_ulp", json!(old.max_ulp)),
            ("new_max_ulp", json!(new.max_ulp)),
        ];
        Ok(Self {
            name: new.name.clone(),
            what: format!(
                "{} \u{b7} max {} before, {} now",
                new.dtype,
                max(old),
                max(new)
            ),
            facts,
            dtype: new.dtype.clone(),
            about: about(new_report, new).into_iter().chain(marks).collect(),
            errors: UlpAxis::for_errors(errors.fold(0.0, f64::max), AREA.top, AREA.bottom),
            columns: [&old_spans, &new_spans]
                .map(|spans| Columns::new(spans, &inputs, AREA.left, AREA.right)),
            pieces: pieces(&old_spans, &new_spans),
            inputs,
        })
    }
}

/// The inputs cut wherever one of the tables cuts them, ascending on each side.
fn pieces(old: &[Span], new: &[Span]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for negative in [true, false] {
        let side = |spans: &[Span]| -> Vec<Span> {
            let own = spans.iter().filter(|span| span.negative == negative);
            own.cloned().collect()
        };
        let (old, new) = (side(old), side(new));
        let mut cuts: Vec<f64> = old
            .iter()
            .chain(&new)
            .flat_map(|span| [span.low, span.high])
            .collect();
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        // Spans ascend and do not overlap.
        let find = |spans: &[Span], low: f64| {
            let place = spans.partition_point(|span| span.high <= low);
            spans.get(place).filter(|span| span.low <= low).cloned()
        };
        for pair in cuts.windows(2) {
            let [low, high] = *pair else { continue };
            let (old, new) = (find(&old, low), find(&new, low));
            if old.is_some() || new.is_some() {
                pieces.push(Piece {
                    negative,
                    low,
                    high,
                    old,
                    new,
                });
            }
        }
    }
    pieces
}

impl Picture for ComparisonPlot {
    fn draw(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        frame::heading(canvas, &self.name, &self.what, &self.facts)?;
        frame::legend(
            canvas,
            &[
                (Key::Line(OLDER), "old: max of a bucket"),
                (Key::Line(MAXIMUM), "new: max of a bucket"),
                (Key::Dashes(HALF_ULP), "0.5 ulp: correctly rounded"),
                (Key::Patch(REGION), "region of the new table"),
            ],
        )?;
        input_frame::backdrop(canvas, &AREA, &self.inputs)?;
        frame::side_grid(canvas, &AREA, &self.errors.ticks())?;
        frame::dashes(
            canvas,
            AREA.left,
            AREA.right,
            self.errors.place(0.5),
            HALF_ULP,
        )?;
        let [old, new] = &self.columns;
        for (name, columns, stroke, colour) in [
            ("old", old, OLDER_STROKE, OLDER),
            ("new", new, DATA_STROKE, MAXIMUM),
        ] {
            let lines = columns.steps(|column| column.max, |error| self.errors.place(error));
            frame::lines(canvas, name, &lines, stroke, colour)?;
        }
        frame::outline(canvas, &AREA, AXIS)?;
        let title = format!("error in {} ulp", self.dtype);
        frame::side_axis(canvas, &AREA, &self.errors.ticks(), &title)?;
        input_frame::axis(canvas, &AREA, &self.inputs)?;
        input_frame::region_names(canvas, &AREA, &self.inputs)
    }

    fn data(&self) -> Vec<PlotData> {
        let bucket = |span: &Option<Span>| json!(span.as_ref().and_then(|span| span.bucket));
        let max = |span: &Option<Span>| json!(span.as_ref().and_then(|span| span.max));
        let rows = self.pieces.iter().map(|piece| {
            vec![
                sign(piece.negative),
                json!(piece.low),
                json!(piece.high),
                bucket(&piece.old),
                max(&piece.old),
                bucket(&piece.new),
                max(&piece.new),
            ]
        });
        vec![PlotData {
            plot: "comparison",
            about: self.about.clone(),
            columns: &COLUMNS,
            rows: rows.collect(),
        }]
    }
}
