//! A function and what the table makes of it, above the largest absolute error of each bucket.

use serde_json::{Value, json};

use super::canvas::{Area, Canvas, Lettering, Point};
use super::columns::Columns;
use super::data::{PlotData, sign};
use super::decade_axis::DecadeAxis;
use super::error::PlotError;
use super::facts::{about, facts};
use super::frame::{self, Key, LEFT, RIGHT_MARGIN};
use super::input_axis::InputAxis;
use super::input_frame;
use super::render::{BucketPlace, Picture, bucket_places};
use super::spans::{Span, spans};
use super::style::{AXIS, DATA_STROKE, FAINT_INK, HEIGHT, MAXIMUM, SMALL, TRUTH, WIDTH, WORST};
use super::value_axis::ValueAxis;
use crate::replay::{Course, CoursePoint};
use crate::report::{FunctionReport, Report};

const VALUES: Area = Area {
    left: LEFT,
    top: 128.0,
    right: WIDTH - RIGHT_MARGIN,
    bottom: 340.0,
};

const ABSOLUTE: Area = Area {
    top: 372.0,
    bottom: HEIGHT - 64.0,
    ..VALUES
};

/// Stroke of the function, behind the results: wide enough to be seen on both sides of them.
const TRUTH_STROKE: f64 = 6.0;

const FUNCTION_COLUMNS: [&str; 5] = ["x_bits", "x", "result_bits", "result", "value"];
const ABSOLUTE_COLUMNS: [&str; 5] = ["sign", "from_log2", "to_log2", "bucket", "max_absolute"];

/// The plot of one function.
#[derive(Clone, Debug)]
pub(super) struct FunctionPlot {
    name: String,
    what: String,
    facts: String,
    about: Vec<(&'static str, Value)>,
    points: Vec<CoursePoint>,
    spans: Vec<Span>,
    columns: Columns,
    inputs: InputAxis,
    values: ValueAxis,
    absolute: DecadeAxis,
}

impl FunctionPlot {
    /// Prepares the plot.
    pub(super) fn new(
        report: &Report,
        function: &FunctionReport,
        course: &Course,
    ) -> Result<Self, PlotError> {
        let spans = spans(function)?;
        let inputs = InputAxis::new(&spans, VALUES.left, VALUES.right);
        let errors = spans.iter().filter_map(|span| span.absolute);
        let absolute = DecadeAxis::new(errors, ABSOLUTE.top, ABSOLUTE.bottom);
        let drawn: Vec<Span> = spans
            .iter()
            .map(|span| Span {
                max: span.absolute,
                floor: None,
                ..span.clone()
            })
            .collect();
        // A replay over a narrow type has less of the inputs than the course.
        let points = course
            .points
            .iter()
            .filter(|point| inputs.holds(point.bits));
        let points: Vec<CoursePoint> = points.copied().collect();
        let numbers = scale_of(&points, &inputs);
        Ok(Self {
            name: function.name.clone(),
            what: format!(
                "{} \u{b7} datapath {} \u{b7} {}",
                function.dtype, report.datapath, course.definition
            ),
            facts: facts(report, function),
            about: about(report, function)
                .into_iter()
                .chain([("definition", json!(course.definition))])
                .collect(),
            columns: Columns::new(&drawn, &inputs, VALUES.left, VALUES.right),
            values: ValueAxis::new(numbers.into_iter(), VALUES.top, VALUES.bottom),
            points,
            spans,
            inputs,
            absolute,
        })
    }

    /// Lines through the points, broken where there is no number or none that the axis holds.
    fn curve(&self, value: impl Fn(&CoursePoint) -> f64) -> Vec<Vec<Point>> {
        let mut lines: Vec<Vec<Point>> = vec![Vec::new()];
        for point in &self.points {
            let y = value(point);
            if !self.values.holds(y) {
                lines.push(Vec::new());
            } else if let Some(line) = lines.last_mut() {
                line.push((self.inputs.place_of(point.bits), self.values.place(y)));
            }
        }
        lines
            .iter()
            .map(|line| thinned(line))
            .filter(|line| line.len() > 1)
            .collect()
    }

    fn lower(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        if self.spans.iter().all(|span| span.absolute.is_none()) {
            let at = (ABSOLUTE.left + 16.0, ABSOLUTE.top + 28.0);
            let note = "the report has no absolute errors by bucket";
            return canvas.text(note, at, Lettering::new(SMALL, FAINT_INK));
        }
        let height = |error: f64| self.absolute.place(error);
        let positive = |max: Option<f64>| max.filter(|error| *error > 0.0);
        let lines = self.columns.steps(|column| positive(column.max), height);
        frame::lines(canvas, "absolute", &lines, DATA_STROKE, MAXIMUM)
    }
}

/// The values that the axis has to hold: those where the function has buckets of its own, since in the regions it may
/// grow without end; those of the regions if there is nothing else. What overflows has no part in it.
fn scale_of(points: &[CoursePoint], inputs: &InputAxis) -> Vec<f64> {
    let numbers = |is_wanted: &dyn Fn(&CoursePoint) -> bool| -> Vec<f64> {
        points
            .iter()
            .filter(|point| is_wanted(point))
            .flat_map(|point| [point.value, f64::from(point.result)])
            .filter(|value| value.abs() <= f64::from(f32::MAX))
            .collect()
    };
    let own = numbers(&|point| !inputs.is_in_region(point.bits));
    if own.is_empty() {
        numbers(&|_| true)
    } else {
        own
    }
}

/// How far a line may be from the points it leaves out, in points of the picture.
const TOLERANCE: f64 = 0.05;

/// A line without the points that lie on the way between those it keeps, within [`TOLERANCE`].
///
/// From each point that is kept the next is the farthest that can be reached while passing all between: every point on the
/// way narrows the slopes that are left.
fn thinned(line: &[Point]) -> Vec<Point> {
    let Some((first, rest)) = line.split_first() else {
        return Vec::new();
    };
    let mut kept = vec![*first];
    let (mut anchor, mut last) = (*first, *first);
    let mut slopes = (f64::NEG_INFINITY, f64::INFINITY);
    for &at in rest {
        let slope = |y: f64, anchor: Point| (y - anchor.1) / (at.0 - anchor.0);
        let direct = slope(at.1, anchor);
        // Points above each other have no slope.
        if !(at.0 > anchor.0 && slopes.0 <= direct && direct <= slopes.1) {
            kept.push(last);
            anchor = last;
            slopes = (f64::NEG_INFINITY, f64::INFINITY);
        }
        if at.0 > anchor.0 {
            slopes.0 = slopes.0.max(slope(at.1 - TOLERANCE, anchor));
            slopes.1 = slopes.1.min(slope(at.1 + TOLERANCE, anchor));
        } else if at != anchor {
            slopes = (f64::INFINITY, f64::NEG_INFINITY);
        }
        last = at;
    }
    kept.push(last);
    kept.dedup();
    kept
}

impl Picture for FunctionPlot {
    fn draw(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        frame::heading(canvas, &self.name, &self.what, &self.facts)?;
        let entries = [
            (Key::Line(TRUTH), "the function"),
            (Key::Line(WORST), "result of the table"),
            (Key::Line(MAXIMUM), "largest absolute error of a bucket"),
        ];
        frame::legend(canvas, &entries)?;
        for area in [&VALUES, &ABSOLUTE] {
            input_frame::backdrop(canvas, area, &self.inputs)?;
        }
        frame::side_grid(canvas, &VALUES, &self.values.ticks())?;
        frame::side_grid(canvas, &ABSOLUTE, &self.absolute.ticks())?;
        frame::lines(
            canvas,
            "function",
            &self.curve(|point| point.value),
            TRUTH_STROKE,
            TRUTH,
        )?;
        let results = self.curve(|point| f64::from(point.result));
        frame::lines(canvas, "result", &results, DATA_STROKE, WORST)?;
        self.lower(canvas)?;
        for area in [&VALUES, &ABSOLUTE] {
            frame::outline(canvas, area, AXIS)?;
        }
        frame::side_axis(canvas, &VALUES, &self.values.ticks(), "value")?;
        frame::side_axis(canvas, &ABSOLUTE, &self.absolute.ticks(), "absolute error")?;
        input_frame::region_names(canvas, &VALUES, &self.inputs)?;
        input_frame::axis(canvas, &ABSOLUTE, &self.inputs)
    }

    fn data(&self) -> Vec<PlotData> {
        let number = |value: f64| match value {
            value if value.is_nan() => json!("nan"),
            value if value.is_infinite() => json!(if value > 0.0 { "inf" } else { "-inf" }),
            value => json!(value),
        };
        let points = self.points.iter().map(|point| {
            vec![
                json!(format!("{:#010x}", point.bits)),
                number(f64::from(f32::from_bits(point.bits))),
                json!(format!("{:#010x}", point.result.to_bits())),
                number(f64::from(point.result)),
                number(point.value),
            ]
        });
        let spans = self.spans.iter().map(|span| {
            vec![
                sign(span.negative),
                json!(span.low),
                json!(span.high),
                json!(span.bucket),
                json!(span.absolute),
            ]
        });
        vec![
            PlotData {
                plot: "function",
                about: self.about.clone(),
                columns: &FUNCTION_COLUMNS,
                rows: points.collect(),
            },
            PlotData {
                plot: "absolute",
                about: self.about.clone(),
                columns: &ABSOLUTE_COLUMNS,
                rows: spans.collect(),
            },
        ]
    }
    fn places(&self) -> Vec<BucketPlace> {
        bucket_places(&self.spans, &self.inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_lines_need_two_points() {
        let line: Vec<Point> = (0..50).map(|k| (f64::from(k), 7.0)).collect();
        assert_eq!(thinned(&line), [(0.0, 7.0), (49.0, 7.0)]);
        let bent = [(0.0, 0.0), (1.0, 0.0), (2.0, 5.0), (2.0, 9.0), (3.0, 9.0)];
        assert_eq!(thinned(&bent), bent);
        assert_eq!(thinned(&[]), []);
        assert_eq!(thinned(&[(1.0, 2.0)]), [(1.0, 2.0)]);
    }

    #[test]
    fn a_thinned_curve_stays_near_all_points() {
        let curve: Vec<Point> = (0..2000)
            .map(|k| f64::from(k) / 2.0)
            .map(|x| (x, 100.0 * (x / 90.0).sin() + x * x / 5000.0))
            .collect();
        let kept = thinned(&curve);
        assert!(kept.len() < curve.len() / 5, "{}", kept.len());
        for (x, y) in curve {
            let place = kept.partition_point(|point| point.0 < x).max(1);
            let (from, to) = (kept[place - 1], kept[place]);
            let there = from.1 + (to.1 - from.1) * (x - from.0) / (to.0 - from.0);
            assert!(
                (there - y).abs() <= TOLERANCE + 1e-9,
                "{x}: {there} for {y}"
            );
        }
    }
}
