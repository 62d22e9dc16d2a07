//! Sets made for one model.

use actforge_fit::{FitError, FunctionRequest, SetRequest, build_set};
use actforge_models::plan::Roster;
use actforge_models::program::Program;
use actforge_reference::{Format, lookup};
use actforge_reports::SweepJudge;
use actforge_tables::{Datapath, FunctionSet, Target};

use super::report::Worst;
use super::roster::NamedRoster;
use crate::exit::Failure;
use crate::progress::Progress;

/// What a model that reads bf16 results needs of every function, in bf16 ulp.
const BF16_ULP: f64 = 0.52;

/// The sets, and what their fit says of them.
pub(super) struct Tailored {
    pub(super) roster: NamedRoster,
    /// The largest error that the fit measured, in ulp of the output type.
    pub(super) worst: Option<Worst>,
    /// Ranges that had to be narrowed, a line each.
    pub(super) notes: Vec<String>,
}

/// Sets that hold the functions of a program within 0.52 ulp of bf16, or, for fp32, with the least largest error that one
/// set allows. One set if that is possible; otherwise the functions, in the order in which they run, are halved until each
/// part fits. `None` for a program without functions that tables can be made for.
pub(super) fn build(
    program: &Program,
    target: Target,
    dtype: Format,
) -> Result<Option<Tailored>, Failure> {
    // Stock files are those of the vendor; what is made for a model is loaded as register images.
    let target = if target.has_stock_layout() {
        Target::Cayman
    } else {
        target
    };
    let known = program.functions.iter().filter(|name| lookup(name).is_ok());
    let functions: Vec<FunctionRequest> = known
        .map(|name| FunctionRequest {
            dtype,
            max_ulp: (dtype != Format::Fp32).then_some(BF16_ULP),
            ..FunctionRequest::new(name.as_str())
        })
        .collect();
    if functions.is_empty() {
        return Ok(None);
    }
    let progress = Progress::new();
    let judge = SweepJudge::new(Datapath::default());
    let mut sets = Vec::new();
    let mut notes = Vec::new();
    let mut open = vec![functions];
    while let Some(mut functions) = open.pop() {
        let name = format!("tailored-{}", sets.len());
        let request = SetRequest {
            name: name.clone(),
            target,
            datapath: Datapath::default(),
            functions: functions.clone(),
        };
        match build_set(&request, &judge, &progress) {
            Ok(built) => {
                let set = FunctionSet::assemble(name, target, Datapath::default(), &built.tables)
                    .map_err(Failure::internal)?;
                sets.push(set);
                notes.extend(built.narrowed);
            }
            Err(error) if error.is_impossible() && functions.len() > 1 => {
                let rest = functions.split_off(functions.len() / 2);
                open.extend([rest, functions]);
            }
            Err(error) => return Err(failure(&error)),
        }
    }
    drop(progress);
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
            // A slope that the instruction brings is multiplied with, and rounded once.
            ulp: match entry.takes_slope() {
                true => Some(0.5),
                false => entry.notes.measured_ulp,
            },
        })
        .reduce(|most, next| if most.is_below(&next) { next } else { most })
}

fn failure(error: &FitError) -> Failure {
    Failure::failed(error, "--no-tailored leaves the sets for this model out")
}
