//! Which sets to load before which activation of a program.
//!
//! Exactly one set is resident, and a load evicts it. A load stands before an activation or before a loop. A [`Schedule`]
//! says where the loads are; [`greedy`] makes the one of the stock compiler, [`fewest`] one with the fewest loads and, of
//! those, the fewest bytes.
//!
//! Every load counts, also the first one: nothing is resident when a program starts. Loops count as often as they repeat; one
//! whose count the model does not say counts [`Counting::unknown_iterations`] times. Of the branches of a choice
//! the dearest counts.

mod cost;
mod emit;
mod front;
mod greedy;
mod optimal;
mod roster;
mod schedule;

pub use cost::{Cost, Counting};
pub use emit::{
    DYNAMIC_TABLES, LoadPoint, NotEmitted, PSEUDO_NAME_BYTES, load_points, pseudo_load, table_load,
};
pub use greedy::{MOST_SETS_OF_A_KERNEL, greedy};
pub use optimal::{TooLarge, fewest};
pub use roster::{MOST_SETS, Roster, RosterError, RosterSet};
pub use schedule::{Event, LoopLoads, Schedule, Violation};

use crate::program::Program;

/// The activations of a program that no set of a roster holds: function and number of places, as [`Program::counts`]
/// counts them. Plans leave them out.
pub fn unserved<'p>(program: &'p Program, roster: &Roster) -> Vec<(&'p str, u64)> {
    let counts = program.counts().into_iter();
    counts
        .filter(|(name, count)| *count > 0 && roster.holders(name).next().is_none())
        .collect()
}

#[cfg(test)]
mod tests;
