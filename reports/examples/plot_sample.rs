//! Draws invented reports, to look at the plots: `cargo run --example plot_sample -- DIR`.

#[path = "../tests/sample/mod.rs"]
#[allow(dead_code)]
mod sample;

use std::error::Error;
use std::path::PathBuf;

use actforge_reports::plot::{PlotRequest, plot_fronts, plot_report};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: plot_sample DIR")?);
    let report = sample::report(&[
        sample::TANH,
        sample::EXP,
        sample::STOCK_EXP,
        sample::RELU,
        sample::LOG,
    ]);
    for path in plot_report(&report, &PlotRequest::default(), &dir)?
        .into_iter()
        .chain(plot_fronts(&sample::fronts(), &dir)?)
    {
        println!("{}", path.display());
    }
    Ok(())
}
