//! The pictures of a page.

use super::PageError;
use crate::plot::{BucketPlace, Figure, PlotKind};

/// A picture with what is said of it.
#[derive(Clone, Debug)]
pub(super) struct FigureView {
    /// What it is, for who cannot see it.
    pub(super) title: String,
    pub(super) caption: &'static str,
    pub(super) svg: String,
    /// The ids of the table whose rows its places are, and of what is said of one of them; if it has places.
    pub(super) rows: Option<(String, String)>,
}

/// Draws the pictures of a function. `rows` is the id of the table of its buckets.
pub(super) fn figure_views(
    function: &str,
    figures: &[Figure],
    rows: &str,
) -> Result<Vec<FigureView>, PageError> {
    let views = figures.iter().map(|figure| {
        Ok(FigureView {
            title: format!("{function}: {}", title(figure.kind)),
            caption: caption(figure.kind),
            // A picture has no name of its own: the box around it has.
            svg: figure
                .svg()?
                .replacen("<svg ", "<svg aria-hidden=\"true\" ", 1),
            rows: (!figure.places().is_empty())
                .then(|| (rows.to_owned(), format!("{rows}-{}", figure.kind))),
        })
    });
    views.collect()
}

/// Where the buckets stand in the pictures against inputs, which all have the same axis.
pub(super) fn bucket_places(figures: &[Figure]) -> Vec<BucketPlace> {
    let mut places = figures.iter().map(Figure::places);
    places.find(|places| !places.is_empty()).unwrap_or_default()
}

fn title(kind: PlotKind) -> &'static str {
    match kind {
        PlotKind::Error => "plot of the error against the input",
        PlotKind::Function => "plot of the function, the results and the absolute error",
        PlotKind::Histogram => "histogram of the error",
        PlotKind::Heat => "heat map of the error by octave and position in it",
        PlotKind::Comparison => "plot of the errors before and now",
    }
}

fn caption(kind: PlotKind) -> &'static str {
    match kind {
        PlotKind::Error => {
            "The largest error of every bucket over all of its inputs. Nothing is sampled; the worst input is marked. The table of buckets below holds the same numbers."
        }
        PlotKind::Function => {
            "Above, the function and the results of the table at some inputs of each octave; below, the largest absolute error of every bucket over all of its inputs."
        }
        PlotKind::Histogram => "How many of all inputs have how large an error.",
        PlotKind::Heat => {
            "The largest error of the inputs that one bucket serves of an octave, or of the whole octave where a bucket serves more than that."
        }
        PlotKind::Comparison => {
            "The largest error of every bucket over all of its inputs, of both tables."
        }
    }
}
