//! Each function on its own.

use std::error::Error;

use actforge_fit::FunctionRequest;
use actforge_reports::report::FunctionReport;

use crate::print::{at_most, columns, heading, judged, median, row};
use crate::table::{build, fit, max_ulp};

/// What is wanted of a function.
struct Wanted {
    name: &'static str,
    /// What the fit is asked for.
    request: Asked,
    /// The largest error wanted, in ulp.
    max_ulp: f64,
    /// The most buckets wanted.
    buckets: u32,
}

#[derive(Clone, Copy)]
enum Asked {
    /// The fewest buckets within an error.
    MaxUlp(f64),
    /// The least error within so many buckets.
    Buckets(u32),
}

const fn wanted(name: &'static str, request: Asked, max_ulp: f64, buckets: u32) -> Wanted {
    Wanted {
        name,
        request,
        max_ulp,
        buckets,
    }
}

/// Some are asked for a little less error than is wanted, where that costs no more buckets than are allowed: the
/// ratio to the floor is wanted too.
const WANTED: [Wanted; 6] = [
    wanted("tanh", Asked::MaxUlp(0.58), 0.60, 256),
    wanted("erf", Asked::Buckets(256), ERF_MAX_ULP, 256),
    wanted("sigmoid", Asked::MaxUlp(0.65), 0.65, 1850),
    wanted("silu", Asked::MaxUlp(0.63), 0.65, 1990),
    wanted("gelu", Asked::MaxUlp(1.25), 1.25, 1600),
    wanted("exp", Asked::MaxUlp(1.92), 1.92, 1640),
];

const ERF_MAX_ULP: f64 = 0.60;

/// Functions whose saturation buckets are the whole table.
const WITHOUT_TABLE: [&str; 6] = ["relu", "identity", "abs", "copy", "sign", "square"];

/// The most that a maximum may exceed the largest floor by.
const MAXIMUM_TO_FLOOR: f64 = 1.05;

/// The same of the median over all buckets.
const MEDIAN_TO_FLOOR: f64 = 1.03;

/// The longest that the fit of a function may take, in seconds.
const FIT_SECONDS: f64 = 20.0;

/// Builds and measures them all, and returns what the replays found of those with a table.
pub(crate) fn run() -> Result<Vec<FunctionReport>, Box<dyn Error>> {
    heading("Functions, each alone (cayman, fma, all finite fp32 inputs)");
    columns(&[
        "function",
        "max ulp, replayed",
        "wanted",
        "buckets",
        "wanted",
        "control words",
        "largest floor",
        "max / floor (<= 1.05)",
        "median of measured / floor (<= 1.03)",
        "fit, s (< 20)",
    ]);
    let mut reports = Vec::new();
    for wanted in &WANTED {
        let mut request = FunctionRequest::new(wanted.name);
        match wanted.request {
            Asked::MaxUlp(ulp) => request.max_ulp = Some(ulp),
            Asked::Buckets(buckets) => request.buckets = Some(buckets),
        }
        let measured = build(vec![request])?;
        for report in measured.functions {
            row(&cells(wanted, &report, measured.seconds));
            reports.push(report);
        }
    }
    for name in WITHOUT_TABLE {
        let measured = build(vec![FunctionRequest::new(name)])?;
        for report in &measured.functions {
            row(&[
                name.to_owned(),
                judged(
                    format!("{:.6}", max_ulp(report)),
                    report.correctly_rounded == 1.0,
                ),
                "correctly rounded".to_owned(),
                judged(report.buckets.to_string(), report.buckets <= 4),
                "4".to_owned(),
                report.control_words.to_string(),
                String::new(),
                String::new(),
                String::new(),
                format!("{:.2}", measured.seconds),
            ]);
        }
    }
    erf(reports.iter().find(|report| report.name == "erf"));
    Ok(reports)
}

fn cells(wanted: &Wanted, report: &FunctionReport, seconds: f64) -> [String; 10] {
    let floor = report.lower_bound_ulp.unwrap_or(f64::NAN);
    let ratios = report
        .bucket_rows
        .iter()
        .filter_map(|bucket| Some(bucket.group.max_ulp? / bucket.lower_bound_ulp?));
    [
        wanted.name.to_owned(),
        at_most(max_ulp(report), wanted.max_ulp, 6),
        format!("{}", wanted.max_ulp),
        judged(report.buckets.to_string(), report.buckets <= wanted.buckets),
        wanted.buckets.to_string(),
        report.control_words.to_string(),
        format!("{floor:.6}"),
        at_most(max_ulp(report) / floor, MAXIMUM_TO_FLOOR, 4),
        at_most(median(ratios), MEDIAN_TO_FLOOR, 4),
        at_most(seconds, FIT_SECONDS, 1),
    ]
}

/// Why one figure cannot be met.
fn erf(best: Option<&FunctionReport>) {
    let mut request = FunctionRequest::new("erf");
    request.max_ulp = Some(ERF_MAX_ULP);
    println!(
        "\nerf at {ERF_MAX_ULP} ulp within 256 buckets is out of reach over all finite inputs:\n"
    );
    match fit(vec![request]) {
        Ok((tables, _)) => println!(
            "- asked for {ERF_MAX_ULP} ulp, the fit takes {} buckets",
            tables
                .iter()
                .map(|table| table.stored_buckets() + 4)
                .sum::<usize>()
        ),
        Err(error) => println!("- asked for {ERF_MAX_ULP} ulp, the fit answers: {error}"),
    }
    if let Some(report) = best {
        println!(
            "- asked for 256 buckets, it reaches {:.6} ulp with {} buckets and {} control words",
            max_ulp(report),
            report.buckets,
            report.control_words
        );
    }
    if let Some(report) = best {
        println!("- by region: {}", regions(report).join(", "));
    }
    println!(
        "- why: near zero erf(x) = c x with c = 2/sqrt(pi), which lies almost in the middle between two binary32 numbers, \
         and the last operation multiplies t = x - x0 by a binary32 number: its error grows by 5.9e-8 t from the \
         breakpoint on. The table has 128 control words for the 128 octaves from 2^-126 to 4, so all subnormals share \
         the small region's cubic. With x0 among them, some input is 2^-127 from it, where the error differs by 0.246 \
         ulp from the one at x0: at least 0.123 ulp before the last rounding, 0.623 with it. Slopes that change their \
         last bit at x0 would reach that, but need a d3 beyond the largest binary32 number; with one slope it is 0.246 \
         and 0.746"
    );
    println!(
        "- so the floor, which allows real coefficients, is not what binds erf here; in the octaves above, too, a \
         bucket of a whole octave is off by up to 0.2 ulp for its slope, while the floor there is 0.5"
    );
}

/// The largest error in each region that inputs reach.
fn regions(report: &FunctionReport) -> Vec<String> {
    report
        .bucket_rows
        .iter()
        .filter(|row| row.group.inputs > 0)
        .filter_map(|row| {
            let (region, error) = (row.region.as_deref()?, row.group.max_ulp?);
            Some(format!("{region} {error:.6}"))
        })
        .collect()
}
