//! What a set has left for the functions that ask for nothing: shared so that their worst error is least.

use rayon::prelude::*;

use crate::allocate::{Allocation, Resources, allocate};
use crate::error::FitError;
use crate::function::{FittedFunction, FunctionFitter};
use crate::plan::step_error;
use crate::refine::spend;
use crate::set::{Builder, TOLERANCE, used};
use crate::share::Sharing;

/// Plans between one that turned out too large and one that leaves at least this part of the buckets over.
const MOST_BISECTIONS: u32 = 8;
const WASTE: usize = 16;

/// At most this part of a plan that turned out too large is given up at once.
const MOST_AT_ONCE: usize = 4;

/// The functions that share what others left, and the buckets that they take together.
struct Share {
    allocation: Allocation,
    functions: Vec<FittedFunction>,
    buckets: usize,
}

impl Builder<'_> {
    /// Shares what is left among the functions that have neither target nor ceiling.
    pub(crate) fn share_rest(
        &self,
        fitted: &mut [Option<FittedFunction>],
        explanation: &mut Vec<String>,
    ) -> Result<(), FitError> {
        let open: Vec<usize> = (0..fitted.len()).filter(|k| fitted[*k].is_none()).collect();
        if open.is_empty() {
            return Ok(());
        }
        let fitters: Vec<&FunctionFitter<'_>> = open.iter().map(|k| &self.fitters[*k]).collect();
        let used = used(fitted);
        let rest = Resources {
            buckets: self.pool.buckets.saturating_sub(used.buckets),
            control_words: self.pool.control_words.saturating_sub(used.control_words),
        };
        let Share {
            allocation,
            mut functions,
            buckets,
        } = self.best_share(&fitters, rest)?;
        explanation.extend(allocation.explanation);
        spend(
            &fitters,
            &mut functions,
            rest.buckets.saturating_sub(buckets),
        );
        for (fitter, function) in fitters.iter().zip(&mut functions) {
            fitter.sweep_regions(function);
        }
        explanation.extend(functions.iter().zip(&fitters).map(|(function, fitter)| {
            format!(
                "{}: measured {:.3} {} ulp",
                fitter.request.name,
                function.measured(),
                fitter.request.dtype
            )
        }));
        for (k, function) in open.iter().zip(functions) {
            fitted[*k] = Some(function);
        }
        Ok(())
    }

    /// The functions in what the set has left for them, or in more where nothing does. Octaves may turn out finer than
    /// planned: then all is planned with less, and where that was too much less, with something between.
    fn best_share(
        &self,
        fitters: &[&FunctionFitter<'_>],
        rest: Resources,
    ) -> Result<Share, FitError> {
        let sharing = self.may_share().then(|| Sharing::new(fitters.to_vec()));
        let free = vec![None; fitters.len()];
        let plan = |buckets: usize| {
            let available = Resources { buckets, ..rest };
            let target = self.target().as_str();
            allocate(fitters, &free, sharing.as_ref(), available, target)
        };
        let mut planned = rest.buckets;
        let mut outside = planned;
        let mut allocation = plan(planned)?;
        let mut share = loop {
            let share = self.realise_share(fitters, sharing.as_ref(), allocation)?;
            if share.buckets <= rest.buckets {
                break share;
            }
            outside = planned;
            // One octave alone may take more than all others together: no plan is so much too large.
            let excess = share.buckets - rest.buckets;
            allocation = loop {
                planned = planned.saturating_sub(excess.min(planned / MOST_AT_ONCE).max(1));
                match plan(planned) {
                    Ok(same) if same.steps == share.allocation.steps => {}
                    Ok(coarser) => break coarser,
                    Err(_) => return Ok(share),
                }
            };
        };
        let mut inside = planned;
        for _ in 0..MOST_BISECTIONS {
            let spare = rest.buckets - share.buckets;
            if spare < rest.buckets / WASTE || outside - inside < 2 {
                break;
            }
            let middle = inside + (outside - inside) / 2;
            let allocation = plan(middle)?;
            if allocation.steps == share.allocation.steps {
                inside = middle;
                continue;
            }
            let finer = self.realise_share(fitters, sharing.as_ref(), allocation)?;
            if finer.buckets <= rest.buckets {
                (share, inside) = (finer, middle);
            } else {
                outside = middle;
            }
        }
        Ok(share)
    }

    fn realise_share(
        &self,
        fitters: &[&FunctionFitter<'_>],
        sharing: Option<&Sharing<'_>>,
        allocation: Allocation,
    ) -> Result<Share, FitError> {
        let functions: Result<Vec<FittedFunction>, FitError> = fitters
            .par_iter()
            .zip(&allocation.steps)
            .map(|(fitter, step)| self.realise_step(fitter, *step))
            .collect();
        let mut functions = functions?;
        if let Some(sharing) = sharing {
            let steps = allocation.steps.iter();
            let wanted: Vec<f64> = steps.map(|step| step_error(*step) * TOLERANCE).collect();
            sharing.apply(&mut functions, &wanted);
        }
        let buckets = functions.iter().map(FittedFunction::bucket_count).sum();
        Ok(Share {
            allocation,
            functions,
            buckets,
        })
    }
}
