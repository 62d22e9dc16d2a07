//! Reports in the hands of commands: read from files, written to files, shown as a table.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use actforge_reports::budget::{Budgets, Inputs};
use actforge_reports::octave_csv::octave_csv;
use actforge_reports::report::{FunctionReport, Report};
use actforge_reports::{ReplayError, ReportError};

use super::histogram::in_words;
use crate::args::ReportFiles;
use crate::atomic::{OutputFile, check_all};
use crate::exit::Failure;
use crate::numbers::{percent, ulp};
use crate::output::{Output, Table};

/// The largest report or shard that is read. One of 64 functions with all their buckets stays far below.
const LONGEST: u64 = 256 << 20;

/// What a report is.
const REPORT: &str = "expected a file that `actforge replay --json FILE` wrote";

/// Reads a text file that one of our commands wrote; `hint` says which.
pub(super) fn read_text(path: &Path, hint: &'static str) -> Result<String, Failure> {
    let refuse = |cause: &dyn std::fmt::Display| {
        Failure::invalid(format!("{}: {cause}", path.display()), hint)
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| refuse(&format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > LONGEST {
        return Err(refuse(&format!(
            "expected at most {LONGEST} bytes, found more"
        )));
    }
    String::from_utf8(bytes).map_err(|_| refuse(&"expected UTF-8 text, found other bytes"))
}

/// Reads a report.
pub(super) fn read_report(path: &Path) -> Result<Report, Failure> {
    Report::from_json(&read_text(path, REPORT)?).map_err(|error| report_failure(path, &error))
}

/// A report that proves nothing.
pub(super) fn report_failure(path: &Path, error: &ReportError) -> Failure {
    match error {
        ReportError::Replay(error) => replay_failure(path, error),
        _ => Failure::invalid(format!("{}: {error}", path.display()), error.hint()),
    }
}

/// A replay that could not be done.
pub(super) fn replay_failure(set: &Path, error: &ReplayError) -> Failure {
    let message = format!("{}: {error}", set.display());
    match error {
        ReplayError::NotInSet { .. } => Failure::usage(
            message,
            "`actforge inspect DIR` lists the functions of a set",
        ),
        ReplayError::Range { .. } => Failure::usage(
            message,
            "`actforge inspect DIR` shows the range that a function was made for",
        ),
        ReplayError::Engine { .. } | ReplayError::Dtype { .. } => {
            Failure::invalid(message, "the set is damaged; build it again")
        }
        ReplayError::Reference(_) => {
            Failure::invalid(message, "choose functions of the catalogue with --function")
        }
        ReplayError::Surrogate(_) => Failure::invalid(
            message,
            "the set's expression cannot be followed over its range; build the set again",
        ),
        _ => Failure::internal(message),
    }
}

/// Reads a budgets file.
pub(super) fn read_budgets(path: &Path) -> Result<Budgets, Failure> {
    Budgets::read(path)
        .map_err(|error| Failure::invalid(error, "`actforge gate --help` shows a budgets file"))
}

/// The largest errors that budgets allow the functions of a report over all of its inputs, in ulp.
pub(super) fn max_ulp_budgets(budgets: &Budgets, report: &Report) -> Vec<(String, f64)> {
    let functions = report.functions.iter();
    functions
        .filter_map(|function| {
            let [dtype, input] = [&function.dtype, &function.input_dtype];
            let inputs = Inputs {
                dtype: input.parse().ok()?,
                range: None,
            };
            let dtype = dtype.parse().ok()?;
            let allowed = budgets.max_ulp(&report.set, &function.name, dtype, &inputs)?;
            Some((function.name.clone(), allowed))
        })
        .collect()
}

/// The files a report goes to, known to be writable.
pub(super) struct Destinations {
    json: Option<OutputFile>,
    csv: Option<OutputFile>,
}

impl Destinations {
    /// Checks the files before the work starts.
    pub(super) fn check(files: &ReportFiles) -> Result<Self, Failure> {
        let [json, csv] = check_all([files.json.as_deref(), files.csv.as_deref()])?;
        if let (Some(json), Some(csv)) = (&json, &csv)
            && json.is_stdout()
            && csv.is_stdout()
        {
            return Err(Failure::usage(
                "--json - and --csv - cannot share standard output",
                "write one of them to a file",
            ));
        }
        Ok(Self { json, csv })
    }

    /// Writes the files, and shows the table unless standard output is one of them.
    pub(super) fn write(&self, report: &Report, output: &mut Output) -> Result<(), Failure> {
        if let Some(json) = &self.json {
            let text = report
                .to_json()
                .map_err(|error| Failure::internal(format!("report: {error}")))?;
            json.write(text.as_bytes(), output)?;
        }
        if let Some(csv) = &self.csv {
            let text =
                octave_csv(report).map_err(|error| Failure::internal(format!("CSV: {error}")))?;
            csv.write(text.as_bytes(), output)?;
        }
        if self.take_stdout() {
            Ok(())
        } else {
            show(report, output)
        }
    }

    /// Whether one of the files is standard output.
    pub(super) fn take_stdout(&self) -> bool {
        let files = [&self.json, &self.csv].into_iter().flatten();
        files.into_iter().any(OutputFile::is_stdout)
    }
}

/// The report as a table, with everything that is wrong in kind below it.
fn show(report: &Report, output: &mut Output) -> Result<(), Failure> {
    output.line(format!(
        "set {}, target {}, datapath {}",
        report.set, report.target, report.datapath
    ))?;
    let is_timed = report
        .functions
        .iter()
        .any(|function| function.seconds.is_some());
    let mut titles = vec![
        "function",
        "type",
        ">inputs",
        ">max ulp",
        "at",
        "got -> want",
        ">floor",
        ">mean",
        ">steps",
        ">rounded %",
        ">buckets",
    ];
    if is_timed {
        titles.push(">seconds");
    }
    let mut table = Table::new(&titles);
    for function in &report.functions {
        table.row(row(function));
    }
    output.table(&table, 0)?;
    for function in &report.functions {
        for remark in remarks(function) {
            output.line(format!("{}: {remark}", function.name))?;
        }
    }
    output.line(format!("ulp: {}", report.metrics.ulp))?;
    output.line(format!("steps: {}", report.metrics.steps))?;
    output.line("floor: the least error that any cubics on the same buckets can have; rounded: correctly rounded results")
}

fn row(function: &FunctionReport) -> Vec<String> {
    // Where everything is exact there is no worst input.
    let worst = function
        .max_ulp_at
        .as_ref()
        .filter(|_| function.max_ulp != Some(0.0));
    let mut cells = vec![
        function.name.clone(),
        types(&function.input_dtype, &function.dtype),
        function.inputs.to_string(),
        function.max_ulp.map_or_else(|| "nan".to_owned(), ulp),
        worst.map_or_else(String::new, |at| format!("{} ({})", at.value, at.bits)),
        worst.map_or_else(String::new, |at| format!("{} -> {}", at.got, at.want)),
        function.lower_bound_ulp.map_or_else(|| "-".to_owned(), ulp),
        ulp(function.mean_ulp),
        function.max_steps.to_string(),
        percent(function.correctly_rounded),
        function.buckets.to_string(),
    ];
    cells.extend(function.seconds.map(|seconds| format!("{seconds:.2}")));
    cells
}

/// `bf16`, or `fp32 to bf16` where inputs and outputs differ.
pub(super) fn types(input: &str, output: &str) -> String {
    if input == output {
        output.to_owned()
    } else {
        format!("{input} to {output}")
    }
}

/// Whether more inputs were judged than lie in a range to one side of zero: those of the other sign as well.
fn is_mirrored(first: &str, last: &str, inputs: u64) -> bool {
    let magnitude = |text: &str| {
        let bits = u32::from_str_radix(text.trim_start_matches("0x"), 16).ok()?;
        Some((bits >> 31, bits & 0x7fff_ffff))
    };
    match (magnitude(first), magnitude(last)) {
        (Some((sign, one)), Some((other_sign, other))) => {
            // Zeros, infinities and NaNs are judged in any case.
            let special = (1_u64 << 24) + 2;
            sign == other_sign && inputs > u64::from(one.abs_diff(other)) + 1 + special
        }
        _ => false,
    }
}

/// What a table cannot show: the judged range, and whatever is wrong in kind.
fn remarks(function: &FunctionReport) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some([first, last]) = &function.range {
        remarks.push(format!(
            "judged from {first} to {last}{}; the inputs outside are not asked for",
            if is_mirrored(first, last, function.inputs) {
                ", with either sign"
            } else {
                ""
            }
        ));
    }
    if let Some(weighted) = &function.weighted {
        remarks.push(format!("where its inputs fall: {}", in_words(weighted)));
    }
    let violations = &function.violations;
    for (count, what) in [
        (violations.nan_results, "NaN where a number is right"),
        (
            violations.infinite_results,
            "infinite where a finite result is right",
        ),
        (
            violations.out_of_range,
            "outside the function's range of values",
        ),
        (violations.wrong_sign, "of the wrong sign"),
        (
            violations.zero_sign,
            "a zero of the other sign (no error in ulp)",
        ),
    ] {
        if count > 0 {
            remarks.push(format!("{count} results are {what}"));
        }
    }
    for (count, what) in [
        (
            violations.non_monotone,
            "steps against the function's direction",
        ),
        (
            violations.asymmetric,
            "inputs whose mirror image does not give the mirrored result",
        ),
    ] {
        if count > 0 {
            remarks.push(format!("{count} {what}"));
        }
    }
    for special in function.special.iter().filter(|special| !special.ok) {
        remarks.push(format!(
            "special input {} ({}): got {}, want {}",
            special.input, special.bits, special.got, special.want
        ));
    }
    remarks
}
