//! The searches that name an input in a verdict find what a plain loop finds, and count what the replay counts.

use actforge_engine::{EngineConfig, Function as Table};
use actforge_reference::{Format, Monotone, lookup};
use actforge_reports::{Probe, ReplayOptions, replay};
use actforge_tables::{Datapath, FunctionSet};
use actforge_tests::samples;

/// A stretch that several octaves and buckets serve, on both sides of zero.
const RANGE: [f32; 2] = [-1.001, 1.001];

/// The larger part of it that a plain loop gets through.
fn inputs() -> impl Iterator<Item = u32> {
    let positive = 0.9_f32.to_bits()..=RANGE[1].to_bits();
    positive.clone().chain(positive.map(|bits| bits | 1 << 31))
}

/// A set whose buckets are all a little off, each by another amount, so that there are steps back where they meet.
fn faulty(name: &str) -> FunctionSet {
    let mut set = samples::set(&[name], Datapath::Fma).unwrap();
    for (place, bucket) in set.buckets.iter_mut().enumerate() {
        bucket.d[0] *= 1.0 + [0.01, -0.01, 0.0][place % 3];
    }
    set
}

fn options(range: [f32; 2], output: Format) -> ReplayOptions {
    ReplayOptions {
        range: Some(range),
        output: Some(output),
        ..ReplayOptions::default()
    }
}

#[test]
fn results_outside_of_bounds_are_those_of_a_plain_loop() {
    for output in [Format::Fp32, Format::Bf16] {
        let set = faulty("tanh");
        let entry = set.function("tanh").unwrap();
        let table = Table::from_set(&set, entry, EngineConfig::default()).unwrap();
        let result = |bits: u32| output.round_f32(table.eval(f32::from_bits(bits)));
        // Bounds that only inputs of the loop exceed.
        let [low, high] = [-0.74, 0.745];
        let outside: Vec<u32> = inputs()
            .filter(|bits| !(low..=high).contains(&result(*bits)))
            .collect();
        let probe = Probe::new(&set, "tanh", &options(RANGE, output)).unwrap();
        let found = probe.outside(low, high);
        assert!(!outside.is_empty());
        assert_eq!(
            (found.count, found.first),
            (outside.len() as u64, outside.first().copied())
        );
        assert_eq!(probe.outside(-10.0, 10.0).first, None);
    }
}

#[test]
fn the_first_step_back_is_in_an_octave_that_the_replay_counts() {
    for name in ["tanh", "exp", "gelu"] {
        let set = faulty(name);
        let range = [0.9, 4.0];
        let options = options(range, Format::Fp32);
        let report = replay(&set, &options, &|_| {}).unwrap().functions.remove(0);
        assert!(report.violations.non_monotone > 0, "{name}");
        let octaves: Vec<(bool, i32)> = report
            .octaves
            .iter()
            .filter(|row| row.non_monotone > 0)
            .map(|row| (row.negative, row.exponent))
            .collect();
        let probe = Probe::new(&set, name, &options).unwrap();
        let found = probe.first_step_back(&octaves).unwrap();
        let function = lookup(name).unwrap().function();
        let first = (range[0].to_bits() + 1..=range[1].to_bits()).find(|bits| {
            let [before, x] = [bits - 1, *bits].map(f32::from_bits);
            assert_eq!(function.direction(x), Some(Monotone::Rising));
            probe.result(x) < probe.result(before)
        });
        assert_eq!(Some(found), first, "{name}");
        assert_eq!(probe.first_step_back(&[]), None);
    }
}

#[test]
fn the_first_asymmetric_input_is_found() {
    let mut set = samples::set(&["abs"], Datapath::Fma).unwrap();
    let range = [-1e-30_f32, 1e-30];
    let options = options(range, Format::Fp32);
    let sound = Probe::new(&set, "abs", &options).unwrap();
    assert_eq!(sound.first_asymmetric(), None);
    // The slope of the negative side is a little steeper: no difference among the least subnormals.
    let [_, negative, ..] = set.function("abs").unwrap().saturation;
    set.buckets[negative].d[1] *= 1.001;
    let probe = Probe::new(&set, "abs", &options).unwrap();
    let first = (1..1_u32 << 20).find(|bits| {
        let x = f32::from_bits(*bits);
        probe.result(x) != probe.result(-x)
    });
    assert!(first > Some(100));
    assert_eq!(probe.first_asymmetric(), first);
    let report = replay(&set, &options, &|_| {}).unwrap().functions.remove(0);
    assert!(report.violations.asymmetric > 0);
}

#[test]
fn narrow_inputs_are_searched_too() {
    let set = faulty("tanh");
    let options = ReplayOptions {
        input: Format::Bf16,
        ..ReplayOptions::default()
    };
    let probe = Probe::new(&set, "tanh", &options).unwrap();
    let found = probe.outside(-0.5, 0.5);
    let outside: Vec<f32> = (0..1_u32 << 16)
        .map(|code| Format::Bf16.from_bits(code))
        .filter(|x| x.is_finite() && !(-0.5..=0.5).contains(&probe.result(*x)))
        .collect();
    assert_eq!(found.count, outside.len() as u64);
    let least = outside.iter().map(|x| x.to_bits()).min();
    assert_eq!(found.first, least);
}
