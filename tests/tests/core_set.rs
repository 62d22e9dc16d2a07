//! The set of `examples/core.toml`: within its target's capacities, and right where implementations are known to go
//! wrong. So are other functions, each alone.

use actforge_engine::{EngineConfig, Function as Table};
use actforge_fit::{FunctionRequest, SetRequest, build_set};
use actforge_reference::{Definition, Format, Function, lookup, ulp_error};
use actforge_reports::SweepJudge;
use actforge_tables::{Datapath, FunctionEntry, FunctionSet, Target};
use actforge_tests::trouble_spots::{Check, TroubleSpot, trouble_spots};

/// The budgets of `examples/budgets.toml`, in binary32 ulp.
const BUDGETS: [(&str, f64); 5] = [
    ("relu", 0.0),
    ("gelu", 26.0),
    ("sigmoid", 26.0),
    ("tanh", 1.0),
    ("exp", 26.0),
];

/// Functions of the list outside the core set, and what the list calls them.
const OTHERS: [(&str, &str); 13] = [
    ("derivative_tanh", "derivative_tanh"),
    ("elu", "elu"),
    ("erf", "erf"),
    ("expm1", "expm1"),
    ("gelu_apprx_tanh", "gelu_apprx_tanh"),
    ("hard_sigmoid", "hardsigmoid6"),
    ("logsigmoid", "logsigmoid"),
    ("mish", "mish"),
    ("selu", "selu"),
    ("sign", "sign"),
    ("silu", "silu"),
    ("softplus", "softplus"),
    ("softsign", "softsign"),
];

/// Functions that have tables for a range: their rows beyond it are held against the reference alone.
const RANGED: [&str; 5] = ["ln", "reciprocal", "reciprocal_sqrt", "sin", "sqrt"];

/// What each of them, in a set of its own, is built for.
const OTHERS_MAX_ULP: f64 = 4.0;

/// The tail of erfc falls as fast as that of gelu.
const ERFC_MAX_ULP: f64 = 64.0;

fn core_set() -> FunctionSet {
    let functions = BUDGETS
        .iter()
        .map(|(name, budget)| FunctionRequest {
            max_ulp: (*name == "tanh").then_some(*budget),
            ..FunctionRequest::new(*name)
        })
        .collect();
    set_of(functions)
}

fn set_of(functions: Vec<FunctionRequest>) -> FunctionSet {
    let request = SetRequest {
        name: "core".to_owned(),
        target: Target::Cayman,
        datapath: Datapath::Fma,
        functions,
    };
    let tables = build_set(&request, &SweepJudge::new(Datapath::Fma), &())
        .unwrap()
        .tables;
    FunctionSet::assemble("core", Target::Cayman, Datapath::Fma, &tables).unwrap()
}

/// Checks every row of the list that is about a function, and returns how many there were.
fn check_spots(set: &FunctionSet, name: &str, listed_as: &str, budget: f64) -> usize {
    let entry = set.function(name).unwrap();
    assert!(
        entry.notes.measured_ulp.unwrap() <= budget,
        "{name}: {:?}",
        entry.notes.measured_ulp
    );
    let table = Table::from_set(set, entry, EngineConfig::default()).unwrap();
    let function = lookup(name).unwrap().function();
    let spots: Vec<TroubleSpot> = trouble_spots()
        .into_iter()
        .filter(|spot| spot.function == listed_as)
        .filter(|spot| spot.check == Check::Special || is_asked_for(entry, function, spot.input()))
        .collect();
    for spot in &spots {
        let got = spot.format.round_f32(table.eval(spot.input()));
        let expected = spot.expected();
        match spot.check {
            Check::Special => assert!(
                got == expected || got.is_nan() && expected.is_nan(),
                "{}: {name}({}) = {got}, expected {expected}",
                spot.id,
                spot.input()
            ),
            Check::Ulp => {
                // In a narrower type the table's error shrinks with the ulp, and its own rounding is added.
                let shrunk =
                    budget * 2.0_f64.powi(spot.format.precision() - Format::Fp32.precision());
                let allowed = if spot.format == Format::Fp32 {
                    budget
                } else {
                    0.5 + shrunk
                };
                let error = ulp_error(spot.format, got, &function.enclose(spot.input(), 80));
                assert!(
                    error <= allowed,
                    "{}: {name}({}) is off by {error} ulp",
                    spot.id,
                    spot.input()
                );
            }
        }
    }
    spots.len()
}

/// Whether an input lies in the range that a table is made for.
fn is_asked_for(entry: &FunctionEntry, function: &Function, x: f32) -> bool {
    let natural = function.natural_range().map(|(low, high)| [low, high]);
    let within = |[low, high]: [f32; 2]| (low..=high).contains(&x);
    entry.notes.range.or(natural).is_none_or(within)
}

#[test]
fn the_core_set_fits_and_passes_every_known_trouble_spot() {
    let set = core_set();
    assert!(set.buckets.len() <= 2048 && set.control.len() <= 128);
    let checked: usize = BUDGETS
        .iter()
        .map(|(name, budget)| check_spots(&set, name, name, *budget))
        .sum();
    // A list without rows of these functions would prove nothing.
    assert_eq!(checked, 49);
}

#[test]
fn other_functions_pass_theirs() {
    let checked: usize = OTHERS
        .iter()
        .map(|(name, listed_as)| {
            let set = set_of(vec![FunctionRequest {
                max_ulp: Some(OTHERS_MAX_ULP),
                ..FunctionRequest::new(*name)
            }]);
            check_spots(&set, name, listed_as, OTHERS_MAX_ULP)
        })
        .sum();
    assert_eq!(checked, 37);
}

#[test]
fn functions_with_a_range_pass_theirs_within_it() {
    let checked: usize = RANGED
        .iter()
        .map(|name| {
            let set = set_of(vec![FunctionRequest {
                max_ulp: Some(OTHERS_MAX_ULP),
                ..FunctionRequest::new(*name)
            }]);
            check_spots(&set, name, name, OTHERS_MAX_ULP)
        })
        .sum();
    // Five more lie beyond.
    assert_eq!(checked, 8);
}

/// erfc is in the list and not in the catalogue: a function by expression.
#[test]
fn erfc_by_expression_passes_its_own() {
    let definition = Definition::new("erfc(x)");
    let set = set_of(vec![FunctionRequest {
        definition: Some(definition.clone()),
        max_ulp: Some(ERFC_MAX_ULP),
        ..FunctionRequest::new("erfc")
    }]);
    let function = Function::define("erfc", &definition, None).unwrap();
    let table = Table::from_set(&set, &set.functions[0], EngineConfig::default()).unwrap();
    let spots: Vec<TroubleSpot> = trouble_spots()
        .into_iter()
        .filter(|spot| spot.function == "erfc")
        .collect();
    assert_eq!(spots.len(), 1);
    for spot in spots {
        let got = table.eval(spot.input());
        let error = ulp_error(Format::Fp32, got, &function.enclose(spot.input(), 80));
        assert!(error <= ERFC_MAX_ULP, "{}: {error}", spot.id);
    }
}
