//! Drawing on a vector image whose series can be told apart.
//!
//! The drawing library's SVG backend knows no groups. So every element is drawn by a backend of its own, and what it wrote
//! is put together here, with a group around each series.

use plotters::backend::SVGBackend;

use super::canvas::{Area, Canvas, Device, Draw, Lettering, Point, Sheet};
use super::error::PlotError;
use super::font::FAMILY;
use super::style::Colour;
use crate::legible::legible;

/// The elements of a vector image.
pub(super) struct VectorSheet {
    grid: (u32, u32),
    device: Device,
    elements: String,
}

impl VectorSheet {
    /// An empty image on a grid, `scale` units a point.
    pub(super) fn new(grid: (u32, u32), scale: f64) -> Self {
        Self {
            grid,
            device: Device::vector(scale),
            elements: String::new(),
        }
    }

    /// What was drawn, without the element around it.
    pub(super) fn into_elements(self) -> String {
        self.elements
    }

    fn add(
        &mut self,
        draw: impl FnOnce(&mut Sheet<SVGBackend<'_>>) -> Result<(), PlotError>,
    ) -> Result<(), PlotError> {
        let mut text = String::new();
        let backend = SVGBackend::with_string(&mut text, self.grid);
        let mut sheet = Sheet::new(backend, self.device);
        draw(&mut sheet)?;
        sheet.finish()?;
        let inside = text
            .split_once(">\n")
            .and_then(|(_, rest)| rest.trim_end().strip_suffix("</svg>"));
        let Some(inside) = inside else {
            return Err(PlotError::Drawing {
                reason: "the SVG is not one element".to_owned(),
            });
        };
        self.elements.push_str(&without_defaults(inside));
        Ok(())
    }
}

/// The text of an element without attributes that say what holds anyway. The font stands once for the whole image.
fn without_defaults(element: &str) -> String {
    let Some((attributes, content)) = element.split_once('>') else {
        return element.to_owned();
    };
    let font = format!(" font-family=\"{FAMILY}\"");
    let attributes = [" opacity=\"1\"", " stroke=\"none\"", &font]
        .into_iter()
        .fold(attributes.to_owned(), |text, default| {
            text.replace(default, "")
        });
    format!("{attributes}>{content}")
}

/// Text as the value of an attribute.
pub(super) fn attribute(text: &str) -> String {
    let mut escaped = String::new();
    for letter in legible(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

impl Canvas for VectorSheet {
    fn series(&mut self, name: &str, draw: Draw<'_>) -> Result<(), PlotError> {
        self.elements += &format!("<g data-series=\"{}\">\n", attribute(name));
        draw(self)?;
        self.elements += "</g>\n";
        Ok(())
    }

    fn fill(&mut self, area: &Area, colour: Colour) -> Result<(), PlotError> {
        self.add(|sheet| sheet.fill(area, colour))
    }

    fn fill_polygon(&mut self, corners: &[Point], colour: Colour) -> Result<(), PlotError> {
        self.add(|sheet| sheet.fill_polygon(corners, colour))
    }

    fn line(&mut self, points: &[Point], stroke: f64, colour: Colour) -> Result<(), PlotError> {
        self.add(|sheet| sheet.line(points, stroke, colour))
    }

    fn disc(&mut self, centre: Point, radius: f64, colour: Colour) -> Result<(), PlotError> {
        self.add(|sheet| sheet.disc(centre, radius, colour))
    }

    fn text(&mut self, text: &str, at: Point, lettering: Lettering) -> Result<(), PlotError> {
        self.add(|sheet| sheet.text(&legible(text), at, lettering))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_attribute() {
        assert_eq!(attribute("a\"><b>&\u{1}"), "a&quot;>&lt;b>&amp;\u{fffd}");
    }

    #[test]
    fn only_attributes_are_made_shorter() {
        let element = "<text x=\"1\" opacity=\"1\" fill=\"#000000\">\n opacity=\"1\"\n</text>\n";
        assert_eq!(
            without_defaults(element),
            "<text x=\"1\" fill=\"#000000\">\n opacity=\"1\"\n</text>\n"
        );
    }
}
