//! Plots of reports and of fronts, as PNG and SVG: the same bytes for the same report, without any font of the system.

mod canvas;
mod columns;
mod error;
mod error_plot;
mod font;
mod frame;
mod front;
mod front_plot;
mod input_axis;
mod labels;
mod number;
mod output;
mod render;
mod spans;
mod style;
mod ulp_axis;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use error::PlotError;
pub use front::{Front, FrontPoint, ReferencePoint};

use crate::report::Report;
use error_plot::ErrorPlot;
use front_plot::FrontPlot;

/// The name of the files that [`plot_fronts`] writes, without `.png` and `.svg`.
pub const FRONTS_FILE: &str = "pareto";

/// Plots the error of each function against its inputs, as `FUNC.png` and `FUNC.svg` in `dir`, and returns the paths in the
/// order of the report.
///
/// Inputs run from the most negative to the most positive on a logarithmic axis, one octave as wide as any other; regions
/// that one cubic serves are shaded and pressed into a strip. Errors are in ulp of the output type, on a logarithmic axis
/// from a maximum of 8 ulp on. All plots are drawn before the first file is written; a file appears whole or not at all,
/// and takes the place of an earlier one. `dir` is made if it does not exist.
///
/// # Errors
/// [`PlotError::Nothing`] for a report without functions; [`PlotError::Name`], [`PlotError::Twice`], [`PlotError::Bits`] or
/// [`PlotError::Reached`] for one that contradicts itself; [`PlotError::Write`] if the system refuses.
pub fn plot_report(report: &Report, dir: &Path) -> Result<Vec<PathBuf>, PlotError> {
    if report.functions.is_empty() {
        return Err(PlotError::Nothing {
            expected: "function",
        });
    }
    let mut names = BTreeSet::new();
    let mut drawn = Vec::new();
    for function in &report.functions {
        let plot = ErrorPlot::new(report, function)?;
        // Some file systems take names that differ in case for one.
        if !names.insert(function.name.to_ascii_lowercase()) {
            return Err(PlotError::Twice {
                name: function.name.clone(),
            });
        }
        drawn.push(output::draw(&function.name, &plot)?);
    }
    output::write(drawn, dir)
}

/// Plots fronts, the number of buckets against the largest error on logarithmic axes, as [`FRONTS_FILE`]`.png` and `.svg` in
/// `dir`, and returns the paths. Points that such axes cannot show (an error of 0) are left out.
///
/// # Errors
/// [`PlotError::Nothing`] if there is no point to draw; [`PlotError::Write`] if the system refuses.
pub fn plot_fronts(fronts: &[Front], dir: &Path) -> Result<Vec<PathBuf>, PlotError> {
    let plot = FrontPlot::new(fronts)?;
    output::write(vec![output::draw(FRONTS_FILE, &plot)?], dir)
}
