//! Why a plot cannot be drawn or written.

use std::io;
use std::path::PathBuf;

/// A report that cannot be drawn, or a place that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// A field of the report that should hold the bits of an input does not.
    #[error(
        "function {function}: {field}: expected 0x and 1 to 8 hexadecimal digits, found {found:?}"
    )]
    Bits {
        /// The function.
        function: String,
        /// The field of the report.
        field: &'static str,
        /// What it holds.
        found: String,
    },
    /// The first input of a bucket is after its last on the same side.
    #[error(
        "function {function}: bucket {index}: reached: expected the first input not to be above the last, found {first} to {last}"
    )]
    Reached {
        /// The function.
        function: String,
        /// The bucket's index in the pool.
        index: u32,
        /// The first input, as bits.
        first: String,
        /// The last input, as bits.
        last: String,
    },
    /// The histogram of a function does not have one bin more than it has edges, or its edges do not ascend.
    #[error(
        "function {function}: histogram: expected ascending edges and one bin more, found {edges} edges and {bins} bins"
    )]
    Histogram {
        /// The function.
        function: String,
        /// How many edges there are.
        edges: usize,
        /// How many bins there are.
        bins: usize,
    },
    /// There is no such plot.
    #[error("plot {found:?}: expected error, function, histogram, heat or comparison")]
    Kind {
        /// What was asked for.
        found: String,
    },
    /// A function's name cannot be the name of a file.
    #[error(
        "function {name:?}: name: expected letters, digits, '_', '-' and, not at the start, '.' for the name of a file"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Two functions would be drawn into the same file.
    #[error("function {name}: name: expected each function once, found it twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A report or a list of fronts that holds nothing to draw.
    #[error("nothing to plot: expected at least one {expected}, found none")]
    Nothing {
        /// What is missing.
        expected: &'static str,
    },
    /// The font inside the program cannot be used.
    #[error("font: {reason}")]
    Font {
        /// Why.
        reason: String,
    },
    /// The drawing library refuses.
    #[error("drawing: {reason}")]
    Drawing {
        /// Why.
        reason: String,
    },
    /// The image cannot be encoded.
    #[error("encoding as PNG: {0}")]
    Encoding(#[from] png::EncodingError),
    /// The data cannot be written as CSV.
    #[error("CSV: {0}")]
    Csv(#[from] csv::Error),
    /// The file system refuses.
    #[error("{}: cannot {action}: {source}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
}
