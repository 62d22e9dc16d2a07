//! Building a set: who gets what, then the coefficients.

use std::borrow::Cow;

use actforge_reference::{CatalogueEntry, Format, Surrogate};
use actforge_tables::stock::assumed::{PARAMETRIC_RELU, parametric_relu};
use actforge_tables::{FunctionTable, Target};

use crate::allocate::Resources;
use crate::error::FitError;
use crate::function::{FittedFunction, FunctionFitter};
use crate::judge::Judge;
use crate::layout::Layout;
use crate::narrow::{narrowed, open_range};
use crate::plan::{LAST_STEP, step_error};
use crate::refine::spend;
use crate::request::{FunctionRequest, Method, Observer, SetRequest};
use crate::share::Sharing;
use crate::subject::entries;
use crate::table::function_table;

/// A set as fitted, ready to be assembled.
#[derive(Clone, Debug)]
pub struct BuiltSet {
    /// The functions, in the order of the request.
    pub tables: Vec<FunctionTable>,
    /// What was decided and why, one line each.
    pub explanation: Vec<String>,
    /// A line about each function whose range was left open and had to be narrowed.
    pub narrowed: Vec<String>,
}

/// Plans are a little optimistic, because octaves that turn out worse are cut finer anyhow, and the other way round
/// buckets would be wasted.
const OPTIMISM: f64 = 1.02;

/// How often regions are planned anew for a target that they missed.
const MOST_RETRIES: u32 = 6;

/// So many layouts that turned out too large are followed by the next coarser one, then strides grow.
const NEAR_TRIES: u32 = 6;

/// Functions without a target may exceed their planned error by this much before an octave is cut finer.
pub(crate) const TOLERANCE: f64 = 1.03;

/// Fits all functions of a set within the capacities of its target.
///
/// Functions with a `max_ulp` get the fewest buckets that keep it; functions with only a ceiling the least error below
/// it; the rest share what is left so that their worst error is least.
///
/// # Errors
/// [`FitError`]; [`FitError::is_impossible`] tells requests that cannot be met from those that make no sense.
pub fn build_set(
    request: &SetRequest,
    judge: &dyn Judge,
    observer: &dyn Observer,
) -> Result<BuiltSet, FitError> {
    if request.functions.is_empty() {
        return Err(FitError::Empty(request.name.clone()));
    }
    request.functions.iter().try_for_each(check)?;
    let entries = entries(&request.functions)?;
    let capacity = request.target.capacity();
    let surrogates = surrogates(&request.functions, &entries, observer)?;
    let fitters = fitters(request, &request.functions, &entries, &surrogates, judge);
    let is_open = |(function, entry): (&FunctionRequest, &Cow<'_, CatalogueEntry>)| {
        open_range(function, entry).is_some()
    };
    if fitters.len() == 1 || !request.functions.iter().zip(&entries).any(is_open) {
        return build(request, &fitters, observer);
    }
    let (functions, narrowed) = narrowed(&fitters, capacity.control);
    if narrowed.is_empty() {
        return build(request, &fitters, observer);
    }
    let fitters = self::fitters(request, &functions, &entries, &surrogates, judge);
    let built = build(request, &fitters, observer)?;
    Ok(BuiltSet { narrowed, ..built })
}

fn surrogates(
    functions: &[FunctionRequest],
    entries: &[Cow<'static, CatalogueEntry>],
    observer: &dyn Observer,
) -> Result<Vec<Surrogate>, FitError> {
    functions
        .iter()
        .zip(entries)
        .map(|(function, entry)| {
            observer.stage(&function.name, "reference", 0, 1);
            Ok(Surrogate::new(entry.function(), function.dtype)?)
        })
        .collect()
}

fn fitters<'a>(
    request: &SetRequest,
    functions: &'a [FunctionRequest],
    entries: &'a [Cow<'static, CatalogueEntry>],
    surrogates: &'a [Surrogate],
    judge: &'a dyn Judge,
) -> Vec<FunctionFitter<'a>> {
    functions
        .iter()
        .zip(entries)
        .zip(surrogates)
        .map(|((function, entry), surrogate)| {
            FunctionFitter::new(function, entry, surrogate, judge).for_target(request.target)
        })
        .collect()
}

fn build(
    request: &SetRequest,
    fitters: &[FunctionFitter<'_>],
    observer: &dyn Observer,
) -> Result<BuiltSet, FitError> {
    let capacity = request.target.capacity();
    let pool = Resources {
        buckets: capacity.bucket,
        control_words: capacity.control,
    };
    let builder = Builder {
        request,
        fitters,
        pool,
        observer,
    };
    builder.build()
}

/// Builds one set.
pub(crate) struct Builder<'a> {
    request: &'a SetRequest,
    pub(crate) fitters: &'a [FunctionFitter<'a>],
    pub(crate) pool: Resources,
    observer: &'a dyn Observer,
}

impl Builder<'_> {
    fn build(&self) -> Result<BuiltSet, FitError> {
        let mut explanation = Vec::new();
        let mut fitted: Vec<Option<FittedFunction>> = Vec::new();
        // Functions whose size follows from their own request come first: the rest share what they leave.
        for fitter in self.fitters {
            let own = match (fitter.request.max_ulp, fitter.request.buckets) {
                (Some(wanted), ceiling) => {
                    Some(self.for_target(fitter, wanted, ceiling, &mut explanation)?)
                }
                (None, Some(ceiling)) => {
                    Some(self.for_ceiling(fitter, ceiling as usize, &mut explanation)?)
                }
                (None, None) => None,
            };
            fitted.push(own);
        }
        self.share_buckets(&mut fitted);
        self.check_pool(&fitted)?;
        self.share_rest(&mut fitted, &mut explanation)?;
        // What is left may have been too little.
        self.check_pool(&fitted)?;
        let tables = self
            .fitters
            .iter()
            .zip(&fitted)
            .filter_map(|(fitter, fitted)| {
                if fitter.request.definition.is_none() && fitter.request.name == PARAMETRIC_RELU {
                    return Some(parametric_relu());
                }
                Some(function_table(
                    fitter,
                    fitted.as_ref()?,
                    fitter.request.max_ulp,
                ))
            })
            .collect();
        Ok(BuiltSet {
            tables,
            explanation,
            narrowed: Vec::new(),
        })
    }

    /// The fewest buckets within an error.
    fn for_target(
        &self,
        fitter: &FunctionFitter<'_>,
        wanted: f64,
        ceiling: Option<u32>,
        explanation: &mut Vec<String>,
    ) -> Result<FittedFunction, FitError> {
        let name = &fitter.request.name;
        let dtype = fitter.request.dtype.name();
        let unreachable = |reason: String| FitError::Unreachable {
            function: name.clone(),
            wanted,
            dtype,
            reason,
        };
        // Nothing but an exact cubic is within half an ulp everywhere, and that is known beforehand.
        let optimism = if wanted > 0.5 { OPTIMISM } else { 1.0 };
        let mut layout: Layout = fitter.plan(wanted, optimism).ok_or_else(|| {
            let place = fitter.out_of_reach(wanted, optimism);
            let place = place.map_or_else(String::new, |[from, to]| {
                format!(", the one between {from:?} and {to:?},")
            });
            unreachable(format!(
                "one octave alone{place} would need more buckets than the pool holds"
            ))
        })?;
        let buckets = ceiling.map_or(self.pool.buckets, |ceiling| {
            self.pool.buckets.min(ceiling as usize)
        });
        self.check_size(fitter, wanted, &layout, buckets)?;
        // Halving a bucket lowers its error sixteenfold, so octaves often end up well within the target. Regions need not
        // be worse than they are, where that costs nothing.
        let expected = fitter.expected(&layout);
        if expected > 0.5
            && expected < wanted
            && let Some(tighter) = fitter.plan(expected, optimism)
            && tighter.buckets() <= layout.buckets()
            && tighter.control_words() <= layout.control_words()
        {
            layout = tighter;
        }
        let mut fitted = fitter.realise(&layout, wanted, self.observer);
        // A region's threshold is sought at a glance beyond its nearest octaves; where that missed something, regions
        // are planned for that much less.
        let mut regions = wanted;
        for retry in 0..MOST_RETRIES {
            let excess = fitted.measured() - wanted;
            if fitter.request.method != Method::Accurate || excess <= 0.0 || !excess.is_finite() {
                break;
            }
            // An octave that no cut brought within the target is the same in every plan.
            if fitted.of_octaves() > wanted {
                break;
            }
            // Thresholds move in steps, so a small excess may need more than its own size.
            regions -= (1.25 * excess).max(0.02 * (wanted - 0.5).abs()) * f64::from(1_u32 << retry);
            match fitter.plan(regions, wanted * optimism / regions) {
                Some(next)
                    if regions > 0.0 && self.check_size(fitter, wanted, &next, buckets).is_ok() =>
                {
                    fitted = fitter.realise(&next, wanted, self.observer);
                }
                _ => break,
            }
        }
        fitter.sweep_regions(&mut fitted);
        if fitter.request.method == Method::Accurate && fitted.measured() > wanted {
            return Err(unreachable(format!(
                "the best that was found is {:.6}",
                fitted.measured()
            )));
        }
        let used = fitted.bucket_count();
        if used > buckets {
            return Err(FitError::TooLarge {
                function: name.clone(),
                wanted,
                dtype,
                needed: used,
                resource: "buckets",
                limit: ceiling_text(ceiling, self.request.target, self.pool.buckets),
            });
        }
        explanation.push(format!(
            "{name}: {used} buckets and {} control words reach {:.3} {dtype} ulp; {wanted} was asked for",
            fitted.control_words(),
            fitted.measured()
        ));
        Ok(fitted)
    }

    fn check_size(
        &self,
        fitter: &FunctionFitter<'_>,
        wanted: f64,
        layout: &Layout,
        buckets: usize,
    ) -> Result<(), FitError> {
        let too_large = |needed, resource, limit| FitError::TooLarge {
            function: fitter.request.name.clone(),
            wanted,
            dtype: fitter.request.dtype.name(),
            needed,
            resource,
            limit,
        };
        if layout.buckets() > buckets {
            let limit = ceiling_text(
                fitter.request.buckets,
                self.request.target,
                self.pool.buckets,
            );
            return Err(too_large(layout.buckets(), "buckets", limit));
        }
        if layout.control_words() > self.pool.control_words {
            let limit = format!(
                "target {} has {}",
                self.request.target, self.pool.control_words
            );
            return Err(too_large(layout.control_words(), "control words", limit));
        }
        Ok(())
    }

    /// The least error within a number of buckets.
    fn for_ceiling(
        &self,
        fitter: &FunctionFitter<'_>,
        ceiling: usize,
        explanation: &mut Vec<String>,
    ) -> Result<FittedFunction, FitError> {
        let buckets = ceiling.min(self.pool.buckets);
        let mut step = fitter
            .least_step(1, buckets, self.pool.control_words)
            .ok_or_else(|| match fitter.plan_step(LAST_STEP) {
                Some(plan) => FitError::TooLarge {
                    function: fitter.request.name.clone(),
                    wanted: step_error(LAST_STEP),
                    dtype: fitter.request.dtype.name(),
                    needed: plan.buckets(),
                    resource: "buckets",
                    limit: ceiling_text(
                        fitter.request.buckets,
                        self.request.target,
                        self.pool.buckets,
                    ),
                },
                None => fitter.not_followed(),
            })?;
        let mut tries = 0;
        loop {
            let mut fitted = self.realise_step(fitter, step)?;
            if fitted.bucket_count() <= buckets || step >= LAST_STEP {
                let spare = buckets.saturating_sub(fitted.bucket_count());
                spend(&[fitter], std::slice::from_mut(&mut fitted), spare);
                fitter.sweep_regions(&mut fitted);
                explanation.push(format!(
                    "{}: {} of {buckets} buckets and {} control words reach {:.3} {} ulp",
                    fitter.request.name,
                    fitted.bucket_count(),
                    fitted.control_words(),
                    fitted.measured(),
                    fitter.request.dtype
                ));
                return Ok(fitted);
            }
            // An octave or two that turned out finer are made up for soon; a function that is not followed is not.
            tries += 1;
            step = (step + (tries / NEAR_TRIES).pow(2).max(1)).min(LAST_STEP);
        }
    }

    pub(crate) fn realise_step(
        &self,
        fitter: &FunctionFitter<'_>,
        step: u32,
    ) -> Result<FittedFunction, FitError> {
        let layout = fitter
            .plan_step(step)
            .ok_or_else(|| FitError::Unreachable {
                function: fitter.request.name.clone(),
                wanted: step_error(step),
                dtype: fitter.request.dtype.name(),
                reason: "there is no layout for it".to_owned(),
            })?;
        Ok(fitter.realise(&layout, step_error(step) * TOLERANCE, self.observer))
    }

    pub(crate) fn target(&self) -> Target {
        self.request.target
    }

    /// Whether the target's layout lets functions use each other's buckets: blocks of stock files are the function's own.
    pub(crate) fn may_share(&self) -> bool {
        !self.request.target.has_stock_layout()
    }

    /// Lets functions with an error of their own share buckets.
    fn share_buckets(&self, fitted: &mut [Option<FittedFunction>]) {
        if !self.may_share() {
            return;
        }
        let places: Vec<usize> = (0..fitted.len())
            .filter(|k| fitted.get(*k).is_some_and(Option::is_some))
            .collect();
        let fitters = places.iter().filter_map(|k| self.fitters.get(*k)).collect();
        let mut functions: Vec<FittedFunction> = places
            .iter()
            .filter_map(|k| fitted.get_mut(*k).and_then(Option::take))
            .collect();
        let wanted: Vec<f64> = places
            .iter()
            .zip(&functions)
            .map(|(k, function)| {
                let asked = self
                    .fitters
                    .get(*k)
                    .and_then(|fitter| fitter.request.max_ulp);
                // A function with a ceiling alone keeps the error that it has.
                asked.unwrap_or_else(|| function.measured())
            })
            .collect();
        Sharing::new(fitters).apply(&mut functions, &wanted);
        for (k, function) in places.into_iter().zip(functions) {
            if let Some(place) = fitted.get_mut(k) {
                *place = Some(function);
            }
        }
    }

    /// All functions together within the pool.
    fn check_pool(&self, fitted: &[Option<FittedFunction>]) -> Result<(), FitError> {
        let used = used(fitted);
        let short = |resource: &'static str, needed: usize, capacity: usize| {
            let rows = self
                .fitters
                .iter()
                .zip(fitted)
                .filter_map(|(fitter, fitted)| {
                    let fitted = fitted.as_ref()?;
                    let own = if resource == "buckets" {
                        fitted.bucket_count()
                    } else {
                        fitted.control_words()
                    };
                    Some(format!(
                        "{} at {:.2} ulp {own}",
                        fitter.request.name,
                        fitted.measured()
                    ))
                });
            let breakdown = rows.collect::<Vec<_>>().join(", ");
            let target = self.request.target.as_str();
            Err(FitError::SetTooLarge {
                needed,
                resource,
                breakdown,
                target,
                capacity,
            })
        };
        if used.buckets > self.pool.buckets {
            return short("buckets", used.buckets, self.pool.buckets);
        }
        if used.control_words > self.pool.control_words {
            return short("control words", used.control_words, self.pool.control_words);
        }
        Ok(())
    }
}

pub(crate) fn used(fitted: &[Option<FittedFunction>]) -> Resources {
    Resources {
        buckets: fitted
            .iter()
            .flatten()
            .map(FittedFunction::bucket_count)
            .sum(),
        control_words: fitted
            .iter()
            .flatten()
            .map(FittedFunction::control_words)
            .sum(),
    }
}

fn ceiling_text(ceiling: Option<u32>, target: Target, pool: usize) -> String {
    match ceiling {
        Some(ceiling) if (ceiling as usize) < pool => format!("the ceiling is {ceiling}"),
        _ => format!("the pool of target {target} has {pool}"),
    }
}

/// Whether the fields of a request make sense.
fn check(function: &FunctionRequest) -> Result<(), FitError> {
    let wrong = |field, expected, found: String| {
        Err(FitError::Request {
            function: function.name.clone(),
            field,
            expected,
            found,
        })
    };
    if let Some(wanted) = function.max_ulp
        && !(wanted.is_finite() && wanted > 0.0)
    {
        return wrong("max_ulp", "a positive number of ulp", wanted.to_string());
    }
    if let Some((low, high)) = function.range
        && !(low < high && low.is_finite() && high.is_finite())
    {
        return wrong(
            "range",
            "two finite numbers, the lower first",
            format!("[{low}, {high}]"),
        );
    }
    if let Some((low, high)) = function.inputs
        && (low.is_nan() || high.is_nan() || low >= high)
    {
        return wrong(
            "inputs",
            "two numbers, the lower first",
            format!("[{low}, {high}]"),
        );
    }
    if !matches!(function.dtype, Format::Fp32 | Format::Bf16 | Format::Fp16) {
        return wrong("dtype", "fp32, bf16 or fp16", function.dtype.to_string());
    }
    Ok(())
}
