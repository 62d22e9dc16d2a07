//! The set of `examples/core.toml`: within its target's capacities, and right where implementations are known to go
//! wrong. So are other functions, each alone.

use actforge_engine::{EngineConfig, Function as Table};
use actforge_fit::{FunctionRequest, SetRequest, build_set};
use actforge_reference::{Format, lookup, ulp_error};
use actforge_reports::SweepJudge;
use actforge_tables::{Datapath, FunctionSet, Target};
use actforge_tests::trouble_spots::{Check, TroubleSpot, trouble_spots};

/// The budgets of `examples/budgets.toml`, in binary32 ulp.
const BUDGETS: [(&str, f64); 5] = [
    ("relu", 0.0),
    ("gelu", 26.0),
    ("sigmoid", 26.0),
    ("tanh", 1.0),
    ("exp", 26.0),
];

/// Functions of the list outside the core set, and what the list calls them. (Those that need a range of their own, as
/// ln and reciprocal, have rows beyond any: only the reference is held against these.)
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

/// What each of them, in a set of its own, is built for.
const OTHERS_MAX_ULP: f64 = 4.0;

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
