//! What loads cost.

use super::roster::Roster;

/// Loads and the bytes they move. Fewer loads are cheaper; with equally many, fewer bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// How often a set is loaded.
    pub loads: u64,
    /// Bytes of all tables that are loaded.
    pub bytes: u64,
}

impl Cost {
    /// Nothing.
    pub const ZERO: Self = Self { loads: 0, bytes: 0 };

    /// One load of a set.
    pub(super) fn of_load(roster: &Roster, set: u16) -> Self {
        let bytes = roster
            .sets()
            .get(usize::from(set))
            .map_or(0, |set| set.bytes);
        Self { loads: 1, bytes }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            loads: self.loads.saturating_add(other.loads),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// So many times.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self {
            loads: self.loads.saturating_mul(count),
            bytes: self.bytes.saturating_mul(count),
        }
    }

    /// What remains without the other.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self {
            loads: self.loads.saturating_sub(other.loads),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

/// How loops are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// How often a loop repeats whose count the model does not say. Zero counts as one.
    pub unknown_iterations: u64,
}

impl Default for Counting {
    fn default() -> Self {
        Self {
            unknown_iterations: 16,
        }
    }
}

impl Counting {
    /// How often a loop counts.
    pub(super) fn iterations(self, said: Option<u64>) -> u64 {
        said.unwrap_or(self.unknown_iterations.max(1))
    }
}
