//! Plots of reports and of fronts, as PNG and SVG: the same bytes for the same report, without any font of the system.

mod canvas;
mod columns;
mod comparison_plot;
mod data;
mod decade_axis;
mod error;
mod error_plot;
mod facts;
mod figure;
mod font;
mod frame;
mod front;
mod front_plot;
mod function_plot;
mod heat_plot;
mod histogram_plot;
mod input_axis;
mod input_frame;
mod labels;
pub(crate) mod number;
mod output;
mod render;
mod spans;
mod style;
mod ulp_axis;
mod value_axis;
mod vector;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use data::{PLOT_SCHEMA_VERSION, PlotData};
pub use error::PlotError;
pub use figure::{Figure, PlotKind, PlotRequest, figures};
pub use front::{Front, FrontPoint, ReferencePoint, front_data};
pub use render::BucketPlace;

use rayon::prelude::*;

use crate::report::Report;
use front_plot::FrontPlot;

/// The name of the files that [`plot_fronts`] writes, without `.png` and `.svg`.
pub const FRONTS_FILE: &str = "pareto";

/// Draws the pictures of each function that `request` asks for into `dir`, and returns the paths in the order of the
/// report: `FUNC.png` and `FUNC.svg` for the error, `FUNC-KIND.png` and `.svg` for the others, `.csv` and `.json` for data.
///
/// Inputs run from the most negative to the most positive on a logarithmic axis, one octave as wide as any other; regions
/// that one cubic serves are shaded and pressed into a strip. Errors are in ulp of the output type, on a logarithmic axis
/// from a maximum of 8 ulp on. All plots are drawn before the first file is written; a file appears whole or not at all,
/// and takes the place of an earlier one. `dir` is made if it does not exist.
///
/// # Errors
/// [`PlotError::Nothing`] for a report without functions, and when nothing of it can be drawn; [`PlotError::Name`],
/// [`PlotError::Twice`], [`PlotError::Bits`], [`PlotError::Reached`] or [`PlotError::Histogram`] for one that contradicts
/// itself; [`PlotError::Write`] if the system refuses.
pub fn plot_report(
    report: &Report,
    request: &PlotRequest<'_>,
    dir: &Path,
) -> Result<Vec<PathBuf>, PlotError> {
    if report.functions.is_empty() {
        return Err(PlotError::Nothing {
            expected: "function",
        });
    }
    let mut names = BTreeSet::new();
    let mut all = Vec::new();
    for function in &report.functions {
        output::check_name(&function.name)?;
        for figure in figures(report, function, request)? {
            // Some file systems take names that differ in case for one.
            if !names.insert(figure.name.to_ascii_lowercase()) {
                return Err(PlotError::Twice {
                    name: function.name.clone(),
                });
            }
            all.push(figure);
        }
    }
    if all.is_empty() {
        return Err(PlotError::Nothing {
            expected: "picture that this report and what was given with it can be drawn as",
        });
    }
    let drawn: Result<Vec<_>, PlotError> = all
        .par_iter()
        .map(|figure| output::draw(figure, request.with_data))
        .collect();
    output::write(drawn?, dir)
}

/// Plots fronts, the number of buckets against the largest error on logarithmic axes, as [`FRONTS_FILE`]`.png` and `.svg` in
/// `dir`, and returns the paths. Points that such axes cannot show (an error of 0) are left out.
///
/// # Errors
/// [`PlotError::Nothing`] if there is no point to draw; [`PlotError::Write`] if the system refuses.
pub fn plot_fronts(fronts: &[Front], dir: &Path) -> Result<Vec<PathBuf>, PlotError> {
    let plot = FrontPlot::new(fronts)?;
    let drawn = output::draw_picture(FRONTS_FILE, render::png(&plot)?, render::svg(&plot)?);
    output::write(vec![drawn], dir)
}
