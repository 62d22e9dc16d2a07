//! The mean error where inputs really fall.

mod narrow;
mod share;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use actforge_reference::{CellKind, Format, Surrogate, Truth, absolute_error, ulp_error};
use actforge_tables::FunctionSet;
use rayon::prelude::*;

use self::share::{share_of_zero, shares_of_sign};
use super::finish::millionths;
use super::measure::pieces_of;
use super::{Observer, Progress, ReplayError, ReplayOptions, Shard, Subject, with_operand};
use crate::histogram::{Bin, Histogram};
use crate::report::{Report, WeightedReport};
use crate::sweep::{Piece, Subject as SweepSubject, Total, total_piece};

/// Shares are rounded to one of so many: what is less may come from the rounding of sums alone.
const SHARES: f64 = 1e12;

/// Adds to each function of a report its mean error under a histogram, where that has bins of it. The datapath and the
/// types are those of the report, the judged inputs those that the set's own functions are made for; `slope` is the operand
/// of `parametric_relu`.
///
/// Every input that has weight is evaluated. The means do not depend on the number of threads.
///
/// # Errors
/// As [`replay`](super::replay).
pub fn weigh(
    set: &FunctionSet,
    report: &mut Report,
    histogram: &Histogram,
    slope: Option<f32>,
    observer: Observer<'_>,
) -> Result<(), ReplayError> {
    for function in &mut report.functions {
        let Some(bins) = histogram.bins(&function.name) else {
            continue;
        };
        let format = |text: &str| {
            text.parse::<Format>().map_err(|_| ReplayError::Dtype {
                function: function.name.clone(),
                found: text.to_owned(),
            })
        };
        let options = ReplayOptions {
            // A report names one of the datapaths; anything else leaves the set's own.
            datapath: report.datapath.parse().ok(),
            output: Some(format(&function.dtype)?),
            input: format(&function.input_dtype)?,
            slope,
            ..ReplayOptions::default()
        };
        function.weighted = Some(weigh_function(
            set,
            &function.name,
            bins,
            &options,
            observer,
        )?);
    }
    Ok(())
}

/// The mean error of one function under bins of its inputs, which do not overlap. The options' range and functions do
/// not count.
///
/// # Errors
/// As [`replay`](super::replay).
pub fn weigh_function(
    set: &FunctionSet,
    function: &str,
    bins: &[Bin],
    options: &ReplayOptions,
    observer: Observer<'_>,
) -> Result<WeightedReport, ReplayError> {
    let options = ReplayOptions {
        range: None,
        ..options.clone()
    };
    let set = with_operand(set, &options)?;
    weigh_subject(&Subject::new(&set, function, &options)?, bins, observer)
}

fn weigh_subject(
    subject: &Subject<'_>,
    bins: &[Bin],
    observer: Observer<'_>,
) -> Result<WeightedReport, ReplayError> {
    let placed = match subject.input {
        Format::Fp32 => weigh_binary32(subject, &subject.surrogate()?, bins, observer),
        _ => narrow::weigh(subject, bins),
    };
    let count: f64 = bins.iter().map(|bin| bin.count).sum();
    let open: f64 = bins
        .iter()
        .filter(|bin| bin.is_open())
        .map(|bin| bin.count)
        .sum();
    let part = |weight: f64| (weight / count * SHARES).round().max(0.0) / SHARES;
    let mean = |sum: f64| Some(sum / placed.weight).filter(|mean| mean.is_finite());
    Ok(WeightedReport {
        bins: bins.len() as u32,
        count,
        mean_ulp: mean(placed.errors.ulp).map(millionths),
        mean_absolute: mean(placed.errors.absolute),
        inside: part(placed.weight),
        outside: part(count - open - placed.weight),
        open: part(open),
    })
}

/// What was found of all inputs that are judged.
#[derive(Clone, Copy, Debug, Default)]
struct Placed {
    /// Their weight.
    weight: f64,
    /// Their errors, each times the weight of its input.
    errors: Total,
}

impl Placed {
    /// Adds inputs of one weight.
    fn add(&mut self, inputs: u64, weight: f64, errors: Total) {
        if weight > 0.0 {
            self.weight += inputs as f64 * weight;
            self.errors.ulp += errors.ulp * weight;
            self.errors.absolute += errors.absolute * weight;
        }
    }
}

/// Neighbouring inputs of one weight.
struct Segment<'s> {
    piece: Piece<'s>,
    weight: f64,
}

fn weigh_binary32(
    subject: &Subject<'_>,
    surrogate: &Surrogate,
    bins: &[Bin],
    observer: Observer<'_>,
) -> Placed {
    let pieces = pieces_of(subject, surrogate, Shard::WHOLE);
    let closed = bins.iter().filter(|bin| !bin.is_open() && bin.count > 0.0);
    let mut segments = Vec::new();
    for bin in closed.clone() {
        add_segments(&mut segments, &pieces, bin);
    }
    let sweep = SweepSubject {
        table: &subject.table,
        surrogate,
        value_bounds: None,
        level: subject.level,
    };
    let total = segments.iter().map(|segment| segment.piece.inputs()).sum();
    let done = AtomicU64::new(0);
    let totals: Vec<Total> = segments
        .par_iter()
        .map(|segment| {
            let errors = total_piece(&sweep, &segment.piece);
            let inputs = segment.piece.inputs();
            let done = done.fetch_add(inputs, Ordering::Relaxed) + inputs;
            observer(Progress {
                function: subject.function.name(),
                done,
                total,
            });
            errors
        })
        .collect();
    // Sums are taken in the order of the bins, whichever thread was first.
    let mut placed = Placed::default();
    for (segment, errors) in segments.iter().zip(totals) {
        placed.add(segment.piece.inputs(), segment.weight, errors);
    }
    let at_zero: f64 = closed.map(|bin| bin.count * share_of_zero(bin)).sum();
    if at_zero > 0.0
        && let Some(errors) = judge_one(subject, 0.0)
    {
        placed.add(1, at_zero, errors);
    }
    placed
}

/// The stretches of a bin, those of one weight together. Inputs without a value have none.
fn add_segments<'s>(segments: &mut Vec<Segment<'s>>, pieces: &[Piece<'s>], bin: &Bin) {
    for negative in [true, false] {
        let Some(shares) = shares_of_sign(bin, negative) else {
            continue;
        };
        let sign = u32::from(negative) << 31;
        let (first, last) = (sign | shares.first, sign | shares.last);
        let start = pieces.partition_point(|piece| piece.last < first);
        let reached = pieces
            .iter()
            .skip(start)
            .take_while(|piece| piece.first <= last);
        for piece in reached.filter(|piece| !matches!(piece.cell.kind, CellKind::Undefined)) {
            let (first, last) = (piece.first.max(first), piece.last.min(last));
            for (first, last, share) in shares.runs(first & !sign, last & !sign) {
                segments.push(Segment {
                    piece: Piece {
                        first: sign | first,
                        last: sign | last,
                        ..piece.clone()
                    },
                    weight: bin.count * share,
                });
            }
        }
    }
}

/// The error of one input, in MPFR; `None` where it is not judged, or the function has no finite value.
fn judge_one(subject: &Subject<'_>, x: f32) -> Option<Total> {
    let truth = subject.function.enclose(x, 80);
    if !subject.is_judged(x) || !matches!(truth, Truth::Value(_)) {
        return None;
    }
    let result = subject.result(x);
    Some(Total {
        ulp: ulp_error(subject.output, result, &truth),
        absolute: absolute_error(subject.output, result, &truth),
    })
}
