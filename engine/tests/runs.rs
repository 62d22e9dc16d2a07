//! Runs cover every input exactly once and say what the engine does there.

mod support;

use actforge_engine::{EngineConfig, Function, Route, Run};
use actforge_tables::Datapath;
use proptest::prelude::*;
use support::random;

/// Checks a function's runs against one-input-at-a-time evaluation; gives their number.
fn check(function: &Function<'_>, inside: &[u32]) -> usize {
    let mut next = 0_u64;
    let mut previous: Option<Run> = None;
    let mut count = 0;
    for run in function.runs() {
        assert_eq!(u64::from(run.first), next, "no gap, no overlap");
        assert!(run.first <= run.last);
        assert_eq!(run.first >> 31, run.last >> 31, "one sign");
        assert_eq!(run.inputs(), u64::from(run.last) - u64::from(run.first) + 1);
        if let Some(previous) = previous {
            let same = previous.route == run.route;
            assert!(
                !same || run.first == 1 << 31,
                "{previous:?} {run:?} are one run"
            );
        }
        let kernel = function.run_kernel(&run.route);
        let offsets = inside.iter().map(|r| (u64::from(*r) % run.inputs()) as u32);
        for offset in [0, run.last - run.first].into_iter().chain(offsets) {
            let bits = run.first + offset;
            let v = f32::from_bits(bits);
            let trace = function.trace(v);
            assert_eq!(trace.route, run.route, "{bits:#010x}");
            assert_eq!(trace.result.to_bits(), function.eval(v).to_bits());
            let mut out = [0.0];
            kernel.eval(bits, &mut out);
            assert_eq!(out[0].to_bits(), trace.result.to_bits(), "{bits:#010x}");
        }
        next = u64::from(run.last) + 1;
        previous = Some(run);
        count += 1;
    }
    assert_eq!(next, 1 << 32, "every input");
    count
}

#[test]
fn samples() {
    // Per sign: zero, small, octaves' buckets, large, infinity, NaNs.
    for (name, sample, runs) in [
        ("exp", support::exp(), 777 + 2 * 5),
        ("relu", support::relu(), 2 * 4),
        ("bypass", support::bypass(), 2),
    ] {
        for datapath in Datapath::ALL {
            let function = sample.function(datapath).expect("valid");
            assert_eq!(check(&function, &[1, 12_345, 0x7654_3210]), runs, "{name}");
        }
    }
    for sample in [support::tanh(), support::sigmoid()] {
        let function = sample.function(Datapath::Fma).expect("valid");
        let buckets = sample.buckets.len() - 2;
        assert_eq!(check(&function, &[3, 77_777]), 2 * (buckets + 5));
        let reflected = |run: &Run| matches!(run.route, Route::Cubic { unfold: true, .. });
        let inputs: u64 = function
            .runs()
            .filter(reflected)
            .map(|run| run.inputs())
            .sum();
        assert_eq!(inputs, 0x7f7f_ffff, "half of the finite inputs but zero");
    }
}

/// The dialect without a NaN branch and flushing both move the ends of runs.
#[test]
fn configurations() {
    for nan_branch in [false, true] {
        for flush_subnormals in [false, true] {
            for sample in [support::exp(), support::sigmoid(), support::relu()] {
                let config = EngineConfig {
                    nan_branch,
                    flush_subnormals,
                    ..EngineConfig::default()
                };
                let function = sample.function(config).expect("valid");
                check(&function, &[1, 0x40_0000, 0x1234_5678]);
                let zeros = function.runs().find(|run| run.route == Route::Zero);
                let last = if flush_subnormals { 0x007f_ffff } else { 0 };
                assert_eq!(zeros.map(|run| run.last), Some(last));
                assert_eq!(
                    nan_branch,
                    function.runs().any(|run| run.route == Route::Nan)
                );
            }
        }
    }
}

/// A field below the top of the mantissa repeats within the octave.
#[test]
fn a_field_anywhere_in_the_mantissa() {
    let mut sample = support::exp();
    let word = &mut sample.control[26];
    (word.lsb, word.size) = (20, 1);
    let function = sample.function(Datapath::Fma).expect("valid");
    check(&function, &[5]);
    let octave = |run: &Run| matches!(run.route, Route::Cubic { octave: Some(-19), unfold: false, .. } if run.first >> 31 == 0);
    let runs: Vec<Run> = function.runs().filter(octave).collect();
    // The first input of the octave belongs to the small region.
    assert_eq!(runs.len(), 8);
    assert_eq!(
        (runs[0].first, runs[0].last),
        (108 << 23 | 1, 108 << 23 | 0xf_ffff)
    );
    assert_eq!(runs[1].inputs(), 1 << 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_functions(sample in random::sample(), flush_subnormals: bool,
                        inside in prop::collection::vec(any::<u32>(), 2)) {
        let config = EngineConfig { flush_subnormals, ..EngineConfig::default() };
        check(&sample.function(config).expect("valid"), &inside);
    }
}
