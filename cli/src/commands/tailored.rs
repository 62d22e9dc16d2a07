//! Functions in as few sets as they fit into.

use actforge_fit::{FitError, FunctionRequest, SetRequest, build_set};
use actforge_reports::SweepJudge;
use actforge_tables::{Datapath, FunctionSet, SetError, Target};

use crate::progress::Progress;

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
