//! Functions by expression as a whole: the catalogue's own formulas give the catalogue's own tables, and whatever a
//! generator comes up with is either built and judged rightly, or refused with a reason.

use actforge_engine::{EngineConfig, Function as Table};
use actforge_fit::{FunctionRequest, SetRequest, build_set};
use actforge_reference::{Definition, Format, catalogue, lookup, ulp_error};
use actforge_reports::{ReplayOptions, SweepJudge, reference, replay};
use actforge_tables::{Datapath, FunctionSet, FunctionTable, Target};
use actforge_tests::random::Random;

fn fit(request: FunctionRequest) -> Result<FunctionTable, String> {
    let set = SetRequest {
        name: "test".to_owned(),
        target: Target::Cayman,
        datapath: Datapath::Fma,
        functions: vec![request],
    };
    let built = build_set(&set, &SweepJudge::new(Datapath::Fma), &());
    let mut tables = built.map_err(|error| error.to_string())?.tables;
    tables.pop().ok_or_else(|| "no table".to_owned())
}

/// The table of a function of the catalogue, and of the same function by expression, under one name.
fn both(name: &str, formula: &str, request: &FunctionRequest) -> [FunctionTable; 2] {
    let known = fit(FunctionRequest {
        name: name.to_owned(),
        ..request.clone()
    })
    .unwrap();
    let defined = FunctionRequest {
        name: "own".to_owned(),
        definition: Some(Definition::new(formula)),
        ..request.clone()
    };
    let mut own = fit(defined).unwrap();
    assert!(own.func_id >= 210 && own.notes.definition.is_some());
    own.name.clone_from(&known.name);
    own.func_id = known.func_id;
    own.notes.definition = None;
    [known, own]
}

fn narrow() -> FunctionRequest {
    FunctionRequest {
        dtype: Format::Bf16,
        max_ulp: Some(1.0),
        ..FunctionRequest::new("")
    }
}

#[test]
fn a_formula_of_the_catalogue_gives_its_table() {
    for name in ["silu", "derivative_silu", "tanh", "relu", "hard_swish"] {
        let formula = lookup(name).unwrap().function().definition();
        let [known, own] = both(name, formula, &narrow());
        assert_eq!(known, own, "{name}");
    }
}

#[test]
fn so_does_the_same_function_written_differently() {
    for (name, formula) in [
        ("mish", "x*tanh(log(1 + exp(x)))"),
        ("softplus", "log(1 + exp(x))"),
        ("silu", "x*sigmoid(x)"),
        ("derivative_tanh", "1 - tanh(x)^2"),
    ] {
        let [known, own] = both(name, formula, &narrow());
        assert_eq!(
            known.positive.octaves.len(),
            own.positive.octaves.len(),
            "{name}"
        );
        assert_eq!(known, own, "{name}");
    }
}

#[test]
#[ignore = "fits every function twice"]
fn every_formula_of_the_catalogue_gives_its_table() {
    for entry in catalogue() {
        let function = entry.function();
        let name = function.name();
        // Their results at NaN and the infinities, and the range of sine and cosine, are no part of a formula.
        if matches!(
            name,
            "is_finite" | "memset_zero" | "sin" | "cos" | "xielu" | "parametric_relu"
        ) {
            continue;
        }
        let wide = FunctionRequest {
            buckets: Some(300),
            ..FunctionRequest::new("")
        };
        // A formula has no range of its own; that of the catalogue's tables is given to both.
        let wide = FunctionRequest {
            range: entry.table_range(),
            ..wide
        };
        let request = match fit(FunctionRequest {
            name: name.to_owned(),
            ..wide.clone()
        }) {
            Ok(_) => wide,
            // Whole octaves, so that both references are cut at the same places.
            Err(_) => FunctionRequest {
                range: Some((0.0, 2.0_f32.powi(60).next_down())),
                ..wide
            },
        };
        if fit(FunctionRequest {
            name: name.to_owned(),
            ..request.clone()
        })
        .is_err()
        {
            continue;
        }
        println!("{name}");
        let [known, own] = both(name, function.definition(), &request);
        // As text: a NaN, which a side without values holds, is no equal of itself. What regions make of inputs outside a
        // range is nobody's concern.
        let [known, own] = [known, own].map(|table| match request.range {
            Some(_) => format!("{:?} {:?}", table.positive.octaves, table.negative.octaves),
            None => format!("{table:?}"),
        });
        assert!(known == own, "{name}: {known}\n{own}");
    }
}

/// A formula that nests at most so deep.
fn formula(random: &mut Random, depth: u32) -> String {
    const UNARY: [&str; 24] = [
        "exp", "expm1", "log", "log1p", "log2", "exp2", "sqrt", "cbrt", "sin", "cos", "tan",
        "asin", "acos", "atan", "sinh", "cosh", "tanh", "erf", "erfc", "abs", "sigmoid", "sign",
        "step", "-",
    ];
    let pick = |random: &mut Random, count: u32| random.below(count);
    if depth == 0 || pick(random, 8) == 0 {
        return match pick(random, 6) {
            0 => format!("{}.{}", pick(random, 4), pick(random, 100)),
            1 => "pi/4".to_owned(),
            _ => "x".to_owned(),
        };
    }
    let inner = |random: &mut Random| formula(random, depth - 1);
    match pick(random, 10) {
        0..=3 => {
            let name = UNARY[pick(random, 24) as usize];
            format!("{name}({})", inner(random))
        }
        4 => format!("({})^{}", inner(random), 1 + pick(random, 3)),
        5 => format!("max({}, {})", inner(random), inner(random)),
        6 => format!("min({}, {})", inner(random), inner(random)),
        other => {
            let operator = ["+", "*", "/"][(other - 7) as usize];
            format!("({} {operator} {})", inner(random), inner(random))
        }
    }
}

/// Builds and replays one formula; the reason when it is refused.
fn build_and_judge(
    text: &str,
    range: Option<(f32, f32)>,
    random: &mut Random,
) -> Result<(), String> {
    let request = FunctionRequest {
        definition: Some(Definition::new(text)),
        dtype: Format::Bf16,
        buckets: Some(100),
        range,
        ..FunctionRequest::new("own")
    };
    let table = fit(request)?;
    let set = FunctionSet::assemble("test", Target::Cayman, Datapath::Fma, &[table]).unwrap();
    let entry = &set.functions[0];
    let options = ReplayOptions {
        input: Format::Bf16,
        ..ReplayOptions::default()
    };
    let report = replay(&set, &options, &|_| {}).unwrap_or_else(|error| panic!("{text}: {error}"));
    let function = reference("own", &entry.notes).unwrap();
    let engine = Table::from_set(&set, entry, EngineConfig::default()).unwrap();
    // The report's maximum is one: no input anybody picks is worse.
    let worst = report.functions[0].max_ulp.unwrap_or(f64::INFINITY);
    for _ in 0..300 {
        let x = f32::from_bits(random.bits() & 0xffff_0000);
        let judged = range.is_none_or(|(low, high)| (low..=high).contains(&x));
        if x.is_nan() || !judged {
            continue;
        }
        let got = Format::Bf16.round_f32(engine.eval(x));
        let error = ulp_error(Format::Bf16, got, &function.enclose(x, 80));
        assert!(error <= worst + 1e-6, "{text} at {x}: {error} > {worst}");
    }
    Ok(())
}

fn random_formulas(count: u32, depth: u32) {
    let mut random = Random::new(2024);
    let (mut built, mut refused) = (0, Vec::new());
    for k in 0..count {
        let text = formula(&mut random, depth);
        let range = (k % 2 == 0).then_some((-8.0, 8.0));
        println!("{text}");
        match build_and_judge(&text, range, &mut random) {
            Ok(()) => built += 1,
            Err(reason) => {
                assert!(
                    !reason.is_empty() && !reason.contains('\n'),
                    "{text}: {reason}"
                );
                refused.push(format!("{text}: {reason}"));
            }
        }
    }
    println!(
        "{built} built, {} refused:\n{}",
        refused.len(),
        refused.join("\n")
    );
    assert!(built * 4 >= count, "{built} of {count} built");
}

/// Nothing is where the error of a known function would be looked for: the hump is narrower than a thousandth of its
/// octave, and far from where a table would begin or end.
#[test]
fn a_narrow_hump_is_measured() {
    let request = |max_ulp| FunctionRequest {
        definition: Some(Definition::new("x + 1e-5*exp(-((x - 1.3)*1e4)^2)")),
        max_ulp,
        ..FunctionRequest::new("hump")
    };
    let measured = fit(request(None)).unwrap().notes.measured_ulp.unwrap();
    assert!((83.8..84.0).contains(&measured), "{measured}");
    let refused = fit(request(Some(4.0))).unwrap_err();
    assert!(refused.contains("83.886"), "{refused}");
}

/// The largest inputs of a multiple of x overflow one input too early or too late: half an ulp, and no reason to refuse it.
#[test]
fn what_overflows_is_not_infinitely_wrong() {
    for dtype in [Format::Fp32, Format::Bf16] {
        let request = FunctionRequest {
            definition: Some(Definition::new("1.1*x")),
            dtype,
            max_ulp: Some(2.0),
            ..FunctionRequest::new("multiple")
        };
        let measured = fit(request).unwrap().notes.measured_ulp.unwrap();
        assert!((0.5..2.0).contains(&measured), "{dtype}: {measured}");
    }
}

#[test]
fn random_formulas_are_built_and_judged_or_refused() {
    random_formulas(8, 2);
}

#[test]
#[ignore = "two hundred fits"]
fn two_hundred_random_formulas_are_built_and_judged_or_refused() {
    random_formulas(200, 4);
}
