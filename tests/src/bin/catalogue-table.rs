//! What each function of the catalogue costs and reaches, alone in a set of target cayman.
//!
//! Errors are what the fit measured: every input of every bucket, and of regions every input next to their thresholds.
//! `make catalogue-table` runs it; docs/catalogue.md carries what it prints.
#![forbid(unsafe_code)]

use std::error::Error;

use actforge_fit::{BuiltSet, FitError, FunctionRequest, SetRequest, build_set};
use actforge_reference::{CatalogueEntry, Format, catalogue};
use actforge_reports::SweepJudge;
use actforge_tables::{Datapath, Target};

fn main() -> Result<(), Box<dyn Error>> {
    // Functions by name, all that have a table without arguments.
    let names: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "| function | inputs | whole pool: fp32 ulp | buckets | words | 4 fp32 ulp: buckets | words | 0.52 bf16 ulp: buckets | words |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for entry in catalogue() {
        let name = entry.function().name();
        let is_wanted = if names.is_empty() {
            entry.is_table_driven()
        } else {
            names.iter().any(|known| known == name)
        };
        if is_wanted {
            let best = build(name, Format::Fp32, None)?;
            let fine = build(name, Format::Fp32, Some(4.0))?;
            let coarse = build(name, Format::Bf16, Some(0.52))?;
            let inputs = inputs(entry);
            println!(
                "| {name} | {inputs} | {} | {} | {} |",
                best.row(true),
                fine.row(false),
                coarse.row(false)
            );
        }
    }
    Ok(())
}

/// Which inputs count.
fn inputs(entry: &CatalogueEntry) -> String {
    match entry.table_range().or(entry.function().natural_range()) {
        Some((low, high)) => format!("{} to {}", end(low), end(high)),
        None => "all".to_owned(),
    }
}

/// An end of a range; ranges often end at a power of two or at the number next to one.
fn end(input: f32) -> String {
    let near = [input, input.next_up(), input.next_down()];
    let power = near
        .into_iter()
        .find(|near| near.is_normal() && near.to_bits() & 0x7f_ffff == 0);
    match power {
        Some(power) => {
            let sign = if power < 0.0 { "-" } else { "" };
            format!("{sign}2^{}", (power.to_bits() >> 23 & 0xff) as i32 - 127)
        }
        None if input == f32::MAX => "2^128".to_owned(),
        None => input.to_string(),
    }
}

/// A table alone, or why there is none.
struct Size(Result<(f64, usize, usize), String>);

impl Size {
    fn row(&self, with_error: bool) -> String {
        match &self.0 {
            Ok((ulp, buckets, words)) if with_error => format!("{ulp:.3} | {buckets} | {words}"),
            Ok((_, buckets, words)) => format!("{buckets} | {words}"),
            Err(_) if with_error => "none | | ".to_owned(),
            Err(needs) => format!("{needs} | "),
        }
    }
}

fn build(name: &str, dtype: Format, max_ulp: Option<f64>) -> Result<Size, FitError> {
    let request = SetRequest {
        name: "alone".to_owned(),
        target: Target::Cayman,
        datapath: Datapath::Fma,
        functions: vec![FunctionRequest {
            dtype,
            max_ulp,
            ..FunctionRequest::new(name)
        }],
    };
    match build_set(&request, &SweepJudge::new(Datapath::Fma), &()) {
        Ok(BuiltSet { tables, .. }) => Ok(Size(tables.first().map_or_else(
            || Err("none".to_owned()),
            |table| {
                let ulp = table.notes.measured_ulp.unwrap_or(f64::INFINITY);
                Ok((ulp, table.stored_buckets() + 4, table.octave_count()))
            },
        ))),
        Err(FitError::TooLarge {
            needed, resource, ..
        }) => Ok(Size(Err(format!("needs {needed} {resource}")))),
        Err(error) if error.is_impossible() => Ok(Size(Err("out of reach".to_owned()))),
        Err(error) => Err(error),
    }
}
