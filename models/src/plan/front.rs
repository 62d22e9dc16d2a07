//! The states that a program can be in at one point, and the cheapest way to each.

use super::cost::Cost;

/// The states that can be reached, ascending, with the cost of each.
pub(super) type Front = Vec<(usize, Cost)>;

/// How a front came to be, for each of its states.
pub(super) type Trace = Vec<Way>;

/// How a state came to be. There are few states and many of these.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) state: u16,
    pub(super) before: u16,
    /// Whether a loop was run keeping its set.
    pub(super) is_kept: bool,
}

/// A front that is being collected.
pub(super) struct Behind {
    front: Front,
    from: Trace,
    is_traced: bool,
}

impl Behind {
    pub(super) fn new(is_traced: bool) -> Self {
        Self {
            front: Front::new(),
            from: Trace::new(),
            is_traced,
        }
    }

    /// A way to a state; of equally cheap ones the first is kept.
    pub(super) fn offer(&mut self, state: usize, cost: Cost, from: usize, is_kept: bool) {
        let number = |state| u16::try_from(state).unwrap_or(u16::MAX);
        let way = Way {
            state: number(state),
            before: number(from),
            is_kept,
        };
        // States mostly come in ascending order.
        let place = match self.front.last() {
            Some((last, _)) if *last >= state => {
                self.front.binary_search_by_key(&state, |(known, _)| *known)
            }
            _ => Err(self.front.len()),
        };
        match place {
            Ok(place) => {
                let Some(known) = self.front.get_mut(place) else {
                    return;
                };
                if cost < known.1 {
                    known.1 = cost;
                    if let Some(known) = self.from.get_mut(place) {
                        *known = way;
                    }
                }
            }
            Err(place) => {
                self.front.insert(place, (state, cost));
                if self.is_traced {
                    self.from.insert(place, way);
                }
            }
        }
    }

    pub(super) fn finish(self) -> (Front, Trace) {
        (self.front, self.from)
    }
}

pub(super) fn find(front: &Front, state: usize) -> Option<Cost> {
    let place = front.binary_search_by_key(&state, |(known, _)| *known);
    front.get(place.ok()?).map(|(_, cost)| *cost)
}

/// The cheapest state; of equally cheap ones the one of least index, so that plans do not depend on chance.
pub(super) fn least(front: &Front) -> Option<(usize, Cost)> {
    front.iter().copied().min_by_key(|(_, cost)| *cost)
}
