//! Functions that agree far from zero use the same buckets, and keep their errors.

use actforge_fit::{FunctionRequest, SetRequest, build_set};
use actforge_reference::Format;
use actforge_reports::{ReplayOptions, SweepJudge, replay};
use actforge_tables::{Datapath, FunctionSet, Target};

fn build(names: &[&str], max_ulp: Option<f64>, dtype: Format, target: Target) -> FunctionSet {
    let functions = names.iter().map(|name| FunctionRequest {
        max_ulp,
        dtype,
        ..FunctionRequest::new(*name)
    });
    let request = SetRequest {
        name: "shared".to_owned(),
        target,
        datapath: Datapath::Fma,
        functions: functions.collect(),
    };
    let built = build_set(&request, &SweepJudge::new(Datapath::Fma), &()).unwrap();
    FunctionSet::assemble("shared", target, Datapath::Fma, &built.tables).unwrap()
}

fn worst(set: &FunctionSet) -> f64 {
    let report = replay(set, &ReplayOptions::default(), &|_| {}).unwrap();
    let errors = report
        .functions
        .iter()
        .map(|function| function.max_ulp.unwrap());
    errors.fold(0.0, f64::max)
}

/// The buckets that each function would store by itself, and those of all together.
fn sizes(names: &[&str], max_ulp: Option<f64>, dtype: Format, set: &FunctionSet) -> (usize, usize) {
    let alone = names
        .iter()
        .map(|name| build(&[name], max_ulp, dtype, set.target).buckets.len());
    (alone.sum(), set.buckets.len())
}

#[test]
fn tails_are_stored_once_and_every_error_is_kept() {
    let names = ["exp", "sigmoid", "softplus"];
    let set = build(&names, Some(0.52), Format::Bf16, Target::Cayman);
    assert!(set.functions[0].shared.is_empty());
    assert!(
        set.functions[1..]
            .iter()
            .all(|function| !function.shared.is_empty())
    );
    let (alone, together) = sizes(&names, Some(0.52), Format::Bf16, &set);
    assert!(together + 300 < alone, "{together} of {alone}");
    for function in &set.functions {
        assert!(function.notes.measured_ulp.unwrap() <= 0.52);
    }
    // Stock files have no such thing.
    let stock = build(&names, Some(0.6), Format::Bf16, Target::StockTrainium);
    assert!(
        stock
            .functions
            .iter()
            .all(|function| function.shared.is_empty())
    );
}

/// What no pool holds without sharing: 4 ulp of binary32 for all four.
#[test]
#[ignore = "replays all 2^32 inputs of nine functions"]
fn four_functions_within_4_ulp_and_five_that_leave_300_buckets() {
    let names = ["exp", "sigmoid", "softplus", "tanh"];
    let set = build(&names, Some(4.0), Format::Fp32, Target::Cayman);
    let (alone, together) = sizes(&names, Some(4.0), Format::Fp32, &set);
    assert!(alone > 2048 && together <= 2048, "{together} of {alone}");
    assert!(worst(&set) <= 4.0);
    let names = ["relu", "gelu", "tanh", "sigmoid", "exp"];
    let set = build(&names, Some(23.0), Format::Fp32, Target::Cayman);
    assert!(set.buckets.len() <= 2048 - 300, "{}", set.buckets.len());
    assert!(worst(&set) <= 23.0);
}
