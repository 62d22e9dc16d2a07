//! The fit as its users meet it: targets kept, ceilings respected, baselines beaten, the same tables on any machine.

use actforge_engine::{EngineConfig, Function as Table};
use std::sync::Mutex;

use actforge_fit::{
    BucketFitter, FunctionRequest, Judge, Method, Observer, SetRequest, Stretch, build_set,
};
use actforge_reference::{Format, Surrogate, lookup};
use actforge_reports::{ReplayOptions, SweepJudge, replay};
use actforge_tables::{Datapath, FunctionSet, FunctionTable, Target};

fn request(functions: Vec<FunctionRequest>, datapath: Datapath) -> SetRequest {
    SetRequest {
        name: "test".to_owned(),
        target: Target::Cayman,
        datapath,
        functions,
    }
}

fn build(functions: Vec<FunctionRequest>, datapath: Datapath) -> FunctionSet {
    let tables = build_set(
        &request(functions, datapath),
        &SweepJudge::new(datapath),
        &(),
    )
    .unwrap()
    .tables;
    FunctionSet::assemble("test", Target::Cayman, datapath, &tables).unwrap()
}

fn with_target(name: &str, max_ulp: f64) -> FunctionRequest {
    FunctionRequest {
        max_ulp: Some(max_ulp),
        ..FunctionRequest::new(name)
    }
}

/// (function, largest error in ulp, buckets) as replayed over all inputs.
fn replayed(set: &FunctionSet) -> Vec<(String, f64, u32)> {
    let report = replay(set, &ReplayOptions::default(), &|_| {}).unwrap();
    report
        .functions
        .into_iter()
        .map(|function| {
            assert_eq!(function.inputs, 1 << 32);
            (function.name, function.max_ulp.unwrap(), function.buckets)
        })
        .collect()
}

/// Planning anew helps regions alone: an octave that no cut brings within the target is searched once.
#[test]
fn an_octave_that_misses_its_target_is_not_fitted_again() {
    struct Fitted(Mutex<Vec<usize>>);
    impl Observer for Fitted {
        fn stage(&self, _function: &str, stage: &str, done: usize, _total: usize) {
            if stage == "fit" {
                self.0.lock().unwrap().push(done);
            }
        }
    }
    let erf = FunctionRequest {
        range: Some((0.001, 0.00102)),
        ..with_target("erf", 0.5005)
    };
    let observer = Fitted(Mutex::new(Vec::new()));
    let judge = SweepJudge::new(Datapath::Fma);
    let error = build_set(&request(vec![erf], Datapath::Fma), &judge, &observer).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the best that was found is 0.5006"), "{text}");
    assert_eq!(observer.0.into_inner().unwrap().len(), 1);
}

#[test]
fn targets_are_kept_over_all_inputs_with_few_buckets() {
    let set = build(
        vec![with_target("tanh", 0.6), with_target("sigmoid", 2.0)],
        Datapath::Fma,
    );
    let [tanh, sigmoid] = replayed(&set).try_into().unwrap();
    assert!(tanh.1 <= 0.6 && tanh.2 <= 160, "{tanh:?}");
    assert!(sigmoid.1 <= 2.0 && sigmoid.2 <= 960, "{sigmoid:?}");
}

#[test]
fn exact_functions_are_correctly_rounded_without_buckets_in_octaves() {
    let names = ["relu", "identity", "abs", "copy", "sign", "square"];
    let set = build(names.map(FunctionRequest::new).to_vec(), Datapath::Fma);
    for (name, max_ulp, buckets) in replayed(&set) {
        assert!(max_ulp <= 0.5, "{name}: {max_ulp}");
        assert!(max_ulp == 0.0 || name == "square", "{name}: {max_ulp}");
        assert!(buckets <= 4, "{name}: {buckets}");
    }
}

#[test]
fn a_ceiling_is_respected_and_more_buckets_mean_less_error() {
    let error = |buckets: u32| {
        let request = FunctionRequest {
            buckets: Some(buckets),
            ..FunctionRequest::new("tanh")
        };
        let set = build(vec![request], Datapath::Fma);
        assert!(set.buckets.len() <= buckets as usize);
        set.functions[0].notes.measured_ulp.unwrap()
    };
    let (coarse, middle, fine) = (error(20), error(60), error(250));
    assert!(coarse > middle && middle > fine, "{coarse} {middle} {fine}");
    assert!(fine < 0.56, "{fine}");
}

#[test]
fn a_slope_that_is_no_float_does_not_spoil_tiny_inputs() {
    let request = FunctionRequest {
        buckets: Some(256),
        ..FunctionRequest::new("erf")
    };
    let set = build(vec![request], Datapath::Fma);
    let [erf] = replayed(&set).try_into().unwrap();
    // A cubic about zero alone is off by 1.39 there.
    assert!(erf.1 <= 0.76 && erf.2 <= 256, "{erf:?}");
    assert_eq!(set.control.len(), 128);
}

#[test]
fn accurate_beats_the_baselines_and_nothing_beats_the_floor() {
    let judge = SweepJudge::new(Datapath::Fma);
    for (name, first, last) in [
        ("exp", 0x3f00_0000, 0x3f0f_ffff),
        ("exp", 0x4180_0000, 0x4180_ffff),
        ("gelu", 0xc040_0000, 0xc043_ffff),
        ("tanh", 0x3f00_0000, 0x3f07_ffff),
        ("tanh", 0x40a0_0000, 0x40a3_ffff),
        ("sigmoid", 0xc100_0000, 0xc101_ffff),
    ] {
        let surrogate = Surrogate::new(lookup(name).unwrap().function(), Format::Fp32).unwrap();
        let fit = |method| {
            let fitter = BucketFitter {
                surrogate: &surrogate,
                judge: &judge,
                method,
                reflected: None,
            };
            fitter.fit(Stretch { first, last }, 0.0)
        };
        let [taylor, minimax, accurate] = Method::ALL.map(fit);
        assert!(accurate.measured <= minimax.measured, "{name}");
        assert!(accurate.measured <= taylor.measured, "{name}");
        assert!(
            accurate.measured <= 1.03 * accurate.floor,
            "{name}: {accurate:?}"
        );
        for found in [taylor, minimax, accurate] {
            assert!(found.measured >= found.floor, "{name}: {found:?}");
        }
        // The worst error is what the judge finds for the coefficients that are returned.
        let trial = actforge_fit::Trial {
            bucket: accurate.bucket,
            first,
            last,
            unfold: None,
        };
        assert_eq!(
            judge.worst_error(&surrogate, &trial, f64::INFINITY),
            accurate.measured
        );
    }
}

#[test]
fn a_fit_serves_the_datapath_it_was_made_for() {
    let surrogate = Surrogate::new(lookup("exp").unwrap().function(), Format::Fp32).unwrap();
    let stretch = Stretch {
        first: 0x3f80_0000,
        last: 0x3f87_ffff,
    };
    let fit = |datapath| {
        let judge = SweepJudge::new(datapath);
        let fitter = BucketFitter {
            surrogate: &surrogate,
            judge: &judge,
            method: Method::Accurate,
            reflected: None,
        };
        fitter.fit(stretch, 0.0)
    };
    let for_fma = fit(Datapath::Fma);
    for datapath in [Datapath::MulAdd, Datapath::Estrin, Datapath::Mixed] {
        let own = fit(datapath);
        let judge = SweepJudge::new(datapath);
        let trial = actforge_fit::Trial {
            bucket: for_fma.bucket,
            first: stretch.first,
            last: stretch.last,
            unfold: None,
        };
        let borrowed = judge.worst_error(&surrogate, &trial, f64::INFINITY);
        assert!(
            own.measured <= borrowed + 1e-12,
            "{datapath}: {} {borrowed}",
            own.measured
        );
    }
}

#[test]
fn the_same_tables_with_one_thread_and_with_two() {
    let functions = vec![
        with_target("tanh", 1.5),
        with_target("erf", 2.0),
        FunctionRequest::new("relu"),
    ];
    let tables = |threads: usize| -> Vec<FunctionTable> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let judge = SweepJudge::new(Datapath::Fma);
        pool.install(|| {
            build_set(&request(functions.clone(), Datapath::Fma), &judge, &())
                .unwrap()
                .tables
        })
    };
    assert_eq!(tables(1), tables(2));
}

#[test]
fn what_cannot_be_is_said_with_the_number_that_would_be_needed() {
    let judge = SweepJudge::new(Datapath::Fma);
    let answer = |function: FunctionRequest| {
        let error = build_set(&request(vec![function], Datapath::Fma), &judge, &()).unwrap_err();
        (error.is_impossible(), error.to_string())
    };
    let (impossible, text) = answer(with_target("exp", 0.6));
    assert!(impossible);
    assert!(text.starts_with("exp at 0.6 fp32 ulp needs 3"), "{text}");
    assert!(
        text.contains("buckets; the pool of target cayman has 2048"),
        "{text}"
    );
    let (impossible, text) = answer(FunctionRequest {
        buckets: Some(40),
        ..with_target("tanh", 0.6)
    });
    assert!(impossible);
    assert!(text.ends_with("buckets; the ceiling is 40"), "{text}");
    // Said at once, not found out.
    let (impossible, text) = answer(with_target("tanh", 0.5));
    assert!(impossible);
    assert!(
        text.starts_with("tanh cannot be within 0.5 fp32 ulp: one octave alone, the one between "),
        "{text}"
    );
    let (impossible, text) = answer(with_target("tahn", 1.0));
    assert!(!impossible);
    assert_eq!(text, "unknown function `tahn`; did you mean `tanh`?");
    let (impossible, _) = answer(FunctionRequest {
        range: Some((1.0, -1.0)),
        ..FunctionRequest::new("tanh")
    });
    assert!(!impossible);
}

#[test]
fn inputs_outside_a_range_cost_nothing() {
    let narrow = FunctionRequest {
        range: Some((-3.0, 3.0)),
        ..with_target("gelu", 2.0)
    };
    let set = build(vec![narrow], Datapath::Fma);
    let report = replay(&set, &ReplayOptions::default(), &|_| {}).unwrap();
    let function = &report.functions[0];
    assert!(function.max_ulp.unwrap() <= 2.0);
    assert_eq!(
        function.range,
        Some(["0xc0400000".to_owned(), "0x40400000".to_owned()])
    );
    assert!(function.inputs < 1 << 32);
    assert!(function.buckets < 500, "{}", function.buckets);
}

#[test]
fn a_narrow_output_type_is_fitted_in_its_own_ulp() {
    let request = FunctionRequest {
        dtype: Format::Bf16,
        ..with_target("tanh", 0.51)
    };
    let set = build(vec![request], Datapath::Fma);
    let [tanh] = replayed(&set).try_into().unwrap();
    assert!(tanh.1 <= 0.51 && tanh.2 <= 16, "{tanh:?}");
    let table = Table::from_set(&set, &set.functions[0], EngineConfig::default()).unwrap();
    assert_eq!(
        Format::Bf16.round_f32(table.eval(1.0)).to_bits(),
        0x3f43_0000
    );
}
