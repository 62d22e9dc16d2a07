//! Which octaves to cut finer, so that a layout has exactly so many buckets.

use crate::exact::{LARGEST_STOCK_SIZE, octave_buckets};
use crate::function::FunctionFitter;
use crate::layout::Layout;

/// A size that an octave may be cut to.
struct Choice {
    size: u8,
    /// Buckets beyond those of the layout.
    costs: usize,
    /// The estimate of its worst bucket, in ulp.
    error: f64,
}

/// The layout with octaves cut finer to exactly `buckets`; among all ways the one whose largest estimate is least, and
/// among those the one whose octaves are best on the whole. `None` when no way comes out even.
///
/// Octaves are independent, so both are exact: for an error that all must keep, the sums that can be reached follow octave
/// by octave.
pub(crate) fn cut_finer(
    fitter: &FunctionFitter<'_>,
    layout: &Layout,
    buckets: usize,
) -> Option<Layout> {
    let places: Vec<(usize, usize)> = layout
        .sides
        .iter()
        .enumerate()
        .flat_map(|(s, side)| (0..side.octaves.len()).map(move |o| (s, o)))
        .collect();
    let stored: usize = places
        .iter()
        .filter_map(|(s, o)| {
            let side = layout.sides.get(*s)?;
            let octave = side.octaves.get(*o)?;
            Some(octave_buckets(side, octave.exponent, octave.size))
        })
        .sum();
    let left = buckets.checked_sub(stored)?;
    if left == 0 {
        return Some(layout.clone());
    }
    let choices: Vec<Vec<Choice>> = places
        .iter()
        .map(|(s, o)| choices(fitter, layout, *s, *o, left))
        .collect();
    let mut errors: Vec<f64> = choices
        .iter()
        .flatten()
        .map(|choice| choice.error)
        .collect();
    errors.sort_by(f64::total_cmp);
    errors.dedup();
    let within = |bound: f64| best_sizes(&choices, left, bound);
    // The more error is allowed, the more sums can be reached.
    let enough = errors.partition_point(|bound| within(*bound).is_none());
    let sizes = within(*errors.get(enough)?)?;
    let mut plan = layout.clone();
    for ((s, o), size) in places.iter().zip(sizes) {
        plan.sides.get_mut(*s)?.octaves.get_mut(*o)?.size = size;
    }
    Some(plan)
}

/// The sizes of one octave that the buckets left allow.
fn choices(
    fitter: &FunctionFitter<'_>,
    layout: &Layout,
    side: usize,
    octave: usize,
    left: usize,
) -> Vec<Choice> {
    let Some(side) = layout.sides.get(side) else {
        return Vec::new();
    };
    let Some(octave) = side.octaves.get(octave) else {
        return Vec::new();
    };
    let stored = |size| octave_buckets(side, octave.exponent, size);
    let now = stored(octave.size);
    (octave.size..=LARGEST_STOCK_SIZE.max(octave.size))
        .map(|size| (size, stored(size).saturating_sub(now)))
        .take_while(|(_, costs)| *costs <= left)
        .map(|(size, costs)| Choice {
            size,
            costs,
            error: fitter.worst_estimate(side, octave.exponent, size),
        })
        .collect()
}

/// A size for each octave whose costs add up to exactly `left`, with no error above `bound` and the least product of
/// errors.
fn best_sizes(choices: &[Vec<Choice>], left: usize, bound: f64) -> Option<Vec<u8>> {
    // For each sum that the octaves so far reach: the sum of logarithms, and the choice that led there.
    let mut rows: Vec<Vec<Option<(f64, usize)>>> = Vec::with_capacity(choices.len());
    let mut reached: Vec<Option<f64>> = vec![None; left + 1];
    *reached.first_mut()? = Some(0.0);
    for octave in choices {
        let mut row: Vec<Option<(f64, usize)>> = vec![None; left + 1];
        for (place, choice) in octave.iter().enumerate() {
            if choice.error > bound {
                continue;
            }
            let added = choice.error.max(f64::MIN_POSITIVE).log2();
            for (sum, cell) in row.iter_mut().enumerate().skip(choice.costs) {
                let Some(before) = reached.get(sum - choice.costs).copied().flatten() else {
                    continue;
                };
                if cell.is_none_or(|(known, _)| before + added < known) {
                    *cell = Some((before + added, place));
                }
            }
        }
        reached = row
            .iter()
            .map(|cell| cell.map(|(total, _)| total))
            .collect();
        rows.push(row);
    }
    let mut sum = left;
    let mut sizes = Vec::with_capacity(choices.len());
    for (row, octave) in rows.iter().zip(choices).rev() {
        let (_, place) = row.get(sum).copied().flatten()?;
        let choice = octave.get(place)?;
        sizes.push(choice.size);
        sum -= choice.costs;
    }
    sizes.reverse();
    (sum == 0).then_some(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octave(choices: &[(usize, f64)]) -> Vec<Choice> {
        (0..)
            .zip(choices)
            .map(|(size, (costs, error))| Choice {
                size,
                costs: *costs,
                error: *error,
            })
            .collect()
    }

    #[test]
    fn sums_are_met_exactly_and_with_the_least_product() {
        let octaves = [
            octave(&[(0, 8.0), (1, 2.0), (3, 1.0)]),
            octave(&[(0, 4.0), (1, 3.0), (3, 2.0)]),
        ];
        assert_eq!(best_sizes(&octaves, 4, 8.0), Some(vec![2, 1]));
        assert_eq!(best_sizes(&octaves, 3, 8.0), Some(vec![2, 0]));
        assert_eq!(best_sizes(&octaves, 5, 8.0), None);
        // One octave alone may take the rest, in several cuts.
        assert_eq!(best_sizes(&octaves[..1], 3, 8.0), Some(vec![2]));
    }

    #[test]
    fn errors_above_the_bound_are_not_chosen() {
        let octaves = [
            octave(&[(0, 8.0), (1, 2.0), (3, 1.0)]),
            octave(&[(0, 4.0), (1, 3.0), (3, 2.0)]),
        ];
        assert_eq!(best_sizes(&octaves, 3, 3.9), None);
        assert_eq!(best_sizes(&octaves, 3, 4.0), Some(vec![2, 0]));
    }
}
