//! Which fields of which table entries differ.
//!
//! A function that lies elsewhere in the pool has other indices in its control words and its profile, and still does the
//! same. Such fields are compared from the start of the function's own entries, and the move itself is told once.

mod entries;
mod runs;

use std::collections::BTreeMap;

use actforge_tables::{FunctionEntry, FunctionSet, Profile};
use serde::Serialize;

use self::entries::{cam_fields, manifest_fields, profile_fields};
use self::runs::{buckets, control, saturation};
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
    changes.add_entry("manifest", None, manifest_fields(old, new)?);
    let slots = Some([old.entry.profile, new.entry.profile]);
    changes.add_entry("cam", slots, cam_fields(old, new));
    changes.add_entry("profile", slots, profile_fields(old, new));
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
    fn add_entry(
        &mut self,
        table: &'static str,
        indices: Option<[usize; 2]>,
        fields: Vec<FieldChange>,
    ) {
        if !fields.is_empty() {
            self.entries.push(EntryChange {
                table,
                old_index: indices.map(|[old, _]| old),
                new_index: indices.map(|[_, new]| new),
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
