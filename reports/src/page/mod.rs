//! Reports and differences as web pages: one file each, which loads nothing and needs no scripts.
//!
//! The templates stand in `reports/templates`; they only lay out. What they show is made into text here, and everything
//! that is put into them is escaped, for names and formulas are those of users.

mod buckets;
mod details;
mod error;
mod figures;
mod function;
mod octaves;
mod report_diff;
mod set;
mod set_diff;
mod table;
mod text;
mod words;

use askama::Template;

pub use error::PageError;
pub use report_diff::report_diff_page;
pub use set_diff::set_diff_page;

use crate::legible::legible;
use crate::replay::Course;
use crate::report::Report;
use actforge_tables::FunctionSet;
use set::SetView;

const STYLE: &str = include_str!("../../templates/style.css");
const SCRIPT: &str = include_str!("../../templates/script.js");

/// The version of the program that writes the page.
const TOOL_VERSION: &str = env!("CARGO_PKG_VERSION");

/// One set of a page, with everything that the page says of it.
#[derive(Clone, Copy, Debug)]
pub struct SetPart<'a> {
    /// The set.
    pub set: &'a FunctionSet,
    /// Its replay: of this set, and no other.
    pub report: &'a Report,
    /// The courses of its functions, for their plots.
    pub courses: &'a [Course],
    /// The largest errors that budgets allow, in ulp, by function.
    pub budgets: &'a [(String, f64)],
}

/// A term and what it stands for.
type Definition = (String, String);

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage {
    title: String,
    tool_version: &'static str,
    sets: Vec<SetView>,
    words: Vec<Definition>,
}

/// The page of one or more sets: a summary, and for each function everything that its replay found.
///
/// # Errors
/// [`PageError`] for a report that contradicts itself or is not one of its set.
pub fn report_page(parts: &[SetPart<'_>]) -> Result<String, PageError> {
    let sets: Result<Vec<SetView>, PageError> = parts
        .iter()
        .enumerate()
        .map(|(place, part)| SetView::new(part, place))
        .collect();
    let names: Vec<&str> = parts.iter().map(|part| part.set.name.as_str()).collect();
    let page = ReportPage {
        title: format!("Error report: {}", names.join(", ")),
        tool_version: TOOL_VERSION,
        sets: sets?,
        words: words::words(parts),
    };
    Ok(legible(&page.render()?))
}
