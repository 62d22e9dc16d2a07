//! What one would do without walking the table.

use std::error::Error;
use std::process::Command;
use std::time::Instant;

use actforge_engine::Function as Table;
use actforge_reference::Format;
use actforge_tables::FunctionSet;
use actforge_tests::plain::Slow;
use actforge_tests::random::Random;
use rayon::prelude::*;

/// Seconds of a C loop that calls glibc's expf on all 2^32 inputs, compiled here and now.
pub(crate) fn expf_loop(threads: usize) -> Result<f64, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let program = directory.path().join("expf_loop");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/expf_loop.c");
    let compiled = Command::new("cc")
        .args(["-O3", "-march=native", "-pthread", source, "-o"])
        .arg(&program)
        .arg("-lm")
        .status()?;
    if !compiled.success() {
        return Err("cc did not compile expf_loop.c".into());
    }
    let output = Command::new(&program).arg(threads.to_string()).output()?;
    let text = String::from_utf8(output.stdout)?;
    let seconds = text
        .split_whitespace()
        .next()
        .ok_or("expf_loop printed nothing")?;
    Ok(seconds.parse()?)
}

/// Finite inputs spread over all bit patterns.
fn sample(count: usize) -> Vec<u32> {
    let mut random = Random::new(1);
    let finite = |bits: &u32| f32::from_bits(*bits).is_finite() && *bits << 1 != 0;
    std::iter::repeat_with(|| random.bits())
        .filter(finite)
        .take(count)
        .collect()
}

/// Inputs a second, on all threads, when each is judged by MPFR.
pub(crate) fn mpfr(set: &FunctionSet, name: &str) -> Result<f64, Box<dyn Error>> {
    let slow = Slow::new(set, name, Format::Fp32);
    let inputs = sample(40_000);
    let start = Instant::now();
    let sum: f64 = inputs.par_iter().map(|bits| slow.judge(*bits).error).sum();
    let seconds = start.elapsed().as_secs_f64();
    std::hint::black_box(sum);
    Ok(inputs.len() as f64 / seconds)
}

/// Inputs a second, on all threads, when each is judged by a correctly rounded function in double precision.
pub(crate) fn core_math(set: &FunctionSet, name: &str) -> Result<f64, Box<dyn Error>> {
    let entry = set.function(name).ok_or("the set holds the function")?;
    let table = Table::from_set(set, entry, set.datapath.into())?;
    let inputs = sample(8_000_000);
    let start = Instant::now();
    let judge = |f: fn(f64) -> f64| -> (f64, f64) {
        inputs
            .par_chunks(1 << 12)
            .map(|inputs| {
                let x: Vec<f32> = inputs.iter().map(|bits| f32::from_bits(*bits)).collect();
                let mut results = vec![0.0; x.len()];
                // The lengths agree: both are this chunk's.
                let _ = table.eval_slice(&x, &mut results);
                let errors = x.iter().zip(&results).map(|(x, got)| {
                    let right = f(f64::from(*x));
                    // The ulp of the value: its exponent, not below that of the least normal number.
                    let exponent = ((right.to_bits() >> 52) & 0x7ff).max(1023 - 126);
                    let ulp = f64::from_bits((exponent - 23) << 52);
                    ((f64::from(*got) - right) / ulp).abs()
                });
                errors.fold((0.0, 0.0), |(most, sum), error| {
                    (error.max(most), sum + error)
                })
            })
            .reduce(
                || (0.0, 0.0),
                |left, right| (left.0.max(right.0), left.1 + right.1),
            )
    };
    let found = match name {
        "exp" => judge(core_math::exp),
        "tanh" => judge(core_math::tanh),
        "sigmoid" => judge(|x| 1.0 / (1.0 + core_math::exp(-x))),
        "silu" => judge(|x| x / (1.0 + core_math::exp(-x))),
        _ => judge(|x| 0.5 * x * core_math::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)),
    };
    let seconds = start.elapsed().as_secs_f64();
    std::hint::black_box(found);
    Ok(inputs.len() as f64 / seconds)
}
