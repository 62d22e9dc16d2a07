//! Why a page cannot be written.

use actforge_tables::{ContainerError, EntryError};

use crate::plot::PlotError;

/// A set and a report that do not make a page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A picture cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The report has a function that the set does not hold.
    #[error("function {function}: expected one of set {set}, which does not hold it")]
    NotInSet {
        /// The function.
        function: String,
        /// The set.
        set: String,
    },
    /// A profile that has no bits.
    #[error("function {function}: profile: {source}")]
    Profile {
        /// The function.
        function: String,
        /// What is wrong with it.
        source: EntryError,
    },
    /// The images of the set cannot be made.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The template cannot be filled.
    #[error("page: {0}")]
    Template(#[from] askama::Error),
}
