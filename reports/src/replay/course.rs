//! A function and what a table makes of it, at inputs that show its course.

use actforge_tables::FunctionSet;
use rayon::prelude::*;

use super::{ReplayError, ReplayOptions, Subject};

/// Inputs in an octave that has buckets of its own: a fifth of a point on most plots.
const POINTS: u32 = 32;
/// Inputs in an octave that a region serves.
const REGION_POINTS: u32 = 2;

/// The course of one function. It is there to be looked at: what is measured over all inputs is in the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The function's name.
    pub function: String,
    /// Its formula.
    pub definition: String,
    /// From the most negative input to the most positive.
    pub points: Vec<CoursePoint>,
}

/// One input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoursePoint {
    /// The input, as bits.
    pub bits: u32,
    /// The table's result, rounded to the output type.
    pub result: f32,
    /// The function's value to double precision; NaN where it has none.
    pub value: f64,
}

/// Evaluates a function of a set at evenly spaced inputs of each octave: a few hundred where it has buckets of its own.
///
/// # Errors
/// As [`replay`](super::replay), for what can be wrong with the set.
pub fn course(
    set: &FunctionSet,
    function: &str,
    options: &ReplayOptions,
) -> Result<Course, ReplayError> {
    let subject = Subject::new(set, function, options)?;
    let octaves = set
        .octaves(subject.entry)
        .map_err(|error| ReplayError::Internal(error.to_string()))?;
    let mut magnitudes = vec![1, 0x0040_0000];
    for exponent in 1..255_u32 {
        let has_buckets = octaves
            .iter()
            .any(|octave| i32::from(octave.exponent) + 127 == exponent as i32);
        let points = if has_buckets { POINTS } else { REGION_POINTS };
        magnitudes.extend((0..points).map(|k| (exponent << 23) | ((k << 23) / points)));
    }
    magnitudes.push(f32::MAX.to_bits());
    let negative = magnitudes.iter().rev().map(|bits| bits | 1 << 31);
    let inputs: Vec<u32> = negative.chain(magnitudes.iter().copied()).collect();
    let points = inputs.par_iter().filter_map(|bits| {
        let x = f32::from_bits(*bits);
        subject.is_judged(x).then(|| CoursePoint {
            bits: *bits,
            result: subject.result(x),
            value: subject.function.enclose(x, 60).to_f64(),
        })
    });
    Ok(Course {
        function: function.to_owned(),
        definition: subject.function.definition().to_owned(),
        points: points.collect(),
    })
}
