//! Which results differ, over all 2^32 inputs.
//!
//! Both functions' runs are walked together. Where the same work is done on both sides nothing is evaluated; elsewhere
//! every input is, by the kernels of the engine. So the counts are exact, whatever changed and wherever it reaches.

use std::collections::BTreeMap;

use actforge_engine::{Function, Kernel, Route, Run, RunKernel, Runs};
use rayon::prelude::*;
use serde::Serialize;

use super::Shown;
use crate::level::chosen_level;
use crate::{Observer, Progress};

/// What became of the results of one function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutputChanges {
    /// How many inputs were compared: all 4294967296 of binary32.
    pub compared: u64,
    /// How many of their results have other bits now.
    pub changed: u64,
    /// How many of those were NaN and are a number now, or the reverse. They have no distance in steps.
    pub nan_changes: u64,
    /// The change of a number by the most steps; the first of several.
    pub largest: Option<OutputChange>,
    /// The changed input of least bits: positive ones first, each side from zero on.
    pub first: Option<OutputChange>,
}

/// One changed result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutputChange {
    /// The input.
    pub input: Shown,
    /// The result of the first set.
    pub old: Shown,
    /// The result of the second.
    pub new: Shown,
    /// How many steps of binary32 lie between the two results; the zeros are one number. None if one of them is NaN.
    pub steps: Option<u64>,
}

/// The longest piece that one thread evaluates.
const LONGEST: u32 = 1 << 20;
/// Pieces that are handed out together. Runs can be as many as inputs: they are never collected.
const BATCH: usize = 1 << 10;
/// Inputs in a block.
const BLOCK: usize = 1024;

/// A stretch of inputs, of one run on either side.
struct Piece {
    first: u32,
    last: u32,
    kernels: [RunKernel; 2],
    /// The bucket that served it before.
    bucket: Option<u32>,
}

impl Piece {
    fn inputs(&self) -> u64 {
        u64::from(self.last - self.first) + 1
    }
}

/// What a piece, and in the end a function, has changed.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    changed: u64,
    nan_changes: u64,
    /// Steps and input.
    largest: Option<(u32, u32)>,
    first: Option<u32>,
}

impl Tally {
    /// Takes in what follows it in the order of the inputs.
    fn append(&mut self, next: &Self) {
        self.changed += next.changed;
        self.nan_changes += next.nan_changes;
        self.first = self.first.or(next.first);
        if next.largest.map(|(steps, _)| steps) > self.largest.map(|(steps, _)| steps) {
            self.largest = next.largest;
        }
    }
}

/// Compares all results of two functions. Also gives the number of changed inputs by the bucket that served them in
/// `old`.
pub(super) fn compare(
    name: &str,
    functions: [&Function<'_>; 2],
    observer: Observer<'_>,
) -> (OutputChanges, BTreeMap<usize, u64>) {
    let level = chosen_level();
    let mut total = Tally::default();
    let mut by_bucket = BTreeMap::new();
    let mut pieces = Pieces::new(functions);
    let mut compared = 0;
    loop {
        let batch: Vec<Piece> = pieces.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let tallies: Vec<Tally> = batch
            .par_iter()
            .map(|piece| level.dispatch(PieceKernel(piece)))
            .collect();
        // In the order of the inputs, whoever was ready first.
        for (piece, tally) in batch.iter().zip(&tallies) {
            total.append(tally);
            compared += piece.inputs();
            if let Some(bucket) = piece.bucket
                && tally.changed > 0
            {
                *by_bucket.entry(bucket as usize).or_insert(0) += tally.changed;
            }
        }
        observer(Progress {
            function: name,
            done: compared + pieces.skipped,
            total: 1 << 32,
        });
    }
    let [old, new] = functions;
    let change = |bits: u32| {
        let input = f32::from_bits(bits);
        let [old, new] = [old, new].map(|function| function.eval(input));
        OutputChange {
            input: input.into(),
            old: old.into(),
            new: new.into(),
            steps: (!old.is_nan() && !new.is_nan()).then(|| steps(old, new).into()),
        }
    };
    let changes = OutputChanges {
        compared: compared + pieces.skipped,
        changed: total.changed,
        nan_changes: total.nan_changes,
        largest: total.largest.map(|(_, input)| change(input)),
        first: total.first.map(change),
    };
    (changes, by_bucket)
}

/// The stretches in which the two functions do different work.
struct Pieces<'f, 'a> {
    functions: [&'f Function<'a>; 2],
    runs: [Runs<'f, 'a>; 2],
    current: [Option<Run>; 2],
    /// First input that was not looked at.
    next: u32,
    /// Inputs whose results are the same because the work is.
    skipped: u64,
}

impl<'f, 'a> Pieces<'f, 'a> {
    fn new(functions: [&'f Function<'a>; 2]) -> Self {
        let mut runs = functions.map(Function::runs);
        let current = runs.each_mut().map(Iterator::next);
        Self {
            functions,
            runs,
            current,
            next: 0,
            skipped: 0,
        }
    }
}

impl Iterator for Pieces<'_, '_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            let [Some(old), Some(new)] = self.current else {
                return None;
            };
            let first = self.next;
            let end = old.last.min(new.last);
            let is_same = is_same_work(self.functions, [&old.route, &new.route], first);
            let last = if is_same {
                end
            } else {
                end.min(first.saturating_add(LONGEST - 1))
            };
            for (current, runs) in self.current.iter_mut().zip(&mut self.runs) {
                if current.is_some_and(|run| run.last == last) {
                    *current = runs.next();
                }
            }
            // After the last input both runs are used up, and this no longer counts.
            self.next = last.wrapping_add(1);
            if is_same {
                self.skipped += u64::from(last - first) + 1;
                continue;
            }
            let [f, g] = self.functions;
            return Some(Piece {
                first,
                last,
                kernels: [f.run_kernel(&old.route), g.run_kernel(&new.route)],
                bucket: match old.route {
                    Route::Cubic { index, .. } => Some(index),
                    _ => None,
                },
            });
        }
    }
}

/// Whether two routes give the same result for every input, without a look at the inputs.
fn is_same_work(functions: [&Function<'_>; 2], routes: [&Route; 2], input: u32) -> bool {
    let [f, g] = functions;
    match routes {
        [Route::Bypass, Route::Bypass] => true,
        [
            Route::Cubic {
                bucket: a,
                unfold: x,
                ..
            },
            Route::Cubic {
                bucket: b,
                unfold: y,
                ..
            },
        ] => {
            let unfold = |function: &Function<'_>| {
                let unfold = function.unfold();
                (unfold.invert_sign, unfold.point.to_bits())
            };
            a == b && x == y && (!x || unfold(f) == unfold(g)) && f.config() == g.config()
        }
        [Route::Bypass | Route::Cubic { .. }, _] | [_, Route::Bypass | Route::Cubic { .. }] => {
            false
        }
        // A special input: its result is the same for the whole run.
        _ => {
            let [a, b] = [f, g].map(|function| function.eval(f32::from_bits(input)).to_bits());
            a == b
        }
    }
}

struct PieceKernel<'p>(&'p Piece);

impl Kernel for PieceKernel<'_> {
    type Output = Tally;

    #[inline(always)]
    fn run(self) -> Tally {
        let Self(piece) = self;
        let [old, new] = &piece.kernels;
        let mut results = [[0.0_f32; BLOCK]; 2];
        let mut tally = Tally::default();
        let mut first = piece.first;
        loop {
            let length = (BLOCK as u64).min(u64::from(piece.last - first) + 1) as usize;
            let [a, b] = &mut results;
            // BLOCK is the greatest length.
            let (a, b) = (&mut a[..length], &mut b[..length]);
            old.eval(first, a);
            new.eval(first, b);
            tally.append(&compare_block(first, a, b));
            match first.checked_add(length as u32) {
                Some(next) if next <= piece.last => first = next,
                _ => return tally,
            }
        }
    }
}

/// The changes of one block whose first input is `first`.
#[inline(always)]
fn compare_block(first: u32, old: &[f32], new: &[f32]) -> Tally {
    let (mut changed, mut nan_changes, mut most) = (0_u32, 0_u32, 0_u32);
    for (a, b) in old.iter().zip(new) {
        changed += u32::from(a.to_bits() != b.to_bits());
        nan_changes += u32::from(a.is_nan() != b.is_nan());
        most = most.max(number_steps(*a, *b));
    }
    if changed == 0 {
        return Tally::default();
    }
    let position = |is_meant: &dyn Fn(f32, f32) -> bool| {
        let place = old.iter().zip(new).position(|(a, b)| is_meant(*a, *b));
        place.map(|place| first.wrapping_add(place as u32))
    };
    let is_changed = |a: f32, b: f32| a.to_bits() != b.to_bits();
    let is_largest =
        |a: f32, b: f32| is_changed(a, b) && !a.is_nan() && !b.is_nan() && steps(a, b) == most;
    Tally {
        changed: changed.into(),
        nan_changes: nan_changes.into(),
        largest: position(&is_largest).map(|input| (most, input)),
        first: position(&is_changed),
    }
}

/// The steps between two results, 0 if one is NaN.
#[inline(always)]
fn number_steps(a: f32, b: f32) -> u32 {
    if a.is_nan() || b.is_nan() {
        0
    } else {
        steps(a, b)
    }
}

/// How many steps of binary32 lie between two numbers.
#[inline(always)]
fn steps(a: f32, b: f32) -> u32 {
    ordinal(a).abs_diff(ordinal(b))
}

/// The place of a number among all numbers; both zeros have 0.
#[inline(always)]
fn ordinal(value: f32) -> i32 {
    let magnitude = (value.to_bits() & 0x7fff_ffff) as i32;
    if value.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_count_numbers() {
        assert_eq!(steps(-0.0, 0.0), 0);
        assert_eq!(steps(f32::from_bits(0x8000_0001), f32::from_bits(1)), 2);
        assert_eq!(steps(f32::MAX, f32::INFINITY), 1);
        assert_eq!(steps(f32::NEG_INFINITY, f32::INFINITY), 0xff00_0000);
    }

    /// Steps agree with the reference's definition.
    #[test]
    fn steps_are_those_of_reports() {
        use actforge_reference::{Format, steps as defined};
        for (a, b) in [
            (1.0, 1.000_1),
            (-1.5, 2.5),
            (0.0, f32::MIN_POSITIVE),
            (-1e30, 1e-30),
        ] {
            assert_eq!(defined(Format::Fp32, a, b), Some(u64::from(steps(a, b))));
        }
    }

    #[test]
    fn the_first_of_equal_changes_counts() {
        let old = [1.0, 1.0, f32::NAN, 0.0];
        let new = [1.0, f32::from_bits(0x3f80_0002), 1.0, -0.0];
        let tally = compare_block(10, &old, &new);
        assert_eq!((tally.changed, tally.nan_changes), (3, 1));
        assert_eq!((tally.largest, tally.first), (Some((2, 11)), Some(11)));
        // A change of a zero's sign is one of no steps.
        let tally = compare_block(10, &[0.0, 0.0], &[0.0, -0.0]);
        assert_eq!((tally.changed, tally.largest), (1, Some((0, 11))));
        let tally = compare_block(10, &[f32::NAN], &[1.0]);
        assert_eq!((tally.largest, tally.first), (None, Some(10)));
    }
}
