//! What all plots against inputs have in common: regions, grid, marks of octaves, labels of regions.

use super::canvas::{Anchor, Area, Canvas, Lettering};
use super::error::PlotError;
use super::font;
use super::frame;
use super::input_axis::InputAxis;
use super::style::{AXIS, AXIS_STROKE, FAINT_INK, GRID, GRID_STROKE, REGION, SMALL};

/// Shades the regions and draws the upright grid lines of a box.
pub(super) fn backdrop(
    canvas: &mut dyn Canvas,
    area: &Area,
    inputs: &InputAxis,
) -> Result<(), PlotError> {
    for stretch in inputs
        .stretches
        .iter()
        .filter(|stretch| stretch.region.is_some())
    {
        let shade = Area {
            left: stretch.left(),
            right: stretch.right(),
            ..*area
        };
        canvas.fill(&shade, REGION)?;
    }
    for tick in inputs.ticks().iter().filter(|tick| tick.label.is_some()) {
        canvas.line(
            &[(tick.at, area.top), (tick.at, area.bottom)],
            GRID_STROKE,
            GRID,
        )?;
    }
    if let Some(zero) = inputs.zero() {
        canvas.line(&[(zero, area.top), (zero, area.bottom)], AXIS_STROKE, AXIS)?;
    }
    Ok(())
}

/// Draws the axis of inputs below a box.
pub(super) fn axis(
    canvas: &mut dyn Canvas,
    area: &Area,
    inputs: &InputAxis,
) -> Result<(), PlotError> {
    for tick in inputs.ticks() {
        frame::bottom_tick(canvas, area, tick.at, tick.label.as_deref())?;
    }
    let title = if inputs.zero().is_some() {
        "input, logarithmic on both sides of zero"
    } else {
        "input, logarithmic"
    };
    frame::bottom_title(canvas, area, title)
}

/// Writes the names of the regions above a box.
pub(super) fn region_names(
    canvas: &mut dyn Canvas,
    area: &Area,
    inputs: &InputAxis,
) -> Result<(), PlotError> {
    for (left, right, name) in region_labels(inputs) {
        if font::width(&name, SMALL, false)? <= right - left {
            let lettering = Lettering::new(SMALL, FAINT_INK).anchored(Anchor::Middle);
            canvas.text(&name, ((left + right) / 2.0, area.top - 7.0), lettering)?;
        }
    }
    Ok(())
}

/// Regions that touch and have the same name share a label.
fn region_labels(inputs: &InputAxis) -> Vec<(f64, f64, String)> {
    let mut labels: Vec<(f64, f64, String)> = Vec::new();
    for stretch in &inputs.stretches {
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
