//! Drawing in points, on pixels or on a vector image alike.

use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBAColor, ShapeStyle, TextStyle};

use super::error::PlotError;
use super::font::{self, LINE_IN_EM};
use super::style::Colour;

/// A place in points, from the upper left corner of the picture.
pub(super) type Point = (f64, f64);

/// A rectangle in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The least area that holds both.
    pub(super) fn joined(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Whether two areas share more than an edge.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// Which point of a text is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lettering {
    /// Em size in points.
    pub(super) em: f64,
    pub(super) bold: bool,
    pub(super) colour: Colour,
    pub(super) anchor: Anchor,
    /// Written upwards instead of to the right.
    pub(super) upwards: bool,
}

impl Lettering {
    /// Regular weight, to the right, from the given point.
    pub(super) const fn new(em: f64, colour: Colour) -> Self {
        Self {
            em,
            bold: false,
            colour,
            anchor: Anchor::Start,
            upwards: false,
        }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) const fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(super) const fn upwards(self) -> Self {
        Self {
            upwards: true,
            ..self
        }
    }
}

/// Something that draws.
pub(super) type Draw<'a> = &'a mut dyn FnMut(&mut dyn Canvas) -> Result<(), PlotError>;

/// What pictures are drawn on.
pub(super) trait Canvas {
    /// Draws what belongs to one series of data: an SVG keeps it together under this name, so that it can be found again.
    fn series(&mut self, name: &str, draw: Draw<'_>) -> Result<(), PlotError>;
    /// Fills a rectangle.
    fn fill(&mut self, area: &Area, colour: Colour) -> Result<(), PlotError>;
    /// Fills a polygon.
    fn fill_polygon(&mut self, corners: &[Point], colour: Colour) -> Result<(), PlotError>;
    /// Draws connected lines; opaque colours only, as strokes may overlap.
    fn line(&mut self, points: &[Point], stroke: f64, colour: Colour) -> Result<(), PlotError>;
    /// Fills a circle.
    fn disc(&mut self, centre: Point, radius: f64, colour: Colour) -> Result<(), PlotError>;
    /// Writes a text whose baseline goes through `at`.
    fn text(&mut self, text: &str, at: Point, lettering: Lettering) -> Result<(), PlotError>;
}

/// How a backend of the drawing library differs from the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Device {
    /// Units of the backend in a point.
    pub(super) scale: f64,
    /// The library's size of a font of one em.
    pub(super) font_size_in_em: f64,
    /// From the top of a text, as the library places it, to its baseline, in em.
    pub(super) baseline_in_em: f64,
    /// Whether connected lines are joined by the backend. Its rasteriser fills the outline of a thick line, which leaves
    /// holes where the line comes near itself.
    pub(super) joins_lines: bool,
}

impl Device {
    /// Pixels: the size of a font is its line height, and its baseline is drawn at half of that.
    pub(super) const fn bitmap(scale: f64) -> Self {
        Self {
            scale,
            font_size_in_em: LINE_IN_EM,
            baseline_in_em: LINE_IN_EM / 2.0,
            joins_lines: false,
        }
    }

    /// Vector image: the backend writes `font-size = size / 1.24` and `dy = 0.76em`.
    pub(super) const fn vector(scale: f64) -> Self {
        Self {
            scale,
            font_size_in_em: 1.24,
            baseline_in_em: 0.76,
            joins_lines: true,
        }
    }
}

/// A [`Canvas`] on a backend of the drawing library.
pub(super) struct Sheet<B> {
    backend: B,
    device: Device,
}

impl<B: DrawingBackend> Sheet<B> {
    pub(super) fn new(backend: B, device: Device) -> Self {
        Self { backend, device }
    }

    /// Completes the picture.
    pub(super) fn finish(mut self) -> Result<(), PlotError> {
        self.backend.present().map_err(drawing)
    }

    fn length(&self, points: f64) -> i32 {
        // A float that does not fit saturates: the backend clips it.
        (points * self.device.scale).round() as i32
    }

    fn place(&self, (x, y): Point) -> (i32, i32) {
        (self.length(x), self.length(y))
    }

    fn stroke(&self, points: f64) -> u32 {
        self.length(points).max(1).unsigned_abs()
    }
}

impl<B: DrawingBackend> Canvas for Sheet<B> {
    fn series(&mut self, _name: &str, draw: Draw<'_>) -> Result<(), PlotError> {
        draw(self)
    }

    fn fill(&mut self, area: &Area, colour: Colour) -> Result<(), PlotError> {
        let (left, top) = self.place((area.left, area.top));
        let (right, bottom) = self.place((area.right, area.bottom));
        if right <= left || bottom <= top {
            return Ok(());
        }
        let style = ShapeStyle::from(paint(colour)).filled();
        self.backend
            .draw_rect((left, top), (right, bottom), &style, true)
            .map_err(drawing)
    }

    fn fill_polygon(&mut self, corners: &[Point], colour: Colour) -> Result<(), PlotError> {
        let corners: Vec<_> = corners.iter().map(|&corner| self.place(corner)).collect();
        self.backend
            .fill_polygon(corners, &paint(colour))
            .map_err(drawing)
    }

    fn line(&mut self, points: &[Point], stroke: f64, colour: Colour) -> Result<(), PlotError> {
        if self.device.joins_lines {
            let width = self.stroke(stroke);
            let path: Vec<_> = points.iter().map(|&point| self.place(point)).collect();
            return self
                .backend
                .draw_path(path, &ShapeStyle::from(paint(colour)).stroke_width(width))
                .map_err(drawing);
        }
        for pair in points.windows(2) {
            if let [from, to] = *pair {
                self.segment(from, to, stroke, colour)?;
            }
        }
        Ok(())
    }

    fn disc(&mut self, centre: Point, radius: f64, colour: Colour) -> Result<(), PlotError> {
        let (centre, radius) = (self.place(centre), self.stroke(radius));
        self.backend
            .draw_circle(
                centre,
                radius,
                &ShapeStyle::from(paint(colour)).filled(),
                true,
            )
            .map_err(drawing)
    }

    fn text(&mut self, text: &str, at: Point, lettering: Lettering) -> Result<(), PlotError> {
        font::register()?;
        let Device {
            scale,
            font_size_in_em,
            baseline_in_em,
            ..
        } = self.device;
        // An even size keeps the baseline on a whole pixel, for all glyphs of a line.
        let size = (lettering.em * font_size_in_em * scale / 2.0).round() * 2.0;
        let drop = lettering.em * baseline_in_em;
        let at = if lettering.upwards {
            (at.0 - drop, at.1)
        } else {
            (at.0, at.1 - drop)
        };
        let horizontal = match lettering.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
        };
        let mut font = font::description(size, lettering.bold);
        if lettering.upwards {
            font = font.transform(FontTransform::Rotate270);
        }
        let colour = paint(lettering.colour);
        let style = TextStyle::from(font)
            .color(&colour)
            .pos(Pos::new(horizontal, VPos::Top));
        let place = self.place(at);
        self.backend.draw_text(text, &style, place).map_err(drawing)
    }
}

impl<B: DrawingBackend> Sheet<B> {
    /// A line with square ends, so that a chain of them has closed corners.
    fn segment(
        &mut self,
        from: Point,
        to: Point,
        stroke: f64,
        colour: Colour,
    ) -> Result<(), PlotError> {
        if from.0 == to.0 || from.1 == to.1 {
            let half = stroke / 2.0;
            let area = Area {
                left: from.0.min(to.0) - half,
                top: from.1.min(to.1) - half,
                right: from.0.max(to.0) + half,
                bottom: from.1.max(to.1) + half,
            };
            return self.fill(&area, colour);
        }
        let (width, path) = (self.stroke(stroke), [self.place(from), self.place(to)]);
        self.backend
            .draw_path(path, &ShapeStyle::from(paint(colour)).stroke_width(width))
            .map_err(drawing)
    }
}

fn paint(colour: Colour) -> RGBAColor {
    RGBAColor(colour.red, colour.green, colour.blue, colour.alpha)
}

fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing {
        reason: error.to_string(),
    }
}
