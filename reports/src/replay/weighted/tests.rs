//! Means over a few bins against a plain loop: the scalar engine and MPFR, number by number.

use std::sync::OnceLock;

use actforge_engine::Level;
use actforge_fit::{FunctionRequest, SetRequest, build_set};
use actforge_tables::{Datapath, Target};

use super::*;
use crate::SweepJudge;

/// exp and reciprocal, made for a range, and tanh; built once.
fn set() -> &'static FunctionSet {
    static SET: OnceLock<FunctionSet> = OnceLock::new();
    SET.get_or_init(|| {
        let datapath = Datapath::Fma;
        let function = |name: &str, dtype, max_ulp, range| FunctionRequest {
            dtype,
            max_ulp: Some(max_ulp),
            range,
            ..FunctionRequest::new(name)
        };
        let request = SetRequest {
            name: "weighed".to_owned(),
            target: Target::Cayman,
            datapath,
            functions: vec![
                function("exp", Format::Fp32, 64.0, Some((-8.0, 8.0))),
                function("reciprocal", Format::Bf16, 0.6, Some((0.25, 8.0))),
                function("tanh", Format::Fp32, 64.0, None),
            ],
        };
        let built = build_set(&request, &SweepJudge::new(datapath), &()).unwrap();
        FunctionSet::assemble("weighed", Target::Cayman, datapath, &built.tables).unwrap()
    })
}

/// The values of a type that numbers of a bin round to, ascending.
fn values(format: Format, lowest: f64, highest: f64) -> Vec<f32> {
    let mut values = Vec::new();
    let mut value = format.round_f64(lowest) as f32;
    while f64::from(value) <= format.round_f64(highest) {
        values.push(value);
        value = after(format, value, 1);
    }
    values
}

/// The value `steps` after this one.
fn after(format: Format, value: f32, steps: i32) -> f32 {
    if format == Format::Fp32 {
        return if steps > 0 {
            value.next_up()
        } else {
            value.next_down()
        };
    }
    // bf16: the same 16 bits up.
    let key = |value: f32| {
        let bits = (value.to_bits() >> 16) as i32;
        if bits >> 15 == 1 {
            -(bits & 0x7fff)
        } else {
            bits
        }
    };
    let key = key(value) + steps;
    let bits = if key < 0 { 0x8000 | -key } else { key };
    f32::from_bits((bits as u32) << 16)
}

/// The means and the weight inside, by definition.
fn plainly(subject: &Subject<'_>, bins: &[Bin]) -> (f64, f64, f64) {
    let (mut ulp, mut absolute, mut weight) = (0.0, 0.0, 0.0);
    for bin in bins.iter().filter(|bin| !bin.is_open()) {
        let values = values(subject.input, bin.lower, bin.upper);
        for (k, x) in values.iter().enumerate() {
            if k > 0 && values[k - 1] == *x {
                continue;
            }
            let [before, next] = [-1, 1].map(|steps| after(subject.input, *x, steps));
            let edge = |other: f32| 0.5 * (f64::from(*x) + f64::from(other));
            let width = bin.upper - bin.lower;
            let share = if width == 0.0 {
                1.0
            } else {
                (edge(next).min(bin.upper) - edge(before).max(bin.lower)).max(0.0) / width
            };
            let truth = subject.function.enclose(*x, 100);
            if !subject.is_judged(*x) || !matches!(truth, Truth::Value(_)) {
                continue;
            }
            let result = subject.output.round_f32(subject.table.eval(*x));
            weight += share * bin.count;
            ulp += share * bin.count * ulp_error(subject.output, result, &truth);
            absolute += share * bin.count * (f64::from(result) - truth.to_f64()).abs();
        }
    }
    (ulp / weight, absolute / weight, weight)
}

fn bin(lower: f64, upper: f64, count: f64) -> Bin {
    Bin {
        lower,
        upper,
        count,
    }
}

fn check(set: &FunctionSet, name: &str, options: &ReplayOptions, bins: &[Bin]) -> WeightedReport {
    let subject = Subject::new(set, name, options).unwrap();
    let found = weigh_subject(&subject, bins, &|_| ()).unwrap();
    let (ulp, absolute, weight) = plainly(&subject, bins);
    let near = |found: Option<f64>, expected: f64, within: f64| {
        let found = found.unwrap();
        assert!(
            (found - expected).abs() <= within,
            "{name} {bins:?}: {found} {expected}"
        );
    };
    near(found.mean_ulp, ulp, 1e-6);
    near(found.mean_absolute, absolute, 1e-6 * absolute);
    near(Some(found.inside), weight / found.count, 1e-9);
    assert!((found.inside + found.outside + found.open - 1.0).abs() < 1e-9);
    found
}

#[test]
fn means_are_those_of_a_plain_loop() {
    let set = set();
    let own = ReplayOptions::default();
    let ulp = f64::from(f32::EPSILON);
    // Across powers of two, with ends between numbers, and over many buckets.
    check(
        set,
        "exp",
        &own,
        &[bin(0.999, 1.0003, 3.0), bin(-1.5, -1.4996, 1.0)],
    );
    check(
        set,
        "exp",
        &own,
        &[bin(1.0 - 1.3 * ulp, 1.0 + 2.7 * ulp, 1.0)],
    );
    // Zero, subnormal inputs of both signs, and points.
    let tiny = f64::from(f32::from_bits(1));
    let found = check(
        set,
        "tanh",
        &own,
        &[bin(-300.2 * tiny, 17.0 * tiny, 2.0), bin(0.5, 0.5, 1.0)],
    );
    assert_eq!((found.outside, found.open), (0.0, 0.0));
    check(
        set,
        "exp",
        &own,
        &[bin(0.0, 0.0, 5.0), bin(0.1, 0.1, 1.0), bin(7.0, 7.0, 0.0)],
    );
    // A part of a bin is outside of the range, and all of another.
    let found = check(
        set,
        "exp",
        &own,
        &[bin(7.9998, 8.0001, 3.0), bin(100.0, 100.0, 1.0)],
    );
    assert!((found.outside - 0.5).abs() < 2e-3, "{found:?}");
    // Open bins are told apart.
    let open = bin(9.0, f64::INFINITY, 1.0);
    let found = check(set, "exp", &own, &[bin(1.0, 1.0001, 3.0), open]);
    assert_eq!((found.inside, found.outside, found.open), (0.75, 0.0, 0.25));
    // The mirror image of an odd function is judged, zero and beyond is not.
    check(
        set,
        "reciprocal",
        &own,
        &[
            bin(-1.0001, -1.0, 1.0),
            bin(0.2499, 0.2501, 1.0),
            bin(0.0, 0.0, 1.0),
        ],
    );
}

#[test]
fn narrow_inputs_weigh_by_their_own_spacing() {
    let set = set();
    let narrow = ReplayOptions {
        input: Format::Bf16,
        output: Some(Format::Bf16),
        ..ReplayOptions::default()
    };
    check(
        set,
        "exp",
        &narrow,
        &[
            bin(-7.0, 7.0, 10.0),
            bin(7.001, 9.0, 1.0),
            bin(9.0, 9.0, 1.0),
        ],
    );
    check(set, "reciprocal", &narrow, &[bin(-1.1, 3.3, 1.0)]);
}

#[test]
fn nothing_inside_has_no_mean() {
    let set = set();
    let subject = Subject::new(set, "exp", &ReplayOptions::default()).unwrap();
    for bins in [
        [bin(50.0, 60.0, 2.0)],
        [bin(f64::NEG_INFINITY, 0.0, 1.0)],
        [bin(1e300, 1e308, 1.0)],
    ] {
        let found = weigh_subject(&subject, &bins, &|_| ()).unwrap();
        assert_eq!(
            (found.mean_ulp, found.mean_absolute, found.inside),
            (None, None, 0.0)
        );
        assert_eq!(found.outside + found.open, 1.0);
    }
}

#[test]
fn threads_and_vector_instructions_change_nothing() {
    let set = set();
    let bins = [
        bin(-6.0, -2.0, 1.0),
        bin(-0.03, -0.01, 7.0),
        bin(1.0, 1.5, 2.0),
    ];
    let weigh = |threads: usize, level: Level| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let options = ReplayOptions {
            level: Some(level),
            ..ReplayOptions::default()
        };
        let subject = Subject::new(set, "exp", &options).unwrap();
        pool.install(|| weigh_subject(&subject, &bins, &|_| ()).unwrap())
    };
    let one = weigh(1, Level::PORTABLE);
    assert!(one.mean_ulp.unwrap() > 0.25);
    for level in Level::available() {
        assert_eq!(weigh(3, level), one);
    }
}
