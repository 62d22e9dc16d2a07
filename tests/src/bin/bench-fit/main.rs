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
    // Sections by name, for work on one of them; all without arguments.
    let sections: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| sections.is_empty() || sections.iter().any(|section| section == name);
    let built = if wanted("functions") || wanted("sollya") {
        functions::run()?
    } else {
        Vec::new()
    };
    if wanted("stock") {
        stock::run()?;
    }
    if wanted("sets") {
        sets::run()?;
    }
    if wanted("sollya") {
        sollya::run(&built)?;
    }
    println!(
        "\n{:.0} s in all; peak memory {}, replays included.",
        start.elapsed().as_secs_f64(),
        memory::peak().map_or("unknown".to_owned(), |mib| format!("{mib:.0} MiB"))
    );
    Ok(())
}
