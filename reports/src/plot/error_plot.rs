//! The error of a function against its inputs.

use super::canvas::{Anchor, Area, Canvas, Lettering};
use super::columns::Columns;
use super::error::PlotError;
use super::frame::{self, Key, LEFT, RIGHT_MARGIN};
use super::input_axis::InputAxis;
use super::number;
use super::render::Picture;
use super::spans::{Span, parse_bits, spans};
use super::style::{
    AXIS, AXIS_STROKE, DATA_STROKE, FAINT_INK, FLOOR, GRID, GRID_STROKE, HALF_ULP, HEIGHT, INK,
    MAXIMUM, MAXIMUM_AREA, MEAN, PAPER, REGION, SMALL, TEXT, WIDTH, WORST,
};
use super::ulp_axis::UlpAxis;
use super::{font, output};
use crate::report::{FunctionReport, Report};

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
    columns: Columns,
    inputs: InputAxis,
    errors: UlpAxis,
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
    pub(super) fn new(report: &Report, function: &FunctionReport) -> Result<Self, PlotError> {
        output::check_name(&function.name)?;
        let spans = spans(function)?;
        let inputs = InputAxis::new(&spans, AREA.left, AREA.right);
        let errors = UlpAxis::for_errors(largest(function, &spans), AREA.top, AREA.bottom);
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
            columns: Columns::new(&spans, &inputs, AREA.left, AREA.right),
            inputs,
            errors,
            worst,
        })
    }

    fn backdrop(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        for stretch in self
            .inputs
            .stretches
            .iter()
            .filter(|stretch| stretch.region.is_some())
        {
            canvas.fill(
                &Area {
                    left: stretch.left(),
                    right: stretch.right(),
                    ..AREA
                },
                REGION,
            )?;
        }
        frame::error_grid(canvas, &AREA, &self.errors)?;
        for tick in self
            .inputs
            .ticks()
            .iter()
            .filter(|tick| tick.label.is_some())
        {
            canvas.line(
                &[(tick.at, AREA.top), (tick.at, AREA.bottom)],
                GRID_STROKE,
                GRID,
            )?;
        }
        if let Some(zero) = self.inputs.zero() {
            canvas.line(&[(zero, AREA.top), (zero, AREA.bottom)], AXIS_STROKE, AXIS)?;
        }
        Ok(())
    }

    fn data(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
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
        for line in self.columns.steps(|column| column.floor, height) {
            canvas.line(&line, DATA_STROKE, FLOOR)?;
        }
        for line in self.columns.steps(|column| column.mean(), height) {
            canvas.line(&line, DATA_STROKE, MEAN)?;
        }
        for line in self.columns.steps(|column| column.max, height) {
            canvas.line(&line, DATA_STROKE, MAXIMUM)?;
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
        frame::error_axis(
            canvas,
            &AREA,
            &self.errors,
            &format!("error in {} ulp", self.dtype),
        )?;
        for tick in self.inputs.ticks() {
            frame::bottom_tick(canvas, &AREA, tick.at, tick.label.as_deref())?;
        }
        let title = if self.inputs.zero().is_some() {
            "input, logarithmic on both sides of zero"
        } else {
            "input, logarithmic"
        };
        frame::bottom_title(canvas, &AREA, title)?;
        for (left, right, name) in self.region_labels() {
            if font::width(&name, SMALL, false)? <= right - left {
                let lettering = Lettering::new(SMALL, FAINT_INK).anchored(Anchor::Middle);
                canvas.text(&name, ((left + right) / 2.0, AREA.top - 7.0), lettering)?;
            }
        }
        Ok(())
    }

    /// Regions that touch and have the same name share a label.
    fn region_labels(&self) -> Vec<(f64, f64, String)> {
        let mut labels: Vec<(f64, f64, String)> = Vec::new();
        for stretch in &self.inputs.stretches {
            let Some(name) = &stretch.region else {
                continue;
            };
            match labels.last_mut() {
                Some((_, right, last))
                    if *right == stretch.left() && last == name && stretch.compressed =>
                {
                    *right = stretch.right();
                }
                _ => labels.push((stretch.left(), stretch.right(), name.clone())),
            }
        }
        labels
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
        canvas.disc((x, y), 3.25, WORST)?;
        canvas.fill(&label, PAPER)?;
        frame::outline(canvas, &label, WORST)?;
        let lettering = Lettering::new(TEXT, INK).anchored(Anchor::Middle);
        canvas.text(&text, (middle, label.bottom - 7.5), lettering)
    }

    fn legend(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        let mut entries = vec![
            (Key::Line(MAXIMUM), "max of a bucket"),
            (Key::Line(MEAN), "mean"),
        ];
        if !self.columns.runs(|column| column.floor).is_empty() {
            entries.push((Key::Line(FLOOR), "floor of the fit"));
        }
        entries.push((Key::Dashes(HALF_ULP), "0.5 ulp: correctly rounded"));
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
        self.backdrop(canvas)?;
        self.axes(canvas)?;
        self.data(canvas)?;
        self.note(canvas)
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

fn facts(report: &Report, function: &FunctionReport) -> String {
    let mut facts = vec![format!("set {}, target {}", report.set, report.target)];
    let words = |count: u32, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    facts.push(format!(
        "{}, {}",
        words(function.buckets, "bucket", "buckets"),
        words(function.control_words, "control word", "control words")
    ));
    if let Some(floor) = function.lower_bound_ulp {
        facts.push(format!("floor {} ulp", number::ulp(floor)));
    }
    facts.push(format!("mean {} ulp", number::ulp(function.mean_ulp)));
    facts.push(format!(
        "{} correctly rounded",
        number::percentage(function.correctly_rounded)
    ));
    facts.push(format!(
        "{} {} inputs",
        number::grouped(function.inputs),
        function.input_dtype
    ));
    facts.join(" \u{b7} ")
}
