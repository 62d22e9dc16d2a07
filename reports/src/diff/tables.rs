//! Which fields of which table entries differ.
//!
//! A function that lies elsewhere in the pool has other indices in its control words and its profile, and still does the
//! same. Such fields are compared from the start of the function's own entries, and the move itself is told once.

use std::collections::BTreeMap;
use std::ops::Range;

use actforge_tables::profile::LAYOUT;
use actforge_tables::{
    Bucket, ControlWord, FieldValue, FunctionEntry, FunctionSet, Profile, RegionKind, SetError,
};
use serde::Serialize;

use super::inputs::{ServedInputs, Stretches};
use super::{DiffError, Shown};

/// One field of an entry that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// The field's name in the formats.
    pub field: String,
    /// Its lowest and highest bit in the entry, counted from bit 0 of byte 0; none for the manifest's fields.
    pub position: Option<[u32; 2]>,
    /// The first set's value.
    pub old: Shown,
    /// The second set's value.
    pub new: Shown,
}

/// One entry of a table that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EntryChange {
    /// `bucket`, `control`, `profile`, `cam` or `manifest`.
    pub table: &'static str,
    /// The entry's index in the first set's table; none in the manifest.
    pub old_index: Option<usize>,
    /// The same in the second set's.
    pub new_index: Option<usize>,
    /// What it is to the function, where the table does not say: a region, or an octave.
    pub role: Option<String>,
    /// The inputs that a bucket serves in the first set.
    pub old_inputs: Option<ServedInputs>,
    /// The same in the second set.
    pub new_inputs: Option<ServedInputs>,
    /// Of the inputs that a bucket serves in the first set, how many have another result.
    pub changed_inputs: Option<u64>,
    /// Its fields.
    pub fields: Vec<FieldChange>,
}

/// Entries of a function that lie elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// `profile`, `control words`, `buckets` or a region's saturation bucket.
    pub what: String,
    /// Index of the first in the first set.
    pub old: usize,
    /// The same in the second.
    pub new: usize,
}

/// Entries without a counterpart: the two sets cut the inputs differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmatched {
    /// `control` or `bucket`.
    pub table: &'static str,
    /// How many are in the first set alone.
    pub only_old: usize,
    /// How many are in the second set alone.
    pub only_new: usize,
}

/// One function of one set, and the inputs of its buckets.
pub(super) struct Side<'s> {
    pub(super) set: &'s FunctionSet,
    pub(super) entry: &'s FunctionEntry,
    pub(super) profile: &'s Profile,
    pub(super) served: BTreeMap<usize, Stretches>,
}

/// What differs in the tables of one function.
#[derive(Debug, Default)]
pub(super) struct TableChanges {
    pub(super) entries: Vec<EntryChange>,
    pub(super) moved: Vec<Moved>,
    pub(super) unmatched: Vec<Unmatched>,
}

/// Compares two functions. `changed` is how many inputs have another result, by the bucket that served them in the first
/// set.
pub(super) fn compare(
    [old, new]: [&Side<'_>; 2],
    changed: &BTreeMap<usize, u64>,
) -> Result<TableChanges, DiffError> {
    let mut changes = TableChanges::default();
    manifest(&mut changes, old, new)?;
    cam(&mut changes, old, new);
    profiles(&mut changes, old, new);
    control(&mut changes, old, new)?;
    buckets(&mut changes, old, new, changed)?;
    saturation(&mut changes, old, new, changed);
    changes.add_move("profile", [old.entry.profile, new.entry.profile]);
    for (what, runs) in [
        ("control words", [&old.entry.control, &new.entry.control]),
        ("buckets", [&old.entry.buckets, &new.entry.buckets]),
    ] {
        // Where there is no entry, none has moved.
        if runs.iter().all(|run| !run.is_empty()) {
            changes.add_move(what, runs.map(|run| run.start));
        }
    }
    Ok(changes)
}

impl TableChanges {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.moved.is_empty() && self.unmatched.is_empty()
    }

    fn add_move(&mut self, what: impl Into<String>, [old, new]: [usize; 2]) {
        if old != new {
            self.moved.push(Moved {
                what: what.into(),
                old,
                new,
            });
        }
    }

    /// Adds an entry unless nothing differs in it.
    fn add_entry(&mut self, table: &'static str, indices: [usize; 2], fields: Vec<FieldChange>) {
        if !fields.is_empty() {
            self.entries.push(EntryChange {
                table,
                old_index: Some(indices[0]),
                new_index: Some(indices[1]),
                role: None,
                old_inputs: None,
                new_inputs: None,
                changed_inputs: None,
                fields,
            });
        }
    }
}

/// A field that differs, or nothing.
fn field(
    name: impl Into<String>,
    position: Option<[u32; 2]>,
    [old, new]: [Shown; 2],
) -> Option<FieldChange> {
    (old != new).then(|| FieldChange {
        field: name.into(),
        position,
        old,
        new,
    })
}

/// What the manifest says of the function. Long lists are told by their length.
fn manifest(changes: &mut TableChanges, old: &Side<'_>, new: &Side<'_>) -> Result<(), DiffError> {
    /// More of a value helps nobody.
    const LONGEST: usize = 60;
    let notes = |side: &Side<'_>| serde_json::to_value(&side.entry.notes);
    let [a, b] = [notes(old)?, notes(new)?];
    let ids = [old, new].map(|side| Shown::integer(side.entry.func_id.into(), 8));
    let mut fields: Vec<FieldChange> = field("func_id", None, ids).into_iter().collect();
    let names = a.as_object().into_iter().flat_map(|notes| notes.keys());
    for name in names {
        let [a, b] = [a.get(name), b.get(name)];
        if a == b {
            continue;
        }
        let shown = |value: Option<&serde_json::Value>| {
            let text = value.map(ToString::to_string).unwrap_or_default();
            match value.and_then(|value| value.as_array()) {
                Some(list) if text.len() > LONGEST => Shown::text(format!("{} values", list.len())),
                _ => Shown::text(text),
            }
        };
        fields.push(FieldChange {
            field: format!("notes.{name}"),
            position: None,
            old: shown(a),
            new: shown(b),
        });
    }
    if !fields.is_empty() {
        changes.entries.push(EntryChange {
            table: "manifest",
            old_index: None,
            new_index: None,
            role: None,
            old_inputs: None,
            new_inputs: None,
            changed_inputs: None,
            fields,
        });
    }
    Ok(())
}

fn cam(changes: &mut TableChanges, old: &Side<'_>, new: &Side<'_>) {
    let entry = |side: &Side<'_>| side.set.cam.get(side.entry.profile).copied();
    let (Some(a), Some(b)) = (entry(old), entry(new)) else {
        return;
    };
    let byte = |name, position, values: [u8; 2]| {
        let values = values.map(|value| Shown::integer(value.into(), 8));
        field(name, Some(position), values)
    };
    // The bits as they are everywhere but on sunda, where the masks are swapped.
    let fields = [
        byte("opcode", [0, 7], [a.opcode, b.opcode]),
        byte("func_id", [8, 15], [a.func_id, b.func_id]),
        byte("opcode_mask", [32, 39], [a.opcode_mask, b.opcode_mask]),
        byte("func_id_mask", [40, 47], [a.func_id_mask, b.func_id_mask]),
        byte("valid", [64, 64], [a.valid.into(), b.valid.into()]),
    ];
    let fields = fields.into_iter().flatten().collect();
    changes.add_entry("cam", [old.entry.profile, new.entry.profile], fields);
}

fn profiles(changes: &mut TableChanges, old: &Side<'_>, new: &Side<'_>) {
    let mut fields = Vec::new();
    let pairs = old.profile.fields().zip(new.profile.fields());
    for (layout, (a, b)) in LAYOUT.iter().zip(pairs) {
        let position = Some([layout.lsb, layout.msb]);
        let integer = |value| Shown::integer(value, layout.width());
        match [a.value, b.value] {
            [FieldValue::Float(a), FieldValue::Float(b)] => {
                fields.extend(field(layout.name, position, [a, b].map(Shown::from)));
            }
            [FieldValue::Unsigned(a), FieldValue::Unsigned(b)] => {
                let from_start =
                    |side: &Side<'_>, base: u32| i64::from(base) - side.entry.control.start as i64;
                let is_base = layout.name.starts_with("pwl_control_base");
                if !is_base || from_start(old, a) != from_start(new, b) {
                    fields.extend(field(layout.name, position, [a, b].map(integer)));
                }
            }
            [FieldValue::Region(a), FieldValue::Region(b)] => {
                // The bucket is compared by what it holds, see `saturation`.
                const BASE: u32 = 0x7ff;
                let name = |part| format!("{}.{part}", layout.name);
                let control = [a, b].map(|word| Shown::integer(word.control, 20));
                if (a.control ^ b.control) & !BASE != 0 {
                    fields.extend(field(name("pwl_control"), position, control));
                }
                let threshold = [a, b].map(|word| Shown::integer(word.mantissa_threshold, 23));
                fields.extend(field(name("mantissa_threshold"), position, threshold));
                let compare = [a, b].map(|word| Shown::integer(word.compare.into(), 1));
                fields.extend(field(name("mantissa_compare_enable"), position, compare));
            }
            _ => {}
        }
    }
    changes.add_entry("profile", [old.entry.profile, new.entry.profile], fields);
}

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

fn control(changes: &mut TableChanges, old: &Side<'_>, new: &Side<'_>) -> Result<(), DiffError> {
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
            [a, b],
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

fn word_fields(sides: [&Side<'_>; 2], words: [&ControlWord; 2]) -> Vec<FieldChange> {
    let bases = words.map(|word| Shown::integer(word.base.into(), 11));
    let from_start = |place: usize| {
        let pair = sides.get(place).zip(words.get(place));
        pair.map(|(side, word)| i64::from(word.base) - side.entry.buckets.start as i64)
    };
    let base = if from_start(0) == from_start(1) {
        None
    } else {
        field("act_tbl_base", Some([0, 10]), bases)
    };
    let lsb = words.map(|word| Shown::integer(word.lsb.into(), 5));
    let size = words.map(|word| Shown::integer(word.size.into(), 4));
    [
        base,
        field("extract_lsb", Some([11, 15]), lsb),
        field("extract_size", Some([16, 19]), size),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn buckets(
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
fn saturation(
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
    changes.add_entry("bucket", [a, b], bucket_fields([old_bucket, new_bucket]));
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

fn bucket_fields([a, b]: [&Bucket; 2]) -> Vec<FieldChange> {
    const NAMES: [&str; 5] = ["d0", "d1", "d2", "d3", "x0"];
    let words = a.to_words().into_iter().zip(b.to_words());
    let fields = NAMES.into_iter().zip(words).zip(0..);
    fields
        .filter_map(|((name, (a, b)), place)| {
            let position = Some([32 * place, 32 * place + 31]);
            let values = [a, b].map(|word| Shown::from(f32::from_bits(word)));
            field(name, position, values)
        })
        .collect()
}
