//! A function in exactly so many buckets and control words, as the stock files hold it.
//!
//! The least error that keeps within both is planned. What it leaves is spent: octaves with the largest error are cut
//! finer as long as the count can still come out even, and octaves without buckets fill up the control words.

use actforge_reference::Surrogate;
use actforge_tables::{FunctionTable, Octave, Side, Target};

use crate::error::FitError;
use crate::function::{FunctionFitter, LAST_STEP, step_error};
use crate::judge::Judge;
use crate::ladder::LARGEST_SIZE;
use crate::layout::{Layout, SideLayout};
use crate::region::FittedRegion;
use crate::request::{FunctionRequest, Observer};
use crate::sample::Stretch;
use crate::subject::entry;
use crate::table::function_table;

/// The size of a function in the stock files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactSize {
    /// Buckets of its octaves, `lut_size`: the four saturation buckets are not counted.
    pub buckets: usize,
    /// Control words.
    pub control_words: usize,
}

/// How many plans, each a step coarser than the one before, are tried.
const MOST_TRIES: u32 = 60;

/// Fits a function so that its table, laid out for a stock `target`, has exactly this size. A function without a table
/// has no buckets, and a control word for each side that it stores.
///
/// # Errors
/// [`FitError`], and [`FitError::Inexact`] when there is no such layout.
pub fn fit_exactly(
    request: &FunctionRequest,
    target: Target,
    size: ExactSize,
    judge: &dyn Judge,
    observer: &dyn Observer,
) -> Result<FunctionTable, FitError> {
    let inexact = |reason: String| FitError::Inexact {
        function: request.name.clone(),
        buckets: size.buckets,
        control_words: size.control_words,
        reason,
    };
    observer.stage(&request.name, "reference", 0, 1);
    let entry = entry(request)?;
    let surrogate = Surrogate::new(entry.function(), request.dtype)?;
    let fitter = FunctionFitter::new(request, &entry, &surrogate, judge).for_target(target);
    let least = least_step(&fitter, size, observer).ok_or_else(|| {
        let smallest = fitter.plan_step(LAST_STEP).map(|plan| needed(&plan));
        inexact(match smallest {
            Some(ExactSize {
                buckets,
                control_words,
            }) => format!("the coarsest needs {buckets} buckets and {control_words} control words"),
            None => "some octave needs more buckets than any size has".to_owned(),
        })
    })?;
    for step in least..(least + MOST_TRIES).min(LAST_STEP) {
        let Some(layout) = fitter.plan_step(step).map(|plan| Layout::clone(&plan)) else {
            continue;
        };
        let mut plan = layout.clone();
        if !spend(&fitter, &mut plan, size) {
            // Where every octave has an even number of buckets, an odd one is out of reach.
            plan = layout;
            if !lend_last_bucket(&fitter, &mut plan) || !spend(&fitter, &mut plan, size) {
                continue;
            }
        }
        // An octave that misses its error by a little is not cut finer: the count is settled.
        let fitted = fitter.realise_as_is(&plan, step_error(step), observer);
        let mut table = function_table(&fitter, &fitted, None);
        if fill_words(&mut table, size.control_words) {
            return Ok(table);
        }
    }
    Err(inexact("the counts do not come out even".to_owned()))
}

/// The least step whose layout keeps within the size.
fn least_step(
    fitter: &FunctionFitter<'_>,
    size: ExactSize,
    observer: &dyn Observer,
) -> Option<u32> {
    let mut tried = 0;
    let mut fits = |step: u32| {
        tried += 1;
        observer.stage(&fitter.request.name, "plan", tried, 12);
        fitter.plan_step(step).is_some_and(|plan| {
            let needed = needed(&plan);
            needed.buckets <= size.buckets && needed.control_words <= size.control_words
        })
    };
    let (mut outside, mut inside) = (0, LAST_STEP);
    if !fits(inside) {
        return None;
    }
    while inside - outside > 1 {
        let middle = outside + (inside - outside) / 2;
        if fits(middle) {
            inside = middle
        } else {
            outside = middle
        }
    }
    Some(inside)
}

/// What a layout takes in the stock container. Sides begin with the same octave, and a function without octaves takes a
/// word for each side.
fn needed(plan: &Layout) -> ExactSize {
    let buckets = plan.sides.iter().map(side_buckets).sum();
    let with_octaves = || plan.sides.iter().filter(|side| !side.octaves.is_empty());
    let lowest = with_octaves()
        .filter_map(|side| Some(side.octaves.first()?.exponent))
        .min();
    let words = |lowest: i32| {
        let tops = with_octaves().filter_map(|side| Some(side.octaves.last()?.exponent));
        tops.map(|top| (top - lowest + 1) as usize).sum()
    };
    ExactSize {
        buckets,
        control_words: lowest.map_or(0, words),
    }
}

fn side_buckets(side: &SideLayout) -> usize {
    side.octaves
        .iter()
        .map(|octave| octave_buckets(side, octave.exponent, octave.size))
        .sum()
}

/// The buckets that an octave stores: those that inputs reach, and one more where the large region begins with one.
fn octave_buckets(side: &SideLayout, exponent: i32, size: u8) -> usize {
    let reached = side.reached(exponent, size).len();
    let threshold = side
        .large
        .stretch
        .map_or(side.limit + 1, |stretch| stretch.first & 0x7fff_ffff);
    let is_topmost = (threshold >> 23) as i32 - 127 == exponent;
    let section = (threshold & 0x7f_ffff) >> (23 - size.min(23));
    match is_topmost {
        true => reached.max(section as usize + 1),
        false => reached,
    }
}

/// Lets the large region of a side with a range serve the last bucket of the topmost octave: its cubic is as good as any,
/// and has nothing else to do within the range. Says whether there is such a side.
fn lend_last_bucket(fitter: &FunctionFitter<'_>, plan: &mut Layout) -> bool {
    let fold = plan.fold;
    let lender = plan
        .sides
        .iter_mut()
        .find(|side| side.large.stretch.is_none() && side.limit < f32::MAX.to_bits());
    let Some(side) = lender else {
        return false;
    };
    let Some(top) = side.octaves.last().filter(|top| top.size > 0) else {
        return false;
    };
    let reached = side.reached(top.exponent, top.size);
    let Some((_, last)) = reached.last().filter(|_| reached.len() > 1) else {
        return false;
    };
    // One input earlier, so that the threshold lies in the bucket before.
    let stretch = Stretch {
        first: last.first - 1,
        ..*last
    };
    let fitted = fitter.view(fold, side.negative).fitter.fit(stretch, 0.0);
    side.large = FittedRegion {
        bucket: fitted.bucket,
        stretch: Some(stretch),
    };
    true
}

/// Where an octave stands, and how many more buckets it takes when it is cut finer.
struct Cut {
    side: usize,
    octave: usize,
    costs: usize,
    error: f64,
}

/// Cuts octaves finer until the layout has exactly the buckets of `size`. Says whether that was possible.
fn spend(fitter: &FunctionFitter<'_>, plan: &mut Layout, size: ExactSize) -> bool {
    loop {
        let Some(left) = size.buckets.checked_sub(needed(plan).buckets) else {
            return false;
        };
        if left == 0 {
            return true;
        }
        let mut cuts = cuts(fitter, plan);
        cuts.sort_by(|one, other| other.error.total_cmp(&one.error));
        // The worst octave first, if the rest can then still be spent to the last bucket.
        let chosen = (0..cuts.len()).find(|place| {
            let Some(costs) = cuts.get(*place).map(|cut| cut.costs) else {
                return false;
            };
            let others = cuts
                .iter()
                .enumerate()
                .filter(|(other, _)| other != place)
                .map(|(_, cut)| cut.costs);
            costs <= left && comes_out_even(others, left - costs)
        });
        let Some(cut) = chosen.and_then(|place| cuts.get(place)) else {
            return false;
        };
        let octave = plan
            .sides
            .get_mut(cut.side)
            .and_then(|side| side.octaves.get_mut(cut.octave));
        if let Some(octave) = octave {
            octave.size += 1;
        }
    }
}

fn cuts(fitter: &FunctionFitter<'_>, plan: &Layout) -> Vec<Cut> {
    let octaves = plan.sides.iter().enumerate().flat_map(|(place, side)| {
        let numbered = side.octaves.iter().enumerate();
        numbered.map(move |(octave, layout)| (place, side, octave, layout))
    });
    octaves
        .filter(|(_, _, _, layout)| layout.size < LARGEST_SIZE)
        .map(|(place, side, octave, layout)| {
            let stored = |size| octave_buckets(side, layout.exponent, size);
            Cut {
                side: place,
                octave,
                costs: stored(layout.size + 1).saturating_sub(stored(layout.size)),
                error: fitter.worst_estimate(side, layout.exponent, layout.size),
            }
        })
        .filter(|cut| cut.costs > 0)
        .collect()
}

/// Whether some of these costs add up to exactly `sum`.
fn comes_out_even(costs: impl Iterator<Item = usize>, sum: usize) -> bool {
    let mut reached = vec![false; sum + 1];
    if let Some(zero) = reached.first_mut() {
        *zero = true;
    }
    for cost in costs {
        for total in (cost..=sum).rev() {
            let before = reached.get(total - cost).copied().unwrap_or_default();
            if before && let Some(cell) = reached.get_mut(total) {
                *cell = true;
            }
        }
    }
    reached.last().copied().unwrap_or_default()
}

const EMPTY: Octave = Octave {
    size: 0,
    first: 0,
    buckets: Vec::new(),
};

/// Declares octaves without buckets until there are exactly so many control words: below both sides, and above the
/// lower one where their number is odd. A function without octaves is unfolded where it is to have a word for each
/// side. Says whether that was possible.
fn fill_words(table: &mut FunctionTable, words: usize) -> bool {
    if table.octave_count() == 0 {
        if words == 2 {
            *table = table.unfolded();
        }
        // The layout itself declares their words.
        return true;
    }
    let (negative, positive) = (&mut table.negative, &mut table.positive);
    let mut sides: Vec<&mut Side> = [negative, positive]
        .into_iter()
        .filter(|side| !side.octaves.is_empty())
        .collect();
    let lowest = sides.iter().map(|side| side.lowest).min();
    for side in &mut sides {
        extend_down(side, lowest.unwrap_or(side.lowest));
    }
    let count =
        |sides: &[&mut Side]| -> usize { sides.iter().map(|side| side.octaves.len()).sum() };
    while count(&sides) + sides.len() <= words
        && sides.iter().all(|side| side.lowest > LOWEST_EXPONENT)
    {
        for side in &mut sides {
            extend_down(side, side.lowest - 1);
        }
    }
    while count(&sides) < words {
        let lower = sides
            .iter_mut()
            .filter(|side| top(side) < HIGHEST_EXPONENT)
            .min_by_key(|side| top(side));
        match lower {
            Some(side) => side.octaves.push(EMPTY),
            None => return false,
        }
    }
    count(&sides) == words
}

/// The octave of the subnormals, and the last one of finite numbers.
const LOWEST_EXPONENT: i16 = -127;
const HIGHEST_EXPONENT: i16 = 127;

fn top(side: &Side) -> i16 {
    side.lowest + side.octaves.len() as i16 - 1
}

fn extend_down(side: &mut Side, lowest: i16) {
    let missing = side.lowest.saturating_sub(lowest).max(0) as usize;
    let empty = std::iter::repeat_n(EMPTY, missing);
    side.octaves.splice(0..0, empty);
    side.lowest = side.lowest.min(lowest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_come_out_even_or_do_not() {
        let even = |costs: &[usize], sum| comes_out_even(costs.iter().copied(), sum);
        assert!(even(&[4, 2, 1], 7) && even(&[4, 2, 1], 5) && even(&[], 0));
        assert!(!even(&[4, 2], 1) && !even(&[4, 2, 1], 8) && !even(&[2, 2], 3));
    }
}
