//! Evaluating a run of consecutive inputs that share a bucket.
//!
//! The coefficients are loop invariants and the inputs are consecutive integers, so the
//! loops below are plain arithmetic on lanes. Called inside a kernel that
//! [`Level::dispatch`](crate::Level::dispatch) runs, they compile to that level's vector
//! instructions; called anywhere else they give the same bits more slowly.

use crate::bits::{SIGN, flush_subnormal, settle_nan};
use crate::cubic::{CubicPath, with_path};
use crate::folding::Unfold;
use crate::function::Function;
use crate::route::Route;
use actforge_tables::{Bucket, Datapath};

/// Fills `out[k]` with the result for the input pattern `first + k`: the bucket's cubic in
/// the given datapath and, with `unfold`, reflection before and unfolding after it. All
/// patterns must have one sign (a [`Run`](crate::Run) has).
///
/// The same bits as [`Function::eval`] on inputs with that route, flushing apart.
#[inline(always)]
pub fn eval_run(
    datapath: Datapath,
    bucket: &Bucket,
    unfold: Option<Unfold>,
    first: u32,
    out: &mut [f32],
) {
    with_path!(datapath, P => match unfold {
        None => plain_run::<P>(bucket, first, out),
        Some(unfold) => reflected_run::<P>(bucket, unfold, first, out),
    });
}

#[inline(always)]
fn plain_run<P: CubicPath>(bucket: &Bucket, first: u32, out: &mut [f32]) {
    let Bucket { d, x0 } = *bucket;
    for (k, r) in out.iter_mut().enumerate() {
        let s = f32::from_bits(first.wrapping_add(k as u32));
        *r = settle_nan(P::polynomial(d, s - x0));
    }
}

#[inline(always)]
fn reflected_run<P: CubicPath>(bucket: &Bucket, unfold: Unfold, first: u32, out: &mut [f32]) {
    let Bucket { d, x0 } = *bucket;
    // Both signs of the fold end up here: reflecting is flipping the sign bit.
    let first = first ^ SIGN;
    for (k, r) in out.iter_mut().enumerate() {
        let s = f32::from_bits(first.wrapping_add(k as u32));
        *r = settle_nan(unfold.apply(P::polynomial(d, s - x0)));
    }
}

/// What one run computes: a [`Route`] with all that [`RunKernel::eval`] needs to know of its
/// function.
#[derive(Copy, Clone, Debug)]
pub struct RunKernel {
    work: Work,
    flush_subnormals: bool,
}

#[derive(Copy, Clone, Debug)]
enum Work {
    /// A special result.
    Constant(f32),
    /// Bypass.
    Copy,
    Cubic {
        datapath: Datapath,
        bucket: Bucket,
        unfold: Option<Unfold>,
    },
}

impl Function<'_> {
    /// The kernel of the runs that have this route.
    pub fn run_kernel(&self, route: &Route) -> RunKernel {
        let work = match *route {
            Route::Bypass => Work::Copy,
            Route::Cubic { bucket, unfold, .. } => Work::Cubic {
                datapath: self.config.datapath,
                bucket,
                unfold: unfold.then_some(self.unfold),
            },
            ref special => Work::Constant(self.fixed_result(special, 0.0)),
        };
        RunKernel {
            work,
            flush_subnormals: self.config.flush_subnormals,
        }
    }
}

impl RunKernel {
    /// Fills `out[k]` with the function's result for the input pattern `first + k`, the same
    /// bits as [`Function::eval`], for patterns inside a run of this kernel's route.
    #[inline(always)]
    pub fn eval(&self, first: u32, out: &mut [f32]) {
        match &self.work {
            Work::Constant(value) => out.fill(*value),
            Work::Copy => {
                for (k, r) in out.iter_mut().enumerate() {
                    *r = f32::from_bits(first.wrapping_add(k as u32));
                }
            }
            Work::Cubic {
                datapath,
                bucket,
                unfold,
            } => {
                eval_run(*datapath, bucket, *unfold, first, out);
                if self.flush_subnormals {
                    for r in out.iter_mut() {
                        *r = flush_subnormal(*r);
                    }
                }
            }
        }
    }
}
