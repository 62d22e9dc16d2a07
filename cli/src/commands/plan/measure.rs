//! The errors of the functions that plans use.

use std::collections::BTreeMap;

use actforge_models::program::Program;
use actforge_reference::Format;
use actforge_reports::{ReplayOptions, replay};

use super::report::{NamedPlan, Worst};
use super::roster::NamedRoster;
use crate::exit::Failure;
use crate::progress::Progress;

/// The largest error of a function in a set that a plan runs it in.
pub(super) struct Measured {
    pub(super) plan: &'static str,
    pub(super) worst: Worst,
    /// The type in whose ulp it is.
    pub(super) dtype: Format,
}

/// Replays each function in each set that serves it in a plan, and notes the largest error of each plan. Each pair is
/// replayed once.
pub(super) fn measure(
    plans: &mut [NamedPlan<'_>],
    program: &Program,
    roster: &NamedRoster,
    input: Format,
) -> Result<Vec<Measured>, Failure> {
    let mut measured = Vec::new();
    let progress = Progress::new();
    let mut known: BTreeMap<(u16, u32), Worst> = BTreeMap::new();
    for plan in plans {
        for pair in plan.schedule.served(program) {
            let (index, function) = pair;
            let (Some(set), Some(function)) = (
                roster.sets.get(usize::from(index)),
                program.functions.get(function as usize),
            ) else {
                continue;
            };
            let worst = match known.get(&pair) {
                Some(worst) => worst.clone(),
                None => {
                    let options = ReplayOptions {
                        functions: vec![function.clone()],
                        input,
                        ..ReplayOptions::default()
                    };
                    let report = replay(set, &options, &progress.of_replay()).map_err(|error| {
                        Failure::invalid(
                            format!("set {}: {error}", set.name),
                            "plan without --measure, or build the set again",
                        )
                    })?;
                    let worst = Worst {
                        set: set.name.clone(),
                        function: function.clone(),
                        ulp: report.functions.first().and_then(|row| row.max_ulp),
                    };
                    known.insert(pair, worst.clone());
                    worst
                }
            };
            let entry = set.function(function);
            let dtype = entry.and_then(|entry| entry.notes.dtype.as_deref()?.parse().ok());
            measured.push(Measured {
                plan: plan.name,
                worst: worst.clone(),
                dtype: dtype.unwrap_or(Format::Fp32),
            });
            if plan.worst.as_ref().is_none_or(|most| most.is_below(&worst)) {
                plan.worst = Some(worst);
            }
        }
    }
    Ok(measured)
}
