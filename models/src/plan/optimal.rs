//! The fewest loads, and of those the fewest bytes.
//!
//! For a sequence this is a shortest path over (position, resident set), in a time that grows with activations times sets
//! that hold them. The bodies of loops and the branches of choices are solved first, for every set that may be resident
//! before them, and then count as one step.
//!
//! A loop is run in one of two ways: with a set that is resident whenever an iteration begins and ends, loaded before the
//! loop if need be; or with nothing known at the head of its body, so that each iteration loads what it begins with.

use std::rc::Rc;

use super::cost::{Cost, Counting};
use super::front::{Behind, Front, Trace, find, least};
use super::roster::Roster;
use super::schedule::{Event, Schedule};
use crate::program::{Program, Step};

/// Pairs of an activation and a set that holds it.
const MOST_PAIRS: usize = 1 << 26;
/// Costs kept for all loops and choices together, 16 bytes each. A choice keeps one for every pair of sets.
const MOST_COSTS: usize = 1 << 23;

/// A program that is too large to be solved for every set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// More loops and choices than can be kept.
    #[error(
        "program: expected loops and choices that need at most {MOST_COSTS} costs with a roster of {sets} sets, found more"
    )]
    Bodies {
        /// Sets of the roster.
        sets: usize,
    },
    /// More activations than can be kept with all sets that hold them.
    #[error(
        "program: expected at most {MOST_PAIRS} pairs of an activation and one of {sets} sets that hold it, found more"
    )]
    Pairs {
        /// Sets of the roster.
        sets: usize,
    },
}

/// A schedule with the fewest loads and, of those, the fewest bytes. Activations that no set holds, and loops that
/// never run, are left out.
///
/// # Errors
/// [`TooLarge`]: real models have some hundred loops and choices, and are far from it.
pub fn fewest(
    program: &Program,
    roster: &Roster,
    counting: Counting,
) -> Result<Schedule, TooLarge> {
    let mut solver = Solver {
        roster,
        counting,
        nothing: roster.sets().len(),
        holders: program
            .functions
            .iter()
            .map(|function| roster.holders(function).map(usize::from).collect())
            .collect(),
        costs: 0,
        pairs: 0,
    };
    let nodes = solver.compile(program, &program.steps)?;
    let path = solver.path(&nodes, solver.nothing, None);
    Ok(Schedule { events: path })
}

/// A step, with what it costs from one state to another. States are sets by index, and one more: nothing known.
enum Node<'p> {
    Use {
        place: u32,
        holders: Rc<[usize]>,
    },
    Loop {
        place: &'p str,
        iterations: Option<u64>,
        body: Vec<Node<'p>>,
        /// All iterations with this set resident at the head and at the end.
        keeping: Vec<Option<Cost>>,
        /// All iterations with nothing known at the head, and this set at the end.
        forgetting: Vec<(usize, Cost)>,
    },
    Choice {
        branches: Vec<Vec<Node<'p>>>,
        /// For each state before it, the states behind it.
        exits: Vec<Vec<(usize, Cost)>>,
    },
}

struct Solver<'p> {
    roster: &'p Roster,
    counting: Counting,
    /// The state in which no set is known to be resident.
    nothing: usize,
    /// By function.
    holders: Vec<Rc<[usize]>>,
    /// Costs kept so far.
    costs: usize,
    /// Pairs of an activation and a set so far.
    pairs: usize,
}

impl<'p> Solver<'p> {
    fn load(&self, set: usize) -> Cost {
        Cost::of_load(self.roster, u16::try_from(set).unwrap_or(u16::MAX))
    }

    fn keep(&mut self, costs: usize) -> Result<(), TooLarge> {
        self.costs = self.costs.saturating_add(costs);
        if self.costs > MOST_COSTS {
            let sets = self.nothing;
            return Err(TooLarge::Bodies { sets });
        }
        Ok(())
    }

    /// The steps that a set serves, inner ones solved.
    fn compile(
        &mut self,
        program: &'p Program,
        steps: &'p [Step],
    ) -> Result<Vec<Node<'p>>, TooLarge> {
        let mut nodes = Vec::new();
        for step in steps {
            match step {
                Step::Use(place) => {
                    let function = program.uses.get(*place as usize);
                    let holders = function
                        .and_then(|place| self.holders.get(place.function as usize))
                        .filter(|holders| !holders.is_empty());
                    if let Some(holders) = holders {
                        self.pairs += holders.len();
                        if self.pairs > MOST_PAIRS {
                            let sets = self.nothing;
                            return Err(TooLarge::Pairs { sets });
                        }
                        nodes.push(Node::Use {
                            place: *place,
                            holders: Rc::clone(holders),
                        });
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
                    let body = self.compile(program, body)?;
                    if !body.is_empty() {
                        nodes.push(self.solved_loop(place, *iterations, body)?);
                    }
                }
                Step::Choice { branches, .. } => {
                    let compiled = branches.iter().map(|branch| self.compile(program, branch));
                    let branches: Vec<_> = compiled.collect::<Result<_, _>>()?;
                    if branches.iter().any(|branch| !branch.is_empty()) {
                        nodes.push(self.solved_choice(branches)?);
                    }
                }
            }
        }
        Ok(nodes)
    }

    fn solved_loop(
        &mut self,
        place: &'p str,
        iterations: Option<u64>,
        body: Vec<Node<'p>>,
    ) -> Result<Node<'p>, TooLarge> {
        self.keep(2 * self.nothing)?;
        let count = self.counting.iterations(iterations);
        let behind = |entry| self.front(&body, vec![(entry, Cost::ZERO)], &mut Vec::new());
        let keeping = (0..self.nothing)
            .map(|set| find(&behind(set), set).map(|cost| cost.times(count)))
            .collect();
        let mut forgetting = behind(self.nothing);
        for (_, cost) in &mut forgetting {
            *cost = cost.times(count);
        }
        // It may not run at all, and then leaves what nobody knows.
        if iterations.is_none() {
            let least = least(&forgetting).into_iter();
            forgetting = least.map(|(_, cost)| (self.nothing, cost)).collect();
        }
        Ok(Node::Loop {
            place,
            iterations,
            body,
            keeping,
            forgetting,
        })
    }

    fn solved_choice(&mut self, branches: Vec<Vec<Node<'p>>>) -> Result<Node<'p>, TooLarge> {
        let states = self.nothing + 1;
        self.keep(states * states)?;
        let mut exits = Vec::with_capacity(states);
        for entry in 0..states {
            let fronts = branches
                .iter()
                .map(|branch| self.front(branch, vec![(entry, Cost::ZERO)], &mut Vec::new()));
            let fronts: Vec<Front> = fronts.collect();
            // A state is known behind the choice if every branch can end in it.
            let mut behind = Front::new();
            let (first, others) = fronts
                .split_first()
                .map_or((&[][..], &[][..]), |(a, b)| (a, b));
            for (state, cost) in first.iter().filter(|(state, _)| *state != self.nothing) {
                let mut all = others.iter().map(|front| find(front, *state));
                let dearest = all.try_fold(*cost, |dearest, cost| Some(dearest.max(cost?)));
                behind.extend(dearest.map(|cost| (*state, cost)));
            }
            let any = fronts.iter().filter_map(least);
            let dearest = any.map(|(_, cost)| cost).max();
            behind.extend(dearest.map(|cost| (self.nothing, cost)));
            exits.push(behind);
        }
        Ok(Node::Choice { branches, exits })
    }

    /// The front behind some nodes; how it came to be is added to `traces`, unless that has no room.
    fn front(&self, nodes: &[Node<'p>], entry: Front, traces: &mut Vec<Trace>) -> Front {
        let is_traced = traces.capacity() > 0;
        let mut front = entry;
        for node in nodes {
            let (next, from) = self.step(node, &front, is_traced);
            front = next;
            if is_traced {
                traces.push(from);
            }
        }
        front
    }

    fn step(&self, node: &Node<'p>, front: &Front, is_traced: bool) -> (Front, Trace) {
        let mut behind = Behind::new(is_traced);
        let cheapest = least(front);
        match node {
            Node::Use { holders, .. } => {
                for set in holders.iter() {
                    if let Some(cost) = find(front, *set) {
                        behind.offer(*set, cost, *set, false);
                    }
                    if let Some((state, cost)) = cheapest {
                        behind.offer(*set, cost.plus(self.load(*set)), state, false);
                    }
                }
            }
            Node::Loop {
                keeping,
                forgetting,
                ..
            } => {
                for (set, inside) in keeping.iter().enumerate() {
                    let Some(inside) = inside else { continue };
                    if let Some(cost) = find(front, set) {
                        behind.offer(set, cost.plus(*inside), set, true);
                    }
                    if let Some((state, cost)) = cheapest {
                        let cost = cost.plus(self.load(set)).plus(*inside);
                        behind.offer(set, cost, state, true);
                    }
                }
                for (state, inside) in forgetting {
                    if let Some((from, cost)) = cheapest {
                        behind.offer(*state, cost.plus(*inside), from, false);
                    }
                }
            }
            Node::Choice { exits, .. } => {
                for (state, cost) in front {
                    for (exit, inside) in exits.get(*state).into_iter().flatten() {
                        behind.offer(*exit, cost.plus(*inside), *state, false);
                    }
                }
            }
        }
        behind.finish()
    }

    /// The events of the cheapest way through some nodes, to the state `exit` or to any.
    fn path(&self, nodes: &[Node<'p>], entry: usize, exit: Option<usize>) -> Vec<Event> {
        let mut traces = Vec::with_capacity(nodes.len().max(1));
        let front = self.front(nodes, vec![(entry, Cost::ZERO)], &mut traces);
        let last = exit.or_else(|| least(&front).map(|(state, _)| state));
        let mut state = last.unwrap_or(self.nothing);
        let mut ways = Vec::with_capacity(nodes.len());
        for trace in traces.iter().rev() {
            let known = trace.iter().find(|way| usize::from(way.state) == state);
            let (before, is_kept) =
                known.map_or((state, false), |way| (usize::from(way.before), way.is_kept));
            ways.push((before, state, is_kept));
            state = before;
        }
        let mut events = Vec::new();
        for (node, (before, behind, is_kept)) in nodes.iter().zip(ways.into_iter().rev()) {
            self.events_of(node, before, behind, is_kept, &mut events);
        }
        events
    }

    fn events_of(
        &self,
        node: &Node<'p>,
        before: usize,
        behind: usize,
        is_kept: bool,
        events: &mut Vec<Event>,
    ) {
        let load = |set: usize| Event::Load(u16::try_from(set).unwrap_or(u16::MAX));
        match node {
            Node::Use { place, .. } => {
                if before != behind {
                    events.push(load(behind));
                }
                events.push(Event::Use(*place));
            }
            Node::Loop {
                place,
                iterations,
                body,
                ..
            } => {
                let body = if is_kept {
                    if before != behind {
                        events.push(load(behind));
                    }
                    self.path(body, behind, Some(behind))
                } else {
                    let exit = (behind != self.nothing).then_some(behind);
                    self.path(body, self.nothing, exit)
                };
                events.push(Event::Loop {
                    place: (*place).into(),
                    iterations: *iterations,
                    body,
                });
            }
            Node::Choice { branches, .. } => {
                let exit = (behind != self.nothing).then_some(behind);
                let paths = branches
                    .iter()
                    .map(|branch| self.path(branch, before, exit));
                events.push(Event::Choice {
                    branches: paths.collect(),
                });
            }
        }
    }
}
