//! The stock layout of exp, filled by the stock rule and by ours.

use std::error::Error;

use actforge_fit::{Method, documented_exp};
use actforge_reports::SweepJudge;

use crate::print::{at_most, columns, heading, row};
use crate::table::{DATAPATH, max_ulp, measure};

/// The largest error wanted of the layout when it is refitted, over the inputs that its octaves serve.
const WANTED: f64 = 22.5;

/// Prints the comparison.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    heading("exp on the stock layout: same octaves, sizes and thresholds, other coefficients");
    columns(&[
        "method",
        "buckets in octaves",
        "max ulp in octaves, replayed",
        "wanted",
        "max ulp, all finite inputs",
    ]);
    for (method, wanted) in [
        (Method::Taylor, None),
        (Method::Minimax, None),
        (Method::Accurate, Some(WANTED)),
    ] {
        let table = documented_exp(method, &SweepJudge::new(DATAPATH))?;
        let stored = table.stored_buckets();
        for report in measure(&[table])? {
            let octaves = report.bucket_rows.iter().filter(|row| row.region.is_none());
            let worst = octaves
                .map(|row| row.group.max_ulp.unwrap_or(f64::INFINITY))
                .fold(0.0, f64::max);
            let name = match method {
                Method::Taylor => "taylor (the stock rule)".to_owned(),
                method => method.to_string(),
            };
            row(&[
                name,
                stored.to_string(),
                at_most(worst, wanted.unwrap_or(f64::INFINITY), 3),
                wanted.map_or("about 190".to_owned(), |wanted| wanted.to_string()),
                format!("{:.3}", max_ulp(&report)),
            ]);
        }
    }
    println!(
        "\nBeyond the octaves the stock thresholds decide: its large negative region gives 0 from about -97.3 on, where exp \
         is a subnormal of up to 400 of its ulp. No coefficients can change that."
    );
    Ok(())
}
