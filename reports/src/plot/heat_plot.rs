//! Where in an octave the error is: octaves from left to right, the position in them upwards.
//!
//! A cell is what one bucket serves of one octave, its colour the largest error of the bucket; where a bucket serves whole
//! octaves it is the largest error of the octave, which is finer. Both are exact.

use serde_json::{Value, json};

use super::canvas::{Area, Canvas, Lettering};
use super::data::{PlotData, sign};
use super::error::PlotError;
use super::facts::{about, facts};
use super::frame::{self, LEFT, RIGHT_MARGIN, Tick};
use super::input_axis::InputAxis;
use super::render::Picture;
use super::spans::{HIGHEST, LOWEST, Span, spans};
use super::style::{AXIS, Colour, FAINT_INK, HEIGHT, INK, SMALL, TEXT, WIDTH, WORST, heat};
use super::{font, input_frame, number};
use crate::report::{FunctionReport, Report};

const AREA: Area = Area {
    left: LEFT,
    top: 128.0,
    right: WIDTH - RIGHT_MARGIN,
    bottom: HEIGHT - 64.0,
};

/// Colours between the ends of the scale.
const LEVELS: u32 = 12;

/// From this maximum on the scale is logarithmic, as in the plot of errors.
const LOGARITHMIC_FROM: f64 = 8.0;

const COLUMNS: [&str; 6] = ["sign", "exponent", "from", "to", "bucket", "max_ulp"];

/// Part of an octave that one bucket serves.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    negative: bool,
    exponent: i32,
    /// Position in the octave: 1 is its least magnitude, 2 the next octave's.
    from: f64,
    to: f64,
    bucket: Option<u32>,
    max: Option<f64>,
}

/// The scale of colours.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    max: f64,
    logarithmic: bool,
}

impl Scale {
    fn new(max: f64) -> Self {
        let max = max.max(HALF);
        Self {
            max,
            logarithmic: max >= LOGARITHMIC_FROM,
        }
    }

    fn level(self, error: f64) -> u32 {
        let share = if self.logarithmic {
            (error.max(HALF) / HALF).ln() / (self.max / HALF).ln()
        } else {
            error / self.max
        };
        ((share * f64::from(LEVELS)).ceil().max(1.0) as u32).min(LEVELS) - 1
    }

    /// The largest error that has a level.
    fn upper(self, level: u32) -> f64 {
        let share = f64::from(level + 1) / f64::from(LEVELS);
        if self.logarithmic {
            HALF * (self.max / HALF).powf(share)
        } else {
            self.max * share
        }
    }

    fn colour(self, level: u32) -> Colour {
        heat(f64::from(level) / f64::from(LEVELS - 1))
    }
}

/// What a correctly rounded result has at most.
const HALF: f64 = 0.5;

/// The heat map of one function.
#[derive(Clone, Debug)]
pub(super) struct HeatPlot {
    name: String,
    what: String,
    facts: String,
    dtype: String,
    about: Vec<(&'static str, Value)>,
    cells: Vec<Cell>,
    inputs: InputAxis,
    scale: Scale,
}

impl HeatPlot {
    /// Prepares the plot.
    pub(super) fn new(report: &Report, function: &FunctionReport) -> Result<Self, PlotError> {
        let spans = spans(function)?;
        let cells = cells(function, &spans);
        let errors = cells.iter().filter_map(|cell| cell.max);
        Ok(Self {
            name: function.name.clone(),
            what: format!(
                "{} \u{b7} datapath {} \u{b7} the error within each octave",
                function.dtype, report.datapath
            ),
            facts: facts(report, function),
            dtype: function.dtype.clone(),
            about: about(report, function),
            scale: Scale::new(errors.fold(0.0, f64::max)),
            inputs: InputAxis::new(&spans, AREA.left, AREA.right),
            cells,
        })
    }

    fn area(&self, cell: &Cell) -> Area {
        let [low, high] = [0, 1].map(|more| {
            let logarithm = f64::from(cell.exponent + more).clamp(LOWEST, HIGHEST);
            // All subnormals stand as one octave.
            let logarithm = if cell.exponent < -126 && more == 0 {
                LOWEST
            } else {
                logarithm
            };
            self.inputs.place(cell.negative, logarithm)
        });
        let height = |position: f64| AREA.bottom - (position - 1.0) * AREA.height();
        Area {
            left: low.min(high),
            right: low.max(high),
            top: height(cell.to),
            bottom: height(cell.from),
        }
    }

    fn level(&self, cell: &Cell) -> Option<u32> {
        cell.max.map(|max| self.scale.level(max))
    }

    /// Cells of one colour that lie on each other are drawn as one.
    fn cells(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        let mut rest = self.cells.as_slice();
        while let Some(first) = rest.first() {
            let (level, mut area) = (self.level(first), self.area(first));
            let joins = |cell: &&Cell| {
                cell.negative == first.negative
                    && cell.exponent == first.exponent
                    && self.level(cell) == level
            };
            let count = rest.iter().take_while(joins).count();
            let (joined, next) = rest.split_at(count.max(1));
            for cell in joined {
                area = area.joined(&self.area(cell));
            }
            let colour = level.map_or(WORST, |level| self.scale.colour(level));
            canvas.fill(&area, colour)?;
            rest = next;
        }
        Ok(())
    }

    /// The scale, right of the facts: pale is little.
    fn legend(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        const STEP: f64 = 22.0;
        let text = format!("largest error in {} ulp:", self.dtype);
        let baseline = frame::LEGEND;
        canvas.text(&text, (LEFT, baseline), Lettering::new(TEXT, INK))?;
        let mut left = LEFT + font::width(&text, TEXT, false)? + 10.0;
        let mark = |canvas: &mut dyn Canvas, text: &str, left: f64| {
            canvas.text(text, (left, baseline), Lettering::new(SMALL, FAINT_INK))?;
            Ok::<_, PlotError>(left + font::width(text, SMALL, false)? + 8.0)
        };
        let least = if self.scale.logarithmic {
            "\u{2264} 0.5"
        } else {
            "0"
        };
        left = mark(canvas, least, left)?;
        for level in 0..LEVELS {
            let patch = Area {
                left,
                right: left + STEP,
                top: baseline - 11.0,
                bottom: baseline + 2.0,
            };
            canvas.fill(&patch, self.scale.colour(level))?;
            left += STEP;
        }
        left = mark(
            canvas,
            &number::ulp(self.scale.upper(LEVELS - 1)),
            left + 8.0,
        )?;
        if self.cells.iter().any(|cell| cell.max.is_none()) {
            let key = [(frame::Key::Patch(WORST), "NaN where a number is right")];
            let [(key, label)] = key;
            frame::legend_entry(canvas, (left + 16.0, baseline), key, label)?;
        }
        Ok(())
    }
}

/// The cells, octave by octave, each from its least magnitude up.
fn cells(function: &FunctionReport, spans: &[Span]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for octave in function
        .octaves
        .iter()
        .filter(|octave| octave.group.inputs > 0)
    {
        let (negative, exponent) = (octave.negative, octave.exponent.clamp(-127, 127));
        let low = if exponent < -126 {
            LOWEST
        } else {
            f64::from(exponent)
        };
        let high = f64::from(exponent + 1);
        let own = spans
            .iter()
            .filter(|span| span.negative == negative && span.low < high && low < span.high);
        for span in own {
            let is_whole = span.low <= low && high <= span.high;
            let position = |logarithm: f64| {
                if exponent < -126 {
                    1.0 + (logarithm - low) / (high - low)
                } else {
                    (logarithm - low).exp2()
                }
            };
            cells.push(Cell {
                negative,
                exponent,
                from: position(span.low.max(low)),
                to: position(span.high.min(high)),
                bucket: span.bucket,
                max: if is_whole {
                    octave.group.max_ulp.filter(|max| max.is_finite())
                } else {
                    span.max
                },
            });
        }
    }
    cells
}

impl Picture for HeatPlot {
    fn draw(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        frame::heading(canvas, &self.name, &self.what, &self.facts)?;
        self.legend(canvas)?;
        canvas.series("cells", &mut |canvas| self.cells(canvas))?;
        frame::outline(canvas, &AREA, AXIS)?;
        let positions = [1.0, 1.25, 1.5, 1.75, 2.0].map(|position: f64| Tick {
            at: AREA.bottom - (position - 1.0) * AREA.height(),
            label: Some(position.to_string()),
        });
        frame::side_axis(canvas, &AREA, &positions, "position in the octave")?;
        input_frame::axis(canvas, &AREA, &self.inputs)?;
        input_frame::region_names(canvas, &AREA, &self.inputs)
    }

    fn data(&self) -> Vec<PlotData> {
        let rows = self.cells.iter().map(|cell| {
            vec![
                sign(cell.negative),
                json!(cell.exponent),
                json!(cell.from),
                json!(cell.to),
                json!(cell.bucket),
                json!(cell.max),
            ]
        });
        vec![PlotData {
            plot: "heat",
            about: self.about.clone(),
            columns: &COLUMNS,
            rows: rows.collect(),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_cover_the_scale() {
        for max in [0.3, 0.6, 7.9, 8.0, 1e9] {
            let scale = Scale::new(max);
            assert_eq!(scale.level(0.0), 0);
            assert_eq!(scale.level(scale.max), LEVELS - 1);
            for level in 0..LEVELS {
                let inside = scale.upper(level) * (1.0 - 1e-9);
                assert_eq!(scale.level(inside), level, "{max}");
            }
        }
    }
}
