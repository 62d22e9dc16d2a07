//! Every vector path gives the scalar engine's bits.

mod support;

use actforge_engine::{EngineConfig, Function, Kernel, LengthMismatch, Level, RunKernel};
use actforge_tables::Datapath;
use proptest::prelude::*;
use support::random;

/// Both dialects and both ways with subnormals, in a datapath.
fn configs(datapath: Datapath) -> [EngineConfig; 2] {
    let config = EngineConfig::from(datapath);
    [
        config,
        EngineConfig {
            flush_subnormals: true,
            ..config
        },
    ]
}

fn assert_batch(function: &Function<'_>, x: &[f32]) {
    let expected: Vec<u32> = x.iter().map(|v| function.eval(*v).to_bits()).collect();
    let check = |path: &str, out: &[f32]| {
        for ((v, r), expected) in x.iter().zip(out).zip(&expected) {
            assert_eq!(
                r.to_bits(),
                *expected,
                "{path}, input {:#010x}",
                v.to_bits()
            );
        }
    };
    for level in Level::available() {
        let mut out = vec![12.5; x.len()];
        assert_eq!(function.eval_slice_at(level, x, &mut out), Ok(()));
        check(level.name(), &out);
    }
    let mut out = vec![12.5; x.len()];
    assert_eq!(function.eval_slice(x, &mut out), Ok(()));
    check("best", &out);
}

struct OneRun<'o>(RunKernel, u32, &'o mut [f32]);

impl Kernel for OneRun<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.eval(self.1, self.2);
    }
}

/// The first and last inputs of a run, as many as a replay's block, at every level.
fn assert_runs(function: &Function<'_>, most: u32) {
    for run in function.runs() {
        let count = most.min(run.last - run.first);
        for first in [run.first, run.last - count] {
            for level in Level::available() {
                let mut out = vec![12.5; count as usize + 1];
                level.dispatch(OneRun(function.run_kernel(&run.route), first, &mut out));
                for (bits, r) in (first..=first + count).zip(out) {
                    let expected = function.eval(f32::from_bits(bits));
                    assert_eq!(r.to_bits(), expected.to_bits(), "{level} {bits:#010x}");
                }
            }
        }
    }
}

#[test]
fn levels_are_ordered_and_start_portable() {
    let levels: Vec<Level> = Level::available().collect();
    assert_eq!(levels.first(), Some(&Level::PORTABLE));
    assert_eq!(levels.last(), Some(&Level::detect()));
    assert!(levels.is_sorted());
}

#[test]
fn samples_by_runs() {
    for (_, sample) in support::all() {
        for config in Datapath::ALL.into_iter().flat_map(configs) {
            assert_runs(&sample.function(config).expect("valid"), 100);
        }
    }
}

/// Both ends of every run, so every bucket, threshold and special input, and their neighbours.
#[test]
fn samples_by_batch() {
    for (_, sample) in support::all() {
        for config in Datapath::ALL.into_iter().flat_map(configs) {
            let function = sample.function(config).expect("valid");
            let ends = function.runs().flat_map(|run| [run.first, run.last]);
            let x: Vec<f32> = ends.map(f32::from_bits).collect();
            assert_batch(&function, &x);
        }
    }
}

#[test]
fn a_special_value_disturbs_no_other_lane() {
    let specials = [0, 1, 0x7f80_0000, 0x7f80_0001, 0x7fc0_0000].map(f32::from_bits);
    for (_, sample) in support::all() {
        let function = sample.function(Datapath::Fma).expect("valid");
        for length in [1, 7, 8, 9, 63, 64, 65, 130] {
            let ordinary: Vec<f32> = (0..length).map(|k| k as f32 * 0.3 - 9.1).collect();
            for lane in 0..length {
                for special in specials.into_iter().flat_map(|v| [v, -v]) {
                    let mut x = ordinary.clone();
                    x[lane] = special;
                    assert_batch(&function, &x);
                }
            }
        }
    }
}

#[test]
fn a_difference_in_length_is_refused() {
    let sample = support::exp();
    let function = sample.function(Datapath::Fma).expect("valid");
    let mut out = [7.0; 3];
    let refused = function.eval_slice(&[0.5; 4], &mut out);
    assert_eq!(
        refused,
        Err(LengthMismatch {
            input: 4,
            output: 3
        })
    );
    assert_eq!(out, [7.0; 3]);
    assert_eq!(function.eval_slice(&[], &mut []), Ok(()));
}

proptest! {
    #[test]
    fn random_functions(sample in random::sample(),
                        x in prop::collection::vec(random::float(), 0..300)) {
        for config in Datapath::ALL.into_iter().flat_map(configs) {
            let function = sample.function(config).expect("valid");
            // Random floats seldom meet the octaves of a random function; the runs do.
            let runs = function.runs().step_by(7);
            let inside = runs.map(|run| f32::from_bits(run.first.midpoint(run.last)));
            let x: Vec<f32> = x.iter().copied().chain(inside.take(2000)).collect();
            assert_batch(&function, &x);
        }
    }

    #[test]
    fn without_the_nan_branch(x in prop::collection::vec(random::float(), 0..100)) {
        for sample in [support::exp(), support::tanh(), support::relu()] {
            let config = EngineConfig { nan_branch: false, ..EngineConfig::default() };
            assert_batch(&sample.function(config).expect("valid"), &x);
        }
    }
}
