//! What all plots have in common: heading, legend, the box and its scale of errors.

use super::canvas::{Anchor, Area, Canvas, Lettering, Point};
use super::error::PlotError;
use super::font;
use super::number::RAISED;
use super::style::{
    AXIS, AXIS_STROKE, Colour, DATA_STROKE, FAINT_INK, GRID, GRID_STROKE, INK, SMALL, SUBTITLE,
    TEXT, TITLE, WIDTH,
};

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    /// None for a mark between labels.
    pub(super) label: Option<String>,
}

/// Left edge of the box and of the heading.
pub(super) const LEFT: f64 = 76.0;
/// Room right of the box.
pub(super) const RIGHT_MARGIN: f64 = 28.0;
/// Baseline of the legend.
pub(super) const LEGEND: f64 = 88.0;

const TITLE_BASELINE: f64 = 36.0;
const SUBTITLE_BASELINE: f64 = 60.0;
const TICK: f64 = 5.0;
const SMALL_TICK: f64 = 3.0;

/// Em size of an exponent in a tick label.
const EXPONENT: f64 = 9.5;
const EXPONENT_GAP: f64 = 0.75;

/// Draws the heading: a name in bold, what it is, and a line of facts.
pub(super) fn heading(
    canvas: &mut dyn Canvas,
    name: &str,
    what: &str,
    facts: &str,
) -> Result<(), PlotError> {
    let room = WIDTH - LEFT - RIGHT_MARGIN;
    let name = font::fit(name, TITLE, true, room)?;
    canvas.text(
        &name,
        (LEFT, TITLE_BASELINE),
        Lettering::new(TITLE, INK).bold(),
    )?;
    let used = font::width(&name, TITLE, true)? + 12.0;
    let what = font::fit(what, TITLE, false, room - used)?;
    canvas.text(
        &what,
        (LEFT + used, TITLE_BASELINE),
        Lettering::new(TITLE, INK),
    )?;
    let facts = font::fit(facts, SUBTITLE, false, room)?;
    canvas.text(
        &facts,
        (LEFT, SUBTITLE_BASELINE),
        Lettering::new(SUBTITLE, FAINT_INK),
    )
}

/// How something is drawn, for the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Key {
    Line(Colour),
    Dashes(Colour),
    Patch(Colour),
    /// A remark.
    Nothing,
}

/// Draws legend entries from left to right.
pub(super) fn legend(canvas: &mut dyn Canvas, entries: &[(Key, &str)]) -> Result<(), PlotError> {
    let mut left = LEFT;
    for (key, label) in entries {
        left = legend_entry(canvas, (left, LEGEND), *key, label)? + 24.0;
    }
    Ok(())
}

/// Draws one legend entry with its baseline through `at` and returns its right end.
pub(super) fn legend_entry(
    canvas: &mut dyn Canvas,
    at: Point,
    key: Key,
    label: &str,
) -> Result<f64, PlotError> {
    const SAMPLE: f64 = 26.0;
    let (left, middle) = (at.0, at.1 - 4.5);
    match key {
        Key::Nothing => {
            canvas.text(label, at, Lettering::new(TEXT, FAINT_INK))?;
            return Ok(left + font::width(label, TEXT, false)?);
        }
        Key::Line(colour) => canvas.line(
            &[(left, middle), (left + SAMPLE, middle)],
            DATA_STROKE + 0.75,
            colour,
        )?,
        Key::Dashes(colour) => dashes(canvas, left, left + SAMPLE, middle, colour)?,
        Key::Patch(colour) => {
            let patch = Area {
                left,
                top: middle - 6.0,
                right: left + SAMPLE,
                bottom: middle + 6.0,
            };
            canvas.fill(&patch, colour)?;
            outline(canvas, &patch, GRID)?;
        }
    }
    let text = left + SAMPLE + 8.0;
    canvas.text(label, (text, at.1), Lettering::new(TEXT, INK))?;
    Ok(text + font::width(label, TEXT, false)?)
}

/// Draws a level dashed line.
pub(super) fn dashes(
    canvas: &mut dyn Canvas,
    left: f64,
    right: f64,
    y: f64,
    colour: Colour,
) -> Result<(), PlotError> {
    const DASH: f64 = 6.0;
    const GAP: f64 = 4.0;
    let mut from = left;
    while from < right {
        canvas.line(
            &[(from, y), ((from + DASH).min(right), y)],
            AXIS_STROKE,
            colour,
        )?;
        from += DASH + GAP;
    }
    Ok(())
}

/// Draws the lines of one series.
pub(super) fn lines(
    canvas: &mut dyn Canvas,
    name: &str,
    lines: &[Vec<Point>],
    stroke: f64,
    colour: Colour,
) -> Result<(), PlotError> {
    if lines.is_empty() {
        return Ok(());
    }
    canvas.series(name, &mut |canvas| {
        lines
            .iter()
            .try_for_each(|line| canvas.line(line, stroke, colour))
    })
}

/// Draws the edge of an area.
pub(super) fn outline(
    canvas: &mut dyn Canvas,
    area: &Area,
    colour: Colour,
) -> Result<(), PlotError> {
    let Area {
        left,
        top,
        right,
        bottom,
    } = *area;
    canvas.line(
        &[
            (left, top),
            (right, top),
            (right, bottom),
            (left, bottom),
            (left, top),
        ],
        AXIS_STROKE,
        colour,
    )
}

/// Draws level grid lines at the labelled marks.
pub(super) fn side_grid(
    canvas: &mut dyn Canvas,
    area: &Area,
    ticks: &[Tick],
) -> Result<(), PlotError> {
    for tick in ticks.iter().filter(|tick| tick.label.is_some()) {
        canvas.line(
            &[(area.left, tick.at), (area.right, tick.at)],
            GRID_STROKE,
            GRID,
        )?;
    }
    Ok(())
}

/// Draws marks and labels left of the box, and the axis title.
pub(super) fn side_axis(
    canvas: &mut dyn Canvas,
    area: &Area,
    ticks: &[Tick],
    title: &str,
) -> Result<(), PlotError> {
    for tick in ticks {
        let length = if tick.label.is_some() {
            TICK
        } else {
            SMALL_TICK
        };
        canvas.line(
            &[(area.left - length, tick.at), (area.left, tick.at)],
            AXIS_STROKE,
            AXIS,
        )?;
        if let Some(label) = &tick.label {
            let width = number_width(label)?;
            number(
                canvas,
                label,
                (area.left - TICK - 4.0 - width, tick.at + 0.36 * SMALL),
            )?;
        }
    }
    let middle = (area.top + area.bottom) / 2.0;
    canvas.text(
        title,
        (26.0, middle),
        Lettering::new(TEXT, INK).anchored(Anchor::Middle).upwards(),
    )
}

/// Draws one mark of the axis below the box.
pub(super) fn bottom_tick(
    canvas: &mut dyn Canvas,
    area: &Area,
    at: f64,
    label: Option<&str>,
) -> Result<(), PlotError> {
    let length = if label.is_some() { TICK } else { SMALL_TICK };
    canvas.line(
        &[(at, area.bottom), (at, area.bottom + length)],
        AXIS_STROKE,
        AXIS,
    )?;
    match label {
        Some(label) => {
            let width = number_width(label)?;
            number(
                canvas,
                label,
                (at - width / 2.0, area.bottom + TICK + 6.0 + SMALL),
            )
        }
        None => Ok(()),
    }
}

/// Writes the number of a mark from `at` on, with its exponent raised.
fn number(canvas: &mut dyn Canvas, label: &str, at: Point) -> Result<(), PlotError> {
    let (base, exponent) = label.split_once(RAISED).unwrap_or((label, ""));
    canvas.text(base, at, Lettering::new(SMALL, FAINT_INK))?;
    if exponent.is_empty() {
        return Ok(());
    }
    let after = at.0 + font::width(base, SMALL, false)? + EXPONENT_GAP;
    canvas.text(
        exponent,
        (after, at.1 - 0.4 * SMALL),
        Lettering::new(EXPONENT, FAINT_INK),
    )
}

fn number_width(label: &str) -> Result<f64, PlotError> {
    match label.split_once(RAISED) {
        Some((base, exponent)) => Ok(font::width(base, SMALL, false)?
            + EXPONENT_GAP
            + font::width(exponent, EXPONENT, false)?),
        None => font::width(label, SMALL, false),
    }
}

/// Writes the title of the axis below the box.
pub(super) fn bottom_title(
    canvas: &mut dyn Canvas,
    area: &Area,
    title: &str,
) -> Result<(), PlotError> {
    let middle = (area.left + area.right) / 2.0;
    canvas.text(
        title,
        (middle, area.bottom + 46.0),
        Lettering::new(TEXT, INK).anchored(Anchor::Middle),
    )
}
