//! Two sets, function by function.

use actforge_engine::{EngineConfig, Function};
use actforge_tables::{FunctionEntry, FunctionSet};
use serde::Serialize;

use super::inputs::served;
use super::outputs::{self, OutputChanges};
use super::tables::{self, EntryChange, FieldChange, Moved, Side, TableChanges, Unmatched};
use super::{DiffError, SCHEMA_VERSION, Shown, Status};
use crate::Observer;

/// What differs between two sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetDiff {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// `sets`, to tell it from a comparison of reports.
    pub kind: &'static str,
    /// Whether nothing differs but where the sets come from (tool version, specification).
    pub equal: bool,
    /// The first set.
    pub old: SetTitle,
    /// The second set.
    pub new: SetTitle,
    /// What differs for the set as a whole: name, target, datapath.
    pub set: Vec<FieldChange>,
    /// The functions of both in the order of the first, then those that the second alone has.
    pub functions: Vec<FunctionDiff>,
}

/// Which set it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetTitle {
    /// Its name.
    pub name: String,
    /// Its hardware generation.
    pub target: String,
    /// The rounding schedule of its cubics.
    pub datapath: String,
    /// The version of actforge that built it.
    pub tool_version: String,
    /// SHA-256 of the specification it was built from.
    pub spec_sha256: Option<String>,
}

/// What differs in one function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FunctionDiff {
    /// Its name.
    pub name: String,
    /// Whether it is in both, and the same.
    pub status: Status,
    /// Its entries that lie elsewhere.
    pub moved: Vec<Moved>,
    /// Its entries that differ.
    pub entries: Vec<EntryChange>,
    /// Its entries without a counterpart.
    pub unmatched: Vec<Unmatched>,
    /// Its results; none for a function that one of the sets does not hold.
    pub outputs: Option<OutputChanges>,
}

/// Compares two sets: their tables and, for every function that both hold, all 2^32 results, each set in its own
/// datapath.
///
/// # Errors
/// [`DiffError`] if the engine refuses a function, which it does not for those of valid sets.
pub fn diff_sets(
    old: &FunctionSet,
    new: &FunctionSet,
    observer: Observer<'_>,
) -> Result<SetDiff, DiffError> {
    let mut functions = Vec::new();
    for entry in &old.functions {
        functions.push(match new.function(&entry.name) {
            Some(other) => both([(old, entry), (new, other)], observer)?,
            None => alone(&entry.name, Status::OnlyOld),
        });
    }
    let added = new.functions.iter();
    for entry in added.filter(|entry| old.function(&entry.name).is_none()) {
        functions.push(alone(&entry.name, Status::OnlyNew));
    }
    let set = set_fields(old, new);
    Ok(SetDiff {
        schema_version: SCHEMA_VERSION,
        kind: "sets",
        equal: set.is_empty()
            && functions.iter().all(|f| f.status == Status::Equal)
            && has_same_tables(old, new),
        old: title(old),
        new: title(new),
        set,
        functions,
    })
}

/// Whether all entries are the same and in the same places. Nothing else is left when no function differs; this makes sure
/// that two sets are never called equal when they are not.
fn has_same_tables(old: &FunctionSet, new: &FunctionSet) -> bool {
    old.cam == new.cam
        && old.profiles == new.profiles
        && old.control == new.control
        && old.buckets == new.buckets
}

fn title(set: &FunctionSet) -> SetTitle {
    SetTitle {
        name: set.name.clone(),
        target: set.target.as_str().to_owned(),
        datapath: set.datapath.as_str().to_owned(),
        tool_version: set.tool_version.clone(),
        spec_sha256: set.spec_hash.clone(),
    }
}

fn set_fields(old: &FunctionSet, new: &FunctionSet) -> Vec<FieldChange> {
    let fields = [
        ("name", [old.name.as_str(), new.name.as_str()]),
        ("target", [old.target.as_str(), new.target.as_str()]),
        ("datapath", [old.datapath.as_str(), new.datapath.as_str()]),
    ];
    fields
        .into_iter()
        .filter(|(_, [old, new])| old != new)
        .map(|(field, [old, new])| FieldChange {
            field: field.to_owned(),
            position: None,
            old: Shown::text(old),
            new: Shown::text(new),
        })
        .collect()
}

fn alone(name: &str, status: Status) -> FunctionDiff {
    FunctionDiff {
        name: name.to_owned(),
        status,
        moved: Vec::new(),
        entries: Vec::new(),
        unmatched: Vec::new(),
        outputs: None,
    }
}

fn both(
    pair: [(&FunctionSet, &FunctionEntry); 2],
    observer: Observer<'_>,
) -> Result<FunctionDiff, DiffError> {
    let [(old_set, old_entry), (new_set, new_entry)] = pair;
    let (f, g) = (build(old_set, old_entry)?, build(new_set, new_entry)?);
    let name = &old_entry.name;
    let (results, by_bucket) = outputs::compare(name, [&f, &g], observer);
    let old = side(old_set, old_entry, &f)?;
    let new = side(new_set, new_entry, &g)?;
    let changes = tables::compare([&old, &new], &by_bucket)?;
    let is_equal = changes.is_empty() && results.changed == 0;
    let TableChanges {
        entries,
        moved,
        unmatched,
    } = changes;
    Ok(FunctionDiff {
        name: name.clone(),
        status: if is_equal {
            Status::Equal
        } else {
            Status::Changed
        },
        moved,
        entries,
        unmatched,
        outputs: Some(results),
    })
}

fn build<'s>(set: &'s FunctionSet, entry: &FunctionEntry) -> Result<Function<'s>, DiffError> {
    Function::from_set(set, entry, EngineConfig::from(set.datapath)).map_err(|source| {
        DiffError::Engine {
            set: set.name.clone(),
            function: entry.name.clone(),
            source,
        }
    })
}

fn side<'s>(
    set: &'s FunctionSet,
    entry: &'s FunctionEntry,
    function: &Function<'_>,
) -> Result<Side<'s>, DiffError> {
    // The engine has found it.
    let profile = set
        .profile(entry)
        .ok_or_else(|| actforge_tables::SetError::Function {
            function: entry.name.clone(),
            field: "profile".to_owned(),
            expected: format!("a slot below {}", set.profiles.len()),
            found: entry.profile.to_string(),
        })?;
    Ok(Side {
        set,
        entry,
        profile,
        served: served(function),
    })
}
