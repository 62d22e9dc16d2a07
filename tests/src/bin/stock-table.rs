//! What the stock functions are worth in the size that they have in the vendor's files, beside the whole pool.
//!
//! Every error is the largest over all inputs, or over those of a range, found by a replay of the packed function. `make stock-table` runs it; docs/stock.md carries what it prints.
#![forbid(unsafe_code)]

use std::error::Error;

use actforge_fit::{FunctionRequest, Method, SetRequest, StockFit, build_set, fit_stock_function};
use actforge_reports::{ReplayOptions, SweepJudge, replay};
use actforge_tables::stock::{StockFunction, StockRange, stock_functions};
use actforge_tables::{Datapath, FunctionSet, FunctionTable, Target};

const TARGET: Target = Target::StockTrainium;
const DATAPATH: Datapath = Datapath::Fma;

fn main() -> Result<(), Box<dyn Error>> {
    // Functions by name, all without arguments.
    let names: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "| function | buckets | control words | max ulp | over its documented range | with the whole pool | buckets there |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let is_wanted = |function: &&StockFunction| {
        function.lut_size > 0
            && (names.is_empty() || names.iter().any(|name| name == function.name))
    };
    for function in stock_functions().iter().filter(is_wanted) {
        let variants = [function.selector, 400];
        let mut selectors = variants.to_vec();
        selectors.dedup();
        let (whole, pool) = with_the_whole_pool(function.name)?;
        for selector in selectors {
            if function.buckets(selector).is_some() {
                row(function.name, selector, &whole, pool)?;
            }
        }
    }
    Ok(())
}

fn row(name: &str, selector: u32, whole: &str, pool: usize) -> Result<(), Box<dyn Error>> {
    let judge = SweepJudge::new(DATAPATH);
    let fit = |range: StockRange| {
        let how = StockFit {
            target: TARGET,
            method: Method::Accurate,
            documented_layout: false,
            range,
        };
        fit_stock_function(name, selector, how, &judge, &())
    };
    let table = fit(StockRange::Precise)?;
    let error = max_ulp(&table)?;
    let documented = match StockRange::Documented.of(name) {
        range if range == StockRange::Precise.of(name) => error.clone(),
        _ => max_ulp(&fit(StockRange::Documented)?)?,
    };
    println!(
        "| {name}_{selector}p | {} | {} | {error} | {documented} | {whole} | {pool} |",
        table.stored_buckets(),
        table.octave_count()
    );
    Ok(())
}

/// The least error of the function alone in a set, and the buckets of its octaves.
fn with_the_whole_pool(name: &str) -> Result<(String, usize), Box<dyn Error>> {
    let request = SetRequest {
        name: "whole".to_owned(),
        target: TARGET,
        datapath: DATAPATH,
        functions: vec![FunctionRequest {
            range: StockRange::Precise.of(name),
            ..FunctionRequest::new(name)
        }],
    };
    let built = build_set(&request, &SweepJudge::new(DATAPATH), &())?;
    let table = built.tables.first().ok_or("a set without functions")?;
    Ok((max_ulp(table)?, table.stored_buckets()))
}

/// The largest error of all inputs in the function's range.
fn max_ulp(table: &FunctionTable) -> Result<String, Box<dyn Error>> {
    let set = FunctionSet::assemble("stock", TARGET, DATAPATH, std::slice::from_ref(table))?;
    let report = replay(&set, &ReplayOptions::default(), &|_| {})?;
    let largest = report
        .functions
        .first()
        .and_then(|function| function.max_ulp);
    Ok(largest.map_or("none".to_owned(), |ulp| format!("{ulp:.3}")))
}
