//! How many inputs have how large an error.

use serde_json::{Value, json};

use super::canvas::{Area, Canvas, Lettering};
use super::data::PlotData;
use super::decade_axis::DecadeAxis;
use super::error::PlotError;
use super::facts::{about, facts};
use super::frame::{self, Key, LEFT, RIGHT_MARGIN, Tick};
use super::render::Picture;
use super::style::{AXIS, FAINT_INK, HEIGHT, MAXIMUM, MEAN, SMALL, WIDTH};
use super::{font, number};
use crate::report::{FunctionReport, Report};

const AREA: Area = Area {
    left: LEFT,
    top: 116.0,
    right: WIDTH - RIGHT_MARGIN,
    bottom: HEIGHT - 64.0,
};

/// Room between bars.
const GAP: f64 = 3.0;

/// Results up to this error are correctly rounded.
const HALF: f64 = 0.5;

const COLUMNS: [&str; 4] = ["above_ulp", "to_ulp", "inputs", "share"];

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bin {
    /// Errors above this; none for the first bin.
    above: Option<f64>,
    /// Errors up to this; none for the last bin.
    to: Option<f64>,
    inputs: u64,
}

/// The histogram of one function.
#[derive(Clone, Debug)]
pub(super) struct HistogramPlot {
    name: String,
    what: String,
    facts: String,
    dtype: String,
    about: Vec<(&'static str, Value)>,
    bins: Vec<Bin>,
    /// How many bins are drawn: the empty ones at the end are not.
    shown: usize,
    counts: DecadeAxis,
}

impl HistogramPlot {
    /// Prepares the plot.
    pub(super) fn new(report: &Report, function: &FunctionReport) -> Result<Self, PlotError> {
        let (edges, counts) = (&function.histogram_edges, &function.histogram);
        if counts.len() != edges.len() + 1 || !edges.is_sorted() {
            return Err(PlotError::Histogram {
                function: function.name.clone(),
                edges: edges.len(),
                bins: counts.len(),
            });
        }
        let bins: Vec<Bin> = counts
            .iter()
            .enumerate()
            .map(|(k, inputs)| Bin {
                above: k
                    .checked_sub(1)
                    .and_then(|before| edges.get(before))
                    .copied(),
                to: edges.get(k).copied(),
                inputs: *inputs,
            })
            .collect();
        let used = bins
            .iter()
            .rposition(|bin| bin.inputs > 0)
            .map_or(0, |last| last + 1);
        let half = bins
            .iter()
            .position(|bin| bin.to.is_none_or(|to| to > HALF));
        let shown = used.max(half.map_or(0, |half| half + 1));
        // One input is a bar of some height.
        let heights = bins
            .iter()
            .flat_map(|bin| [bin.inputs as f64, 0.5 * bin.inputs.min(1) as f64]);
        Ok(Self {
            name: function.name.clone(),
            what: format!(
                "{} \u{b7} datapath {} \u{b7} inputs by their error",
                function.dtype, report.datapath
            ),
            facts: facts(report, function),
            dtype: function.dtype.clone(),
            about: about(report, function),
            counts: DecadeAxis::new(heights, AREA.top + 22.0, AREA.bottom),
            bins,
            shown,
        })
    }

    /// How many inputs there are.
    fn all(&self) -> u64 {
        let counts = self.bins.iter().map(|bin| bin.inputs);
        counts.fold(0, u64::saturating_add)
    }

    /// The bins that are drawn, with their places.
    fn drawn(&self) -> impl Iterator<Item = (usize, &Bin)> {
        self.bins.iter().take(self.shown).enumerate()
    }

    /// Marks from one input on.
    fn ticks(&self) -> Vec<Tick> {
        let mut ticks = self.counts.ticks();
        ticks.retain(|tick| tick.at < AREA.bottom);
        ticks
    }

    fn bar(&self, place: usize, bin: &Bin) -> Area {
        let width = AREA.width() / self.shown as f64;
        let left = AREA.left + place as f64 * width;
        Area {
            left: left + GAP / 2.0,
            right: left + width - GAP / 2.0,
            top: if bin.inputs == 0 {
                AREA.bottom
            } else {
                self.counts.place(bin.inputs as f64)
            },
            bottom: AREA.bottom,
        }
    }

    fn bars(&self, canvas: &mut dyn Canvas, name: &str, is_rounded: bool) -> Result<(), PlotError> {
        let colour = if is_rounded { MEAN } else { MAXIMUM };
        let chosen = |bin: &Bin| bin.to.is_some_and(|to| to <= HALF) == is_rounded;
        canvas.series(name, &mut |canvas| {
            self.drawn()
                .filter(|(_, bin)| chosen(bin))
                .try_for_each(|(place, bin)| canvas.fill(&self.bar(place, bin), colour))
        })
    }

    /// The share of the inputs, above each bar that has any.
    fn shares(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        let all = self.all();
        for (place, bin) in self.drawn().filter(|(_, bin)| bin.inputs > 0) {
            let bar = self.bar(place, bin);
            let text = share(bin.inputs, all);
            let left = (bar.left + bar.right - font::width(&text, SMALL, false)?) / 2.0;
            canvas.text(
                &text,
                (left, bar.top - 5.0),
                Lettering::new(SMALL, FAINT_INK),
            )?;
        }
        Ok(())
    }

    fn edges(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        for (place, bin) in self.drawn() {
            let Some(to) = bin.to else { continue };
            let bar = self.bar(place, bin);
            frame::bottom_tick(canvas, &AREA, bar.right + GAP / 2.0, Some(&to.to_string()))?;
        }
        frame::bottom_title(
            canvas,
            &AREA,
            &format!(
                "error in {} ulp; each bar up to and including the number at its right",
                self.dtype
            ),
        )
    }
}

/// A share in percent with two significant digits, `<0.01` where there is little.
fn share(inputs: u64, all: u64) -> String {
    let percent = 100.0 * inputs as f64 / all as f64;
    match percent {
        percent if percent < 0.01 => "<0.01%".to_owned(),
        percent if percent < 0.1 => format!("{percent:.2}%"),
        percent if percent < 10.0 => format!("{percent:.1}%"),
        percent => format!("{percent:.0}%"),
    }
}

impl Picture for HistogramPlot {
    fn draw(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        frame::heading(canvas, &self.name, &self.what, &self.facts)?;
        let all = self.all();
        let total = format!(
            "all {} inputs, on a logarithmic scale",
            number::grouped(all)
        );
        frame::legend(
            canvas,
            &[
                (Key::Patch(MEAN), "correctly rounded"),
                (Key::Patch(MAXIMUM), "not"),
                (Key::Nothing, &total),
            ],
        )?;
        frame::side_grid(canvas, &AREA, &self.ticks())?;
        self.bars(canvas, "correctly rounded", true)?;
        self.bars(canvas, "not correctly rounded", false)?;
        self.shares(canvas)?;
        frame::outline(canvas, &AREA, AXIS)?;
        frame::side_axis(canvas, &AREA, &self.ticks(), "inputs")?;
        self.edges(canvas)
    }

    fn data(&self) -> Vec<PlotData> {
        let all = self.all();
        let rows = self.bins.iter().map(|bin| {
            let share = bin.inputs as f64 / all.max(1) as f64;
            vec![
                json!(bin.above),
                json!(bin.to),
                json!(bin.inputs),
                json!(share),
            ]
        });
        vec![PlotData {
            plot: "histogram",
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
    fn shares_are_short() {
        let texts = [1, 500, 31_000, 990_000].map(|inputs| share(inputs, 1_000_000));
        assert_eq!(texts, ["<0.01%", "0.05%", "3.1%", "99%"]);
    }
}
