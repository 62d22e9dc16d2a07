//! Rules: which inputs of which functions they are about, what they demand, and which of several wins.

use std::fmt;

use actforge_reference::Format;

use super::limit::Limit;

/// What a rule says of one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The figure.
    pub limit: Limit,
    /// What is demanded of it.
    pub demand: Demand,
    /// The line of the budgets file, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// What is demanded of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Demand {
    /// A number that it must keep.
    Number(f64),
    /// The symmetry that every result must have.
    Symmetry(Symmetry),
    /// The bounds that every result must keep.
    Bounds(Bounds),
    /// Points that must be hit.
    Exact(Vec<Point>),
    /// Results of special inputs that differ from the reference's.
    Special(Vec<SpecialResult>),
}

impl Demand {
    /// The number that is allowed: of what is counted rather than measured, none.
    pub fn allowed(&self) -> f64 {
        match self {
            Self::Number(allowed) => *allowed,
            _ => 0.0,
        }
    }
}

/// How the two sides of a function must mirror each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// `f(-x) = -f(x)`
    Odd,
    /// `f(-x) = f(x)`
    Even,
}

impl Symmetry {
    /// Both, by name.
    pub const ALL: [(&'static str, Self); 2] = [("odd", Self::Odd), ("even", Self::Even)];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Odd => "odd",
            Self::Even => "even",
        }
    }
}

/// Bounds of results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// The least and the greatest value of the function itself, rounded to the output type.
    Function,
    /// These, both allowed.
    Stated(f32, f32),
}

/// An input whose result must be exactly right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The input.
    pub input: f32,
    /// The result; the correctly rounded one when it is not stated.
    pub result: Option<f32>,
}

/// A special input and the result it must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpecialResult {
    /// Which one.
    pub input: SpecialInput,
    /// Its result; NaNs of any kind are one.
    pub result: f32,
}

/// A special input, as budgets name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialInput {
    /// +0
    PositiveZero,
    /// -0
    NegativeZero,
    /// +inf
    PositiveInfinity,
    /// -inf
    NegativeInfinity,
    /// Every NaN.
    Nan,
}

impl SpecialInput {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("+0", Self::PositiveZero),
        ("-0", Self::NegativeZero),
        ("+inf", Self::PositiveInfinity),
        ("-inf", Self::NegativeInfinity),
        ("nan", Self::Nan),
    ];

    /// Whether it is the input with these bits.
    pub fn is(self, x: f32) -> bool {
        match self {
            Self::PositiveZero => x == 0.0 && !x.is_sign_negative(),
            Self::NegativeZero => x == 0.0 && x.is_sign_negative(),
            Self::PositiveInfinity => x == f32::INFINITY,
            Self::NegativeInfinity => x == f32::NEG_INFINITY,
            Self::Nan => x.is_nan(),
        }
    }
}

/// The inputs that are judged together: every value of a type, or those of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inputs {
    /// Their type.
    pub dtype: Format,
    /// The first and the last one; all when `None`.
    pub range: Option<[f32; 2]>,
}

impl Inputs {
    /// All fp32 inputs.
    pub const ALL: Self = Self {
        dtype: Format::Fp32,
        range: None,
    };
}

impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.range {
            None => write!(f, "all {}", self.dtype.name()),
            Some([low, high]) => write!(f, "{} from {low:?} to {high:?}", self.dtype.name()),
        }
    }
}

/// One rule of a budgets file.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The function; every one when `None` (`"*"` in the file).
    pub function: Option<String>,
    /// The set; any when `None`.
    pub set: Option<String>,
    /// The output type in whose ulp errors count; each function's own when `None`.
    pub dtype: Option<Format>,
    /// The inputs.
    pub inputs: Inputs,
    /// What it demands, in the order of [`Limit::ALL`].
    pub given: Vec<Given>,
    /// The line of the budgets file, from 1.
    pub line: usize,
}

impl Rule {
    /// Whether the rule is about results of this function, of this set, in this type, over these inputs.
    pub fn covers(&self, set: &str, function: &str, dtype: Format, inputs: &Inputs) -> bool {
        self.is_about(set, function)
            && self.dtype.is_none_or(|own| own == dtype)
            && self.inputs == *inputs
    }

    /// Whether the rule is about this function of this set at all.
    pub fn is_about(&self, set: &str, function: &str) -> bool {
        self.set.as_ref().is_none_or(|own| own == set)
            && self.function.as_ref().is_none_or(|own| own == function)
    }

    /// What decides between rules that cover the same: a named function before a named set before a stated output type.
    pub fn specificity(&self) -> [bool; 3] {
        [
            self.function.is_some(),
            self.set.is_some(),
            self.dtype.is_some(),
        ]
    }

    /// Whether two rules say what they are about in the same words.
    pub(super) fn has_scope_of(&self, other: &Self) -> bool {
        self.function == other.function
            && self.set == other.set
            && self.dtype == other.dtype
            && self.inputs == other.inputs
    }
}

impl fmt::Display for Rule {
    /// `tanh of set core, bf16, over all fp32`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.as_deref().unwrap_or("every function"))?;
        if let Some(set) = &self.set {
            write!(f, " of set {set}")?;
        }
        if let Some(dtype) = self.dtype {
            write!(f, ", {}", dtype.name())?;
        }
        write!(f, ", over {}", self.inputs)
    }
}
