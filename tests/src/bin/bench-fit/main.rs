//! What the fit is worth: against its own floors, against the layout of the stock tables, and against Sollya.
//!
//! Every error printed here is the largest over all finite inputs, found by a replay of the packed set; nothing is
//! taken from the fit's own books. `make bench-fit` runs it; the README carries what it prints.
#![forbid(unsafe_code)]

mod functions;
mod memory;
mod print;
mod sets;
mod sollya;
mod stock;
mod table;

use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let built = functions::run()?;
    stock::run()?;
    sets::run()?;
    sollya::run(&built)?;
    println!(
        "\n{:.0} s in all; peak memory {}, replays included.",
        start.elapsed().as_secs_f64(),
        memory::peak().map_or("unknown".to_owned(), |mib| format!("{mib:.0} MiB"))
    );
    Ok(())
}
