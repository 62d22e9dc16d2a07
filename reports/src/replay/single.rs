//! The sweep's judgement of single inputs, so that it can be compared with another's.

use actforge_tables::FunctionSet;
use rayon::prelude::*;

use super::{ReplayError, ReplayOptions, Subject, with_operand};
use crate::sweep::{Piece, Subject as SweepSubject, measure_piece, plan};

/// What the sweep makes of one input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The input, as bits.
    pub bits: u32,
    /// The result, rounded to the output type.
    pub result: f32,
    /// Its error in ulp; infinite for a NaN where a number is right.
    pub error: f64,
    /// Whether it is the correctly rounded result.
    pub correctly_rounded: bool,
    /// Steps from the correctly rounded result.
    pub steps: u64,
    /// How far the error may be off, in ulp.
    pub uncertainty: f64,
}

/// Judges finite non-zero binary32 inputs of one function as [`replay`](super::replay) does, one at a time; others,
/// and those outside the judged range, are left out.
///
/// # Errors
/// As [`replay`](super::replay).
pub fn judge_inputs(
    set: &FunctionSet,
    function: &str,
    options: &ReplayOptions,
    inputs: &[u32],
) -> Result<Vec<Judgement>, ReplayError> {
    let set = with_operand(set, options)?;
    let subject = Subject::new(&set, function, options)?;
    let surrogate = subject.surrogate()?;
    let pieces = plan(&subject.table, &surrogate);
    let sweep = SweepSubject {
        table: &subject.table,
        surrogate: &surrogate,
        value_bounds: subject.function.value_bounds(subject.output),
        level: subject.level,
    };
    let judgements = inputs.par_iter().filter_map(|bits| {
        let x = f32::from_bits(*bits);
        if !subject.is_judged(x) {
            return None;
        }
        let place = pieces.partition_point(|piece| piece.last < *bits);
        let piece = pieces.get(place).filter(|piece| piece.first <= *bits)?;
        let tally = measure_piece(
            &sweep,
            &Piece {
                first: *bits,
                last: *bits,
                ..piece.clone()
            },
        );
        let polynomial = piece.cell.polynomial();
        Some(Judgement {
            bits: *bits,
            result: subject.result(x),
            error: tally.worst.first()?.error,
            correctly_rounded: tally.incorrect == 0,
            steps: tally.most_steps.map_or(0, |(steps, _)| steps),
            uncertainty: polynomial.map_or(0.0, |polynomial| polynomial.bound),
        })
    });
    Ok(judgements.collect())
}
