//! Reports made by hand: the errors are invented, the shape is that of real tables.

use actforge_reports::plot::{Front, FrontPoint, ReferencePoint};
use actforge_reports::report::{
    BucketReport, Extreme, FunctionReport, GroupReport, Metrics, OctaveReport, Report,
    SCHEMA_VERSION, Seams, Violations, Witness,
};

/// The shape of one side of a table.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub(crate) negative: bool,
    /// Exponent of the first octave with buckets of its own.
    pub(crate) lowest: i32,
    /// `extract_size` of each octave.
    pub(crate) sizes: &'static [u8],
    /// Bits of the first input of the large region.
    pub(crate) large_from: u32,
}

/// A table, and how wrong it is.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) dtype: &'static str,
    pub(crate) sides: &'static [Side],
    /// The largest error and the floor around an input, given noise from 0 to 1.
    pub(crate) error: fn(f32, f64) -> (f64, f64),
    /// Whether the rows of buckets name the first side only, as with a fold.
    pub(crate) folded: bool,
}

/// Upper edges of the histogram.
const EDGES: [f64; 4] = [0.0, 0.25, 0.5, 1.0];

/// A report of tables.
pub(crate) fn report(tables: &[Table]) -> Report {
    Report {
        schema_version: SCHEMA_VERSION,
        set: "core".to_owned(),
        set_sha256: None,
        target: "cayman".to_owned(),
        datapath: "fma".to_owned(),
        metrics: Metrics::default(),
        functions: tables.iter().map(function).collect(),
    }
}

fn function(table: &Table) -> FunctionReport {
    let mut rows = Vec::new();
    let mut octaves = Vec::new();
    for (k, side) in table.sides.iter().enumerate() {
        let side_rows = side_rows(table, side, rows.len() as u32);
        octaves.extend(side_octaves(side, &side_rows));
        if k == 0 || !table.folded {
            rows.extend(side_rows);
        }
    }
    let groups = || rows.iter().map(|row| &row.group);
    let worst = groups()
        .max_by(|a, b| a.max_ulp.unwrap().total_cmp(&b.max_ulp.unwrap()))
        .unwrap()
        .clone();
    let buckets = rows.len() as u32;
    FunctionReport {
        name: table.name.to_owned(),
        func_id: 7,
        dtype: table.dtype.to_owned(),
        input_dtype: "fp32".to_owned(),
        inputs: 1 << 32,
        definition: None,
        range: None,
        max_ulp: worst.max_ulp,
        max_ulp_at: worst.max_ulp_at,
        lower_bound_ulp: rows
            .iter()
            .filter_map(|row| row.lower_bound_ulp)
            .reduce(f64::max),
        max_steps: 1,
        max_steps_at: None,
        mean_ulp: groups().map(|group| group.mean_ulp).sum::<f64>() / f64::from(buckets),
        error_sum: "0".to_owned(),
        correctly_rounded: groups().map(|group| group.correctly_rounded).sum::<f64>()
            / f64::from(buckets),
        max_absolute: None,
        max_relative: None,
        buckets,
        control_words: table.sides.iter().map(|side| side.sizes.len() as u32).sum(),
        histogram_edges: EDGES.to_vec(),
        histogram: vec![1 << 20, 1 << 31, 1 << 30, 5, 0],
        violations: Violations::default(),
        subnormal_results: group(&Truth {
            first: 1,
            last: 0x7f_ffff,
            max: 0.5,
            mean: 0.25,
        }),
        saturation: Vec::new(),
        seams: Seams::default(),
        octaves,
        bucket_rows: rows,
        special: Vec::new(),
        reference_bound_ulp: 1e-8,
        decided_in_mpfr: 0,
        weighted: None,
        seconds: None,
    }
}

fn side_rows(table: &Table, side: &Side, first_index: u32) -> Vec<BucketReport> {
    let sign = u32::from(side.negative) << 31;
    let mut cuts: Vec<(u32, Option<&str>)> = Vec::new();
    let [small, large] = if side.negative {
        ["small_neg", "large_neg"]
    } else {
        ["small_pos", "large_pos"]
    };
    if !side.sizes.is_empty() {
        cuts.push((1, Some(small)));
    }
    for (exponent, size) in (side.lowest..).zip(side.sizes) {
        for k in 0..1_u32 << size {
            let bits = (((exponent + 127) as u32) << 23) + (k << (23 - size));
            if bits < side.large_from {
                cuts.push((bits, None));
            }
        }
    }
    cuts.push((side.large_from, Some(large)));
    let mut rows = Vec::new();
    for (k, (first, region)) in cuts.iter().enumerate() {
        let last = cuts.get(k + 1).map_or(0x7f7f_ffff, |next| next.0 - 1);
        let middle = f32::from_bits(sign | (first + (last - first) / 2));
        let (max, floor) = (table.error)(middle, noise(sign | first));
        let mean = max.min(0.25 + 0.1 * (max - 0.5).max(0.0));
        rows.push(BucketReport {
            index: first_index + k as u32,
            region: region.map(str::to_owned),
            reached: Some([hex(sign | first), hex(sign | last)]),
            lower_bound_ulp: (floor > 0.0).then_some(floor),
            max_absolute: Some(Extreme {
                error: max * 2.0_f64.powi(-24) * f64::from(middle.abs()).min(1.0),
                at: hex(sign | first),
            }),
            group: group(&Truth {
                first: sign | first,
                last: sign | last,
                max,
                mean,
            }),
        });
    }
    rows
}

fn side_octaves(side: &Side, rows: &[BucketReport]) -> Vec<OctaveReport> {
    let sign = u32::from(side.negative) << 31;
    (-127..=127)
        .map(|exponent| {
            let first = (((exponent + 127) as u32) << 23).max(1);
            let last = ((exponent + 128) as u32) * (1 << 23) - 1;
            let touching = |row: &&BucketReport| {
                let [from, to] = row
                    .reached
                    .clone()
                    .unwrap()
                    .map(|bits| unhex(&bits) & 0x7fff_ffff);
                from <= last && first <= to
            };
            let worst = rows
                .iter()
                .filter(touching)
                .map(|row| row.group.max_ulp.unwrap())
                .fold(0.0, f64::max);
            OctaveReport {
                negative: side.negative,
                exponent,
                buckets: rows.iter().filter(touching).count() as u32,
                lower_bound_ulp: None,
                non_monotone: 0,
                group: group(&Truth {
                    first: sign | first,
                    last: sign | last,
                    max: worst,
                    mean: worst / 2.0,
                }),
            }
        })
        .collect()
}

struct Truth {
    first: u32,
    last: u32,
    max: f64,
    mean: f64,
}

fn group(truth: &Truth) -> GroupReport {
    let middle = truth.first + (truth.last - truth.first) / 2;
    GroupReport {
        inputs: u64::from(truth.last - truth.first) + 1,
        max_ulp: Some(truth.max),
        max_ulp_at: Some(Witness {
            bits: hex(middle),
            value: format!("{:?}", f32::from_bits(middle)),
            got: hex(0x3f00_0001),
            want: hex(0x3f00_0000),
        }),
        mean_ulp: truth.mean,
        correctly_rounded: (1.2 - truth.max / 3.0).clamp(0.0, 1.0),
    }
}

fn hex(bits: u32) -> String {
    format!("{bits:#010x}")
}

fn unhex(text: &str) -> u32 {
    u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

fn noise(seed: u32) -> f64 {
    let mixed = (seed ^ (seed >> 15)).wrapping_mul(0x2c1b_3c6d);
    let mixed = (mixed ^ (mixed >> 12)).wrapping_mul(0x297a_2d39);
    f64::from(mixed ^ (mixed >> 15)) / 4_294_967_296.0
}

const fn side(negative: bool, lowest: i32, sizes: &'static [u8], large_from: u32) -> Side {
    Side {
        negative,
        lowest,
        sizes,
        large_from,
    }
}

/// An odd function that is as good as its floor.
pub(crate) const TANH: Table = Table {
    name: "tanh",
    dtype: "fp32",
    sides: &[
        side(
            false,
            -12,
            &[0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 5, 5, 5],
            0x4110_2cb4,
        ),
        side(
            true,
            -12,
            &[0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 5, 5, 5],
            0x4110_2cb4,
        ),
    ],
    error: |x, noise| {
        let x = f64::from(x.abs());
        let floor = 0.5 + 0.085 * (-(x.log2() + 2.0).powi(2) / 18.0).exp();
        if x > 9.0 {
            (0.5, 0.5)
        } else {
            (floor + 0.002 + 0.015 * noise, floor)
        }
    },
    folded: true,
};

/// About two thousand buckets, with errors of a few ulp.
pub(crate) const EXP: Table = Table {
    name: "exp",
    dtype: "fp32",
    sides: &[
        side(true, -4, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9], 0x42ce_ff00),
        side(false, -4, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9], 0x42b1_7218),
    ],
    error: |x, noise| {
        let wave = 0.5 + 0.5 * f64::from(x * std::f32::consts::LOG2_E).fract();
        let floor = 0.5 + 1.3 * wave * wave * (f64::from(x.abs()) / 8.0).min(1.0);
        (floor + 0.01 + 0.05 * noise, floor)
    },
    folded: false,
};

/// The quality of tables that are expansions rounded.
pub(crate) const STOCK_EXP: Table = Table {
    name: "exp_stock",
    dtype: "fp32",
    sides: &[
        side(
            true,
            -19,
            &[
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
            ],
            0x42c2_df1b,
        ),
        side(
            false,
            -19,
            &[
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
            ],
            0x42b1_7218,
        ),
    ],
    error: |x, noise| {
        let x = f64::from(x.abs());
        if x > 88.0 {
            (0.0, 0.0)
        } else {
            (
                1.0 + 189.0 * (x / 80.0).min(1.0).powi(2) * (0.4 + 0.6 * noise),
                0.0,
            )
        }
    },
    folded: false,
};

/// No octaves: two regions serve all inputs, without any error.
pub(crate) const RELU: Table = Table {
    name: "relu",
    dtype: "fp32",
    sides: &[side(true, 0, &[], 1), side(false, 0, &[], 1)],
    error: |_, _| (0.0, 0.0),
    folded: false,
};

/// Positive inputs only.
pub(crate) const LOG: Table = Table {
    name: "log",
    dtype: "bf16",
    sides: &[side(
        false,
        -8,
        &[2, 2, 2, 3, 3, 4, 5, 6, 6, 5, 4, 3, 3, 2, 2, 2],
        0x4380_0000,
    )],
    error: |x, noise| (0.5 + 0.01 * noise * f64::from(x.ln().abs()).min(1.0), 0.501),
    folded: false,
};

/// Two buckets, two octaves and a small region: a report short enough to compare by eye.
pub(crate) fn small_report() -> Report {
    let row = |index: u32, region: Option<&str>, first: u32, last: u32| BucketReport {
        index,
        region: region.map(str::to_owned),
        reached: Some([hex(first), hex(last)]),
        lower_bound_ulp: Some(0.58),
        max_absolute: None,
        group: small_group(u64::from(last - first) + 1),
    };
    let octave = |negative: bool| OctaveReport {
        negative,
        exponent: 0,
        buckets: 2,
        lower_bound_ulp: Some(0.58),
        non_monotone: 3,
        group: small_group(1 << 23),
    };
    let mut report = report(&[TANH]);
    let function = &mut report.functions[0];
    function.octaves = vec![octave(true), octave(false)];
    function.bucket_rows = vec![
        row(10, None, 0xbf80_0000, 0xbfbf_ffff),
        row(11, None, 0xbfc0_0000, 0xbfff_ffff),
        row(12, Some("small_pos"), 1, 0x3f7f_ffff),
    ];
    report
}

fn small_group(inputs: u64) -> GroupReport {
    GroupReport {
        inputs,
        max_ulp: Some(0.6),
        max_ulp_at: Some(Witness {
            bits: "0xbfa00000".to_owned(),
            value: "-1.25".to_owned(),
            got: "0xbf000001".to_owned(),
            want: "0xbf000000".to_owned(),
        }),
        mean_ulp: 0.25,
        correctly_rounded: 0.97,
    }
}

/// Fronts of four functions.
pub(crate) fn fronts() -> Vec<Front> {
    let front = |name: &str, points: &[(u32, f64)], reference_points: &[(&str, u32, f64)]| Front {
        name: name.to_owned(),
        dtype: "fp32".to_owned(),
        points: points
            .iter()
            .map(|&(buckets, error)| FrontPoint {
                buckets,
                control_words: 20,
                max_ulp: error + 0.5,
                lower_bound_ulp: Some(error * 0.96 + 0.5),
            })
            .collect(),
        reference_points: reference_points
            .iter()
            .map(|&(label, buckets, max_ulp)| ReferencePoint {
                label: label.to_owned(),
                buckets,
                max_ulp,
            })
            .collect(),
    };
    vec![
        front(
            "tanh",
            &[
                (51, 64.0),
                (58, 16.0),
                (82, 2.0),
                (89, 1.0),
                (121, 0.5),
                (138, 0.1),
            ],
            &[("stock tanh", 108, 5.8)],
        ),
        front(
            "exp",
            &[
                (160, 2000.0),
                (310, 900.0),
                (420, 250.0),
                (825, 64.0),
                (1592, 16.0),
                (1594, 2.0),
                (3134, 0.1),
            ],
            &[
                ("stock exp", 777, 190.0),
                ("stock layout, refitted", 777, 22.5),
            ],
        ),
        front(
            "sigmoid",
            &[
                (240, 300.0),
                (488, 64.0),
                (895, 16.0),
                (932, 2.0),
                (1741, 1.0),
                (1765, 0.5),
                (1810, 0.1),
            ],
            &[],
        ),
        front(
            "gelu",
            &[
                (320, 400.0),
                (638, 64.0),
                (776, 16.0),
                (1240, 2.0),
                (1510, 1.0),
                (2392, 0.5),
                (2437, 0.1),
            ],
            &[],
        ),
    ]
}
