//! Batches of random inputs on one core.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use actforge_engine::{Function as Table, Level};
use actforge_tables::FunctionSet;
use actforge_tests::random::Random;
use actforge_tests::samples::FIVE;

const COUNT: usize = 1 << 14;

/// The least nanoseconds an input over several rounds.
fn nanoseconds(x: &[f32], out: &mut [f32], mut evaluate: impl FnMut(&[f32], &mut [f32])) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..60 {
        let start = Instant::now();
        evaluate(black_box(x), black_box(out));
        least = least.min(start.elapsed().as_secs_f64());
    }
    least * 1e9 / x.len() as f64
}

/// Prints what `eval_slice` costs against the scalar engine and glibc's scalar expf.
pub(crate) fn run(set: &FunctionSet) -> Result<(), Box<dyn Error>> {
    let mut random = Random::new(3);
    let x: Vec<f32> = (0..COUNT).map(|_| random.between(-20.0, 20.0)).collect();
    let mut out = vec![0.0; COUNT];
    let expf = nanoseconds(&x, &mut out, |x, out| {
        for (x, out) in x.iter().zip(out) {
            *out = black_box(*x).exp();
        }
    });
    println!(
        "random inputs in [-20, 20], one core, nanoseconds an input (glibc's scalar expf: {expf:.2})"
    );
    println!(
        "                     scalar   eval_slice   x scalar   x expf     (level {})",
        Level::detect()
    );
    for name in FIVE {
        let entry = set.function(name).ok_or("the set holds the function")?;
        let table = Table::from_set(set, entry, set.datapath.into())?;
        let scalar = nanoseconds(&x, &mut out, |x, out| {
            for (x, out) in x.iter().zip(out) {
                *out = table.eval(*x);
            }
        });
        let mut failed = None;
        let slice = nanoseconds(&x, &mut out, |x, out| {
            failed = table.eval_slice(x, out).err()
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        println!(
            "{name:18} {scalar:>8.2}   {slice:>10.2}   {:>8.1}   {:>6.1}",
            scalar / slice,
            expf / slice
        );
    }
    println!("wanted: at least 3 x scalar, at least 1 x expf");
    Ok(())
}
