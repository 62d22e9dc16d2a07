//! One function of a page: everything that its replay found.

use actforge_tables::FunctionEntry;

use super::buckets::bucket_table;
use super::details::{histogram_table, profile_table, saturation_table, seam_table, special_table};
use super::figures::{FigureView, bucket_places, figure_views};
use super::octaves::octave_table;
use super::set::worst;
use super::table::TableView;
use super::text::{bits, bound, count, percent, shell_word, ulp, witness};
use super::{Definition, PageError, SetPart};
use crate::plot::{PlotRequest, figures};
use crate::report::{Extreme, FunctionReport, Report, WeightedReport};

/// A function as the template shows it.
#[derive(Clone, Debug)]
pub(super) struct FunctionView {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) definition: String,
    pub(super) facts: Vec<Definition>,
    /// What is wrong in kind.
    pub(super) findings: Vec<String>,
    pub(super) figures: Vec<FigureView>,
    pub(super) tables: Vec<TableView>,
    pub(super) commands: Vec<Definition>,
}

impl FunctionView {
    pub(super) fn new(
        part: &SetPart<'_>,
        report: &FunctionReport,
        id: String,
    ) -> Result<Self, PageError> {
        let entry = part
            .set
            .function(&report.name)
            .ok_or_else(|| PageError::NotInSet {
                function: report.name.clone(),
                set: part.set.name.clone(),
            })?;
        let request = PlotRequest {
            courses: part.courses,
            budgets: part.budgets.to_vec(),
            ..PlotRequest::default()
        };
        let figures = figures(part.report, report, &request)?;
        let buckets = format!("{id}-buckets");
        let definition = part
            .courses
            .iter()
            .find(|course| course.function == report.name);
        Ok(Self {
            name: report.name.clone(),
            definition: definition.map_or_else(String::new, |course| course.definition.clone()),
            facts: facts(part.report, report, entry),
            findings: findings(report),
            figures: figure_views(&report.name, &figures, &buckets)?,
            tables: vec![
                octave_table(report),
                bucket_table(report, &bucket_places(&figures), buckets),
                special_table(report),
                seam_table(report),
                saturation_table(report),
                histogram_table(report),
                profile_table(part, entry)?,
            ],
            commands: commands(part, report),
            id,
        })
    }
}

fn facts(whole: &Report, report: &FunctionReport, entry: &FunctionEntry) -> Vec<Definition> {
    let subnormal = &report.subnormal_results;
    let notes = &entry.notes;
    let recorded = |text: Option<String>| text.unwrap_or_else(|| "not recorded".to_owned());
    let judged = report.range.as_ref().map_or_else(
        || format!("all of {}", report.input_dtype),
        |[first, last]| format!("{} to {}, and the special ones", bits(first), bits(last)),
    );
    let steps_at = report
        .max_steps_at
        .as_ref()
        .filter(|_| report.max_steps > 0);
    let steps_at = steps_at.map_or_else(String::new, |at| format!(" at {}", bits(at)));
    let wanted = notes.target_ulp.map_or_else(
        || "as good as there is room for".to_owned(),
        |target| format!("{target} ulp of {}", recorded(notes.dtype.clone())),
    );
    let facts = [
        ("largest error", largest(report)),
        (
            "floor",
            recorded(
                report
                    .lower_bound_ulp
                    .map(|floor| format!("{} ulp", bound(Some(floor)))),
            ),
        ),
        (
            "mean error",
            format!(
                "{} ulp; the sum of all errors is {} \u{b7} 2^\u{2212}24 ulp",
                ulp(Some(report.mean_ulp)),
                report.error_sum
            ),
        ),
        (
            "correctly rounded",
            format!(
                "{} % of {} inputs",
                percent(report.correctly_rounded),
                count(report.inputs)
            ),
        ),
        ("most steps", format!("{}{steps_at}", report.max_steps)),
        (
            "largest absolute error",
            extreme(report.max_absolute.as_ref()),
        ),
        (
            "largest relative error",
            extreme(report.max_relative.as_ref()),
        ),
        (
            "subnormal results",
            format!(
                "{} inputs, max {} ulp, mean {} ulp",
                count(subnormal.inputs),
                ulp(subnormal.max_ulp),
                ulp(Some(subnormal.mean_ulp))
            ),
        ),
        ("judged inputs", judged),
        (
            "function id, profile",
            format!("{}, slot {}", report.func_id, entry.profile),
        ),
        (
            "buckets, control words",
            format!("{}, {}", report.buckets, report.control_words),
        ),
        ("method of the fit", recorded(notes.method.clone())),
        ("asked for", wanted),
        (
            "reference",
            format!(
                "within {:.2e} ulp of the function; {} inputs decided in MPFR",
                report.reference_bound_ulp,
                count(report.decided_in_mpfr)
            ),
        ),
    ];
    let mut facts = facts.map(|(term, value)| (term.to_owned(), value)).to_vec();
    if whole
        .functions
        .iter()
        .any(|function| function.weighted.is_some())
    {
        let term = "mean error where inputs fall".to_owned();
        // Beside the mean over all inputs.
        facts.insert(3, (term, weighted(report.weighted.as_ref())));
    }
    facts
}

/// The means under a histogram, and how much of its weight they are about.
fn weighted(weighted: Option<&WeightedReport>) -> String {
    let Some(weighted) = weighted else {
        return "the histogram has no bins of it".to_owned();
    };
    let means = match (weighted.mean_ulp, weighted.mean_absolute) {
        (Some(mean), Some(absolute)) => format!("{} ulp, {absolute:.6e} absolute", ulp(Some(mean))),
        _ if weighted.inside > 0.0 => "none: a result with weight is NaN".to_owned(),
        _ => "none".to_owned(),
    };
    format!(
        "{means}; of the weight of {} bins {:.4} % is inside the judged inputs, {:.4} % outside of them, {:.4} % in open bins",
        weighted.bins,
        100.0 * weighted.inside,
        100.0 * weighted.outside,
        100.0 * weighted.open,
    )
}

/// The largest error, and the input that has it.
fn largest(report: &FunctionReport) -> String {
    match worst(report) {
        None => "none: every result is exact".to_owned(),
        at => {
            let [at, got] = witness(at);
            format!(
                "{} ulp at {at}, got \u{2192} want {got}",
                ulp(report.max_ulp)
            )
        }
    }
}

/// A largest absolute or relative error.
fn extreme(extreme: Option<&Extreme>) -> String {
    match extreme.filter(|extreme| extreme.error > 0.0) {
        None => "none".to_owned(),
        Some(extreme) => format!("{:.6e} at {}", extreme.error, bits(&extreme.at)),
    }
}

/// What is wrong in kind, in sentences.
fn findings(report: &FunctionReport) -> Vec<String> {
    let violations = &report.violations;
    let counts = [
        (
            violations.nan_results,
            "results are NaN where a number is right",
        ),
        (
            violations.infinite_results,
            "results are infinite where a finite one is right",
        ),
        (
            violations.out_of_range,
            "results are outside the function's own range of values",
        ),
        (violations.wrong_sign, "results have the wrong sign"),
        (
            violations.zero_sign,
            "results are a zero of the other sign (no error in ulp)",
        ),
        (
            violations.non_monotone,
            "steps go against the function's direction",
        ),
        (
            violations.asymmetric,
            "inputs have a mirror image that does not give the mirrored result",
        ),
    ];
    let counted = counts.into_iter().filter(|(found, _)| *found > 0);
    let mut findings: Vec<String> = counted
        .map(|(found, what)| format!("{} {what}", count(found)))
        .collect();
    findings.extend(
        report
            .special
            .iter()
            .filter(|special| !special.ok)
            .map(|special| {
                format!(
                    "special input {} ({}): got {}, want {}",
                    special.input,
                    special.bits,
                    bits(&special.got),
                    bits(&special.want)
                )
            }),
    );
    findings
}

/// How to get each number of the function again.
fn commands(part: &SetPart<'_>, report: &FunctionReport) -> Vec<Definition> {
    let name = shell_word(&report.name);
    let set = part.set;
    let mut options = format!("--function {name}");
    if part.report.datapath != set.datapath.as_str() {
        options += &format!(" --datapath {}", shell_word(&part.report.datapath));
    }
    let own = set
        .function(&report.name)
        .and_then(|entry| entry.notes.dtype.as_deref())
        .unwrap_or("fp32");
    if report.dtype != own {
        options += &format!(" --output {}", shell_word(&report.dtype));
    }
    if report.input_dtype != "fp32" {
        options += &format!(" --input {}", shell_word(&report.input_dtype));
    }
    let mut commands = vec![
        (
            "all figures, octaves, buckets".to_owned(),
            format!("actforge replay DIR {options} --json -"),
        ),
        (
            "profile, control words, cubics".to_owned(),
            format!("actforge inspect DIR --function {name} --buckets"),
        ),
        (
            "pictures and their data".to_owned(),
            format!("actforge plot DIR {options} --data -o plots"),
        ),
    ];
    if report.weighted.is_some() {
        commands.push((
            "the mean error where inputs fall".to_owned(),
            format!("actforge replay DIR {options} --histogram FILE"),
        ));
    }
    if let Some(at) = &report.max_ulp_at {
        commands.push((
            "the worst input, step by step".to_owned(),
            format!("actforge eval DIR {name} {}", shell_word(&at.bits)),
        ));
    }
    commands
}
