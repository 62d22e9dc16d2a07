//! Sets made for one model.

use actforge_fit::FunctionRequest;
use actforge_models::plan::Roster;
use actforge_models::program::Program;
use actforge_reference::{Format, lookup};
use actforge_tables::{Datapath, FunctionSet, Target};

use super::report::Worst;
use super::roster::NamedRoster;
use crate::commands::tailored::{BF16_ULP, Common, PartError, measured_ulp, parts, proven_inputs};
use crate::exit::Failure;
use crate::progress::Progress;

/// The sets, and what their fit says of them.
pub(super) struct Tailored {
    pub(super) roster: NamedRoster,
    /// The largest error that the fit measured, in ulp of the output type.
    pub(super) worst: Option<Worst>,
    /// Ranges that had to be narrowed, a line each.
    pub(super) notes: Vec<String>,
}

/// What is asked of the functions of a program that tables can be made for: within 0.52 ulp of bf16, or, for fp32, the least
/// largest error that one set allows.
pub(super) fn requests(program: &Program, dtype: Format) -> Vec<FunctionRequest> {
    let known = program.functions.iter().filter(|name| lookup(name).is_ok());
    known
        .map(|name| FunctionRequest {
            dtype,
            max_ulp: (dtype != Format::Fp32).then_some(BF16_ULP),
            inputs: proven_inputs(program, name).map(|inputs| (inputs.low, inputs.high)),
            ..FunctionRequest::new(name.as_str())
        })
        .collect()
}

/// The generation that sets for a model are made for: stock files are those of the vendor; what is made for a model is
/// loaded as register images.
pub(super) fn target(target: Target) -> Target {
    if target.has_stock_layout() {
        Target::Cayman
    } else {
        target
    }
}

/// Sets that hold these functions, one if that is possible; `None` without functions.
pub(super) fn build(
    functions: &[FunctionRequest],
    target: Target,
) -> Result<Option<Tailored>, Failure> {
    if functions.is_empty() {
        return Ok(None);
    }
    let common = Common {
        name: "tailored",
        target,
        datapath: Datapath::default(),
        is_one: false,
    };
    let progress = Progress::new();
    let parts = parts(&common, functions, &progress).map_err(|error| failure(&error))?;
    drop(progress);
    let notes = parts
        .iter()
        .flat_map(|part| part.narrowed.clone())
        .collect();
    let mut sets: Vec<FunctionSet> = parts.into_iter().map(|part| part.set).collect();
    if let [set] = sets.as_mut_slice() {
        set.name = "tailored-0".to_owned();
    }
    let roster = Roster::of_sets(&sets).map_err(Failure::internal)?;
    let worst = worst(&sets);
    Ok(Some(Tailored {
        roster: NamedRoster {
            name: target.as_str().to_owned(),
            roster,
            sets,
        },
        worst,
        notes,
    }))
}

fn worst(sets: &[FunctionSet]) -> Option<Worst> {
    let functions = sets
        .iter()
        .flat_map(|set| set.functions.iter().map(move |entry| (set, entry)));
    functions
        .map(|(set, entry)| Worst {
            set: set.name.clone(),
            function: entry.name.clone(),
            ulp: measured_ulp(entry),
        })
        .reduce(|most, next| if most.is_below(&next) { next } else { most })
}

fn failure(error: &PartError) -> Failure {
    Failure::failed(error, "--no-tailored leaves the sets for this model out")
}
