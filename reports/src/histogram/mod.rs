//! Where the inputs of functions really fall: bins of real numbers with counts.
//!
//! **What a mean over bins is.** The count of a bin is spread evenly over the real numbers of the bin. Each of them is
//! rounded to the nearest number of the input type, so a number weighs as much as the reals of the bin that round to it.
//! A bin whose ends are equal weighs on the number nearest to it alone. Over a bin with an infinite end nothing can be
//! spread evenly: its count is told apart ([`Bin::is_open`]).

mod parse;

use std::cmp::Ordering;

pub use parse::{COLUMNS, HistogramError};

/// One bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Its least real number; minus infinity leaves it open.
    pub lower: f64,
    /// Its greatest real number, not below `lower`.
    pub upper: f64,
    /// How many inputs fell into it: 0, or from 1e-100 to 1e100; not necessarily whole.
    pub count: f64,
}

impl Bin {
    /// Whether an end is infinite.
    pub fn is_open(&self) -> bool {
        self.lower.is_infinite() || self.upper.is_infinite()
    }

    /// The order along the line of real numbers; a bin of one point stands before the bin that begins there.
    fn order(&self, other: &Self) -> Ordering {
        self.lower
            .total_cmp(&other.lower)
            .then(self.upper.total_cmp(&other.upper))
    }

    /// Whether two bins in [`order`](Self::order) share more than an end. The same point twice is too much as well.
    fn overlaps(&self, next: &Self) -> bool {
        next.lower < self.upper || (self.lower, self.upper) == (next.lower, next.upper)
    }
}

/// The bins of some functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    functions: Vec<FunctionBins>,
}

/// The bins of one function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionBins {
    /// The function.
    pub name: String,
    /// Its bins from the lowest to the highest. No two share more than an end, and some count is above zero.
    pub bins: Vec<Bin>,
}

impl Histogram {
    /// The functions, in the order in which the file names them.
    pub fn functions(&self) -> &[FunctionBins] {
        &self.functions
    }

    /// The bins of a function, ascending.
    pub fn bins(&self, function: &str) -> Option<&[Bin]> {
        let found = self.functions.iter().find(|known| known.name == function);
        found.map(|found| found.bins.as_slice())
    }
}
