//! Prints how long each function's surrogate takes to build and how many cells it has.

use std::time::Instant;

use actforge_reference::{Format, Surrogate, catalogue};

fn main() {
    for entry in catalogue() {
        let start = Instant::now();
        match Surrogate::new(entry.function(), Format::Fp32) {
            Ok(surrogate) => println!(
                "{:32} {:6} cells  bound 2^{:.1}  {:.2} s",
                entry.function().name(),
                surrogate.cells().len(),
                surrogate.bound().log2(),
                start.elapsed().as_secs_f64()
            ),
            Err(error) => println!("{error}"),
        }
    }
}
