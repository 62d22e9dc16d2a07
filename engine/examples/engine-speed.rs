//! How fast the engine is on this machine, and how that compares.
//!
//! `cargo run --release -p actforge-engine --example engine-speed`
//!
//! Runs: nanoseconds per input when consecutive inputs share a bucket (what a replay does), per
//! level and datapath. Batches: random inputs in [-20, 20] through the scalar engine, through
//! `eval_slice` at each level, and through the C library's `expf` one by one, with the ratios.

#[path = "../tests/support/mod.rs"]
mod support;

use actforge_engine::{EngineConfig, Function, Kernel, Level, Route, RunKernel};
use actforge_tables::Datapath;
use std::hint::black_box;
use std::time::Instant;

/// Best of several rounds, in nanoseconds per item.
fn nanoseconds(items: usize, mut round: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..9 {
        let start = Instant::now();
        round();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / items as f64
}

/// Evaluates 4096 blocks of 1024 inputs that share a bucket.
struct Blocks(RunKernel);

const BLOCK: usize = 1024;
const BLOCKS: usize = 4096;

impl Kernel for Blocks {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        let mut out = [0.0; BLOCK];
        let mut last = 0.0;
        for block in 0..BLOCKS {
            let first = 0x3f00_0000 + (block * BLOCK) as u32;
            self.0.eval(first, &mut out);
            last = black_box(&mut out)[BLOCK - 1];
        }
        last
    }
}

fn runs() {
    println!("consecutive inputs of one bucket, ns per input");
    println!(
        "{:10} {:8} {:>8} {:>10}",
        "level", "datapath", "plain", "reflected"
    );
    for level in Level::available() {
        for datapath in Datapath::ALL {
            let mut row = [0.0; 2];
            for (cell, v) in row.iter_mut().zip([-0.6_f32, 0.6]) {
                let sample = support::sigmoid();
                let function = sample.function(datapath).expect("a valid sample");
                let route = function.route(v);
                assert!(matches!(route, Route::Cubic { .. }));
                let kernel = function.run_kernel(&route);
                *cell = nanoseconds(BLOCK * BLOCKS, || {
                    black_box(level.dispatch(Blocks(black_box(kernel))));
                });
            }
            println!(
                "{:10} {:8} {:8.3} {:10.3}",
                level.name(),
                datapath.as_str(),
                row[0],
                row[1]
            );
        }
    }
}

/// Reproducible inputs in [-20, 20].
fn random_inputs(count: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 40) as f32 / (1 << 24) as f32 - 0.5) * 40.0
        })
        .collect()
}

fn scalar(function: &Function<'_>, x: &[f32], out: &mut [f32]) {
    for (r, v) in out.iter_mut().zip(x) {
        *r = function.eval(*v);
    }
}

fn batches() {
    let x = random_inputs(1 << 16);
    let mut out = vec![0.0; x.len()];
    let expf = nanoseconds(x.len(), || {
        for (r, v) in out.iter_mut().zip(black_box(&x)) {
            *r = v.exp();
        }
        black_box(&mut out);
    });
    println!("\nrandom inputs in [-20, 20], ns per input; C library expf {expf:.3}");
    println!(
        "{:10} {:8} {:10} {:>8} {:>14} {:>14}",
        "function", "datapath", "path", "ns", "scalar / this", "expf / this"
    );
    for (name, sample) in support::all() {
        for datapath in Datapath::ALL {
            let function = sample
                .function(EngineConfig::from(datapath))
                .expect("a valid sample");
            let one = nanoseconds(x.len(), || {
                scalar(&function, black_box(&x), &mut out);
                black_box(&mut out);
            });
            let row = |path: &str, ns: f64| {
                println!(
                    "{name:10} {:8} {path:10} {ns:8.3} {:14.2} {:14.2}",
                    datapath.as_str(),
                    one / ns,
                    expf / ns
                );
            };
            row("scalar", one);
            for level in Level::available() {
                let ns = nanoseconds(x.len(), || {
                    function
                        .eval_slice_at(level, black_box(&x), &mut out)
                        .expect("equal lengths");
                    black_box(&mut out);
                });
                row(level.name(), ns);
            }
        }
    }
}

fn main() {
    runs();
    batches();
}
