//! A function in exactly so many buckets and control words, as the stock files hold it.
//!
//! The least error that keeps within both is planned. What it leaves is spent: octaves with the largest error are cut
//! finer as long as the count can still come out even, and octaves without buckets fill up the control words.

use actforge_reference::Surrogate;
use actforge_tables::{FunctionTable, Octave, Side, Target};

use crate::cuts::cut_finer;
use crate::error::FitError;
use crate::function::FunctionFitter;
use crate::judge::Judge;
use crate::layout::{Layout, OctaveLayout, SideLayout};
use crate::plan::{LAST_STEP, least_between, step_error};
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
        let layout = with_better_regions(&fitter, layout, step_error(step), size);
        let Some(plan) = spend_somehow(&fitter, layout, size) else {
            continue;
        };
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
    // Down in strides first: a plan that is much too fine takes much longer than one that is a little so.
    while inside > STRIDE {
        if !fits(inside - STRIDE) {
            outside = inside - STRIDE;
            break;
        }
        inside -= STRIDE;
    }
    Some(least_between(outside, inside, fits))
}

/// A stride of steps: a factor of 3.6 in the error.
const STRIDE: u32 = 128;

/// What a layout takes in the stock container.
fn needed(plan: &Layout) -> ExactSize {
    ExactSize {
        buckets: plan.sides.iter().map(side_buckets).sum(),
        control_words: plan.control_words(),
    }
}

fn side_buckets(side: &SideLayout) -> usize {
    side.octaves
        .iter()
        .map(|octave| octave_buckets(side, octave.exponent, octave.size))
        .sum()
}

/// The buckets that an octave stores: those that inputs reach, and one more where the large region begins with one.
pub(crate) fn octave_buckets(side: &SideLayout, exponent: i32, size: u8) -> usize {
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

/// Regions of a layout for an error of `wanted` ulp are hardly better than that, and no buckets spent on octaves change it.
/// Returns the layout with the best regions that leave octaves as coarse and still keep within the size.
fn with_better_regions(
    fitter: &FunctionFitter<'_>,
    layout: Layout,
    wanted: f64,
    size: ExactSize,
) -> Layout {
    let mut best = layout;
    let mut regions = wanted;
    for _ in 0..MOST_REGIONS {
        regions = 0.5 + (regions - 0.5) * REGION_STEP;
        let better = fitter.plan(regions, wanted / regions).filter(|plan| {
            let needed = needed(plan);
            needed.buckets <= size.buckets && needed.control_words <= size.control_words
        });
        match better {
            Some(plan) if plan.fold == best.fold => best = plan,
            _ => break,
        }
    }
    best
}

/// How often regions are planned anew, and how much closer to one half each time.
const MOST_REGIONS: usize = 8;
const REGION_STEP: f64 = 0.8;

/// Spends what the layout leaves to the last bucket, with small regions that give up octaves where it takes that: each
/// costs a bucket or more, and a control word.
fn spend_somehow(
    fitter: &FunctionFitter<'_>,
    mut layout: Layout,
    size: ExactSize,
) -> Option<Layout> {
    loop {
        let needed = needed(&layout);
        if needed.buckets > size.buckets || needed.control_words > size.control_words {
            return None;
        }
        if let Some(plan) = cut_finer(fitter, &layout, size.buckets) {
            return Some(plan);
        }
        // Where every octave has an even number of buckets, an odd one is out of reach.
        if let Some(plan) = spend_lending(fitter, &layout, size) {
            return Some(plan);
        }
        if !layout.sides.iter_mut().any(give_up_octave) {
            return None;
        }
    }
}

/// Takes the last octave from a small region. Says whether there was one.
fn give_up_octave(side: &mut SideLayout) -> bool {
    let Some(stretch) = side.small.stretch else {
        return false;
    };
    let Some(lowest) = side.octaves.first().map(|octave| octave.exponent) else {
        return false;
    };
    let sign = stretch.last & 1 << 31;
    // It ends with the power of two that the lowest octave begins with; now with half of that.
    let exponent = lowest - 1;
    if exponent <= i32::from(LOWEST_EXPONENT) {
        return false;
    }
    side.small.stretch = Some(Stretch {
        last: sign | ((exponent + 127) as u32) << 23,
        ..stretch
    });
    let octave = OctaveLayout { exponent, size: 0 };
    side.octaves.insert(0, octave);
    true
}

/// The finest that octaves are cut beyond their plan: `extract_size` is at most 10 in the stock files.
pub(crate) const LARGEST_STOCK_SIZE: u8 = 10;

/// How much finer than planned a topmost octave may be cut to lend some of its buckets.
const MOST_FINER: u8 = 5;

/// A layout of exactly so many buckets, where cutting octaves finer alone does not come out even: the large region of a
/// side with a range serves the last buckets of the topmost octave, no more inputs than a bucket of the plan does. Its
/// cubic is as good as any, and has nothing else to do within the range.
fn spend_lending(fitter: &FunctionFitter<'_>, layout: &Layout, size: ExactSize) -> Option<Layout> {
    let place = layout
        .sides
        .iter()
        .position(|side| side.limit < f32::MAX.to_bits() && !side.octaves.is_empty())?;
    let planned = layout.sides.get(place)?.octaves.last()?.size;
    let finer = planned..=(planned + MOST_FINER).min(LARGEST_STOCK_SIZE);
    let lent = finer.flat_map(|cut| (1..=1_u32 << (cut - planned)).map(move |count| (cut, count)));
    for (cut, count) in lent {
        let mut plan = layout.clone();
        let side = plan.sides.get_mut(place)?;
        let Some(stretch) = lend(side, cut, count) else {
            continue;
        };
        let Some(mut plan) = cut_finer(fitter, &plan, size.buckets) else {
            continue;
        };
        let fold = plan.fold;
        let side = plan.sides.get_mut(place)?;
        let fitted = fitter.view(fold, side.negative).fitter.fit(stretch, 0.0);
        side.large.bucket = fitted.bucket;
        return Some(plan);
    }
    None
}

/// Cuts the topmost octave into `2^cut` buckets and gives the last `count` of them to the large region, which begins one
/// input earlier, so that its threshold lies in the bucket before. `None` where that leaves the octave nothing.
fn lend(side: &mut SideLayout, cut: u8, count: u32) -> Option<Stretch> {
    let top = side.octaves.last_mut()?;
    let kept = (1_u32 << cut).checked_sub(count).filter(|kept| *kept > 0)?;
    let octave = (top.exponent + 127) as u32;
    top.size = cut;
    let first = (octave << 23 | kept << (23 - cut)) - 1;
    let sign = u32::from(side.negative) << 31;
    let stretch = Stretch {
        first: sign | first,
        last: sign | side.limit,
    };
    side.large = FittedRegion {
        stretch: Some(stretch),
        ..side.large
    };
    (first < side.limit).then_some(stretch)
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
