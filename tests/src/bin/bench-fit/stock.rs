//! The stock layout of exp, filled by the stock rule and by ours.

use std::error::Error;

use actforge_fit::{BucketFitter, Method, Stretch};
use actforge_reference::{Format, Surrogate, lookup};
use actforge_reports::SweepJudge;
use actforge_tables::{
    Bucket, FunctionNotes, FunctionTable, Octave, Region, Side, SpecialResults, Symmetry,
};
use rayon::prelude::*;

use crate::print::{at_most, columns, heading, row};
use crate::table::{DATAPATH, max_ulp, measure};

/// The octaves of both sides.
const LOWEST: i16 = -19;
const HIGHEST: i16 = 6;

/// Where a side ends within its highest octave.
struct StockSide {
    negative: bool,
    /// Buckets stored of that octave.
    last_octave: usize,
    /// Mantissa from which on inputs are large.
    mantissa: u32,
    /// The result there.
    limit: f32,
}

const SIDES: [StockSide; 2] = [
    StockSide {
        negative: true,
        last_octave: 134,
        mantissa: 4_362_891,
        limit: 0.0,
    },
    StockSide {
        negative: false,
        last_octave: 99,
        mantissa: 3_240_472,
        limit: f32::INFINITY,
    },
];

/// The largest error wanted of the layout when it is refitted, over the inputs that its octaves serve.
const WANTED: f64 = 22.5;

/// Prints the comparison.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    heading("exp on the stock layout: same octaves, sizes and thresholds, other coefficients");
    columns(&[
        "method",
        "buckets in octaves",
        "max ulp in octaves, replayed",
        "wanted",
        "max ulp, all finite inputs",
    ]);
    for (method, wanted) in [
        (Method::Taylor, None),
        (Method::Minimax, None),
        (Method::Accurate, Some(WANTED)),
    ] {
        let table = table(method)?;
        let stored = table.stored_buckets();
        for report in measure(&[table])? {
            let octaves = report.bucket_rows.iter().filter(|row| row.region.is_none());
            let worst = octaves
                .map(|row| row.group.max_ulp.unwrap_or(f64::INFINITY))
                .fold(0.0, f64::max);
            let name = match method {
                Method::Taylor => "taylor (the stock rule)".to_owned(),
                method => method.to_string(),
            };
            row(&[
                name,
                stored.to_string(),
                at_most(worst, wanted.unwrap_or(f64::INFINITY), 3),
                wanted.map_or("about 190".to_owned(), |wanted| wanted.to_string()),
                format!("{:.3}", max_ulp(&report)),
            ]);
        }
    }
    println!(
        "\nBeyond the octaves the stock thresholds decide: its large negative region gives 0 from about -97.3 on, where exp \
         is a subnormal of up to 400 of its ulp. No coefficients can change that."
    );
    Ok(())
}

/// The table with the coefficients of a method.
fn table(method: Method) -> Result<FunctionTable, Box<dyn Error>> {
    let entry = lookup("exp")?;
    let surrogate = Surrogate::new(entry.function(), Format::Fp32)?;
    let judge = SweepJudge::new(DATAPATH);
    let fitter = BucketFitter {
        surrogate: &surrogate,
        judge: &judge,
        method,
        reflected: None,
    };
    let [negative, positive] = SIDES.map(|shape| side(&fitter, &shape));
    let specials = entry.function().specials();
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
        notes: FunctionNotes::default(),
    })
}

fn side(fitter: &BucketFitter<'_>, shape: &StockSide) -> Side {
    let octaves = (LOWEST..=HIGHEST).map(|exponent| {
        // One bucket an octave up to 2^-2, then twice as many in each.
        let size = (exponent + 2).max(0) as u8;
        let stored = if exponent == HIGHEST {
            shape.last_octave
        } else {
            1 << size
        };
        let buckets = (0..stored)
            .into_par_iter()
            .map(|section| {
                let stretch = stretch(shape, exponent, size, section as u32);
                fitter.fit(stretch, 0.0).bucket
            })
            .collect();
        Octave {
            size,
            first: 0,
            buckets,
        }
    });
    Side {
        lowest: LOWEST,
        octaves: octaves.collect(),
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
    }
}

/// The inputs that a bucket serves between the regions.
fn stretch(shape: &StockSide, exponent: i16, size: u8, section: u32) -> Stretch {
    let sign = u32::from(shape.negative) << 31;
    let octave = sign | biased(exponent) << 23;
    let lsb = 23 - u32::from(size);
    let first = octave | section << lsb;
    let last = first + (1 << lsb) - 1;
    let smallest = sign | biased(LOWEST) << 23 | 1;
    let largest = (sign | biased(HIGHEST) << 23 | shape.mantissa) - 1;
    Stretch {
        first: first.max(smallest),
        last: last.min(largest),
    }
}

fn biased(exponent: i16) -> u32 {
    (exponent + 127) as u32
}
