//! Golden vectors: inputs chosen such that everything a table does happens at least once, with the engine's results.
//!
//! What is chosen for each function: both ends and the middle of every run of inputs that share a bucket, and so both
//! sides of every seam and of every edge of a region; the breakpoint of every cubic; and the inputs in [`SPECIAL`].

use std::collections::HashMap;

use actforge_engine::{EngineConfig, EngineError, Function, Route, Run};
use actforge_tables::{Datapath, FunctionSet};
use csv::Writer;

/// The version of the layout; it changes when a column changes its meaning or goes away.
pub const VECTORS_VERSION: u32 = 1;

/// The columns of [`vectors_csv`].
pub const VECTOR_COLUMNS: [&str; 10] = [
    "function",
    "func_id",
    "input",
    "expected",
    "route",
    "octave",
    "bucket",
    "unfolded",
    "input_decimal",
    "expected_decimal",
];

/// Magnitudes that every function is asked for, with both signs: zero, the least and the greatest subnormal, the least
/// normal, one, the greatest number, infinity, the first signalling NaN, the usual NaN, and the last one.
pub const SPECIAL: [u32; 10] = [
    0,
    1,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0x7fff_ffff,
];

/// One input with what the engine makes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector {
    /// The input's bits.
    pub input: u32,
    /// The result's bits.
    pub expected: u32,
    /// The way the input takes.
    pub route: Route,
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    /// The tables would lead the engine astray.
    #[error("function `{function}`: {source}")]
    Engine {
        /// The function.
        function: String,
        /// What is wrong.
        source: EngineError,
    },
    /// The CSV writer refused.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// What tells routes apart.
type RouteKey = (&'static str, Option<i16>, Option<u32>, bool);

/// The vectors of a function in the order of the input's bits, each input once.
///
/// A control word that extracts low mantissa bits cuts an octave into up to 2^23 runs, which repeat few routes. Of the
/// runs with one route only the first and the last count, so that there are never many more vectors than buckets.
pub fn vectors(function: &Function<'_>) -> Vec<Vector> {
    let mut runs: HashMap<RouteKey, [Run; 2]> = HashMap::new();
    for run in function.runs() {
        // The special inputs differ in their sign alone.
        let key = key(&run.route, run.first >> 31 == 1);
        runs.entry(key)
            .and_modify(|[_, last]| *last = run)
            .or_insert([run, run]);
    }
    let mut inputs: Vec<u32> = SPECIAL
        .into_iter()
        .flat_map(|magnitude| [magnitude, magnitude | 1 << 31])
        .collect();
    for run in runs.values().flatten() {
        inputs.extend([run.first, run.last, run.first + (run.last - run.first) / 2]);
        if let Route::Cubic { bucket, unfold, .. } = run.route {
            let breakpoint = bucket.x0.to_bits() ^ u32::from(unfold) << 31;
            inputs.extend(
                (run.first..=run.last)
                    .contains(&breakpoint)
                    .then_some(breakpoint),
            );
        }
    }
    // The order of the map does not show.
    inputs.sort_unstable();
    inputs.dedup();
    inputs
        .into_iter()
        .map(|input| {
            let v = f32::from_bits(input);
            Vector {
                input,
                expected: function.eval(v).to_bits(),
                route: function.route(v),
            }
        })
        .collect()
}

fn key(route: &Route, negative: bool) -> RouteKey {
    let name = route_name(route);
    match *route {
        Route::Cubic { octave, index, .. } => (name, octave, Some(index), negative),
        _ => (name, None, None, negative),
    }
}

/// `octave`, the name of a region, or of the special input.
fn route_name(route: &Route) -> &'static str {
    match route {
        Route::Zero => "zero",
        Route::Nan => "nan",
        Route::PosInf => "pos_inf",
        Route::NegInf => "neg_inf",
        Route::Bypass => "bypass",
        Route::Cubic { region, .. } => region.map_or("octave", |region| region.as_str()),
    }
}

/// The vectors of every function of a set as CSV: a comment line (`#`) that holds the version, the set and the datapath,
/// then [`VECTOR_COLUMNS`], then one row a vector. `datapath` takes the place of the set's own.
///
/// Inputs and results are binary32 bits, eight hex digits without a prefix, so that `$fscanf`'s `%h` reads them. `route`
/// is `octave`, `large_pos`, `large_neg`, `small_pos`, `small_neg`, `zero`, `nan`, `pos_inf`, `neg_inf` or `bypass`;
/// `octave` is the unbiased exponent of the folded input, `bucket` the index in the pool, both empty where there is none;
/// `unfolded` is 1 where the fold changed the input's sign.
///
/// # Errors
/// [`VectorsError::Engine`] if the engine cannot run a function; otherwise only those of the CSV writer.
pub fn vectors_csv(set: &FunctionSet, datapath: Option<Datapath>) -> Result<String, VectorsError> {
    let datapath = datapath.unwrap_or(set.datapath);
    let mut text = format!(
        "# actforge vectors, version {VECTORS_VERSION}, set {}, target {}, datapath {datapath}\n",
        set.name, set.target
    )
    .into_bytes();
    let mut writer = Writer::from_writer(&mut text);
    writer.write_record(VECTOR_COLUMNS)?;
    for entry in &set.functions {
        let function =
            Function::from_set(set, entry, EngineConfig::from(datapath)).map_err(|source| {
                VectorsError::Engine {
                    function: entry.name.clone(),
                    source,
                }
            })?;
        for vector in vectors(&function) {
            writer.write_record(row(&entry.name, entry.func_id, &vector))?;
        }
    }
    writer.flush().map_err(csv::Error::from)?;
    drop(writer);
    // Names of sets and functions, and numbers: all of it is ASCII.
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn row(name: &str, func_id: u8, vector: &Vector) -> [String; VECTOR_COLUMNS.len()] {
    let (octave, bucket, unfolded) = match vector.route {
        Route::Cubic {
            octave,
            index,
            unfold,
            ..
        } => (octave, Some(index), unfold),
        _ => (None, None, false),
    };
    [
        name.to_owned(),
        func_id.to_string(),
        format!("{:08x}", vector.input),
        format!("{:08x}", vector.expected),
        route_name(&vector.route).to_owned(),
        octave.map(|octave| octave.to_string()).unwrap_or_default(),
        bucket.map(|bucket| bucket.to_string()).unwrap_or_default(),
        u8::from(unfolded).to_string(),
        decimal(vector.input),
        decimal(vector.expected),
    ]
}

/// The shortest decimal that reads back as the same number.
fn decimal(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        "nan".to_owned()
    } else {
        format!("{value:?}")
    }
}
