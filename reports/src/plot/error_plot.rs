//! The error of a function against its inputs.

use serde_json::{Value, json};

use super::canvas::{Anchor, Area, Canvas, Lettering};
use super::columns::Columns;
use super::data::{PlotData, sign};
use super::error::PlotError;
use super::facts::{about, facts};
use super::frame::{self, Key, LEFT, RIGHT_MARGIN};
use super::input_axis::InputAxis;
use super::render::{BucketPlace, Picture, bucket_places};
use super::spans::{Span, parse_bits, spans};
use super::style::{
    AXIS, AXIS_STROKE, BUDGET, DATA_STROKE, FLOOR, HALF_ULP, HEIGHT, INK, MAXIMUM, MAXIMUM_AREA,
    MEAN, PAPER, REGION, TEXT, WIDTH, WORST,
};
use super::ulp_axis::UlpAxis;
use super::{font, input_frame, number};
use crate::report::{FunctionReport, Report};

/// The columns of the data: one row a stretch of inputs, from the binary logarithm of its least magnitude to that of its
/// greatest.
const COLUMNS: [&str; 8] = [
    "sign",
    "from_log2",
    "to_log2",
    "bucket",
    "region",
    "max_ulp",
    "mean_ulp",
    "lower_bound_ulp",
];

const AREA: Area = Area {
    left: LEFT,
    top: 128.0,
    right: WIDTH - RIGHT_MARGIN,
    bottom: HEIGHT - 64.0,
};

/// Height of the mark of a NaN where a number is right.
const NAN_MARK: f64 = 5.0;

/// The plot of one function.
#[derive(Clone, Debug)]
pub(super) struct ErrorPlot {
    name: String,
    what: String,
    facts: String,
    dtype: String,
    about: Vec<(&'static str, Value)>,
    spans: Vec<Span>,
    columns: Columns,
    inputs: InputAxis,
    errors: UlpAxis,
    /// What a budget allows, in ulp.
    budget: Option<f64>,
    worst: Option<Worst>,
}

/// The input with the largest error.
#[derive(Clone, Debug)]
struct Worst {
    bits: u32,
    /// None for a NaN where a number is right.
    error: Option<f64>,
    note: String,
}

impl ErrorPlot {
    /// Prepares the plot: everything of the report that can be wrong is found here.
    pub(super) fn new(
        report: &Report,
        function: &FunctionReport,
        budget: Option<f64>,
    ) -> Result<Self, PlotError> {
        let spans = spans(function)?;
        let inputs = InputAxis::new(&spans, AREA.left, AREA.right);
        let highest = largest(function, &spans).max(budget.unwrap_or(0.0));
        let errors = UlpAxis::for_errors(highest, AREA.top, AREA.bottom);
        let max = function.max_ulp.filter(|error| error.is_finite());
        let worst = match &function.max_ulp_at {
            None => None,
            Some(witness) => {
                let bits = parse_bits(function, "max_ulp_at.bits", &witness.bits)?;
                let error = max.map_or("NaN".to_owned(), |max| {
                    format!("max {} ulp", number::ulp(max))
                });
                let note = format!("{error} at {} = {}", witness.bits, witness.value);
                // Where nothing is wrong, no input is the worst.
                (max != Some(0.0)).then_some(Worst {
                    bits,
                    error: max,
                    note,
                })
            }
        };
        let maximum = match max {
            Some(0.0) => "exact (max 0 ulp)".to_owned(),
            Some(max) => format!("max {} ulp", number::ulp(max)),
            None => "NaN where a number is right".to_owned(),
        };
        Ok(Self {
            name: function.name.clone(),
            what: format!(
                "{} \u{b7} datapath {} \u{b7} {maximum}",
                function.dtype, report.datapath
            ),
            facts: facts(report, function),
            dtype: function.dtype.clone(),
            about: about(report, function)
                .into_iter()
                .chain([
                    ("max_ulp", json!(function.max_ulp)),
                    (
                        "max_ulp_at",
                        json!(function.max_ulp_at.as_ref().map(|at| &at.bits)),
                    ),
                    ("budget_ulp", json!(budget)),
                ])
                .collect(),
            columns: Columns::new(&spans, &inputs, AREA.left, AREA.right),
            spans,
            inputs,
            errors,
            budget,
            worst,
        })
    }

    fn series(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        let height = |error: f64| self.errors.place(error);
        // What is above half an ulp is what a better table could win.
        let half = height(0.5);
        for mut corners in self
            .columns
            .steps(|column| column.max.filter(|max| *max > 0.5), height)
        {
            if let (Some(first), Some(last)) = (corners.first().copied(), corners.last().copied()) {
                corners.extend([(last.0, half), (first.0, half)]);
                canvas.fill_polygon(&corners, MAXIMUM_AREA)?;
            }
        }
        frame::dashes(canvas, AREA.left, AREA.right, half, HALF_ULP)?;
        if let Some(budget) = self.budget {
            canvas.series("budget", &mut |canvas| {
                frame::dashes(canvas, AREA.left, AREA.right, height(budget), BUDGET)
            })?;
        }
        let lines = [
            (
                "floor",
                self.columns.steps(|column| column.floor, height),
                FLOOR,
            ),
            (
                "mean",
                self.columns.steps(|column| column.mean(), height),
                MEAN,
            ),
            (
                "maximum",
                self.columns.steps(|column| column.max, height),
                MAXIMUM,
            ),
        ];
        for (name, lines, colour) in lines {
            frame::lines(canvas, name, &lines, DATA_STROKE, colour)?;
        }
        for (left, right, ()) in self.columns.runs(|column| column.nan.then_some(())) {
            canvas.fill(
                &Area {
                    left,
                    right,
                    top: AREA.top,
                    bottom: AREA.top + NAN_MARK,
                },
                WORST,
            )?;
        }
        Ok(())
    }

    fn axes(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        frame::outline(canvas, &AREA, AXIS)?;
        let title = format!("error in {} ulp", self.dtype);
        frame::side_axis(canvas, &AREA, &self.errors.ticks(), &title)?;
        input_frame::axis(canvas, &AREA, &self.inputs)?;
        input_frame::region_names(canvas, &AREA, &self.inputs)
    }

    /// Marks the worst input, with a note in the room above the data.
    fn note(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        const PADDING: f64 = 7.0;
        let Some(worst) = &self.worst else {
            return Ok(());
        };
        let x = self.inputs.place_of(worst.bits);
        let y = worst
            .error
            .map_or(AREA.top + NAN_MARK, |error| self.errors.place(error));
        let text = font::fit(&worst.note, TEXT, false, AREA.width() / 2.0)?;
        let half = font::width(&text, TEXT, false)? / 2.0 + PADDING;
        let (least, most) = (AREA.left + half + 8.0, AREA.right - half - 8.0);
        let middle = x.max(least).min(most);
        let label = Area {
            left: middle - half,
            right: middle + half,
            top: AREA.top + 12.0,
            bottom: AREA.top + 36.0,
        };
        let side = if worst.error.is_some() {
            label.bottom
        } else {
            label.top
        };
        let from = x.max(label.left + 6.0).min(label.right - 6.0);
        canvas.line(&[(from, side), (x, y)], AXIS_STROKE, WORST)?;
        canvas.disc((x, y), 4.5, PAPER)?;
        canvas.series("worst", &mut |canvas| canvas.disc((x, y), 3.25, WORST))?;
        canvas.fill(&label, PAPER)?;
        frame::outline(canvas, &label, WORST)?;
        let lettering = Lettering::new(TEXT, INK).anchored(Anchor::Middle);
        canvas.text(&text, (middle, label.bottom - 7.5), lettering)
    }

    fn legend(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        let budget = self
            .budget
            .map(|budget| format!("budget {} ulp", number::ulp(budget)));
        let mut entries = vec![
            (Key::Line(MAXIMUM), "max of a bucket"),
            (Key::Line(MEAN), "mean"),
        ];
        if !self.columns.runs(|column| column.floor).is_empty() {
            entries.push((Key::Line(FLOOR), "floor of the fit"));
        }
        entries.push((Key::Dashes(HALF_ULP), "0.5 ulp: correctly rounded"));
        if let Some(budget) = &budget {
            entries.push((Key::Dashes(BUDGET), budget));
        }
        let regions = || {
            self.inputs
                .stretches
                .iter()
                .filter(|stretch| stretch.region.is_some())
        };
        if regions().any(|stretch| stretch.compressed) {
            entries.push((Key::Patch(REGION), "region, not to scale"));
        } else if regions().next().is_some() {
            entries.push((Key::Patch(REGION), "region"));
        }
        if !self
            .columns
            .runs(|column| column.nan.then_some(()))
            .is_empty()
        {
            entries.push((Key::Patch(WORST), "NaN where a number is right"));
        }
        frame::legend(canvas, &entries)
    }
}

impl Picture for ErrorPlot {
    fn draw(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        frame::heading(canvas, &self.name, &self.what, &self.facts)?;
        self.legend(canvas)?;
        input_frame::backdrop(canvas, &AREA, &self.inputs)?;
        frame::side_grid(canvas, &AREA, &self.errors.ticks())?;
        self.axes(canvas)?;
        self.series(canvas)?;
        self.note(canvas)
    }

    fn data(&self) -> Vec<PlotData> {
        let rows = self.spans.iter().map(|span| {
            vec![
                sign(span.negative),
                json!(span.low),
                json!(span.high),
                json!(span.bucket),
                json!(span.region),
                json!(span.max),
                json!(span.mean),
                json!(span.floor),
            ]
        });
        vec![PlotData {
            plot: "error",
            about: self.about.clone(),
            columns: &COLUMNS,
            rows: rows.collect(),
        }]
    }

    fn places(&self) -> Vec<BucketPlace> {
        bucket_places(&self.spans, &self.inputs)
    }
}

/// The largest number that the plot has to hold.
fn largest(function: &FunctionReport, spans: &[Span]) -> f64 {
    let of_spans = spans
        .iter()
        .flat_map(|span| [span.max, span.floor])
        .flatten();
    of_spans
        .chain(function.max_ulp)
        .filter(|error| error.is_finite())
        .fold(0.0, f64::max)
}
