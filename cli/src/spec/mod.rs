//! The build specification: which functions a set holds and what is asked of each.
//!
//! ```toml
//! [set]
//! name = "core"             # required: letters a-z, digits, _ and -, at most 31
//! target = "cayman"         # the default
//! datapath = "fma"          # the default; muladd, estrin, mixed
//!
//! [[function]]
//! name = "gelu"             # required: a function of the catalogue
//! dtype = "fp32"            # the default; bf16, fp16: the output type whose ulp counts
//! max_ulp = 2.0             # target for the largest error
//! buckets = 400             # ceiling for the number of buckets
//! range = [-10.0, 10.0]     # valid range; strings hold exact numbers: "0x1.8p3", "0x41200000"
//! inputs = [1.0, inf]       # what can come at all: an open range of ln, a root or a reciprocal is no wider
//! method = "accurate"       # the default; minimax, taylor
//!
//! [[function]]
//! name = "my_act"           # a name of its own
//! expr = "x * tanh(log1p(exp(a*x)))"
//! params = { a = 1.5 }      # exactly the decimal numbers they spell
//! limits = { neg_inf = 0.0 }  # only where they do not come out by themselves
//! ```

mod canonical;
mod error;
mod parse;
mod rules;

use std::path::Path;

use actforge_reference::{Definition, Format};
use actforge_reports::document::read_text;
use actforge_tables::{Datapath, Target};

pub use actforge_reports::document::parse_fp32;
pub use error::SpecError;
pub(crate) use rules::EVERY_FUNCTION_ONCE;
pub use rules::{BUCKETS, DTYPES, LONGEST_NAME};

/// What to build.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// The set as a whole.
    pub set: SetSpec,
    /// Its functions in the order of the set: the first gets the first profile.
    pub functions: Vec<FunctionSpec>,
}

/// What is asked of the set as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetSpec {
    /// Name of the set.
    pub name: String,
    /// The hardware it is for.
    pub target: Target,
    /// The rounding schedule it is fitted for.
    pub datapath: Datapath,
}

/// What is asked of one function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSpec {
    /// Name in the catalogue, or the one its expression gets.
    pub name: String,
    /// The expression of a function that is not in the catalogue.
    pub definition: Option<Definition>,
    /// The output type in whose ulp errors count.
    pub dtype: Format,
    /// Target for the largest error, in ulp of `dtype`; without it the ceiling or the set's allocation decides.
    pub max_ulp: Option<f64>,
    /// The most buckets the function may take.
    pub buckets: Option<u16>,
    /// The valid range `[lowest, highest]`; without it all finite inputs. An infinity leaves its side open.
    pub range: Option<[f32; 2]>,
    /// The inputs that can come at all: without `range`, tables of functions such as ln and the reciprocal are made for no
    /// others. An infinity leaves its side open.
    pub inputs: Option<[f32; 2]>,
    /// How the buckets are fitted.
    pub method: Method,
}

/// How the cubic of a bucket is found (fitting.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Coefficients and breakpoint rounded jointly for the datapath.
    #[default]
    Accurate,
    /// The best real-coefficient cubic, rounded.
    Minimax,
    /// Derivatives at the breakpoint, rounded, as in the vendor's tables.
    Taylor,
}

impl Method {
    /// All methods, the default first.
    pub const ALL: [Self; 3] = [Self::Accurate, Self::Minimax, Self::Taylor];

    /// The name used in specifications and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accurate => "accurate",
            Self::Minimax => "minimax",
            Self::Taylor => "taylor",
        }
    }
}

impl SetSpec {
    /// A set for the default target (cayman) and datapath (fma).
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            target: Target::Cayman,
            datapath: Datapath::default(),
        }
    }
}

impl FunctionSpec {
    /// A function of which nothing in particular is asked.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            definition: None,
            dtype: Format::Fp32,
            max_ulp: None,
            buckets: None,
            range: None,
            inputs: None,
            method: Method::default(),
        }
    }
}

/// An expression as it is kept: on one line, with single blanks.
pub(crate) fn one_line(expression: &str) -> String {
    expression.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Spec {
    /// Reads and parses a specification. `catalogue` holds the names of the functions that can be built.
    ///
    /// # Errors
    /// See [`SpecError`].
    pub fn read(path: &Path, catalogue: &[&str]) -> Result<Self, SpecError> {
        let text = read_text(path)?;
        Self::parse(&path.display().to_string(), &text, catalogue)
    }

    /// Parses the text of a specification; `file` is only what messages call it.
    ///
    /// # Errors
    /// [`SpecError::Document`] for the first thing that is wrong, with its place.
    pub fn parse(file: &str, text: &str, catalogue: &[&str]) -> Result<Self, SpecError> {
        Ok(parse::parse(file, text, catalogue)?)
    }

    /// Checks a specification that was put together from command line flags by the rules for files.
    ///
    /// # Errors
    /// [`SpecError::Flags`] for the first value that a file could not hold either.
    pub fn check(&self, catalogue: &[&str]) -> Result<(), SpecError> {
        rules::check(self, catalogue)
    }

    /// The specification as text for hashing: every key in a fixed order, numbers exact, nothing of the original's
    /// formatting, comments and defaults left. It is itself a specification and parses to the same one.
    pub fn canonical(&self) -> String {
        canonical::canonical(self)
    }
}

#[cfg(test)]
mod tests;
