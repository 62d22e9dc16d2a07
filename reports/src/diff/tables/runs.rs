//! Which entries of two functions belong together: control words, buckets, saturation buckets.

use std::collections::BTreeMap;
use std::ops::Range;

use actforge_tables::{RegionKind, SetError};

use super::super::DiffError;
use super::super::inputs::ServedInputs;
use super::entries::{bucket_fields, word_fields};
use super::{Side, TableChanges, Unmatched};

/// Pairs of indices. By their place in the function's own run if both have as many entries; otherwise by what they are
/// for, and the third value says how many have no counterpart.
fn pairs<K: Ord>(
    [old, new]: [&Range<usize>; 2],
    keys: impl Fn() -> Result<[BTreeMap<K, usize>; 2], SetError>,
) -> Result<(Vec<[usize; 2]>, [usize; 2]), SetError> {
    if old.len() == new.len() {
        let pairs = old.clone().zip(new.clone()).map(|(a, b)| [a, b]);
        return Ok((pairs.collect(), [0, 0]));
    }
    let [a, b] = keys()?;
    let mut pairs: Vec<[usize; 2]> = a
        .iter()
        .filter_map(|(key, old)| Some([*old, *b.get(key)?]))
        .collect();
    // Two octaves may share a control word.
    pairs.sort_unstable();
    pairs.dedup();
    let alone = |run: &Range<usize>, side: usize| {
        let is_alone = |index: &usize| !pairs.iter().any(|pair| pair.get(side) == Some(index));
        run.clone().filter(is_alone).count()
    };
    let unmatched = [alone(old, 0), alone(new, 1)];
    Ok((pairs, unmatched))
}

pub(super) fn control(
    changes: &mut TableChanges,
    old: &Side<'_>,
    new: &Side<'_>,
) -> Result<(), DiffError> {
    let octaves = |side: &Side<'_>| -> Result<BTreeMap<(bool, i16), usize>, SetError> {
        let octaves = side.set.octaves(side.entry)?.into_iter();
        Ok(octaves
            .map(|octave| ((octave.negative, octave.exponent), octave.control_index))
            .collect())
    };
    let runs = [&old.entry.control, &new.entry.control];
    let (pairs, [only_old, only_new]) = pairs(runs, || Ok([octaves(old)?, octaves(new)?]))?;
    if only_old + only_new > 0 {
        changes.unmatched.push(Unmatched {
            table: "control",
            only_old,
            only_new,
        });
    }
    let names = octaves(old)?;
    for [a, b] in pairs {
        let (Some(old_word), Some(new_word)) = (old.set.control.get(a), new.set.control.get(b))
        else {
            continue;
        };
        let before = changes.entries.len();
        changes.add_entry(
            "control",
            Some([a, b]),
            word_fields([old, new], [old_word, new_word]),
        );
        if let Some(change) = changes.entries.get_mut(before) {
            let serves = names.iter().filter(|(_, index)| **index == a);
            let serves: Vec<String> = serves
                .map(|((negative, exponent), _)| {
                    let side = if *negative { "negative" } else { "positive" };
                    format!("{side} octave {exponent}")
                })
                .collect();
            change.role = (!serves.is_empty()).then(|| serves.join(", "));
        }
    }
    Ok(())
}

pub(super) fn buckets(
    changes: &mut TableChanges,
    old: &Side<'_>,
    new: &Side<'_>,
    changed: &BTreeMap<usize, u64>,
) -> Result<(), DiffError> {
    let runs = [&old.entry.buckets, &new.entry.buckets];
    let (pairs, [only_old, only_new]) = pairs(runs, || Ok([sections(old)?, sections(new)?]))?;
    if only_old + only_new > 0 {
        changes.unmatched.push(Unmatched {
            table: "bucket",
            only_old,
            only_new,
        });
    }
    for pair in pairs {
        bucket(changes, old, new, pair, None, changed);
    }
    Ok(())
}

/// Which part of which octave a bucket serves: the side, the exponent, the extracted field's place and width, and its
/// value. Not the inputs themselves: a region may take a few of them without making it another bucket.
type Section = (bool, i16, u8, u8, usize);

fn sections(side: &Side<'_>) -> Result<BTreeMap<Section, usize>, SetError> {
    let octaves = side.set.octaves(side.entry)?.into_iter();
    Ok(octaves
        .flat_map(|octave| {
            let (word, buckets) = (octave.word, octave.buckets.clone());
            buckets.map(move |index| {
                let value = index - usize::from(word.base);
                let section = (octave.negative, octave.exponent, word.lsb, word.size, value);
                (section, index)
            })
        })
        .collect())
}

/// The four saturation buckets, by their region: they may be shared, and then lie anywhere.
pub(super) fn saturation(
    changes: &mut TableChanges,
    old: &Side<'_>,
    new: &Side<'_>,
    changed: &BTreeMap<usize, u64>,
) {
    let places = old.entry.saturation.into_iter().zip(new.entry.saturation);
    for (kind, (a, b)) in RegionKind::ALL.into_iter().zip(places) {
        // Inside the function's own run the two may have been compared already.
        let place = |side: &Side<'_>, index: usize| {
            let own = &side.entry.buckets;
            own.contains(&index).then(|| (index - own.start, own.len()))
        };
        if place(old, a).is_none() || place(old, a) != place(new, b) {
            bucket(changes, old, new, [a, b], Some(kind), changed);
        }
        changes.add_move(format!("saturation bucket of {}", kind.as_str()), [a, b]);
    }
}

fn bucket(
    changes: &mut TableChanges,
    old: &Side<'_>,
    new: &Side<'_>,
    [a, b]: [usize; 2],
    region: Option<RegionKind>,
    changed: &BTreeMap<usize, u64>,
) {
    let (Some(old_bucket), Some(new_bucket)) = (old.set.buckets.get(a), new.set.buckets.get(b))
    else {
        return;
    };
    let before = changes.entries.len();
    changes.add_entry(
        "bucket",
        Some([a, b]),
        bucket_fields([old_bucket, new_bucket]),
    );
    if let Some(change) = changes.entries.get_mut(before) {
        let inputs = |side: &Side<'_>, index| {
            let served = side.served.get(&index).copied();
            Some(ServedInputs::from(served.unwrap_or_default()))
        };
        change.role = region.map(|kind| kind.as_str().to_owned());
        change.old_inputs = inputs(old, a);
        change.new_inputs = inputs(new, b);
        change.changed_inputs = Some(changed.get(&a).copied().unwrap_or(0));
    }
}
