//! Our buckets against those of Sollya's `fpminimax`, bucket by bucket.
//!
//! Sollya gets what a table author gives it: the bucket's midpoint as breakpoint, binary32 coefficients, relative error.
//! Both cubics are then judged by the same exact sweep of the bucket in the datapath.

use std::error::Error;
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use actforge_fit::{BucketFitter, Method, Stretch};
use actforge_reference::{Format, Surrogate, lookup};
use actforge_reports::SweepJudge;
use actforge_reports::report::FunctionReport;
use actforge_tables::Bucket;
use actforge_tests::random::Random;

use crate::print::{columns, heading, judged, median, row};
use crate::table::DATAPATH;

/// The functions as Sollya spells them, without cancellation where it matters.
const SPELLED: [(&str, &str); 6] = [
    ("tanh", "tanh(x)"),
    ("erf", "erf(x)"),
    ("sigmoid", "1/(1+exp(-x))"),
    ("silu", "x/(1+exp(-x))"),
    ("gelu", "x*erfc(-x/sqrt(2))/2"),
    ("exp", "exp(x)"),
];

/// Buckets that are compared, as many of each function as of any other.
const BUCKETS: usize = 200;

/// Sollya may take this long for a bucket; in gelu's tail it does take seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is wanted: the median of Sollya's error over ours, the same above 0.5 ulp, and how much faster we are.
const WANTED_RATIO: f64 = 1.08;
const WANTED_RATIO_ABOVE_HALF: f64 = 2.0;
const WANTED_SPEED: f64 = 10.0;

/// One bucket as both fitted it.
#[derive(Clone, Copy)]
struct Duel {
    ours: f64,
    theirs: f64,
    our_seconds: f64,
    their_seconds: f64,
}

/// Prints the comparison for buckets drawn from the tables that were just built.
pub(crate) fn run(reports: &[FunctionReport]) -> Result<(), Box<dyn Error>> {
    heading(
        "Against Sollya's fpminimax (same bucket, midpoint x0, binary32 coefficients, same sweep)",
    );
    if !is_installed() {
        println!("skipped: sollya is not installed (Debian package `sollya`)");
        return Ok(());
    }
    columns(&[
        "function",
        "buckets",
        "worse than Sollya (0)",
        "median error ratio (>= 1.08)",
        "the same above 0.5 ulp (>= 2)",
        "Sollya, ms a bucket",
        "ours, ms a bucket",
        "times faster (>= 10)",
    ]);
    let mut random = Random::new(3);
    let mut all = Vec::new();
    let mut unanswered = 0;
    for (k, (name, spelled)) in SPELLED.into_iter().enumerate() {
        let Some(report) = reports.iter().find(|report| report.name == name) else {
            continue;
        };
        let count = BUCKETS * (k + 1) / SPELLED.len() - BUCKETS * k / SPELLED.len();
        let stretches = draw(report, count, &mut random)?;
        let duels = compare(name, spelled, &stretches)?;
        unanswered += stretches.len() - duels.len();
        row(&cells(name, &duels, false));
        all.extend(duels);
    }
    if all.is_empty() {
        println!("\nnothing to compare: sollya gave no answer");
        return Ok(());
    }
    row(&cells("all", &all, true));
    if unanswered > 0 {
        println!(
            "\nSollya found nothing within {} s for {unanswered} more buckets.",
            PATIENCE.as_secs()
        );
    }
    Ok(())
}

fn is_installed() -> bool {
    let run = Command::new("sollya")
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    !matches!(run, Err(error) if error.kind() == ErrorKind::NotFound)
}

/// Buckets of a function, drawn without repetition from those that inputs reach.
fn draw(
    report: &FunctionReport,
    count: usize,
    random: &mut Random,
) -> Result<Vec<Stretch>, Box<dyn Error>> {
    let mut left = Vec::new();
    for row in &report.bucket_rows {
        if let (None, Some([first, last])) = (&row.region, &row.reached) {
            let bits = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16);
            left.push(Stretch {
                first: bits(first)?,
                last: bits(last)?,
            });
        }
    }
    // Of a handful of inputs there is nothing to fit, and Sollya refuses an interval without an interior.
    left.retain(|stretch| stretch.inputs() > 16);
    let mut drawn = Vec::new();
    while drawn.len() < count && !left.is_empty() {
        let place = random.below(left.len() as u32) as usize;
        drawn.push(left.swap_remove(place));
    }
    drawn.sort_unstable();
    Ok(drawn)
}

fn compare(name: &str, spelled: &str, stretches: &[Stretch]) -> Result<Vec<Duel>, Box<dyn Error>> {
    let surrogate = Surrogate::new(lookup(name)?.function(), Format::Fp32)?;
    let judge = SweepJudge::new(DATAPATH);
    let fitter = BucketFitter {
        surrogate: &surrogate,
        judge: &judge,
        method: Method::Accurate,
        reflected: None,
    };
    let mut duels = Vec::new();
    for stretch in stretches {
        let Some((bucket, their_seconds)) = ask(spelled, *stretch)? else {
            continue;
        };
        let start = Instant::now();
        let ours = fitter.fit(*stretch, 0.0);
        let our_seconds = start.elapsed().as_secs_f64();
        duels.push(Duel {
            ours: ours.measured,
            theirs: fitter.measure(&bucket, *stretch, f64::INFINITY),
            our_seconds,
            their_seconds,
        });
    }
    Ok(duels)
}

/// Asks Sollya for a bucket: its coefficients and the seconds they took by its own clock, so that its start does not
/// count. `None` when it finds no polynomial, or not in time.
fn ask(spelled: &str, stretch: Stretch) -> Result<Option<(Bucket, f64)>, Box<dyn Error>> {
    let x0 = breakpoint(stretch);
    let ends = [stretch.first, stretch.last].map(|bits| f64::from(f32::from_bits(bits)));
    let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let [center, low, high] =
        [f64::from(x0), low - f64::from(x0), high - f64::from(x0)].map(dyadic);
    let mut script = tempfile::NamedTempFile::new()?;
    writeln!(
        script,
        "f = {spelled};\n\
         p = 0; t = time(p = fpminimax(f({center} + x), 3, [|SG...|], [{low}; {high}], relative));\n\
         display = dyadic!; print(\"bucket\", coeff(p, 0), coeff(p, 1), coeff(p, 2), coeff(p, 3));\n\
         display = decimal!; print(\"seconds\", t);\n\
         quit;"
    )?;
    script.flush()?;
    let text = run_with_patience(script.path())?;
    let words = |first: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(first))
            .map(|rest| rest.split_whitespace().collect::<Vec<&str>>())
            .unwrap_or_default()
    };
    let coefficients: Option<Vec<f32>> = words("bucket").into_iter().map(from_dyadic).collect();
    // All zeros is how the script says that there was no polynomial.
    let d = coefficients
        .and_then(|coefficients| <[f32; 4]>::try_from(coefficients).ok())
        .filter(|d| d.iter().any(|c| *c != 0.0));
    let seconds = words("seconds").first().and_then(|word| word.parse().ok());
    Ok(d.zip(seconds)
        .map(|(d, seconds)| (Bucket { d, x0 }, seconds)))
}

/// Runs a script and returns what it printed until it ended or took too long.
fn run_with_patience(script: &std::path::Path) -> Result<String, Box<dyn Error>> {
    let printed = tempfile::NamedTempFile::new()?;
    let mut child = Command::new("sollya")
        .arg("--warnonstderr")
        .arg(script)
        .stdin(Stdio::null())
        .stdout(printed.reopen()?)
        .stderr(Stdio::null())
        .spawn()?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(std::fs::read_to_string(printed.path())?)
}

/// The float in the middle of a stretch.
fn breakpoint(stretch: Stretch) -> f32 {
    f32::from_bits(stretch.first + (stretch.last - stretch.first) / 2)
}

/// A number as Sollya reads it exactly: `MbE` is M times 2^E.
fn dyadic(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let bits = value.abs().to_bits();
    // Sums of binary32 numbers are never subnormal in binary64.
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let exponent = (bits >> 52) as i32 - 1075;
    let sign = if value < 0.0 { "-" } else { "" };
    format!("({sign}{mantissa}b{exponent})")
}

/// A coefficient as Sollya prints it, rounded to binary32: its SG format knows no least exponent.
fn from_dyadic(text: &str) -> Option<f32> {
    let (mantissa, exponent) = text.split_once('b').unwrap_or((text, "0"));
    let mantissa: f64 = mantissa.parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    // In two steps, because powers below 2^-1022 are not normal.
    let half = exponent / 2;
    Some((mantissa * 2.0_f64.powi(half) * 2.0_f64.powi(exponent - half)) as f32)
}

fn cells(name: &str, duels: &[Duel], judge: bool) -> [String; 8] {
    let mark = |text: String, good: bool| judged(text, good || !judge);
    // Reports are exact to a millionth of an ulp.
    let worse = duels
        .iter()
        .filter(|duel| duel.ours > duel.theirs + 1e-6)
        .count();
    let ratio = median(duels.iter().map(|duel| duel.theirs / duel.ours));
    let above_half = median(
        duels
            .iter()
            .map(|duel| (duel.theirs - 0.5) / (duel.ours - 0.5).max(1e-6)),
    );
    let mean = |seconds: fn(&Duel) -> f64| {
        1e3 * duels.iter().map(seconds).sum::<f64>() / duels.len().max(1) as f64
    };
    let (theirs, ours) = (
        mean(|duel| duel.their_seconds),
        mean(|duel| duel.our_seconds),
    );
    [
        name.to_owned(),
        duels.len().to_string(),
        judged(worse.to_string(), worse == 0),
        mark(format!("{ratio:.3}"), ratio >= WANTED_RATIO),
        mark(
            format!("{above_half:.2}"),
            above_half >= WANTED_RATIO_ABOVE_HALF,
        ),
        format!("{theirs:.2}"),
        format!("{ours:.2}"),
        mark(
            format!("{:.1}", theirs / ours),
            theirs / ours >= WANTED_SPEED,
        ),
    ]
}
