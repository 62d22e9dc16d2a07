//! Buckets against the worst error: what a table costs.

use super::canvas::{Area, Canvas, Lettering, Point};
use super::data::PlotData;
use super::error::PlotError;
use super::font;
use super::frame::{self, Key, LEFT};
use super::front::{Front, front_data};
use super::labels::{DESCENT, Labels};
use super::render::Picture;
use super::style::{
    AXIS, AXIS_STROKE, Colour, DATA_STROKE, FAINT_INK, FRONTS, GRID, GRID_STROKE, HALF_ULP, HALO,
    HEIGHT, INK, PAPER, SMALL, TEXT, WIDTH, lighter,
};
use super::ulp_axis::UlpAxis;

/// Width of the column right of the box that holds the legend.
const LEGEND_WIDTH: f64 = 216.0;

const AREA: Area = Area {
    left: LEFT,
    top: 84.0,
    right: WIDTH - LEGEND_WIDTH - 24.0,
    bottom: HEIGHT - 64.0,
};

/// The plot of several fronts.
#[derive(Clone, Debug)]
pub(super) struct FrontPlot {
    fronts: Vec<Front>,
    errors: UlpAxis,
    /// Binary logarithms of the numbers of buckets at the ends of the axis.
    low: f64,
    high: f64,
}

impl FrontPlot {
    /// Prepares the plot. Points without a bucket or with an error that is not a positive number cannot be on
    /// logarithmic axes and are left out.
    pub(super) fn new(fronts: &[Front]) -> Result<Self, PlotError> {
        let drawable = |buckets: u32, error: f64| buckets > 0 && error > 0.0 && error.is_finite();
        let mut fronts = fronts.to_vec();
        for front in &mut fronts {
            front
                .points
                .retain(|point| drawable(point.buckets, point.max_ulp));
            front
                .reference_points
                .retain(|point| drawable(point.buckets, point.max_ulp));
            front.points.sort_by(|a, b| {
                a.buckets
                    .cmp(&b.buckets)
                    .then(b.max_ulp.total_cmp(&a.max_ulp))
            });
        }
        let references = fronts.iter().flat_map(|front| &front.reference_points);
        let places: Vec<(u32, f64)> = references
            .map(|point| (point.buckets, point.max_ulp))
            .chain(fronts.iter().flat_map(errors))
            .collect();
        if places.is_empty() {
            return Err(PlotError::Nothing {
                expected: "point of a front",
            });
        }
        let buckets = places.iter().map(|(buckets, _)| f64::from(*buckets).log2());
        let (low, high) = buckets.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let floors = fronts.iter().flat_map(floors).map(|(_, floor)| floor);
        let least = places
            .iter()
            .map(|(_, error)| *error)
            .chain(floors)
            .fold(0.5, f64::min);
        let greatest = places.iter().map(|(_, error)| *error).fold(1.0, f64::max);
        let room = (0.04 * (high - low)).max(0.15);
        let errors = UlpAxis::logarithmic(least, greatest, AREA.top, AREA.bottom);
        Ok(Self {
            fronts,
            errors,
            low: low - room,
            high: high + room,
        })
    }

    fn place(&self, buckets: f64, error: f64) -> Point {
        let share = (buckets.log2() - self.low) / (self.high - self.low);
        (AREA.left + share * AREA.width(), self.errors.place(error))
    }

    fn bucket_axis(&self, canvas: &mut dyn Canvas, grid: bool) -> Result<(), PlotError> {
        let octave = AREA.width() / (self.high - self.low);
        for exponent in self.low.ceil() as i32..=self.high.floor() as i32 {
            let at = AREA.left + (f64::from(exponent) - self.low) * octave;
            // Labels need some room each.
            if exponent.rem_euclid((70.0 / octave).ceil() as i32) != 0 {
                continue;
            }
            if grid {
                canvas.line(&[(at, AREA.top), (at, AREA.bottom)], GRID_STROKE, GRID)?;
            } else {
                frame::bottom_tick(
                    canvas,
                    &AREA,
                    at,
                    Some(&2_u64.pow(exponent.unsigned_abs()).to_string()),
                )?;
            }
        }
        if !grid && octave >= 120.0 {
            self.bucket_labels_between(canvas, octave)?;
        }
        Ok(())
    }

    /// Labels at one and a half powers of two, where few powers are to be seen.
    fn bucket_labels_between(&self, canvas: &mut dyn Canvas, octave: f64) -> Result<(), PlotError> {
        for exponent in self.low.floor().max(1.0) as i32..=self.high.floor() as i32 {
            let buckets = 3 * 2_u64.pow(exponent.unsigned_abs().saturating_sub(1));
            let logarithm = (buckets as f64).log2();
            if self.low <= logarithm && logarithm <= self.high {
                let at = AREA.left + (logarithm - self.low) * octave;
                frame::bottom_tick(canvas, &AREA, at, Some(&buckets.to_string()))?;
            }
        }
        Ok(())
    }

    /// A line through tables. More buckets than a table has do not harm it: its error holds until the next one.
    fn staircase(&self, tables: &[(u32, f64)]) -> Vec<Point> {
        let mut line: Vec<Point> = Vec::new();
        for (buckets, error) in tables {
            let at = self.place(f64::from(*buckets), *error);
            if let Some(last) = line.last() {
                line.push((at.0, last.1));
            }
            line.push(at);
        }
        line
    }

    fn front(
        &self,
        canvas: &mut dyn Canvas,
        front: &Front,
        colour: Colour,
    ) -> Result<(), PlotError> {
        let floor = self.staircase(&floors(front));
        if floor.len() > 1 {
            canvas.line(&floor, AXIS_STROKE, lighter(colour))?;
        }
        let points = errors(front);
        let line = self.staircase(&points);
        canvas.series(&front.name, &mut |canvas| {
            if line.len() > 1 {
                canvas.line(&line, DATA_STROKE, colour)?;
            }
            for (buckets, error) in &points {
                canvas.disc(self.place(f64::from(*buckets), *error), 2.75, colour)?;
            }
            Ok(())
        })
    }

    /// Draws the points to compare with and their labels.
    fn references(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        let mut labels = Labels::new(AREA);
        for (front, colour) in self.coloured() {
            labels.avoid_line(&self.staircase(&errors(front)), 3.0);
            for point in &front.reference_points {
                let at = self.place(f64::from(point.buckets), point.max_ulp);
                labels.avoid_point(at, 6.0);
                diamond(canvas, at, colour)?;
            }
        }
        for point in self.fronts.iter().flat_map(|front| &front.reference_points) {
            let at = self.place(f64::from(point.buckets), point.max_ulp);
            if let Some(label) = labels.take(at, font::width(&point.label, SMALL, false)?) {
                canvas.fill(&label, HALO)?;
                let baseline = (label.left, label.bottom - DESCENT);
                canvas.text(&point.label, baseline, Lettering::new(SMALL, INK))?;
            }
        }
        Ok(())
    }

    fn legend(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        let left = AREA.right + 24.0;
        let mut baseline = AREA.top + 12.0;
        let shown = ((AREA.bottom - AREA.top) / 22.0) as usize - 4;
        for (front, colour) in self.coloured().take(shown) {
            let label = font::fit(
                &format!("{} {}", front.name, front.dtype),
                TEXT,
                false,
                LEGEND_WIDTH - 58.0,
            )?;
            frame::legend_entry(canvas, (left, baseline), Key::Line(colour), &label)?;
            baseline += 22.0;
        }
        if self.fronts.len() > shown {
            let more = format!("and {} more", self.fronts.len() - shown);
            canvas.text(
                &more,
                (left + 34.0, baseline),
                Lettering::new(TEXT, FAINT_INK),
            )?;
            baseline += 22.0;
        }
        baseline += 10.0;
        if self.fronts.iter().any(|front| floors(front).len() > 1) {
            frame::legend_entry(
                canvas,
                (left, baseline),
                Key::Line(lighter(HALF_ULP)),
                "floor of the fit",
            )?;
            baseline += 22.0;
        }
        frame::legend_entry(canvas, (left, baseline), Key::Dashes(HALF_ULP), "0.5 ulp")?;
        baseline += 22.0;
        if self
            .fronts
            .iter()
            .any(|front| !front.reference_points.is_empty())
        {
            diamond(canvas, (left + 13.0, baseline - 4.5), HALF_ULP)?;
            canvas.text(
                "to compare with",
                (left + 34.0, baseline),
                Lettering::new(TEXT, INK),
            )?;
        }
        Ok(())
    }

    /// The fronts with their colours; after the last colour the first is taken again.
    fn coloured(&self) -> impl Iterator<Item = (&Front, Colour)> {
        self.fronts.iter().zip(FRONTS.into_iter().cycle())
    }
}

impl Picture for FrontPlot {
    fn draw(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
        let facts = "largest error over all inputs of each table, and the buckets it takes";
        match self.fronts.as_slice() {
            [front] => frame::heading(
                canvas,
                &front.name,
                &format!("{} \u{b7} buckets against error", front.dtype),
                facts,
            )?,
            _ => frame::heading(canvas, "Buckets against error", "", facts)?,
        }
        frame::side_grid(canvas, &AREA, &self.errors.ticks())?;
        self.bucket_axis(canvas, true)?;
        let half = self.errors.place(0.5);
        frame::dashes(canvas, AREA.left, AREA.right, half, HALF_ULP)?;
        for (front, colour) in self.coloured() {
            self.front(canvas, front, colour)?;
        }
        self.references(canvas)?;
        frame::outline(canvas, &AREA, AXIS)?;
        frame::side_axis(
            canvas,
            &AREA,
            &self.errors.ticks(),
            "max error in ulp of the output type",
        )?;
        self.bucket_axis(canvas, false)?;
        frame::bottom_title(canvas, &AREA, "buckets, saturation buckets included")?;
        self.legend(canvas)
    }

    fn data(&self) -> Vec<PlotData> {
        vec![front_data(&self.fronts)]
    }
}

/// The measured errors of a front.
fn errors(front: &Front) -> Vec<(u32, f64)> {
    front
        .points
        .iter()
        .map(|point| (point.buckets, point.max_ulp))
        .collect()
}

/// The floors of a front that are known and can be drawn.
fn floors(front: &Front) -> Vec<(u32, f64)> {
    let known = front
        .points
        .iter()
        .filter_map(|point| Some((point.buckets, point.lower_bound_ulp?)));
    known
        .filter(|(_, floor)| *floor > 0.0 && floor.is_finite())
        .collect()
}

/// A hollow diamond.
fn diamond(canvas: &mut dyn Canvas, (x, y): Point, colour: Colour) -> Result<(), PlotError> {
    for (radius, colour) in [(7.0, colour), (4.5, PAPER)] {
        let corners = [
            (x, y - radius),
            (x + radius, y),
            (x, y + radius),
            (x - radius, y),
        ];
        canvas.fill_polygon(&corners, colour)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::FrontPoint;

    fn front(points: &[(u32, f64)]) -> Front {
        let point = |&(buckets, max_ulp): &(u32, f64)| FrontPoint {
            buckets,
            control_words: 9,
            max_ulp,
            lower_bound_ulp: None,
        };
        let points = points.iter().map(point).collect();
        Front {
            name: "tanh".to_owned(),
            dtype: "fp32".to_owned(),
            points,
            reference_points: Vec::new(),
        }
    }

    #[test]
    fn more_buckets_are_right_and_less_error_is_below() {
        let plot = FrontPlot::new(&[front(&[(256, 0.55), (64, 17.0)])]).unwrap();
        let (few, many) = (plot.place(64.0, 17.0), plot.place(256.0, 0.55));
        assert!(few.0 < many.0 && few.1 < many.1);
        assert!(
            AREA.left < few.0 && many.0 < AREA.right && AREA.top < few.1 && many.1 < AREA.bottom
        );
    }

    #[test]
    fn what_logarithms_cannot_show_is_left_out() {
        let plot =
            FrontPlot::new(&[front(&[(0, 1.0), (4, 0.0), (8, f64::NAN), (16, 2.0)])]).unwrap();
        assert_eq!(plot.fronts[0].points.len(), 1);
        let error = FrontPlot::new(&[front(&[(4, 0.0)])]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "nothing to plot: expected at least one point of a front, found none"
        );
    }
}
