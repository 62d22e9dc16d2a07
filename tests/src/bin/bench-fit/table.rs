//! Building a set, packing it and replaying every input.

use std::error::Error;
use std::time::Instant;

use actforge_fit::{FitError, FunctionRequest, SetRequest, build_set};
use actforge_reports::report::FunctionReport;
use actforge_reports::{ReplayOptions, SweepJudge, replay};
use actforge_tables::{Datapath, FunctionSet, FunctionTable, Target};

/// What everything here is built for.
pub(crate) const TARGET: Target = Target::Cayman;
/// What everything here is evaluated in.
pub(crate) const DATAPATH: Datapath = Datapath::Fma;

/// A set and what its replay found.
pub(crate) struct Measured {
    /// One report a function.
    pub(crate) functions: Vec<FunctionReport>,
    /// How long the fit took, from the reference to the last coefficient.
    pub(crate) seconds: f64,
}

/// Fits a set.
///
/// # Errors
/// [`FitError`], which some figures here are about.
pub(crate) fn fit(functions: Vec<FunctionRequest>) -> Result<(Vec<FunctionTable>, f64), FitError> {
    let request = SetRequest {
        name: "bench".to_owned(),
        target: TARGET,
        datapath: DATAPATH,
        functions,
    };
    let start = Instant::now();
    let built = build_set(&request, &SweepJudge::new(DATAPATH), &())?;
    Ok((built.tables, start.elapsed().as_secs_f64()))
}

/// Packs tables into a set and replays all 2^32 inputs of each.
///
/// # Errors
/// When the set does not fit the target, or cannot be replayed.
pub(crate) fn measure(tables: &[FunctionTable]) -> Result<Vec<FunctionReport>, Box<dyn Error>> {
    let set = FunctionSet::assemble("bench", TARGET, DATAPATH, tables)?;
    Ok(replay(&set, &ReplayOptions::default(), &|_| {})?.functions)
}

/// Both.
///
/// # Errors
/// Those of both.
pub(crate) fn build(functions: Vec<FunctionRequest>) -> Result<Measured, Box<dyn Error>> {
    let (tables, seconds) = fit(functions)?;
    Ok(Measured {
        functions: measure(&tables)?,
        seconds,
    })
}

/// The largest error, infinite where a NaN came out.
pub(crate) fn max_ulp(report: &FunctionReport) -> f64 {
    report.max_ulp.unwrap_or(f64::INFINITY)
}
