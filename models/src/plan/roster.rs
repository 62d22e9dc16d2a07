//! The sets that a plan may load.

use std::collections::HashMap;

use actforge_tables::stock::StockSet;
use actforge_tables::{CamEntry, FunctionSet, Profile};

/// The most sets of a roster: a load names its set by an index of 8 bits.
pub const MOST_SETS: usize = 256;

/// A set as far as plans need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterSet {
    /// Its name.
    pub name: String,
    /// The functions it holds, with the selectors of their variants.
    pub functions: Vec<(String, u32)>,
    /// Bytes that a load of it moves: buckets and control words as the stock files hold them, and of each function a profile
    /// and a CAM entry (assumed: both are written for the functions of the set alone).
    pub bytes: u64,
}

/// Sets in the order of their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    sets: Vec<RosterSet>,
    holders: HashMap<String, Vec<u16>>,
}

/// More sets than an index can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("roster: expected at most {MOST_SETS} sets, found {found}")]
pub struct RosterError {
    /// How many there are.
    pub found: usize,
}

impl Roster {
    /// A roster of these sets; a set's index is its place.
    ///
    /// # Errors
    /// [`RosterError`] if there are too many.
    pub fn new(sets: Vec<RosterSet>) -> Result<Self, RosterError> {
        if sets.len() > MOST_SETS {
            return Err(RosterError { found: sets.len() });
        }
        let mut holders: HashMap<String, Vec<u16>> = HashMap::new();
        for (index, set) in (0u16..).zip(&sets) {
            for (function, _) in &set.functions {
                let holders = holders.entry(function.clone()).or_default();
                if holders.last() != Some(&index) {
                    holders.push(index);
                }
            }
        }
        Ok(Self { sets, holders })
    }

    /// The roster of stock files that we know without having them.
    ///
    /// # Errors
    /// [`RosterError`] if there are too many.
    pub fn of_stock(sets: &[StockSet]) -> Result<Self, RosterError> {
        let set = |set: &StockSet| {
            let functions = set.functions();
            let tables = set.bucket_bytes + set.control_bytes;
            RosterSet {
                name: set.name.to_owned(),
                bytes: bytes(tables, functions.len()),
                functions: functions
                    .into_iter()
                    .map(|(name, selector)| (name.to_owned(), selector))
                    .collect(),
            }
        };
        Self::new(sets.iter().map(set).collect())
    }

    /// The roster of sets that are at hand.
    ///
    /// # Errors
    /// [`RosterError`] if there are too many.
    pub fn of_sets(sets: &[FunctionSet]) -> Result<Self, RosterError> {
        use actforge_tables::Table;
        let set = |set: &FunctionSet| {
            let tables = set.buckets.len() * set.target.stride(Table::Bucket)
                + set.control.len() * set.target.stride(Table::Control);
            let functions = set.functions.iter();
            RosterSet {
                name: set.name.clone(),
                bytes: bytes(tables, set.functions.len()),
                functions: functions
                    .map(|entry| (entry.name.clone(), entry.stock_notes().selector))
                    .collect(),
            }
        };
        Self::new(sets.iter().map(set).collect())
    }

    /// The sets, in the order of their indices.
    pub fn sets(&self) -> &[RosterSet] {
        &self.sets
    }

    /// The indices of the sets that hold a function, ascending.
    pub fn holders(&self, function: &str) -> impl Iterator<Item = u16> + Clone + use<'_> {
        let holders = self.holders.get(function);
        holders.into_iter().flatten().copied()
    }
}

fn bytes(tables: usize, functions: usize) -> u64 {
    (tables + functions * (Profile::BYTES + CamEntry::BYTES)) as u64
}
