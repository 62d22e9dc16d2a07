//! The cubic of a bucket in the four datapaths: step 5 of the numerics.
//!
//! Each datapath is a zero-sized type, so that a loop generic over [`CubicPath`] contains
//! straight-line arithmetic only and the compiler can vectorise it.

use crate::bits::settle_nan;
use actforge_tables::{Bucket, Datapath};

/// A rounding schedule of the cubic.
pub trait CubicPath: Copy + Default {
    /// The datapath this type stands for.
    const DATAPATH: Datapath;

    /// `d0 + d1 t + d2 t^2 + d3 t^3` in this schedule. A NaN result has an unspecified sign
    /// and payload: whoever keeps it must settle it.
    fn polynomial(d: [f32; 4], t: f32) -> f32;
}

/// Fused Horner, `fma(fma(fma(d3,t,d2),t,d1),t,d0)`: our model of the silicon.
#[derive(Copy, Clone, Debug, Default)]
pub struct FmaPath;

/// Horner with every product and every sum rounded.
#[derive(Copy, Clone, Debug, Default)]
pub struct MulAddPath;

/// Two fused halves, `fma(fma(d3,t,d2), t*t, fma(d1,t,d0))`.
#[derive(Copy, Clone, Debug, Default)]
pub struct EstrinPath;

/// The vendor's reference simulator, bit for bit: the linear part in f32, the rest in f64.
#[derive(Copy, Clone, Debug, Default)]
pub struct MixedPath;

impl CubicPath for FmaPath {
    const DATAPATH: Datapath = Datapath::Fma;

    #[inline(always)]
    fn polynomial([d0, d1, d2, d3]: [f32; 4], t: f32) -> f32 {
        fma(fma(fma(d3, t, d2), t, d1), t, d0)
    }
}

impl CubicPath for MulAddPath {
    const DATAPATH: Datapath = Datapath::MulAdd;

    #[inline(always)]
    fn polynomial([d0, d1, d2, d3]: [f32; 4], t: f32) -> f32 {
        ((d3 * t + d2) * t + d1) * t + d0
    }
}

impl CubicPath for EstrinPath {
    const DATAPATH: Datapath = Datapath::Estrin;

    #[inline(always)]
    fn polynomial([d0, d1, d2, d3]: [f32; 4], t: f32) -> f32 {
        fma(fma(d3, t, d2), t * t, fma(d1, t, d0))
    }
}

impl CubicPath for MixedPath {
    const DATAPATH: Datapath = Datapath::Mixed;

    #[inline(always)]
    fn polynomial([d0, d1, d2, d3]: [f32; 4], t: f32) -> f32 {
        let low = t * d1 + d0;
        let t = f64::from(t);
        // t*t is exact in f64, so the one rounding of t*t*t is that of a correctly rounded
        // pow(t, 3), which is what the simulator calls.
        let square = t * t;
        let r = f64::from(low) + square * f64::from(d2);
        ((square * t) * f64::from(d3) + r) as f32
    }
}

/// Fused multiply-add. Hardware where the surrounding code may use it, the C library's
/// otherwise; all of them round once and agree in every bit of a result that is no NaN.
#[cfg(feature = "std")]
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

/// Fused multiply-add in software: `f32::mul_add` needs `std`.
#[cfg(not(feature = "std"))]
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    libm::fmaf(a, b, c)
}

/// A bucket's cubic at the (folded) input `s`: `t = s - x0` rounded to f32, then the
/// polynomial in the given datapath. Unfolding is not part of it. Any NaN is 0x7fc00000.
///
/// Always inlined, so that a [`Kernel`](crate::Kernel) that calls it gets vector code.
#[inline(always)]
pub fn cubic(datapath: Datapath, bucket: &Bucket, s: f32) -> f32 {
    with_path!(datapath, P => cubic_in::<P>(bucket, s))
}

/// [`cubic`] for a datapath known at compile time.
#[inline(always)]
pub(crate) fn cubic_in<P: CubicPath>(bucket: &Bucket, s: f32) -> f32 {
    settle_nan(P::polynomial(bucket.d, s - bucket.x0))
}

/// Evaluates an expression with a type name bound to the [`CubicPath`] of a [`Datapath`].
macro_rules! with_path {
    ($datapath:expr, $path:ident => $body:expr) => {
        match $datapath {
            actforge_tables::Datapath::Fma => {
                type $path = $crate::cubic::FmaPath;
                $body
            }
            actforge_tables::Datapath::MulAdd => {
                type $path = $crate::cubic::MulAddPath;
                $body
            }
            actforge_tables::Datapath::Estrin => {
                type $path = $crate::cubic::EstrinPath;
                $body
            }
            actforge_tables::Datapath::Mixed => {
                type $path = $crate::cubic::MixedPath;
                $body
            }
        }
    };
}
pub(crate) use with_path;
