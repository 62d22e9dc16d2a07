//! Sample tables, made in plain sight: cubics that interpolate the reference at four points a bucket.
//!
//! They are what verification is verified on, so they share no code with the fit. Their errors range from half an ulp
//! to thousands, their seams are uneven, and they use every kind of fold and region.

use actforge_reference::{Function, lookup};
use actforge_tables::{
    Bucket, Datapath, Fold, FunctionNotes, FunctionSet, FunctionTable, Octave, Region, SetError,
    Side, SpecialResults, Symmetry, Target,
};

/// One side of a sample.
#[derive(Clone, Copy, Debug)]
struct SideShape {
    /// Unbiased exponents of the least and the greatest octave.
    octaves: (i16, i16),
    /// `extract_size` of an octave: its exponent plus this, within the limits.
    size_above_exponent: i16,
    size_limits: (u8, u8),
    /// The cubic below the least octave.
    small: [f32; 4],
    /// Magnitude from which on inputs are large, as bits.
    large_from: u32,
    /// The cubic there.
    large: [f32; 4],
}

/// The names of all samples, in the order of their function ids.
pub const NAMES: [&str; 12] = [
    "relu",
    "sigmoid",
    "tanh",
    "exp",
    "sqrt",
    "softplus",
    "sin",
    "gelu",
    "square",
    "abs",
    "silu",
    "derivative_silu",
];

/// The functions that the issues measure speed on.
pub const FIVE: [&str; 5] = ["exp", "gelu", "sigmoid", "silu", "tanh"];

const ZERO: [f32; 4] = [0.0; 4];
const X: [f32; 4] = [0.0, 1.0, 0.0, 0.0];
const ONE: [f32; 4] = [1.0, 0.0, 0.0, 0.0];
const NOTHING: [f32; 4] = [f32::NAN, 0.0, 0.0, 0.0];
const INFINITE: [f32; 4] = [f32::INFINITY, 0.0, 0.0, 0.0];
/// Exponential series about zero.
const EXP_NEAR_ZERO: [f32; 4] = [1.0, 1.0, 0.5, 1.0 / 6.0];
/// Series of `x / 2 + x^2 / sqrt(2 pi)`.
const GELU_NEAR_ZERO: [f32; 4] = [0.0, 0.5, 0.398_942_3, 0.0];
const SILU_NEAR_ZERO: [f32; 4] = [0.0, 0.5, 0.25, 0.0];
const SIN_NEAR_ZERO: [f32; 4] = [0.0, 1.0, 0.0, -1.0 / 6.0];

fn shape(
    octaves: (i16, i16),
    size_above_exponent: i16,
    size_limits: (u8, u8),
    small: [f32; 4],
    large_from: u32,
    large: [f32; 4],
) -> Option<SideShape> {
    Some(SideShape {
        octaves,
        size_above_exponent,
        size_limits,
        small,
        large_from,
        large,
    })
}

/// The positive and the negative side of a function; `None` where the fold never leads, or where there is no table.
fn sides(name: &str) -> [Option<SideShape>; 2] {
    match name {
        "exp" => [
            shape((-6, 6), 2, (0, 8), EXP_NEAR_ZERO, 0x42b1_7218, INFINITE),
            shape((-6, 6), 2, (0, 8), EXP_NEAR_ZERO, 0x42d0_0000, ZERO),
        ],
        "sigmoid" => [
            None,
            shape(
                (-6, 6),
                2,
                (0, 6),
                [0.5, 0.25, 0.0, -1.0 / 48.0],
                0x42d0_0000,
                ZERO,
            ),
        ],
        "tanh" => [shape((-12, 3), 4, (0, 6), X, 0x4110_2cb4, ONE), None],
        "gelu" => [
            shape((-8, 2), 4, (0, 6), GELU_NEAR_ZERO, 0x40b0_0000, X),
            shape((-8, 3), 4, (0, 6), GELU_NEAR_ZERO, 0x4168_0000, ZERO),
        ],
        "silu" => [
            shape((-8, 4), 3, (0, 6), SILU_NEAR_ZERO, 0x418c_0000, X),
            shape((-8, 6), 3, (0, 6), SILU_NEAR_ZERO, 0x42d4_0000, ZERO),
        ],
        "derivative_silu" => [
            shape(
                (-6, 6),
                4,
                (0, 6),
                [0.5, 0.5, 0.0, -1.0 / 12.0],
                0x41a0_0000,
                ONE,
            ),
            shape(
                (-6, 6),
                4,
                (0, 6),
                [0.5, 0.5, 0.0, -1.0 / 12.0],
                0x42d8_0000,
                ZERO,
            ),
        ],
        "softplus" => [
            shape(
                (-6, 4),
                3,
                (0, 6),
                [std::f32::consts::LN_2, 0.5, 0.125, 0.0],
                0x4188_0000,
                X,
            ),
            shape(
                (-6, 6),
                3,
                (0, 6),
                [std::f32::consts::LN_2, 0.5, 0.125, 0.0],
                0x42d0_0000,
                ZERO,
            ),
        ],
        "sin" => [
            shape((-7, 1), 4, (0, 5), SIN_NEAR_ZERO, 0x4049_0fdb, ZERO),
            None,
        ],
        // Negative inputs of the square root have no value.
        "sqrt" => [
            shape(
                (-30, 30),
                128,
                (0, 2),
                [0.0, 32768.0, 0.0, 0.0],
                0x4f00_0000,
                INFINITE,
            ),
            shape((0, -1), 0, (0, 0), NOTHING, 0, NOTHING),
        ],
        "square" => table_free([0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]),
        "abs" => table_free(X, [0.0, -1.0, 0.0, 0.0]),
        _ => table_free(X, ZERO),
    }
}

/// Everything is large.
fn table_free(positive: [f32; 4], negative: [f32; 4]) -> [Option<SideShape>; 2] {
    [positive, negative].map(|large| shape((0, -1), 0, (0, 0), large, 0, large))
}

fn symmetry(name: &str) -> Symmetry {
    match name {
        "tanh" | "sin" => Symmetry::ODD,
        "sigmoid" => Symmetry {
            fold: Fold::StoreNegative,
            invert_sign: true,
            point: 1.0,
        },
        _ => Symmetry::NONE,
    }
}

/// The sample of a function.
///
/// # Panics
/// When the catalogue does not hold the function.
pub fn table(name: &str) -> FunctionTable {
    let entry = lookup(name).expect("samples are of catalogue functions");
    let function = entry.function();
    let [positive, negative] = sides(name);
    let specials = function.specials();
    FunctionTable {
        name: name.to_owned(),
        func_id: entry.func_id(),
        symmetry: symmetry(name),
        specials: SpecialResults {
            zero: specials.zero,
            nan: specials.nan,
            pos_inf: specials.pos_inf,
            neg_inf: specials.neg_inf,
        },
        positive: side(function, 0, positive),
        negative: side(function, 1 << 31, negative),
        notes: FunctionNotes::default(),
    }
}

/// A set of samples.
///
/// # Errors
/// When they do not fit the target together.
pub fn set(names: &[&str], datapath: Datapath) -> Result<FunctionSet, SetError> {
    let tables: Vec<FunctionTable> = names.iter().map(|name| table(name)).collect();
    FunctionSet::assemble("samples", Target::Cayman, datapath, &tables)
}

/// A set of one sample whose replay is limited to a range of inputs.
///
/// # Panics
/// When the sample does not make a set: a defect of this module.
pub fn narrowed(name: &str, range: [f32; 2], datapath: Datapath) -> FunctionSet {
    let mut table = table(name);
    table.notes.range = Some(range);
    FunctionSet::assemble("narrowed", Target::Cayman, datapath, &[table])
        .expect("every sample fits alone")
}

fn side(function: &Function, sign: u32, shape: Option<SideShape>) -> Side {
    let Some(shape) = shape else {
        return Side::without_table(Bucket::constant(0.0));
    };
    let (lowest, highest) = shape.octaves;
    let octaves: Vec<Octave> = (lowest..=highest)
        .map(|exponent| octave(function, sign, exponent, &shape))
        .collect();
    let cubic = |d: [f32; 4]| Bucket { d, x0: 0.0 };
    if octaves.is_empty() {
        return Side::without_table(cubic(shape.large));
    }
    Side {
        lowest,
        octaves,
        small: Region {
            exponent: (lowest + 127) as u8,
            mantissa: 0,
            compare: true,
            bucket: cubic(shape.small),
        },
        large: Region {
            exponent: (shape.large_from >> 23) as u8,
            mantissa: shape.large_from & 0x7f_ffff,
            compare: true,
            bucket: cubic(shape.large),
        },
    }
}

/// The buckets of one octave, without those that the large region cuts off.
fn octave(function: &Function, sign: u32, exponent: i16, shape: &SideShape) -> Octave {
    let (least, most) = shape.size_limits;
    let size =
        (exponent + shape.size_above_exponent).clamp(i16::from(least), i16::from(most)) as u8;
    let width = 1_u32 << (23 - size);
    let start = ((exponent + 127) as u32) << 23;
    let buckets = (0..1_u32 << size)
        .map(|section| start + section * width)
        .filter(|first| *first < shape.large_from)
        .map(|first| interpolate(function, sign | first, sign | (first + width - 1)))
        .collect();
    Octave {
        size,
        first: 0,
        buckets,
    }
}

/// The cubic through four inputs of a run, near its Chebyshev points, about the middle input.
fn interpolate(function: &Function, first: u32, last: u32) -> Bucket {
    let x0 = f32::from_bits(first + (last - first) / 2);
    // (1 + cos(angle)) / 2 for the angles pi/8, 3 pi/8, 5 pi/8, 7 pi/8.
    const SHARES: [f64; 4] = [0.038_060_2, 0.308_658_3, 0.691_341_7, 0.961_939_8];
    let points = SHARES.map(|share| {
        let bits = first + (f64::from(last - first) * share).round() as u32;
        let x = f32::from_bits(bits);
        (
            f64::from(x) - f64::from(x0),
            function.enclose(x, 60).to_f64(),
        )
    });
    // Newton's divided differences, then one basis change at a time.
    let t = points.map(|(t, _)| t);
    let mut difference = points.map(|(_, value)| value);
    for order in 1..4 {
        for k in (order..4).rev() {
            difference[k] = (difference[k] - difference[k - 1]) / (t[k] - t[k - order]);
        }
    }
    let mut d = [0.0_f64; 4];
    for k in (0..4).rev() {
        // d = d * (t - t_k) + difference_k
        for power in (1..4).rev() {
            d[power] = d[power - 1] - t[k] * d[power];
        }
        d[0] = difference[k] - t[k] * d[0];
    }
    Bucket {
        d: d.map(|coefficient| coefficient as f32),
        x0,
    }
}
