//! The report as tables for a spreadsheet: one row an octave, or one row a bucket.
//!
//! The columns are stable: new ones are only ever added at the end of a row. Numbers are written as in the JSON report;
//! an empty field means that the report holds no value there. A `max_ulp` of `nan` means that a result was NaN where a
//! number is right, which is worse than any number.

use std::io;

use csv::Writer;

use crate::report::{BucketReport, FunctionReport, GroupReport, OctaveReport, Report, Witness};

/// The columns of [`octave_csv`].
pub const OCTAVE_COLUMNS: [&str; 14] = [
    "function",
    "dtype",
    "sign",
    "exponent",
    "buckets",
    "inputs",
    "max_ulp",
    "max_ulp_at",
    "got",
    "want",
    "lower_bound_ulp",
    "mean_ulp",
    "correctly_rounded",
    "non_monotone",
];

/// The columns of [`bucket_csv`].
pub const BUCKET_COLUMNS: [&str; 14] = [
    "function",
    "dtype",
    "bucket",
    "region",
    "first",
    "last",
    "inputs",
    "max_ulp",
    "max_ulp_at",
    "got",
    "want",
    "lower_bound_ulp",
    "mean_ulp",
    "correctly_rounded",
];

/// One row an octave and function, with [`OCTAVE_COLUMNS`] as the header. `sign` is `positive` or `negative`; `exponent`
/// is unbiased, -127 for all subnormals; errors are in ulp of `dtype`; inputs and results are binary32 bits.
///
/// # Errors
/// Only those of the CSV writer.
pub fn octave_csv(report: &Report) -> Result<String, csv::Error> {
    let rows = report
        .functions
        .iter()
        .flat_map(|function| function.octaves.iter().map(|row| octave_row(function, row)));
    table(&OCTAVE_COLUMNS, rows)
}

/// One row a bucket and function, with [`BUCKET_COLUMNS`] as the header. `bucket` is the index in the pool, `first` and
/// `last` are the bits of the inputs it serves (empty for a bucket that no input reaches).
///
/// # Errors
/// Only those of the CSV writer.
pub fn bucket_csv(report: &Report) -> Result<String, csv::Error> {
    let rows = report.functions.iter().flat_map(|function| {
        function
            .bucket_rows
            .iter()
            .map(|row| bucket_row(function, row))
    });
    table(&BUCKET_COLUMNS, rows)
}

fn table<const COLUMNS: usize>(
    header: &[&str; COLUMNS],
    rows: impl Iterator<Item = [String; COLUMNS]>,
) -> Result<String, csv::Error> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(&row)?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error).into())
}

fn octave_row(function: &FunctionReport, octave: &OctaveReport) -> [String; OCTAVE_COLUMNS.len()] {
    let [max_ulp, at, got, want] = worst(&octave.group);
    [
        function.name.clone(),
        function.dtype.clone(),
        if octave.negative {
            "negative"
        } else {
            "positive"
        }
        .to_owned(),
        octave.exponent.to_string(),
        octave.buckets.to_string(),
        octave.group.inputs.to_string(),
        max_ulp,
        at,
        got,
        want,
        optional(octave.lower_bound_ulp),
        octave.group.mean_ulp.to_string(),
        octave.group.correctly_rounded.to_string(),
        octave.non_monotone.to_string(),
    ]
}

fn bucket_row(function: &FunctionReport, bucket: &BucketReport) -> [String; BUCKET_COLUMNS.len()] {
    let [max_ulp, at, got, want] = worst(&bucket.group);
    let [first, last] = bucket.reached.clone().unwrap_or_default();
    [
        function.name.clone(),
        function.dtype.clone(),
        bucket.index.to_string(),
        bucket.region.clone().unwrap_or_default(),
        first,
        last,
        bucket.group.inputs.to_string(),
        max_ulp,
        at,
        got,
        want,
        optional(bucket.lower_bound_ulp),
        bucket.group.mean_ulp.to_string(),
        bucket.group.correctly_rounded.to_string(),
    ]
}

/// The largest error of a group, where, what came out and what is right.
fn worst(group: &GroupReport) -> [String; 4] {
    let max_ulp = match group.max_ulp {
        None if group.inputs > 0 => "nan".to_owned(),
        error => optional(error),
    };
    let [at, got, want] = match &group.max_ulp_at {
        Some(Witness {
            bits, got, want, ..
        }) => [bits.clone(), got.clone(), want.clone()],
        None => Default::default(),
    };
    [max_ulp, at, got, want]
}

fn optional(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
