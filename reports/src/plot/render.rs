//! A picture as the bytes of a PNG or SVG file.

use std::io::Cursor;

use plotters::backend::BitMapBackend;

use super::canvas::{Area, Canvas, Device, Sheet};
use super::data::PlotData;
use super::error::PlotError;
use super::font::FAMILY;
use super::input_axis::InputAxis;
use super::spans::Span;
use super::style::{HEIGHT, PAPER, WIDTH};
use super::vector::VectorSheet;

/// Something that can be drawn, on [`WIDTH`] by [`HEIGHT`] points of paper.
pub(super) trait Picture: Send + Sync {
    /// Draws it.
    fn draw(&self, canvas: &mut dyn Canvas) -> Result<(), PlotError>;

    /// What it shows, a table for each of its boxes.
    fn data(&self) -> Vec<PlotData>;

    /// Where the buckets stand on its axis of inputs; none if it has no such axis.
    fn places(&self) -> Vec<BucketPlace> {
        Vec::new()
    }
}

/// A stretch of the axis of inputs, in points from the left edge of the picture, that one bucket serves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucketPlace {
    /// Index in the pool.
    pub bucket: u32,
    /// Its left end.
    pub left: f64,
    /// Its right end.
    pub right: f64,
}

/// The drawing library has whole coordinates only. A PNG is drawn this many times larger in both directions and averaged,
/// which makes all edges smooth.
const PNG_SCALE: u32 = 4;

/// An SVG is drawn on a grid of tenths of a point.
const SVG_SCALE: u32 = 10;

const SIZE: (u32, u32) = (WIDTH as u32, HEIGHT as u32);
const CHANNELS: usize = 3;

/// Where the buckets of spans stand on an axis.
pub(super) fn bucket_places(spans: &[Span], inputs: &InputAxis) -> Vec<BucketPlace> {
    let places = spans.iter().filter_map(|span| {
        let ends = [span.low, span.high].map(|end| inputs.place(span.negative, end));
        Some(BucketPlace {
            bucket: span.bucket?,
            left: ends[0].min(ends[1]),
            right: ends[0].max(ends[1]),
        })
    });
    places.collect()
}

/// The picture as a PNG file.
pub(super) fn png(picture: &dyn Picture) -> Result<Vec<u8>, PlotError> {
    let large = (SIZE.0 * PNG_SCALE, SIZE.1 * PNG_SCALE);
    let mut pixels = vec![0; large.0 as usize * large.1 as usize * CHANNELS];
    let mut sheet = Sheet::new(
        BitMapBackend::with_buffer(&mut pixels, large),
        Device::bitmap(f64::from(PNG_SCALE)),
    );
    on_paper(picture, &mut sheet)?;
    sheet.finish()?;

    let mut file = Cursor::new(Vec::new());
    let mut encoder = png::Encoder::new(&mut file, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Best);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&averaged(&pixels))?;
    writer.finish()?;
    Ok(file.into_inner())
}

/// Each pixel of the result is the mean of a square of [`PNG_SCALE`] by [`PNG_SCALE`].
fn averaged(large: &[u8]) -> Vec<u8> {
    let scale = PNG_SCALE as usize;
    let (width, samples) = (SIZE.0 as usize, PNG_SCALE * PNG_SCALE);
    let mut pixels = Vec::with_capacity(SIZE.0 as usize * SIZE.1 as usize * CHANNELS);
    let mut sums = vec![0_u32; width * CHANNELS];
    for rows in large.chunks_exact(width * scale * CHANNELS * scale) {
        sums.fill(0);
        for row in rows.chunks_exact(width * scale * CHANNELS) {
            for (square, sum) in row
                .chunks_exact(scale * CHANNELS)
                .zip(sums.chunks_exact_mut(CHANNELS))
            {
                for pixel in square.chunks_exact(CHANNELS) {
                    for (channel, total) in pixel.iter().zip(sum.iter_mut()) {
                        *total += u32::from(*channel);
                    }
                }
            }
        }
        pixels.extend(sums.iter().map(|sum| ((sum + samples / 2) / samples) as u8));
    }
    pixels
}

/// The picture as an SVG file. Each series of data is a group with its name as `data-series`.
pub(super) fn svg(picture: &dyn Picture) -> Result<String, PlotError> {
    let (width, height) = (SIZE.0 * SVG_SCALE, SIZE.1 * SVG_SCALE);
    let mut sheet = VectorSheet::new((width, height), f64::from(SVG_SCALE));
    on_paper(picture, &mut sheet)?;
    // The grid is finer than the picture is large: its size is in points, its coordinates are the grid's.
    Ok(format!(
        "<svg width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\" font-family=\"{FAMILY}\">\n{}</svg>\n",
        SIZE.0,
        SIZE.1,
        sheet.into_elements()
    ))
}

fn on_paper(picture: &dyn Picture, canvas: &mut dyn Canvas) -> Result<(), PlotError> {
    canvas.fill(
        &Area {
            left: 0.0,
            top: 0.0,
            right: WIDTH,
            bottom: HEIGHT,
        },
        PAPER,
    )?;
    picture.draw(canvas)
}
