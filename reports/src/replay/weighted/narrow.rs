//! Inputs of a narrow type: there are at most 65536 of them, and MPFR judges those that have weight.

use actforge_reference::Format;
use rayon::prelude::*;

use super::share::{Extent, shared};
use super::{Placed, Subject, judge_one};
use crate::histogram::Bin;

/// A value of the type with the real numbers that round to it.
struct Cell {
    value: f32,
    reals: [f64; 2],
}

pub(super) fn weigh(subject: &Subject<'_>, bins: &[Bin]) -> Placed {
    let cells = cells(subject.input);
    let mut weights = vec![0.0; cells.len()];
    for bin in bins.iter().filter(|bin| !bin.is_open()) {
        add_bin(&mut weights, &cells, subject.input, bin);
    }
    let weighted: Vec<(f32, f64)> = cells
        .iter()
        .zip(weights)
        .filter(|(_, weight)| *weight > 0.0)
        .map(|(cell, weight)| (cell.value, weight))
        .collect();
    let errors: Vec<_> = weighted
        .par_iter()
        .map(|(value, _)| judge_one(subject, *value))
        .collect();
    let mut placed = Placed::default();
    for ((_, weight), errors) in weighted.iter().zip(errors) {
        if let Some(errors) = errors {
            placed.add(1, *weight, errors);
        }
    }
    placed
}

fn add_bin(weights: &mut [f64], cells: &[Cell], input: Format, bin: &Bin) {
    match Extent::of(bin) {
        Extent::Point(point) => {
            let value = input.round_f64(point) as f32;
            let place = cells.partition_point(|cell| cell.value < value);
            let is_there = cells.get(place).is_some_and(|cell| cell.value == value);
            if let Some(weight) = weights.get_mut(place).filter(|_| is_there) {
                *weight += bin.count;
            }
        }
        Extent::Width(width) => {
            let first = cells.partition_point(|cell| cell.reals[1] <= bin.lower);
            for (weight, cell) in weights.iter_mut().zip(cells).skip(first) {
                if cell.reals[0] >= bin.upper {
                    break;
                }
                *weight += bin.count * (shared(bin, cell.reals) / width);
            }
        }
    }
}

/// The finite values of a type in ascending order, the zeros as one.
fn cells(format: Format) -> Vec<Cell> {
    let codes = 0..1_u32 << format.width().min(16);
    let mut values: Vec<f32> = codes
        .map(|code| format.from_bits(code))
        .filter(|value| value.is_finite())
        .map(|value| value + 0.0)
        .collect();
    values.sort_by(f32::total_cmp);
    values.dedup();
    let threshold = format.overflow_threshold();
    let between = |one: f32, other: f32| 0.5 * (f64::from(one) + f64::from(other));
    let cell = |(place, value): (usize, &f32)| {
        let before = place.checked_sub(1).and_then(|before| values.get(before));
        let after = values.get(place + 1);
        Cell {
            value: *value,
            reals: [
                before.map_or(-threshold, |before| between(*before, *value)),
                after.map_or(threshold, |after| between(*value, *after)),
            ],
        }
    };
    values.iter().enumerate().map(cell).collect()
}
