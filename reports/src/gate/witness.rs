//! An input that shows what is wrong, in every form that somebody may want to paste.

use serde::{Deserialize, Serialize};

use crate::number::{bits, decimal, hex_float};
use crate::replay::Probe;

/// A binary32 number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// `0x` and eight hexadecimal digits.
    pub bits: String,
    /// The shortest decimal that reads back as it.
    pub decimal: String,
    /// Hexadecimal with a binary exponent.
    pub hex: String,
}

impl From<f32> for Number {
    fn from(value: f32) -> Self {
        Self {
            bits: bits(value),
            decimal: decimal(value),
            hex: hex_float(value),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, {})", self.decimal, self.hex, self.bits)
    }
}

/// An input with its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The input.
    pub input: Number,
    /// Its result, rounded to the output type.
    pub got: Number,
    /// What is right: the correctly rounded result, or the stated one.
    pub want: Number,
    /// The error in ulp; null for a NaN where a number is right.
    pub error_ulp: Option<f64>,
    /// The index in the pool of the bucket that serves the input.
    pub bucket: Option<u32>,
    /// The other input where it takes two: the neighbour before it, or the mirror image.
    pub other: Option<Pair>,
}

/// The second of two inputs that are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The input.
    pub input: Number,
    /// Its result.
    pub got: Number,
}

impl Witness {
    /// What the tables make of an input.
    pub(super) fn of(probe: &Probe<'_>, x: f32) -> Self {
        let error = probe.error_ulp(x);
        Self {
            input: x.into(),
            got: probe.result(x).into(),
            want: probe.right(x).into(),
            error_ulp: error.is_finite().then_some((error * 1e6).round() / 1e6),
            bucket: probe.bucket(x),
            other: None,
        }
    }

    /// The same, compared with another input.
    pub(super) fn with_other(self, probe: &Probe<'_>, other: f32) -> Self {
        Self {
            other: Some(Pair {
                input: other.into(),
                got: probe.result(other).into(),
            }),
            ..self
        }
    }

    /// The same with another result that is wanted.
    pub(super) fn wanting(self, want: f32) -> Self {
        Self {
            want: want.into(),
            ..self
        }
    }
}
