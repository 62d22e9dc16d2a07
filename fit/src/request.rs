//! What is to be built.

use std::fmt;
use std::str::FromStr;

use actforge_reference::{CatalogueEntry, Definition, Format, Parity, Truth};
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
    /// The inputs that can come at all, where that is known; an infinity leaves its side open. A table whose range is open
    /// and that is not made for every input by itself (ln, the roots, the reciprocals) is made for no others.
    pub inputs: Option<(f32, f32)>,
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
            inputs: None,
            method: Method::default(),
        }
    }
}

impl FunctionRequest {
    /// The range that a table gets of itself where the request leaves it open: as wide as one set serves, but no wider than
    /// the inputs that can come, and just those where they lie beyond. `None` for tables that are made for every input.
    pub(crate) fn table_range(&self, entry: &CatalogueEntry) -> Option<(f32, f32)> {
        let (low, high) = entry.table_range()?;
        let Some((least, greatest)) = self.inputs else {
            return Some((low, high));
        };
        // Of odd and even functions the range is one of magnitudes.
        let is_of_magnitudes =
            low > 0.0 && matches!(entry.function().parity(), Parity::Odd | Parity::Even);
        let (least, greatest) = match is_of_magnitudes {
            true if greatest <= 0.0 => (-greatest, -least),
            true if least < 0.0 => (0.0, greatest.max(-least)),
            _ => (least, greatest),
        };
        let common = (low.max(least), high.min(greatest));
        if common.0 < common.1 {
            return Some(common);
        }
        // What can come is served, however far from where the table would be; where nothing has a value, any table does.
        let asked = (least.max(f32::MIN), greatest.min(f32::MAX));
        let has_value =
            |input: f32| !matches!(entry.function().enclose(input, 64), Truth::Undefined);
        Some(
            if asked.0 < asked.1 && (has_value(asked.0) || has_value(asked.1)) {
                asked
            } else {
                (low, high)
            },
        )
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

#[cfg(test)]
mod tests {
    use super::*;
    use actforge_reference::lookup;

    #[test]
    fn open_ranges_are_no_wider_than_what_can_come() {
        let of = |name: &str, inputs| {
            let request = FunctionRequest {
                inputs,
                ..FunctionRequest::new(name)
            };
            request.table_range(lookup(name).unwrap())
        };
        let (low, high) = of("reciprocal", None).unwrap();
        assert!(low < 1.0 && high > 1.0);
        assert_eq!(
            of("reciprocal", Some((1.0, f32::INFINITY))),
            Some((1.0, high))
        );
        assert_eq!(of("reciprocal", Some((-8.0, -2.0))), Some((2.0, 8.0)));
        assert_eq!(of("reciprocal", Some((-8.0, 2.0))), Some((low, 8.0)));
        let (low, high) = of("reciprocal_sqrt", None).unwrap();
        assert_eq!(of("reciprocal_sqrt", Some((1e-5, 3.0))), Some((1e-5, 3.0)));
        assert_eq!(
            of("reciprocal_sqrt", Some((0.0, f32::INFINITY))),
            Some((low, high))
        );
        assert_eq!(of("reciprocal_sqrt", Some((-9.0, -3.0))), Some((low, high)));
        assert_eq!(of("tanh", Some((0.0, 1.0))), None);
        // Beyond what a table serves of itself.
        let far = (1e20, f32::INFINITY);
        assert_eq!(of("reciprocal", Some(far)), Some((1e20, f32::MAX)));
        let near_pole = (-0.999, -0.99);
        assert_eq!(of("log1p", Some(near_pole)), Some(near_pole));
        assert_eq!(of("log1p", Some((-3.0, -2.0))), of("log1p", None));
    }
}
