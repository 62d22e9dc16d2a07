//! The sweep against a plain loop that asks MPFR about every input.

use actforge_reference::{Format, Parity};
use actforge_reports::report::{FunctionReport, GroupReport};
use actforge_reports::{ReplayOptions, judge_inputs, replay};
use actforge_tables::Datapath;
use actforge_tests::plain::{EDGES, Group, Plain, Slow};
use actforge_tests::random::Random;
use actforge_tests::samples;

/// Inputs around which tables, formats and references change: bits of the middle input.
const PLACES: &[(&str, &[u32])] = &[
    // The overflow edge, the subnormal and the vanishing results, 1 + x near a tie, seams, the small region.
    (
        "exp",
        &[
            0x42b1_7218,
            0xc2ae_ac50,
            0xc2cf_f1b5,
            0x3380_0000,
            0xb300_0000,
            0x4000_0000,
            0x4020_0000,
            0x3c80_0000,
            0,
        ],
    ),
    (
        "sigmoid",
        &[
            0xc2ae_ac50,
            0xc2d0_0000,
            0x4185_1592,
            0x3300_0000,
            0x3c80_0000,
            0xc000_0000,
            0,
        ],
    ),
    (
        "tanh",
        &[
            0x4110_2cb4,
            0x3980_0000,
            0x39dd_b3d7,
            0xbf80_0000,
            0x0080_0000,
            0,
        ],
    ),
    // The large regions, the turn, the small region, x / 2 among the subnormals.
    (
        "gelu",
        &[
            0x40b0_0000,
            0xc168_0000,
            0xbf40_7569,
            0x3b80_0000,
            0xc0b0_0000,
            0x0080_0000,
            0x8100_0000,
            0,
        ],
    ),
    (
        "silu",
        &[
            0x418c_0000,
            0xc2d4_0000,
            0xbfa3_a4ba,
            0x3b80_0000,
            0xc2ae_0000,
            0x0080_0000,
            0x8100_0000,
            0,
        ],
    ),
    (
        "sqrt",
        &[0x3f80_0000, 0x7f7f_f000, 0x0080_0000, 0xbf80_0000, 0],
    ),
    ("softplus", &[0x4188_0000, 0xc2d0_0000, 0x3c80_0000, 0]),
    // pi, where the natural range ends, and the turn.
    (
        "sin",
        &[0x4049_0fda, 0x3fc9_0fdb, 0xbfc9_0fdb, 0x3c00_0000, 0],
    ),
    // Where squares become subnormal, and where they overflow.
    (
        "square",
        &[0x3f80_0000, 0x1fff_ffff, 0x1a35_04f3, 0x5f80_0000],
    ),
    ("abs", &[0x3f80_0000, 0]),
    ("relu", &[0x3f80_0000, 0]),
    (
        "derivative_silu",
        &[0x4019_8f04, 0xc019_8f04, 0x41a0_0000, 0xc2d8_0000, 0],
    ),
];

/// Places where narrower formats overflow, go subnormal or vanish.
const NARROW_PLACES: &[(&str, &[u32])] = &[
    (
        "exp",
        &[
            0x4131_7038,
            0xc11b_4000,
            0xc18a_9f00,
            0x40b0_6a00,
            0xc085_1592,
            0xc0dd_b3d7,
        ],
    ),
    ("sigmoid", &[0xc11b_4000, 0xc18a_9f00, 0x4108_0000]),
    ("tanh", &[0x3f80_0000, 0x3880_0000, 0x4080_0000]),
    (
        "gelu",
        &[0xbf40_7569, 0xc080_0000, 0x3880_0000, 0x477f_e000],
    ),
    ("silu", &[0xbfa3_a4ba, 0xc180_0000, 0x4380_0000]),
    ("square", &[0x437f_f000, 0x3f80_0000, 0x3c00_0000]),
];

/// The inputs around a place: a contiguous range, across zero when the place is zero.
fn range_around(bits: u32, reach: u32) -> [f32; 2] {
    if bits == 0 {
        return [-f32::from_bits(reach), f32::from_bits(reach)];
    }
    let sign = bits & 0x8000_0000;
    let magnitude = bits & 0x7fff_ffff;
    let least = magnitude.saturating_sub(reach).max(1);
    let greatest = (magnitude + reach).min(f32::MAX.to_bits());
    let [near, far] = [least, greatest].map(|magnitude| f32::from_bits(sign | magnitude));
    if sign == 0 { [near, far] } else { [far, near] }
}

fn millionths(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn close(left: f64, right: f64, relative: f64) -> bool {
    left == right || (left - right).abs() <= relative * left.abs().max(right.abs())
}

/// Compares a group of the report with the same group done the slow way.
fn compare_group(what: &str, got: &GroupReport, want: &Group, uncertainty: f64) {
    assert_eq!(got.inputs, want.inputs, "{what}: inputs");
    let largest = got.max_ulp.unwrap_or(f64::INFINITY);
    // The maximum is printed to a millionth, and that digit is right.
    let exact = if want.worst < 1e9 {
        millionths(want.worst)
    } else {
        want.worst
    };
    assert!(
        close(largest, exact, 1e-12),
        "{what}: {largest} {}",
        want.worst
    );
    if want.worst < 1e12 {
        let mean = want.sum / want.inputs.max(1) as f64;
        let tolerance = 1e-6 + uncertainty + 1e-9 * mean;
        assert!(
            (got.mean_ulp - mean).abs() <= tolerance,
            "{what}: mean {} {mean}",
            got.mean_ulp
        );
    }
    let incorrect = (1.0 - got.correctly_rounded) * got.inputs as f64;
    assert_eq!(
        incorrect.round() as u64,
        want.incorrect,
        "{what}: incorrect"
    );
}

fn compare(what: &str, report: &FunctionReport, plain: &Plain, uncertainty: f64) {
    let special: u64 = report.special.iter().map(|special| special.inputs).sum();
    // The plain loop asks for the zeros, too.
    let special = special - 2;
    assert!(
        report.special.iter().all(|special| special.ok),
        "{what}: specials"
    );
    assert_eq!(report.inputs, plain.all.inputs + special, "{what}: inputs");
    let whole = GroupReport {
        inputs: plain.all.inputs,
        max_ulp: report.max_ulp,
        max_ulp_at: None,
        mean_ulp: report.mean_ulp * report.inputs as f64 / plain.all.inputs as f64,
        correctly_rounded: 1.0
            - (1.0 - report.correctly_rounded) * report.inputs as f64 / plain.all.inputs as f64,
    };
    // The mean is rounded before it is scaled back from all inputs to these.
    let rounding = 1e-6 * report.inputs as f64 / plain.all.inputs as f64;
    compare_group(what, &whole, &plain.all, uncertainty + rounding);
    if plain.all.worst < 1e9 {
        let sum: f64 = report.error_sum.parse::<f64>().unwrap() / 2.0_f64.powi(24);
        let tolerance = plain.all.inputs as f64 * (uncertainty + 2.0_f64.powi(-24)) + 1e-9 * sum;
        assert!(
            (sum - plain.all.sum).abs() <= tolerance,
            "{what}: sum {sum} {}",
            plain.all.sum
        );
    }
    compare_group(
        &format!("{what} subnormal results"),
        &report.subnormal_results,
        &plain.subnormal,
        uncertainty,
    );

    let octaves: Vec<_> = report
        .octaves
        .iter()
        .filter(|octave| octave.group.inputs > 0)
        .collect();
    assert_eq!(octaves.len(), plain.octaves.len(), "{what}: octaves");
    for octave in octaves {
        let key = (octave.negative, octave.exponent);
        compare_group(
            &format!("{what} octave {key:?}"),
            &octave.group,
            &plain.octaves[&key],
            uncertainty,
        );
    }
    let buckets: Vec<_> = report
        .bucket_rows
        .iter()
        .filter(|bucket| bucket.group.inputs > 0)
        .collect();
    assert_eq!(buckets.len(), plain.buckets.len(), "{what}: buckets");
    for bucket in buckets {
        let key = bucket.index;
        compare_group(
            &format!("{what} bucket {key}"),
            &bucket.group,
            &plain.buckets[&key],
            uncertainty,
        );
    }

    assert_eq!(report.histogram_edges, EDGES, "{what}");
    assert_eq!(
        report.histogram.iter().sum::<u64>(),
        report.inputs,
        "{what}: histogram"
    );
    let mut above = report.inputs;
    for (k, edge) in EDGES.iter().enumerate() {
        above -= report.histogram[k];
        let open = if *edge == 0.5 { 0 } else { plain.near[k] };
        assert!(
            above.abs_diff(plain.above[k]) <= open,
            "{what}: {above} errors above {edge}, not {} (of which {open} are too close to tell)",
            plain.above[k]
        );
    }
    assert_eq!(report.max_steps, plain.most_steps, "{what}: steps");
    let absolute = report
        .max_absolute
        .as_ref()
        .map_or(0.0, |extreme| extreme.error);
    let relative = report
        .max_relative
        .as_ref()
        .map_or(0.0, |extreme| extreme.error);
    // The uncertainty is one of ulps, in whichever octave the largest lies.
    let octaves = plain.octaves.values().map(|octave| octave.worst);
    let least_worst = octaves
        .filter(|worst| *worst > 0.0)
        .fold(f64::INFINITY, f64::min);
    let tolerance = 1e-9 + 2.0 * uncertainty / least_worst;
    assert!(
        close(absolute, plain.absolute, tolerance),
        "{what}: absolute {absolute} {}",
        plain.absolute
    );
    assert!(
        close(relative, plain.relative, tolerance),
        "{what}: relative {relative} {}",
        plain.relative
    );
    let violations = &report.violations;
    let kinds = [
        ("nan", violations.nan_results, plain.nan_results),
        (
            "infinite",
            violations.infinite_results,
            plain.infinite_results,
        ),
        ("range", violations.out_of_range, plain.out_of_range),
        ("sign", violations.wrong_sign, plain.wrong_sign),
        ("zero sign", violations.zero_sign, plain.zero_sign),
        ("monotone", violations.non_monotone, plain.non_monotone),
    ];
    for (kind, got, want) in kinds {
        assert_eq!(got, want, "{what}: {kind}");
    }
}

/// Replays a range of one sample both ways.
fn check(name: &str, range: [f32; 2], datapath: Datapath, format: Format) {
    let set = samples::narrowed(name, range, datapath);
    let options = ReplayOptions {
        output: Some(format),
        ..ReplayOptions::default()
    };
    let report = replay(&set, &options, &|_| {}).unwrap();
    let report = &report.functions[0];
    let slow = Slow::new(&set, name, format);
    let function = actforge_reference::lookup(name).unwrap().function();
    let [mut low, mut high] = range;
    if let Some((least, greatest)) = function.natural_range() {
        (low, high) = (low.max(least), high.min(greatest));
    }
    let uncertainty = report.reference_bound_ulp;
    let mut inputs = Slow::inputs_between(low, high);
    // A range to one side of zero stands for both where one is the mirror image of the other.
    let is_mirrored = matches!(function.parity(), Parity::Odd | Parity::Even);
    if is_mirrored && (low > 0.0 || high < 0.0) {
        inputs.extend(Slow::inputs_between(-high, -low));
        // Positive inputs first, as a replay takes them.
        inputs.sort_unstable();
    }
    let plain = slow.replay(&inputs, uncertainty);
    let what = format!("{name} [{low:e}, {high:e}] {datapath} {format}");
    compare(&what, report, &plain, uncertainty);
}

#[test]
fn ranges_agree_in_every_statistic() {
    for (name, places) in PLACES {
        for place in *places {
            check(
                name,
                range_around(*place, 1500),
                Datapath::Fma,
                Format::Fp32,
            );
        }
    }
}

#[test]
fn narrow_formats_agree_in_every_statistic() {
    for format in [Format::Bf16, Format::Fp16, Format::Fp8E4M3, Format::Fp8E5M2] {
        for (name, places) in PLACES.iter().chain(NARROW_PLACES) {
            for place in *places {
                check(name, range_around(*place, 300), Datapath::Fma, format);
            }
        }
    }
}

#[test]
fn every_datapath_agrees() {
    for datapath in [Datapath::MulAdd, Datapath::Estrin, Datapath::Mixed] {
        for (name, places) in PLACES {
            for place in *places {
                check(name, range_around(*place, 200), datapath, Format::Fp32);
            }
        }
    }
}

/// Single inputs, as the sweep judges them, against MPFR.
fn check_inputs(name: &str, inputs: &[u32]) {
    let set = samples::set(&[name], Datapath::Fma).unwrap();
    let judgements = judge_inputs(&set, name, &ReplayOptions::default(), inputs).unwrap();
    assert!(
        judgements.len() > inputs.len() / 2,
        "{name}: too few inputs were judged"
    );
    let slow = Slow::new(&set, name, Format::Fp32);
    for judgement in judgements {
        let single = slow.judge(judgement.bits);
        let what = format!("{name} {:#010x}", judgement.bits);
        assert_eq!(
            judgement.result.to_bits(),
            single.result.to_bits(),
            "{what}"
        );
        assert!(
            (judgement.error - single.error).abs() <= judgement.uncertainty + 1e-12 * single.error
                || judgement.error == single.error,
            "{what}: {} {} {}",
            judgement.error,
            single.error,
            judgement.uncertainty
        );
        assert_eq!(judgement.correctly_rounded, single.is_right(), "{what}");
        assert_eq!(judgement.steps, single.steps, "{what}");
    }
}

/// Half of the inputs are random bits, the other half lie where activations are used.
fn random_inputs(count: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let finite = |bits: &u32| f32::from_bits(*bits).is_finite() && *bits << 1 != 0;
    let mut inputs: Vec<u32> = (0..count / 2).map(|_| random.bits()).collect();
    inputs.extend((0..count.div_ceil(2)).map(|_| random.between(-20.0, 20.0).to_bits()));
    inputs.retain(finite);
    inputs
}

#[test]
fn random_inputs_agree_one_by_one() {
    for (k, name) in samples::FIVE.iter().enumerate() {
        check_inputs(name, &random_inputs(20_000, k as u64));
    }
}

/// As the test above, a million inputs a function: `cargo test --release --test sweep_against_mpfr -- --ignored`.
#[test]
#[ignore = "minutes long: a million MPFR evaluations for each of five functions"]
fn a_million_random_inputs_agree_one_by_one() {
    for (k, name) in samples::FIVE.iter().enumerate() {
        check_inputs(name, &random_inputs(1_000_000, 100 + k as u64));
    }
}

#[test]
fn bucket_ends_agree_one_by_one() {
    for name in samples::NAMES {
        let set = samples::set(&[name], Datapath::Fma).unwrap();
        let entry = set.function(name).unwrap();
        let table = actforge_engine::Function::from_set(&set, entry, Datapath::Fma.into()).unwrap();
        let ends: Vec<u32> = table
            .runs()
            .flat_map(|run| {
                [
                    run.first,
                    run.last,
                    run.first + 1,
                    run.last.saturating_sub(1),
                ]
            })
            .filter(|bits| f32::from_bits(*bits).is_finite() && *bits << 1 != 0)
            .collect();
        // The natural range of the sine leaves out most of its large region.
        check_inputs(name, &ends);
    }
}
