//! Which inputs a bucket serves.

use std::collections::BTreeMap;

use actforge_engine::{Function, Route};
use serde::Serialize;

use super::Shown;

/// The inputs that one bucket serves: a stretch on either side of zero, or on both where the function is folded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServedInputs {
    /// How many.
    pub count: u64,
    /// The positive ones, least and greatest magnitude.
    pub positive: Option<[Shown; 2]>,
    /// The negative ones, least and greatest magnitude.
    pub negative: Option<[Shown; 2]>,
}

/// The same as bits, to be compared and added to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stretches {
    count: u64,
    /// Positive, negative: first and last pattern.
    sides: [Option<(u32, u32)>; 2],
}

impl From<Stretches> for ServedInputs {
    fn from(stretches: Stretches) -> Self {
        let [positive, negative] = stretches.sides.map(|side| {
            side.map(|(first, last)| [first, last].map(|bits| Shown::from(f32::from_bits(bits))))
        });
        Self {
            count: stretches.count,
            positive,
            negative,
        }
    }
}

/// The inputs of every bucket that some input reaches, by its index in the pool.
pub(super) fn served(function: &Function<'_>) -> BTreeMap<usize, Stretches> {
    let mut served: BTreeMap<usize, Stretches> = BTreeMap::new();
    for run in function.runs() {
        if let Route::Cubic { index, .. } = run.route {
            let stretches = served.entry(index as usize).or_default();
            stretches.count += run.inputs();
            let [positive, negative] = &mut stretches.sides;
            let side = if run.first >> 31 == 0 {
                positive
            } else {
                negative
            };
            *side = Some(match *side {
                None => (run.first, run.last),
                Some((first, last)) => (first.min(run.first), last.max(run.last)),
            });
        }
    }
    served
}
