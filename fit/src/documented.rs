//! The one stock table whose layout is documented: `exp_400p`.
//!
//! Octaves, sizes and thresholds are known from its bytes (formats.md, section 6), and the rule that reproduces its
//! buckets is [`Method::Taylor`](crate::Method::Taylor) about the middle of the whole bucket, also of one that the
//! threshold cuts.

use actforge_reference::{Format, Surrogate, lookup};
use actforge_tables::{
    Bucket, FunctionNotes, FunctionTable, Octave, Region, Side, SpecialResults, Symmetry,
};
use rayon::prelude::*;

use crate::bucket::{BucketFitter, FittedBucket};
use crate::error::FitError;
use crate::judge::Judge;
use crate::request::Method;
use crate::sample::Stretch;

/// The octaves of both sides.
const LOWEST: i16 = -19;
const HIGHEST: i16 = 6;

/// Where a side ends within its highest octave.
struct SideShape {
    negative: bool,
    /// Buckets stored of that octave.
    stored: u32,
    /// Mantissa from which on inputs are large.
    mantissa: u32,
    /// The result there.
    limit: f32,
}

const NEGATIVE: SideShape = SideShape {
    negative: true,
    stored: 134,
    mantissa: 4_362_891,
    limit: 0.0,
};

const POSITIVE: SideShape = SideShape {
    negative: false,
    stored: 99,
    mantissa: 3_240_472,
    limit: f32::INFINITY,
};

/// The stock table of exp, its coefficients by a method.
///
/// # Errors
/// [`FitError`] if the catalogue has no exp.
pub fn documented_exp(method: Method, judge: &dyn Judge) -> Result<FunctionTable, FitError> {
    let entry = lookup("exp")?;
    let surrogate = Surrogate::new(entry.function(), Format::Fp32)?;
    let fitter = BucketFitter {
        surrogate: &surrogate,
        judge,
        method,
        reflected: None,
    };
    let (negative, mut buckets) = side(&fitter, &NEGATIVE);
    let (positive, others) = side(&fitter, &POSITIVE);
    buckets.extend(others);
    let specials = entry.function().specials();
    let measured = buckets
        .iter()
        .map(|bucket| bucket.measured)
        .fold(0.0, f64::max);
    Ok(FunctionTable {
        name: "exp".to_owned(),
        func_id: entry.func_id(),
        symmetry: Symmetry::NONE,
        specials: SpecialResults {
            zero: specials.zero,
            nan: specials.nan,
            pos_inf: specials.pos_inf,
            neg_inf: specials.neg_inf,
        },
        positive,
        negative,
        notes: FunctionNotes {
            dtype: Some(Format::Fp32.name().to_owned()),
            method: Some(method.as_str().to_owned()),
            measured_ulp: measured.is_finite().then_some(measured),
            ..FunctionNotes::default()
        },
    })
}

fn side(fitter: &BucketFitter<'_>, shape: &SideShape) -> (Side, Vec<FittedBucket>) {
    let mut all = Vec::new();
    let octaves = (LOWEST..=HIGHEST)
        .map(|exponent| {
            // One bucket an octave up to 2^-2, then twice as many in each.
            let size = (exponent + 2).max(0) as u8;
            let stored = match exponent {
                HIGHEST => shape.stored,
                _ => 1 << size,
            };
            let fitted: Vec<FittedBucket> = (0..stored)
                .into_par_iter()
                .map(|section| fit(fitter, shape, exponent, size, section))
                .collect();
            let buckets = fitted.iter().map(|fitted| fitted.bucket).collect();
            all.extend(fitted);
            Octave {
                size,
                first: 0,
                buckets,
            }
        })
        .collect();
    let side = Side {
        lowest: LOWEST,
        octaves,
        small: Region {
            exponent: biased(LOWEST) as u8,
            mantissa: 0,
            compare: true,
            bucket: Bucket {
                d: [1.0, 1.0, 0.5, 1.0 / 6.0],
                x0: 0.0,
            },
        },
        large: Region {
            exponent: biased(HIGHEST) as u8,
            mantissa: shape.mantissa,
            compare: true,
            bucket: Bucket::constant(shape.limit),
        },
    };
    (side, all)
}

/// The stock rule looks at the whole bucket; a fit at the inputs that it serves.
fn fit(
    fitter: &BucketFitter<'_>,
    shape: &SideShape,
    exponent: i16,
    size: u8,
    section: u32,
) -> FittedBucket {
    let sign = u32::from(shape.negative) << 31;
    let lsb = 23 - u32::from(size);
    let first = sign | biased(exponent) << 23 | section << lsb;
    let whole = Stretch {
        first,
        last: first + (1 << lsb) - 1,
    };
    let served = Stretch {
        first: whole.first.max(sign | biased(LOWEST) << 23 | 1),
        last: whole
            .last
            .min((sign | biased(HIGHEST) << 23 | shape.mantissa) - 1),
    };
    if fitter.method != Method::Taylor {
        return fitter.fit(served, 0.0);
    }
    let fitted = fitter.fit(whole, 0.0);
    FittedBucket {
        measured: fitter.measure(&fitted.bucket, served, f64::INFINITY),
        ..fitted
    }
}

fn biased(exponent: i16) -> u32 {
    (exponent + 127) as u32
}
