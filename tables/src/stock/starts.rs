//! Where a function's octaves lie in the two stock tables.

use crate::control::ControlWord;
use crate::profile::Profile;
use crate::set::{FunctionEntry, FunctionSet};

/// One octave that a function declares: a control word of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declared {
    /// Unbiased.
    pub(crate) exponent: i32,
    pub(crate) negative: bool,
    /// The index of its word in the control table.
    pub(crate) index: usize,
    pub(crate) word: ControlWord,
}

/// The octaves of a function in the order of their words: negative ones first, each side
/// from `exp_offset` up.
pub(crate) fn declared(
    set: &FunctionSet,
    entry: &FunctionEntry,
    profile: &Profile,
) -> Vec<Declared> {
    let negative = negative_words(entry, profile);
    let lowest = i32::from(profile.exponent_offset) - 127;
    let words = set.control.get(entry.control.clone()).unwrap_or_default();
    words
        .iter()
        .enumerate()
        .map(|(place, &word)| {
            let is_negative = place < negative;
            let above = if is_negative { place } else { place - negative };
            Declared {
                exponent: lowest + above as i32,
                negative: is_negative,
                index: entry.control.start + place,
                word,
            }
        })
        .collect()
}

/// How many of a function's words are those of negative octaves. A function whose bases are
/// equal has one side: the negative one if the fold says so.
fn negative_words(entry: &FunctionEntry, profile: &Profile) -> usize {
    let count = entry.control.len();
    let [positive, negative] =
        [profile.pwl_control_base_pos, profile.pwl_control_base_neg].map(usize::from);
    match positive.checked_sub(negative) {
        Some(0) | None if profile.is_folded() && profile.folds_to_negative() => count,
        Some(0) | None => 0,
        Some(words) => words.min(count),
    }
}
