//! What the replay costs, against what one would do without it; `make bench-replay` runs it.
//!
//! Everything is measured in the same run, so that the ratios mean something on a machine that others use, too. The
//! tables are those of the fit.
#![forbid(unsafe_code)]

mod baselines;
mod slices;

use std::error::Error;
use std::time::Instant;

use actforge_fit::{FunctionRequest, Observer, SetRequest, build_set};
use actforge_reports::{ReplayOptions, SweepJudge, replay};
use actforge_tables::{Datapath, FunctionSet, Target};
use actforge_tests::samples::FIVE;

/// All binary32 inputs.
const INPUTS: f64 = 4_294_967_296.0;

fn main() -> Result<(), Box<dyn Error>> {
    let threads = rayon::current_num_threads();
    println!(
        "{threads} threads, vector level {}\n",
        actforge_engine::Level::detect()
    );
    let set = fitted()?;
    let memory = peak_memory();

    let loop_seconds = baselines::expf_loop(threads)?;
    println!("C loop over glibc's expf, all 2^32 inputs: {loop_seconds:.2} s\n");
    println!(
        "exhaustive replay      max ulp    seconds   million/s   / C loop   x MPFR   x core-math"
    );
    let mut total = 0.0;
    for name in FIVE {
        let options = ReplayOptions {
            functions: vec![name.to_owned()],
            ..ReplayOptions::default()
        };
        let start = Instant::now();
        let report = replay(&set, &options, &|_| {})?;
        let seconds = start.elapsed().as_secs_f64();
        total += seconds;
        let rate = INPUTS / seconds;
        let mpfr = baselines::mpfr(&set, name)?;
        let core_math = baselines::core_math(&set, name)?;
        let worst = report
            .functions
            .first()
            .and_then(|function| function.max_ulp);
        println!(
            "{name:18} {:>12}  {seconds:>9.2}  {:>10.0}  {:>9.2}  {:>7.0}  {:>12.1}",
            worst.map_or("NaN".to_owned(), |worst| format!("{worst:.4}")),
            rate / 1e6,
            seconds / loop_seconds,
            rate / mpfr,
            rate / core_math,
        );
        println!(
            "{:18} one input at a time: MPFR {:.3}, core-math {:.1} million/s",
            "",
            mpfr / 1e6,
            core_math / 1e6
        );
    }
    println!("\nthe five: {total:.2} s (wanted: below 40)");
    println!("wanted of each: at most 1 of the C loop, at least 300 x MPFR and 5 x core-math\n");
    slices::run(&set)?;
    if let (Some(fit), Some(all)) = (memory, peak_memory()) {
        println!(
            "\npeak memory {all:.0} MiB, of which {fit:.0} MiB before the first replay (wanted: below 200)"
        );
    }
    Ok(())
}

/// The five functions as the fit makes them, two a set where they do not fit together.
fn fitted() -> Result<FunctionSet, Box<dyn Error>> {
    struct Silent;
    impl Observer for Silent {
        fn stage(&self, _function: &str, _stage: &str, _done: usize, _total: usize) {}
    }
    let request = SetRequest {
        name: "bench".to_owned(),
        target: Target::Cayman,
        datapath: Datapath::Fma,
        functions: FIVE.map(FunctionRequest::new).to_vec(),
    };
    let start = Instant::now();
    let built = build_set(&request, &SweepJudge::new(request.datapath), &Silent)?;
    let set = FunctionSet::assemble(
        request.name.clone(),
        request.target,
        request.datapath,
        &built.tables,
    )?;
    println!(
        "fit: {} buckets in {:.1} s",
        set.buckets.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(set)
}

/// The most memory this process has had, in MiB, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}
