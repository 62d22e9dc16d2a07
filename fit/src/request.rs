//! What is to be built.

use std::fmt;
use std::str::FromStr;

use actforge_reference::{Definition, Format};
use actforge_tables::{Datapath, Target};

/// How the coefficients of a bucket are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The stock rule: Taylor expansion at the bucket's middle, each coefficient rounded. A baseline.
    Taylor,
    /// The best real cubic, expanded at the middle, each coefficient rounded. A baseline.
    Minimax,
    /// The best real cubic, expanded where its coefficients are almost exactly floats, chosen by replay.
    #[default]
    Accurate,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 3] = [Self::Taylor, Self::Minimax, Self::Accurate];

    /// The name in specifications.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Taylor => "taylor",
            Self::Minimax => "minimax",
            Self::Accurate => "accurate",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|method| method.as_str() == text)
            .ok_or_else(|| format!("unknown method `{text}`; known: taylor, minimax, accurate"))
    }
}

/// One function of a set to be built.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionRequest {
    /// Its name in the catalogue, or the one its definition gives it.
    pub name: String,
    /// The expression of a function that is not in the catalogue.
    pub definition: Option<Definition>,
    /// The output type whose ulp counts.
    pub dtype: Format,
    /// The largest error that is wanted, in ulp of `dtype`.
    pub max_ulp: Option<f64>,
    /// The most buckets it may take, saturation buckets included.
    pub buckets: Option<u32>,
    /// The inputs, ends included, that matter; all when `None`.
    pub range: Option<(f32, f32)>,
    /// How coefficients are found.
    pub method: Method,
}

impl FunctionRequest {
    /// A function with everything left to the allocation.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            definition: None,
            dtype: Format::Fp32,
            max_ulp: None,
            buckets: None,
            range: None,
            method: Method::default(),
        }
    }
}

/// A set to be built.
#[derive(Clone, Debug, PartialEq)]
pub struct SetRequest {
    /// Its name.
    pub name: String,
    /// The hardware generation: its capacities bind.
    pub target: Target,
    /// The rounding schedule to fit for.
    pub datapath: Datapath,
    /// The functions.
    pub functions: Vec<FunctionRequest>,
}

/// Hears how a fit goes on; called from several threads.
pub trait Observer: Sync {
    /// Something of a function was done: `done` of `total` steps of a stage.
    fn stage(&self, function: &str, stage: &str, done: usize, total: usize);
}

/// An observer that does not care.
impl Observer for () {
    fn stage(&self, _function: &str, _stage: &str, _done: usize, _total: usize) {}
}
