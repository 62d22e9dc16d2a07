//! Sharing the buckets and control words of a set among its functions.
//!
//! With a layout for every error known (see [`FunctionFitter::plan_step`]), the smallest worst error is found exactly:
//! a bisection on the common step. What is then left over lowers the errors of the functions that are not the
//! bottleneck, again together, and so on until nothing can be lowered any more.

use crate::error::FitError;
use crate::function::FunctionFitter;
use crate::plan::{LAST_STEP, least_between, step_error};
use crate::share::{Part, Sharing};

/// What a set may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    pub(crate) buckets: usize,
    pub(crate) control_words: usize,
}

/// The step of each function.
pub(crate) struct Allocation {
    pub(crate) steps: Vec<u32>,
    /// One line a decision.
    pub(crate) explanation: Vec<String>,
}

/// Steps below this one are not worth buckets: the error is within two percent of a correctly rounded result's.
const FINEST_STEP: u32 = 2;

/// Finds the least common step for the functions whose error is free, and lowers each further as far as there is room.
/// `fixed` functions keep theirs. Buckets that functions can share count once, where the target's layout allows that.
pub(crate) fn allocate(
    fitters: &[&FunctionFitter<'_>],
    fixed: &[Option<u32>],
    sharing: Option<&Sharing<'_>>,
    available: Resources,
    target: &'static str,
) -> Result<Allocation, FitError> {
    let mut steps: Vec<u32> = fixed.iter().map(|step| step.unwrap_or(LAST_STEP)).collect();
    let mut open: Vec<usize> = (0..fitters.len()).filter(|k| fixed[*k].is_none()).collect();
    let mut explanation = Vec::new();
    if needs(fitters, &steps, sharing).is_none_or(|used| !used.within(available)) {
        return Err(too_large(fitters, &steps, available, target));
    }
    while !open.is_empty() {
        let fits = |step: u32| {
            let mut trial = steps.clone();
            open.iter().for_each(|k| trial[*k] = step);
            needs(fitters, &trial, sharing).is_some_and(|used| used.within(available))
        };
        let coarsest = open.iter().map(|k| steps[*k]).max().unwrap_or(LAST_STEP);
        let inside = least_between(FINEST_STEP - 1, coarsest, fits);
        open.iter().for_each(|k| steps[*k] = inside.min(steps[*k]));
        if inside <= FINEST_STEP {
            break;
        }
        // Who cannot go a step lower alone is a bottleneck and keeps this step.
        let stuck: Vec<usize> = open
            .iter()
            .copied()
            .filter(|k| {
                let mut trial = steps.clone();
                trial[*k] = lower_plan(fitters[*k], steps[*k]);
                trial[*k] == steps[*k]
                    || needs(fitters, &trial, sharing).is_none_or(|used| !used.within(available))
            })
            .collect();
        let stuck = if stuck.is_empty() {
            open.clone()
        } else {
            stuck
        };
        for k in &stuck {
            explanation.push(explain(fitters[*k], steps[*k]));
        }
        open.retain(|k| !stuck.contains(k));
    }
    for k in open {
        explanation.push(explain(fitters[k], steps[k]));
    }
    Ok(Allocation { steps, explanation })
}

/// A step a little lower at which the layout is larger, or the same step when there is none near.
fn lower_plan(fitter: &FunctionFitter<'_>, step: u32) -> u32 {
    let Some(now) = fitter.plan_step(step) else {
        return step;
    };
    (0..6)
        .map(|power| step.saturating_sub(1 << power))
        .filter(|lower| *lower >= FINEST_STEP)
        .find(|lower| {
            fitter
                .plan_step(*lower)
                .is_none_or(|plan| plan.buckets() > now.buckets())
        })
        .unwrap_or(step)
}

fn explain(fitter: &FunctionFitter<'_>, step: u32) -> String {
    let name = &fitter.request.name;
    match fitter.plan_step(step) {
        Some(plan) => format!(
            "{name}: {} buckets and {} control words for about {:.2} {} ulp",
            plan.buckets(),
            plan.control_words(),
            step_error(step),
            fitter.request.dtype
        ),
        None => format!("{name}: no layout at {:.2} ulp", step_error(step)),
    }
}

impl Resources {
    fn within(self, available: Self) -> bool {
        self.buckets <= available.buckets && self.control_words <= available.control_words
    }
}

/// What functions need at these steps; `None` when one has no layout.
fn needs(
    fitters: &[&FunctionFitter<'_>],
    steps: &[u32],
    sharing: Option<&Sharing<'_>>,
) -> Option<Resources> {
    let mut sum = Resources {
        buckets: 0,
        control_words: 0,
    };
    let plans: Vec<_> = fitters
        .iter()
        .zip(steps)
        .map(|(fitter, step)| Some((fitter.plan_step(*step)?, step_error(*step))))
        .collect::<Option<_>>()?;
    for (plan, _) in &plans {
        sum.buckets += plan.buckets();
        sum.control_words += plan.control_words();
    }
    if let Some(sharing) = sharing {
        let parts: Vec<Part<'_>> = plans
            .iter()
            .enumerate()
            .map(|(function, (layout, wanted))| Part {
                function,
                layout,
                wanted: *wanted,
            })
            .collect();
        sum.buckets -= sharing.saved(&parts).min(sum.buckets);
    }
    Some(sum)
}

/// The error that says who needs what, for the resource that is short.
fn too_large(
    fitters: &[&FunctionFitter<'_>],
    steps: &[u32],
    available: Resources,
    target: &'static str,
) -> FitError {
    let mut rows = Vec::new();
    let mut sum = Resources {
        buckets: 0,
        control_words: 0,
    };
    for (fitter, step) in fitters.iter().zip(steps) {
        let Some(plan) = fitter.plan_step(*step) else {
            return fitter.not_followed();
        };
        sum.buckets += plan.buckets();
        sum.control_words += plan.control_words();
        rows.push((
            fitter.request.name.clone(),
            step_error(*step),
            plan.buckets(),
            plan.control_words(),
        ));
    }
    let buckets_short = sum.buckets > available.buckets;
    let breakdown: Vec<String> = rows
        .iter()
        .map(|(name, error, buckets, words)| {
            let needed = if buckets_short { buckets } else { words };
            format!("{name} at {error:.2} ulp {needed}")
        })
        .collect();
    FitError::SetTooLarge {
        needed: if buckets_short {
            sum.buckets
        } else {
            sum.control_words
        },
        resource: if buckets_short {
            "buckets"
        } else {
            "control words"
        },
        breakdown: breakdown.join(", "),
        target,
        capacity: if buckets_short {
            available.buckets
        } else {
            available.control_words
        },
    }
}
