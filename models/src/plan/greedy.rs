//! The stock compiler's rule.
//!
//! Known of it: it walks the activations in program order and takes the first set that holds the function; a load is emitted
//! when the resident set changes; loads are hoisted early and redundant ones removed; a kernel has at most eight sets.
//!
//! Assumed, here alone: the resident set is kept as long as it holds the function, and "first" is the order of
//! `act_info.json`. In a loop the resident set counts as known at its head only if every iteration ends with it; the load
//! that an iteration begins with is hoisted before the loop if the iteration also ends with that set.

use std::collections::HashMap;

use super::roster::Roster;
use super::schedule::{Event, Schedule, after_loop};
use crate::program::{Program, Step};

/// The most sets of one kernel: with more, the stock compiler has to cut the program.
pub const MOST_SETS_OF_A_KERNEL: usize = 8;

/// The schedule by the stock rule. Activations that no set holds, and loops that never run, are left out.
pub fn greedy(program: &Program, roster: &Roster) -> Schedule {
    let mut walk = Walk {
        program,
        roster,
        outlines: HashMap::new(),
    };
    Schedule {
        events: walk.steps(&program.steps, None),
    }
}

struct Walk<'p> {
    program: &'p Program,
    roster: &'p Roster,
    /// Outlines of bodies and branches, by address and the set before them: without them, the time would double with
    /// every loop within a loop.
    outlines: HashMap<(*const Step, Option<u16>), Outline>,
}

/// What some steps come to.
#[derive(Clone, Copy)]
struct Outline {
    /// Whether there is any event, and the set if the first one is a load.
    first: Option<Option<u16>>,
    /// The set that is left.
    exit: Option<u16>,
}

/// How a loop is entered.
struct Entry {
    /// The set that is known at the head of its body.
    head: Option<u16>,
    /// The set to load before the loop; the load that its body begins with is then left out.
    hoisted: Option<u16>,
    /// The set behind the loop.
    exit: Option<u16>,
}

impl<'p> Walk<'p> {
    /// The set to load for an activation, or that none is needed; `None` if no set holds it.
    fn load(&self, place: u32, state: Option<u16>) -> Option<Option<u16>> {
        let function = self.program.function_of(place).unwrap_or_default();
        let mut holders = self.roster.holders(function);
        let first = holders.clone().next()?;
        let is_resident = holders.any(|holder| Some(holder) == state);
        Some((!is_resident).then_some(first))
    }

    fn outline(&mut self, steps: &'p [Step], entry: Option<u16>) -> Outline {
        let key = (steps.as_ptr(), entry);
        if let Some(outline) = self.outlines.get(&key) {
            return *outline;
        }
        let mut outline = Outline {
            first: None,
            exit: entry,
        };
        for step in steps {
            let (first, exit) = match step {
                Step::Use(place) => match self.load(*place, outline.exit) {
                    Some(load) => (Some(load), load.or(outline.exit)),
                    None => continue,
                },
                Step::Loop {
                    iterations: Some(0),
                    ..
                } => continue,
                Step::Loop {
                    iterations, body, ..
                } => {
                    let entry = self.enter(body, *iterations, outline.exit);
                    let body = self.outline(body, entry.head);
                    let first = entry.hoisted.filter(|set| outline.exit != Some(*set));
                    (body.first.map(|_| first), entry.exit)
                }
                Step::Choice { branches, .. } => {
                    let before = outline.exit;
                    let branches: Vec<Outline> = branches
                        .iter()
                        .map(|branch| self.outline(branch, before))
                        .collect();
                    let is_any = branches.iter().any(|branch| branch.first.is_some());
                    (is_any.then_some(None), joined(&branches, before))
                }
            };
            outline.first = outline.first.or(first);
            outline.exit = exit;
        }
        // An empty body has the address of nothing.
        if !steps.is_empty() {
            self.outlines.insert(key, outline);
        }
        outline
    }

    fn enter(&mut self, body: &'p [Step], iterations: Option<u64>, state: Option<u16>) -> Entry {
        let known = self.outline(body, state);
        if known.exit == state {
            return Entry {
                head: state,
                hoisted: None,
                exit: state,
            };
        }
        let unknown = self.outline(body, None);
        let hoisted = unknown
            .first
            .flatten()
            .filter(|first| unknown.exit == Some(*first));
        Entry {
            head: None,
            hoisted,
            exit: after_loop(hoisted.or(state), unknown.exit, iterations),
        }
    }

    /// The events of some steps.
    fn steps(&mut self, steps: &'p [Step], entry: Option<u16>) -> Vec<Event> {
        let mut state = entry;
        let mut events = Vec::new();
        for step in steps {
            match step {
                Step::Use(place) => {
                    if let Some(load) = self.load(*place, state) {
                        events.extend(load.map(Event::Load));
                        state = load.or(state);
                        events.push(Event::Use(*place));
                    }
                }
                Step::Loop {
                    iterations: Some(0),
                    ..
                } => {}
                Step::Loop {
                    place,
                    iterations,
                    body,
                } => {
                    let entry = self.enter(body, *iterations, state);
                    let mut body = self.steps(body, entry.head);
                    if let Some(hoisted) = entry.hoisted {
                        body.remove(0);
                        if state != Some(hoisted) {
                            events.push(Event::Load(hoisted));
                        }
                    }
                    if !body.is_empty() {
                        events.push(Event::Loop {
                            place: place.clone(),
                            iterations: *iterations,
                            body,
                        });
                        state = entry.exit;
                    }
                }
                Step::Choice { branches, .. } => {
                    let outlines: Vec<Outline> = branches
                        .iter()
                        .map(|branch| self.outline(branch, state))
                        .collect();
                    let branches: Vec<Vec<Event>> = branches
                        .iter()
                        .map(|branch| self.steps(branch, state))
                        .collect();
                    if branches.iter().any(|branch| !branch.is_empty()) {
                        events.push(Event::Choice { branches });
                        state = joined(&outlines, state);
                    }
                }
            }
        }
        events
    }
}

/// The set behind a choice.
fn joined(branches: &[Outline], before: Option<u16>) -> Option<u16> {
    let mut exits = branches.iter().map(|branch| branch.exit);
    let first = exits.next().unwrap_or(before);
    if exits.all(|exit| exit == first) {
        first
    } else {
        None
    }
}
