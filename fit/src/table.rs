//! From fitted sides to the function's table.

use actforge_tables::{Bucket, FunctionNotes, FunctionTable, Octave, Region, Side, SpecialResults};

use crate::function::{FittedFunction, FittedSide, FunctionFitter};
use crate::region::FittedRegion;

/// The table of a fitted function.
pub(crate) fn function_table(
    fitter: &FunctionFitter<'_>,
    fitted: &FittedFunction,
    target: Option<f64>,
) -> FunctionTable {
    let specials = fitter.entry.function().specials();
    let side = |negative: bool| {
        let own = fitted
            .sides
            .iter()
            .find(|side| side.layout.negative == negative);
        match (own, fitted.sides.first()) {
            (Some(side), _) => stored(side),
            // The side that the fold empties: regions as on the other one, never reached.
            (None, Some(other)) => Side {
                octaves: Vec::new(),
                ..stored(other)
            },
            (None, None) => Side::without_table(Bucket::constant(0.0)),
        }
    };
    FunctionTable {
        name: fitter.request.name.clone(),
        func_id: fitter.entry.func_id(),
        symmetry: fitter.symmetry(fitted.fold),
        specials: SpecialResults {
            zero: specials.zero,
            nan: specials.nan,
            pos_inf: specials.pos_inf,
            neg_inf: specials.neg_inf,
        },
        positive: side(false),
        negative: side(true),
        notes: FunctionNotes {
            dtype: Some(fitter.request.dtype.name().to_owned()),
            method: Some(fitter.request.method.as_str().to_owned()),
            target_ulp: target,
            definition: fitter
                .request
                .definition
                .as_ref()
                .map(crate::subject::notes),
            range: fitter.range.map(|(low, high)| [low, high]),
            lower_bound_ulp: fitted.floor().map(rounded_down),
            bucket_bounds: bucket_bounds(fitted),
            measured_ulp: Some(fitted.measured())
                .filter(|measured| measured.is_finite())
                .map(rounded_up),
            ..FunctionNotes::default()
        },
    }
}

/// Bounds of all buckets in the order of the table: negative octaves, then positive ones.
fn bucket_bounds(fitted: &FittedFunction) -> Vec<f64> {
    let mut sides: Vec<&FittedSide> = fitted.sides.iter().collect();
    sides.sort_by_key(|side| !side.layout.negative);
    let octaves = sides.into_iter().flat_map(|side| &side.octaves);
    octaves
        .flat_map(|octave| {
            octave
                .buckets
                .iter()
                .map(|bucket| rounded_down(bucket.floor))
        })
        .collect()
}

/// Millionths of an ulp are what manifests and reports carry; a floor is rounded down, a measurement up.
fn rounded_down(value: f64) -> f64 {
    (value * 1e6).floor() / 1e6
}

fn rounded_up(value: f64) -> f64 {
    (value * 1e6).ceil() / 1e6
}

fn stored(side: &FittedSide) -> Side {
    let octaves: Vec<Octave> = side
        .octaves
        .iter()
        .map(|octave| Octave {
            size: octave.size,
            first: octave.first as u16,
            buckets: octave.buckets.iter().map(|bucket| bucket.bucket).collect(),
        })
        .collect();
    Side {
        lowest: side
            .octaves
            .first()
            .map_or(-127, |octave| octave.exponent as i16),
        octaves,
        small: small_region(&side.layout.small),
        large: large_region(&side.layout.large, side.layout.limit),
    }
}

/// Magnitudes up to the last one served; no magnitude at all (below exponent 0, without comparison) otherwise.
fn small_region(region: &FittedRegion) -> Region {
    match region.stretch {
        Some(stretch) => Region {
            exponent: (stretch.last >> 23 & 0xff) as u8,
            mantissa: stretch.last & 0x7f_ffff,
            compare: true,
            bucket: region.bucket,
        },
        None => Region {
            exponent: 0,
            mantissa: 0,
            compare: false,
            bucket: region.bucket,
        },
    }
}

/// Magnitudes from the first one served, or from beyond the limit; none (above exponent 255) when that is infinity.
fn large_region(region: &FittedRegion, limit: u32) -> Region {
    let first = region
        .stretch
        .map_or(limit + 1, |stretch| stretch.first & 0x7fff_ffff);
    if first >= 0x7f80_0000 {
        return Region {
            exponent: 255,
            mantissa: 0,
            compare: false,
            bucket: region.bucket,
        };
    }
    if first <= 1 {
        return Region::everything(region.bucket);
    }
    Region {
        exponent: (first >> 23) as u8,
        mantissa: first & 0x7f_ffff,
        compare: true,
        bucket: region.bucket,
    }
}
