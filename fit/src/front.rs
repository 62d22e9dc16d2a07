//! The trade-off of one function: buckets and control words against the largest error.

use actforge_reference::Surrogate;

use crate::error::FitError;
use crate::function::FunctionFitter;
use crate::judge::Judge;
use crate::plan::{LAST_STEP, step_error};
use crate::request::{FunctionRequest, Observer};
use crate::subject::entry;
use crate::table::function_table;

/// A table that was built and measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontPoint {
    /// Buckets, saturation buckets included.
    pub buckets: usize,
    /// Control words.
    pub control_words: usize,
    /// The largest error, in ulp of the output type.
    pub max_ulp: f64,
    /// The largest floor of a bucket, in ulp; `None` without buckets in octaves.
    pub lower_bound_ulp: Option<f64>,
}

/// Errors between which points are sought: from just above correct rounding to where tables stop being useful.
const COARSEST_ERROR: f64 = 300.0;

/// How much closer to one half the next point is: about six points for a doubling of the error's excess.
const RATIO: f64 = 1.12;

/// The tables of a function that no other of them beats, from the smallest to the most accurate; each is built and its
/// error measured. Only tables within `most_buckets` and `most_words` are built.
///
/// # Errors
/// [`FitError`] for a function that is unknown or cannot be followed.
pub fn front(
    request: &FunctionRequest,
    most_buckets: usize,
    most_words: usize,
    judge: &dyn Judge,
    observer: &dyn Observer,
) -> Result<Vec<FrontPoint>, FitError> {
    let entry = entry(request)?;
    let surrogate = Surrogate::new(entry.function(), request.dtype)?;
    let fitter = FunctionFitter::new(request, &entry, &surrogate, judge);
    let mut points: Vec<FrontPoint> = Vec::new();
    let mut last_plan = None;
    let mut error = 0.505;
    let steps: Vec<u32> = std::iter::from_fn(|| {
        let step = (1..LAST_STEP).find(|step| step_error(*step) >= error)?;
        error = 0.5 + (step_error(step) - 0.5) * RATIO.max(1.0 + 0.02 / (step_error(step) - 0.5));
        (step_error(step) <= COARSEST_ERROR).then_some(step)
    })
    .collect();
    for (done, step) in steps.iter().enumerate() {
        observer.stage(&request.name, "front", done, steps.len());
        let Some(plan) = fitter.plan_step(*step) else {
            continue;
        };
        if plan.buckets() > most_buckets || plan.control_words() > most_words {
            continue;
        }
        // Neighbouring errors often lead to the same cuts.
        let size = (plan.buckets(), plan.control_words());
        if last_plan == Some(size) {
            continue;
        }
        last_plan = Some(size);
        let fitted = fitter.realise(&plan, step_error(*step) * crate::set::TOLERANCE, observer);
        points.push(FrontPoint {
            // As they are stored, which is what `actforge build` says of the same table.
            buckets: function_table(&fitter, &fitted, None).bucket_count(),
            control_words: fitted.control_words(),
            max_ulp: fitted.measured(),
            lower_bound_ulp: fitted.floor(),
        });
    }
    points.sort_by(|one, two| {
        one.buckets
            .cmp(&two.buckets)
            .then(one.max_ulp.total_cmp(&two.max_ulp))
    });
    let mut best = f64::INFINITY;
    points.retain(|point| {
        let better = point.max_ulp < best;
        best = best.min(point.max_ulp);
        better
    });
    Ok(points)
}
