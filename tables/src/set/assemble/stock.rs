//! The stock layout (formats.md, section 6): what a function has to look like before it is
//! placed, so that the stock container can describe it.

use crate::bucket::Bucket;
use crate::function::{Fold, FunctionTable, Octave, Region, Side};
use crate::profile::{Profile, RegionKind};
use crate::set::SetError;
use crate::stock::assumed::{PARAMETRIC_RELU, PARAMETRIC_RELU_EXP_OFFSET};
use crate::stock::stock_function;
use crate::target::Target;

/// The function with the same results in the form of the stock layout:
/// - the id of the target's files;
/// - regions that compare mantissas, the small ones with 0;
/// - a word for each stored side of a function without a table;
/// - both sides from the same octave on;
/// - as many buckets in a topmost octave as the mantissa threshold says.
pub(super) fn normalise(
    function: &FunctionTable,
    target: Target,
) -> Result<FunctionTable, SetError> {
    let mut function = function.clone();
    if target == Target::StockWithLn
        && let Some(stock) = stock_function(&function.name)
        && stock.sunda_id == function.func_id
    {
        function.func_id = stock.tonga_id;
    }
    for negative in [false, true] {
        let side = match negative {
            true => &mut function.negative,
            false => &mut function.positive,
        };
        side.large = large_region(side.large);
        side.small = small_region(side.small).ok_or_else(|| {
            let found = format!("{:#x}", side.small.mantissa);
            SetError::function(
                &function.name,
                format!(
                    "mantissa threshold of {}",
                    RegionKind::small(negative).as_str()
                ),
                "0, as the stock container holds none",
                found,
            )
        })?;
        if complete_topmost(side) {
            add_bound(&mut function, negative);
        }
        let side = function.side(negative);
        if let Some(octave) = side.octaves.iter().find(|octave| octave.first != 0) {
            return Err(SetError::function(
                &function.name,
                "first bucket of an octave",
                "0 in the stock layout",
                octave.first,
            ));
        }
    }
    if function.octave_count() == 0 {
        if function.name != PARAMETRIC_RELU {
            declare_degenerate(&mut function);
        }
        return Ok(function);
    }
    let (negative, positive) = (&mut function.negative, &mut function.positive);
    if !negative.octaves.is_empty() && !positive.octaves.is_empty() {
        let lowest = negative.lowest.min(positive.lowest);
        extend_down(negative, lowest);
        extend_down(positive, lowest);
    }
    Ok(function)
}

/// Beyond what its sides say: the fields of the one function without control words, and the
/// running index as its base.
pub(super) fn finish_profile(function: &FunctionTable, profile: &mut Profile, first_word: usize) {
    if function.octave_count() == 0 {
        let base = u8::try_from(first_word).unwrap_or(u8::MAX);
        (profile.pwl_control_base_neg, profile.pwl_control_base_pos) = (base, base);
        let biased = PARAMETRIC_RELU_EXP_OFFSET + 127;
        profile.exponent_offset = u8::try_from(biased).unwrap_or(u8::MAX);
        profile.fma_const0 = 1.0;
        profile.fma_indirection_src_sel = 2;
    }
}

/// The same magnitudes with a comparison; infinity has its own result.
fn large_region(region: Region) -> Region {
    match region.compare {
        true => region,
        false => Region {
            exponent: region.exponent.saturating_add(1),
            mantissa: 0,
            compare: true,
            ..region
        },
    }
}

/// The same magnitudes with a comparison with 0; zero has its own result. `None` where that
/// is not possible.
fn small_region(region: Region) -> Option<Region> {
    match (region.compare, region.exponent, region.mantissa) {
        (true, _, 0) => Some(region),
        (false, 0, _) => Some(Region {
            mantissa: 0,
            compare: true,
            ..region
        }),
        _ => None,
    }
}

/// A large region that begins within the topmost octave begins within its last bucket: at
/// the very start of a bucket that one is stored, too. Says whether one was added.
fn complete_topmost(side: &mut Side) -> bool {
    let top = side.lowest + side.octaves.len() as i16 - 1;
    let threshold = i16::from(side.large.exponent) - 127;
    if let Some(octave) = side.octaves.last_mut()
        && top == threshold
        && octave.size <= 23
        && let Some(&last) = octave.buckets.last()
    {
        let count = (side.large.mantissa >> (23 - octave.size)) as usize + 1;
        if octave.buckets.len() + 1 == count {
            octave.buckets.push(last);
            return true;
        }
    }
    false
}

/// The floor of a bucket that was added at the end of a side: that of the one before.
fn add_bound(function: &mut FunctionTable, negative: bool) {
    let place = match negative {
        true => function.negative.stored_buckets(),
        false => function.stored_buckets(),
    };
    let bounds = &mut function.notes.bucket_bounds;
    if let Some(before) = place.checked_sub(2)
        && let Some(&bound) = bounds.get(before)
    {
        bounds.insert(before + 1, bound);
    }
}

const EMPTY: Octave = Octave {
    size: 0,
    first: 0,
    buckets: Vec::<Bucket>::new(),
};

/// One octave without buckets, of subnormals, on each stored side.
fn declare_degenerate(function: &mut FunctionTable) {
    let fold = function.symmetry.fold;
    let mut declare = |negative: bool| {
        let side = match negative {
            true => &mut function.negative,
            false => &mut function.positive,
        };
        side.lowest = -127;
        side.octaves = vec![EMPTY];
    };
    if fold != Fold::StorePositive {
        declare(true);
    }
    if fold != Fold::StoreNegative {
        declare(false);
    }
}

/// Declares octaves without buckets down to `lowest`.
fn extend_down(side: &mut Side, lowest: i16) {
    let missing = side.lowest.saturating_sub(lowest).max(0) as usize;
    side.octaves
        .splice(0..0, std::iter::repeat_n(EMPTY, missing));
    side.lowest = side.lowest.min(lowest);
}
