//! Functions in as few sets as they fit into.

use actforge_fit::{FitError, FunctionRequest, SetRequest, build_set};
use actforge_models::program::{InputRange, Program};
use actforge_reference::lookup;
use actforge_reports::SweepJudge;
use actforge_tables::{Datapath, FunctionEntry, FunctionSet, SetError, Target};

use crate::numbers::decimal;
use crate::progress::Progress;

/// What a model that reads bf16 results needs of every function, in bf16 ulp.
pub(super) const BF16_ULP: f64 = 0.52;

/// What the sets have in common.
pub(super) struct Common<'a> {
    /// The name of the set, if it is one; several are `NAME-0`, `NAME-1`, ...
    pub(super) name: &'a str,
    pub(super) target: Target,
    pub(super) datapath: Datapath,
    /// Whether it has to be one set.
    pub(super) is_one: bool,
}

/// One of the sets.
pub(super) struct Part {
    pub(super) set: FunctionSet,
    /// What was decided and why.
    pub(super) explanation: Vec<String>,
    /// Ranges that had to give way.
    pub(super) narrowed: Vec<String>,
}

/// Why there are no sets.
#[derive(Debug, thiserror::Error)]
pub(super) enum PartError {
    #[error(transparent)]
    Fit(#[from] FitError),
    #[error(transparent)]
    Set(#[from] SetError),
}

impl PartError {
    /// Whether fewer functions might do.
    fn is_impossible(&self) -> bool {
        match self {
            Self::Fit(error) => error.is_impossible(),
            Self::Set(error) => matches!(error, SetError::Capacity { .. }),
        }
    }
}

/// One set of these functions if that is possible; otherwise the functions, in their order, are halved until each part
/// fits.
pub(super) fn parts(
    common: &Common<'_>,
    functions: &[FunctionRequest],
    progress: &Progress,
) -> Result<Vec<Part>, PartError> {
    let mut parts: Vec<Part> = Vec::new();
    let mut open = vec![functions];
    while let Some(functions) = open.pop() {
        match part(common, functions, progress) {
            Ok(part) => parts.push(part),
            Err(error) if error.is_impossible() && functions.len() > 1 && !common.is_one => {
                let (first, rest) = functions.split_at(functions.len() / 2);
                open.extend([rest, first]);
            }
            Err(error) => return Err(error),
        }
    }
    if parts.len() > 1 {
        for (place, part) in parts.iter_mut().enumerate() {
            part.set.name = format!("{}-{place}", common.name);
        }
    }
    Ok(parts)
}

fn part(
    common: &Common<'_>,
    functions: &[FunctionRequest],
    progress: &Progress,
) -> Result<Part, PartError> {
    let request = SetRequest {
        name: common.name.to_owned(),
        target: common.target,
        datapath: common.datapath,
        functions: functions.to_vec(),
    };
    let built = build_set(&request, &SweepJudge::new(common.datapath), progress)?;
    let set = FunctionSet::assemble(common.name, common.target, common.datapath, &built.tables)?;
    Ok(Part {
        set,
        explanation: built.explanation,
        narrowed: built.narrowed,
    })
}

/// The largest error that the fit measured, in ulp of the function's own type, over the inputs that it is made for.
pub(super) fn measured_ulp(entry: &FunctionEntry) -> Option<f64> {
    match entry.takes_slope() {
        // A slope that the instruction brings is multiplied with, and rounded once.
        true => Some(0.5),
        false => entry.notes.measured_ulp,
    }
}

/// The inputs that can come to a function of a model whose table is for a range of inputs, where the model proves that they
/// are fewer than those of the table.
pub(super) fn proven_inputs(program: &Program, function: &str) -> Option<InputRange> {
    let (low, high) = lookup(function).ok()?.table_range()?;
    let inputs = program.inputs_of(function)?;
    let is_range = inputs.low < inputs.high;
    (is_range && (inputs.low > low || inputs.high < high)).then_some(inputs)
}

/// Those inputs in words, and why no others come.
pub(super) fn reason_of_inputs(function: &str, inputs: &InputRange) -> String {
    format!(
        "{function}: inputs from {} to {}, since {}",
        decimal(inputs.low),
        decimal(inputs.high),
        inputs.why
    )
}
