//! How fast the engine is on this machine, and how that compares.
//!
//! `cargo run --release -p actforge-engine --example engine-speed`
//!
//! Runs: nanoseconds per input when consecutive inputs share a bucket (what a replay does), per
//! level and datapath. Batches: random inputs in [-20, 20] through the scalar engine, through
//! `eval_slice` at each level, and through the C library's `expf` one by one, with the ratios.

#[path = "../tests/support/mod.rs"]
mod support;

use actforge_engine::{Function, Kernel, Level, Route, RunKernel};
use actforge_tables::Datapath;
use std::hint::black_box;
use std::time::Instant;

/// Something to measure, with its name.
type Contender<'a> = (String, Box<dyn FnMut() + 'a>);

/// Nanoseconds per item of each contender, the best of several rounds. Contenders take turns,
/// so that a change of clock or load in the middle meets all of them.
fn nanoseconds(items: usize, mut contenders: Vec<Contender<'_>>) -> Vec<(String, f64)> {
    const ROUNDS: usize = 15;
    let mut best = vec![f64::INFINITY; contenders.len()];
    for _ in 0..ROUNDS {
        for (best, (_, contender)) in best.iter_mut().zip(&mut contenders) {
            let start = Instant::now();
            contender();
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / items as f64);
        }
    }
    let names = contenders.into_iter().map(|(name, _)| name);
    names.zip(best).collect()
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
    println!("{:10} {:8} {:>8}", "level", "datapath", "ns");
    let sample = support::sigmoid();
    for datapath in Datapath::ALL {
        let function = sample.function(datapath).expect("a valid sample");
        let mut contenders = Vec::<Contender<'_>>::new();
        for (name, v) in [("", -0.6_f32), (" reflected", 0.6)] {
            let route = function.route(v);
            assert!(matches!(route, Route::Cubic { .. }));
            let kernel = function.run_kernel(&route);
            for level in Level::available() {
                contenders.push((
                    format!("{level:10} {datapath:8}{name}"),
                    Box::new(move || {
                        black_box(level.dispatch(Blocks(black_box(kernel))));
                    }),
                ));
            }
        }
        for (name, ns) in nanoseconds(BLOCK * BLOCKS, contenders) {
            println!("{name:30} {ns:8.3}");
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
    println!("\nrandom inputs in [-20, 20], ns per input");
    println!(
        "{:10} {:8} {:10} {:>8} {:>14} {:>14}",
        "function", "datapath", "path", "ns", "scalar / this", "expf / this"
    );
    for (name, sample) in support::all() {
        for datapath in Datapath::ALL {
            batch(name, &sample, datapath, &x);
        }
    }
}

/// One function in one datapath.
fn batch(name: &str, sample: &support::Sample, datapath: Datapath, x: &[f32]) {
    let function = sample.function(datapath).expect("a valid sample");
    let output = || vec![0.0; x.len()];
    let mut contenders = Vec::<Contender<'_>>::new();
    let mut out = output();
    contenders.push((
        "expf".to_owned(),
        Box::new(move || {
            for (r, v) in out.iter_mut().zip(black_box(x)) {
                *r = v.exp();
            }
            black_box(&mut out);
        }),
    ));
    let mut out = output();
    let function = &function;
    contenders.push((
        "scalar".to_owned(),
        Box::new(move || {
            scalar(function, black_box(x), &mut out);
            black_box(&mut out);
        }),
    ));
    for level in Level::available() {
        let mut out = output();
        contenders.push((
            level.to_string(),
            Box::new(move || {
                let done = function.eval_slice_at(level, black_box(x), &mut out);
                assert_eq!(done, Ok(()));
                black_box(&mut out);
            }),
        ));
    }
    let results = nanoseconds(x.len(), contenders);
    let time_of = |path| {
        results
            .iter()
            .find(|(name, _)| name == path)
            .map_or(0.0, |(_, ns)| *ns)
    };
    let (expf, one) = (time_of("expf"), time_of("scalar"));
    for (path, ns) in &results {
        println!(
            "{name:10} {datapath:8} {path:10} {ns:8.3} {:14.2} {:14.2}",
            one / ns,
            expf / ns
        );
    }
}

fn main() {
    runs();
    batches();
}
