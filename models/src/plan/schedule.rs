//! A program with its loads, and what they come to.

use std::collections::BTreeSet;

use super::cost::{Cost, Counting};
use super::roster::Roster;
use crate::program::Program;

/// A step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A set is loaded: its index.
    Load(u16),
    /// An activation: which of the program's uses.
    Use(u32),
    /// Steps that are repeated.
    Loop {
        /// The node or key of the loop.
        place: Box<str>,
        /// How often, where the model says so.
        iterations: Option<u64>,
        /// One iteration.
        body: Vec<Event>,
    },
    /// One of several sequences.
    Choice {
        /// The sequences.
        branches: Vec<Vec<Event>>,
    },
}

/// Where sets are loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The activations that a roster serves, in order, and the loads between them.
    pub events: Vec<Event>,
}

/// The loads in one loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopLoads {
    /// The node or key of the loop.
    pub place: Box<str>,
    /// How often it repeats, where the model says so.
    pub iterations: Option<u64>,
    /// The loads of one iteration, loops within it counted.
    pub each: Cost,
}

/// An activation whose function is not resident where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use {place} of the program runs with its function not certainly resident")]
pub struct Violation {
    /// Which of the program's uses.
    pub place: u32,
}

impl Schedule {
    /// The loads of one run with nothing resident before it.
    pub fn cost(&self, roster: &Roster, counting: Counting) -> Cost {
        cost(&self.events, roster, counting)
    }

    /// The loads of each further run. If a run ends with the set that it began with, that is loaded once and for all; the only
    /// set of a program is evicted by none.
    pub fn repeated_cost(&self, roster: &Roster, counting: Counting) -> Cost {
        if self.sets().len() <= 1 {
            return Cost::ZERO;
        }
        let all = self.cost(roster, counting);
        match self.events.first() {
            Some(Event::Load(first)) if exit(&self.events, None) == Some(*first) => {
                all.less(Cost::of_load(roster, *first))
            }
            _ => all,
        }
    }

    /// The indices of the sets that are loaded, ascending.
    pub fn sets(&self) -> Vec<u16> {
        let mut sets = Vec::new();
        let mut pending = vec![&self.events];
        while let Some(events) = pending.pop() {
            for event in events {
                match event {
                    Event::Load(set) => sets.push(*set),
                    Event::Use(_) => {}
                    Event::Loop { body, .. } => pending.push(body),
                    Event::Choice { branches } => pending.extend(branches),
                }
            }
        }
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// The loops that load sets, outer ones first.
    pub fn loops(&self, roster: &Roster, counting: Counting) -> Vec<LoopLoads> {
        let mut loops = Vec::new();
        collect_loops(&self.events, roster, counting, &mut loops);
        loops
    }

    /// Which functions run in which set: pairs of a set's index and one of [`Program::functions`], ascending.
    pub fn served(&self, program: &Program) -> Vec<(u16, u32)> {
        let mut pairs = BTreeSet::new();
        served(&self.events, None, program, &mut pairs);
        pairs.into_iter().collect()
    }

    /// Checks that every activation finds its function resident, whichever way the program runs.
    ///
    /// # Errors
    /// [`Violation`] names the first that does not.
    pub fn check(&self, program: &Program, roster: &Roster) -> Result<(), Violation> {
        check(&self.events, None, program, roster).map(drop)
    }
}

fn cost(events: &[Event], roster: &Roster, counting: Counting) -> Cost {
    let of = |event: &Event| match event {
        Event::Load(set) => Cost::of_load(roster, *set),
        Event::Use(_) => Cost::ZERO,
        Event::Loop {
            iterations, body, ..
        } => cost(body, roster, counting).times(counting.iterations(*iterations)),
        Event::Choice { branches } => {
            let branches = branches.iter().map(|branch| cost(branch, roster, counting));
            branches.max().unwrap_or_default()
        }
    };
    events.iter().map(of).fold(Cost::ZERO, Cost::plus)
}

fn collect_loops(
    events: &[Event],
    roster: &Roster,
    counting: Counting,
    loops: &mut Vec<LoopLoads>,
) {
    for event in events {
        match event {
            Event::Load(_) | Event::Use(_) => {}
            Event::Loop {
                place,
                iterations,
                body,
            } => {
                let each = cost(body, roster, counting);
                if each > Cost::ZERO {
                    loops.push(LoopLoads {
                        place: place.clone(),
                        iterations: *iterations,
                        each,
                    });
                }
                collect_loops(body, roster, counting, loops);
            }
            Event::Choice { branches } => {
                for branch in branches {
                    collect_loops(branch, roster, counting, loops);
                }
            }
        }
    }
}

/// The set that is resident behind some events for certain; `None` where that depends on the way.
pub(super) fn exit(events: &[Event], entry: Option<u16>) -> Option<u16> {
    let mut state = entry;
    for event in events {
        state = match event {
            Event::Load(set) => Some(*set),
            Event::Use(_) => state,
            Event::Loop {
                iterations, body, ..
            } => after_loop(state, exit(body, state), *iterations),
            Event::Choice { branches } => {
                let mut exits = branches.iter().map(|branch| exit(branch, state));
                let first = exits.next().unwrap_or(state);
                if exits.all(|exit| exit == first) {
                    first
                } else {
                    None
                }
            }
        };
    }
    state
}

/// The set behind a loop: what one iteration leaves; but one that may not run at all leaves what was there.
pub(super) fn after_loop(
    before: Option<u16>,
    behind_body: Option<u16>,
    iterations: Option<u64>,
) -> Option<u16> {
    match iterations {
        Some(0) => before,
        Some(_) => behind_body,
        None => behind_body.filter(|_| behind_body == before),
    }
}

fn served(
    events: &[Event],
    entry: Option<u16>,
    program: &Program,
    pairs: &mut BTreeSet<(u16, u32)>,
) {
    let mut state = entry;
    for event in events {
        match event {
            Event::Use(place) => {
                let function = program.uses.get(*place as usize);
                pairs.extend(state.zip(function.map(|place| place.function)));
            }
            Event::Loop { body, .. } => served(body, state, program, pairs),
            Event::Choice { branches } => {
                for branch in branches {
                    served(branch, state, program, pairs);
                }
            }
            Event::Load(_) => {}
        }
        state = exit(std::slice::from_ref(event), state);
    }
}

fn check(
    events: &[Event],
    entry: Option<u16>,
    program: &Program,
    roster: &Roster,
) -> Result<Option<u16>, Violation> {
    let mut state = entry;
    for event in events {
        match event {
            Event::Load(set) => state = Some(*set),
            Event::Use(place) => {
                let function = program.function_of(*place).unwrap_or_default();
                let mut holders = roster.holders(function);
                if !holders.any(|holder| Some(holder) == state) {
                    return Err(Violation { place: *place });
                }
            }
            Event::Loop {
                iterations, body, ..
            } => {
                // The body begins with what was there before, and with what it left itself.
                let mut head = state;
                let left = exit(body, head);
                if left != head {
                    head = None;
                }
                check(body, head, program, roster)?;
                state = after_loop(state, exit(body, head), *iterations);
            }
            Event::Choice { branches } => {
                for branch in branches {
                    check(branch, state, program, roster)?;
                }
                state = exit(std::slice::from_ref(event), state);
            }
        }
    }
    Ok(state)
}
