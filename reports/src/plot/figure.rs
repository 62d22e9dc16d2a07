//! Which pictures there are of a function, and what they are called.

use std::fmt;
use std::str::FromStr;

use super::PlotError;
use super::comparison_plot::ComparisonPlot;
use super::data::PlotData;
use super::error_plot::ErrorPlot;
use super::function_plot::FunctionPlot;
use super::heat_plot::HeatPlot;
use super::histogram_plot::HistogramPlot;
use super::render::{self, BucketPlace, Picture};
use crate::replay::Course;
use crate::report::{FunctionReport, Report};

/// A picture of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlotKind {
    /// The error in ulp against the input, the maximum of every bucket.
    Error,
    /// The function, what the table makes of it, and the absolute error.
    Function,
    /// How many inputs have how large an error.
    Histogram,
    /// Where in an octave the error is.
    Heat,
    /// The error of two tables.
    Comparison,
}

impl PlotKind {
    /// All, in the order they are shown in.
    pub const ALL: [Self; 5] = [
        Self::Error,
        Self::Function,
        Self::Histogram,
        Self::Heat,
        Self::Comparison,
    ];

    /// `error`, `function`, `histogram`, `heat`, `comparison`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Function => "function",
            Self::Histogram => "histogram",
            Self::Heat => "heat",
            Self::Comparison => "comparison",
        }
    }

    /// The name of the files for a function, without extension. The plot of errors has the function's own.
    fn file_name(self, function: &str) -> String {
        match self {
            Self::Error => function.to_owned(),
            other => format!("{function}-{other}"),
        }
    }
}

impl fmt::Display for PlotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for PlotKind {
    type Err = PlotError;

    fn from_str(text: &str) -> Result<Self, PlotError> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        known.ok_or_else(|| PlotError::Kind {
            found: text.to_owned(),
        })
    }
}

/// Which pictures of a report to draw, and what some of them need beside it.
#[derive(Clone, Debug, Default)]
pub struct PlotRequest<'a> {
    /// The kinds; all that can be drawn when empty.
    pub kinds: Vec<PlotKind>,
    /// The courses of functions, for [`PlotKind::Function`].
    pub courses: &'a [Course],
    /// The older report, for [`PlotKind::Comparison`].
    pub older: Option<&'a Report>,
    /// The largest errors that budgets allow, by function, for [`PlotKind::Error`].
    pub budgets: Vec<(String, f64)>,
    /// Whether to write the data of each picture beside it, as CSV and JSON.
    pub with_data: bool,
}

impl PlotRequest<'_> {
    /// Only these kinds.
    pub fn only(kinds: &[PlotKind]) -> Self {
        Self {
            kinds: kinds.to_vec(),
            ..Self::default()
        }
    }
}

/// One picture.
pub struct Figure {
    /// What it shows.
    pub kind: PlotKind,
    /// The name of its files, without extension.
    pub name: String,
    picture: Box<dyn Picture>,
}

impl fmt::Debug for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Figure")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Figure {
    /// The picture as the text of an SVG. Each series is a group, named by `data-series`.
    ///
    /// # Errors
    /// [`PlotError::Font`] and [`PlotError::Drawing`], which no report leads to.
    pub fn svg(&self) -> Result<String, PlotError> {
        render::svg(self.picture.as_ref())
    }

    /// The picture as the bytes of a PNG.
    ///
    /// # Errors
    /// As [`Figure::svg`], and [`PlotError::Encoding`].
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        render::png(self.picture.as_ref())
    }

    /// The tables of what it shows, each with the name of its files.
    pub fn data(&self) -> Vec<(String, PlotData)> {
        let tables = self.picture.data().into_iter().enumerate();
        tables
            .map(|(k, data)| match k {
                0 => (self.name.clone(), data),
                // The second box of a picture has a table of its own.
                _ => {
                    let base = self
                        .name
                        .rsplit_once('-')
                        .map_or(self.name.as_str(), |(base, _)| base);
                    (format!("{base}-{}", data.plot), data)
                }
            })
            .collect()
    }

    /// Where the buckets stand on the axis of inputs.
    pub fn places(&self) -> Vec<BucketPlace> {
        self.picture.places()
    }
}

/// The pictures of one function, prepared: whatever contradicts itself in the report is found here.
///
/// Without a course there is no [`PlotKind::Function`], without an older report that holds the function no
/// [`PlotKind::Comparison`].
///
/// # Errors
/// [`PlotError::Bits`], [`PlotError::Reached`] or [`PlotError::Histogram`].
pub fn figures(
    report: &Report,
    function: &FunctionReport,
    request: &PlotRequest<'_>,
) -> Result<Vec<Figure>, PlotError> {
    let mut figures = Vec::new();
    for kind in PlotKind::ALL {
        if !request.kinds.is_empty() && !request.kinds.contains(&kind) {
            continue;
        }
        if let Some(picture) = picture(report, function, request, kind)? {
            figures.push(Figure {
                kind,
                name: kind.file_name(&function.name),
                picture,
            });
        }
    }
    Ok(figures)
}

fn picture(
    report: &Report,
    function: &FunctionReport,
    request: &PlotRequest<'_>,
    kind: PlotKind,
) -> Result<Option<Box<dyn Picture>>, PlotError> {
    let name = &function.name;
    Ok(Some(match kind {
        PlotKind::Error => {
            let budget = request
                .budgets
                .iter()
                .find(|(function, _)| function == name);
            let budget = budget.map(|(_, budget)| *budget);
            Box::new(ErrorPlot::new(report, function, budget)?)
        }
        PlotKind::Function => match request
            .courses
            .iter()
            .find(|course| course.function == *name)
        {
            Some(course) => Box::new(FunctionPlot::new(report, function, course)?),
            None => return Ok(None),
        },
        PlotKind::Histogram => Box::new(HistogramPlot::new(report, function)?),
        PlotKind::Heat => Box::new(HeatPlot::new(report, function)?),
        PlotKind::Comparison => {
            let older = request.older.and_then(|older| {
                let same = older.functions.iter().find(|old| old.name == *name)?;
                Some((older, same))
            });
            match older {
                Some((older, old)) => {
                    Box::new(ComparisonPlot::new([older, report], [old, function])?)
                }
                None => return Ok(None),
            }
        }
    }))
}
