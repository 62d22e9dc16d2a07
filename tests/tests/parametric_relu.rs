//! `parametric_relu`, whose slope the instruction brings: a table, an operand, and the definition of the result.

use actforge_engine::{EngineConfig, Function, parametric_relu};
use actforge_fit::{FunctionRequest, SetRequest, build_set};
use actforge_reference::Format;
use actforge_reports::{ReplayOptions, SweepJudge, replay};
use actforge_tables::{Datapath, FunctionSet, Target};
use actforge_tests::random::Random;

fn set() -> FunctionSet {
    let names = ["relu", "parametric_relu", "abs"];
    let request = SetRequest {
        name: "sloped".to_owned(),
        target: Target::Cayman,
        datapath: Datapath::Fma,
        functions: names.map(FunctionRequest::new).into(),
    };
    let built = build_set(&request, &SweepJudge::new(Datapath::Fma), &()).unwrap();
    FunctionSet::assemble("sloped", Target::Cayman, Datapath::Fma, &built.tables).unwrap()
}

#[test]
fn the_set_with_an_operand_computes_what_the_engine_defines() {
    let stored = set();
    let mut random = Random::new(4);
    for slope in [0.25_f32, 0.1, -1.5, 0.0, 1.0, 3.0e38, 1.0e-40] {
        let set = stored.with_slope(slope).unwrap();
        for (name, expected) in [
            ("parametric_relu", slope),
            // The others keep their buckets.
            ("relu", 0.0),
            ("abs", -1.0),
        ] {
            let entry = set.function(name).unwrap();
            // The squares of the others overflow far out, whatever the table holds.
            for datapath in [Datapath::Fma, Datapath::MulAdd] {
                let table = Function::from_set(&set, entry, EngineConfig::from(datapath)).unwrap();
                let inputs = (0..20_000).map(|_| f32::from_bits(random.bits()));
                for x in inputs.chain([1.0, -1.0, -f32::MAX, -f32::from_bits(1), f32::NAN]) {
                    let (got, want) = (table.eval(x), parametric_relu(x, expected));
                    // The sum with d0 turns a negative zero into a positive one.
                    let same = got == want || got.is_nan() && want.is_nan();
                    assert!(same, "{name} {slope} {datapath} at {x}: {got} {want}");
                }
            }
        }
        let entry = set.function("parametric_relu").unwrap();
        let table = Function::from_set(&set, entry, EngineConfig::default()).unwrap();
        let far = table.eval(f32::NEG_INFINITY);
        let want = parametric_relu(f32::NEG_INFINITY, slope);
        assert!(
            far == want || far.is_nan() && want.is_nan(),
            "{slope}: {far}"
        );
    }
}

#[test]
fn every_slope_is_judged_by_its_own_function() {
    let set = set();
    for (slope, named) in [
        (None, "slope = 0.25"),
        (Some(0.1), "slope = 0.100000001490116119384765625"),
    ] {
        let options = ReplayOptions {
            functions: vec!["parametric_relu".to_owned()],
            input: Format::Bf16,
            slope,
            ..ReplayOptions::default()
        };
        let report = replay(&set, &options, &|_| {}).unwrap();
        let function = &report.functions[0];
        assert_eq!(function.correctly_rounded, 1.0);
        assert!(function.special.iter().all(|special| special.ok));
        let definition = function.definition.as_deref().unwrap();
        assert!(definition.ends_with(named), "{definition}");
    }
    for slope in [f32::NAN, f32::INFINITY] {
        let error = set.with_slope(slope).unwrap_err().to_string();
        assert!(error.contains("slope: expected a finite number"), "{error}");
    }
}
