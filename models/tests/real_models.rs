//! Models from published packages, if `scripts/fetch-models` has fetched them into `out/models`; a skipped test says so.
//!
//! `counts` are places of the graph: a loop's body counts once, and so does each branch of a choice. They were counted by
//! hand from the operators and the nodes around them.

use std::path::{Path, PathBuf};

use actforge_models::plan::{Counting, Roster, fewest, greedy};
use actforge_models::{ModelNeeds, read};
use actforge_tables::Target;
use actforge_tables::stock::stock_sets;

/// The directory of a package; says so when it is not there.
fn package(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../out/models")
        .join(name);
    if path.is_dir() {
        return Some(path);
    }
    // Past the capture of the test harness, so that a skipped test is seen.
    use std::io::Write;
    let _ = writeln!(
        std::io::stderr(),
        "real_models: skipped {name}: run scripts/fetch-models first"
    );
    None
}

fn model(package: &Path, path: &str) -> ModelNeeds {
    let found = read(&package.join(path)).unwrap();
    assert_eq!(found.unknown, [], "{path}");
    found
}

fn counts(found: &ModelNeeds) -> Vec<(&str, u64)> {
    let mut counts = found.program.counts();
    counts.sort_unstable();
    counts
}

fn reasons(found: &ModelNeeds, function: &str) -> Vec<String> {
    let need = found.needs.iter().find(|need| need.function == function);
    need.map(|need| need.reasons.clone()).unwrap_or_default()
}

#[test]
fn magika() {
    let Some(package) = package("magika") else {
        return;
    };
    let found = model(&package, "magika/models/standard_v3_3/model.onnx");
    assert_eq!(
        counts(&found),
        [
            ("exp", 1),
            ("gelu_apprx_tanh", 2),
            ("reciprocal", 1),
            ("reciprocal_sqrt", 2),
        ]
    );
    let softmax = &reasons(&found, "reciprocal")[0];
    assert!(
        softmax.starts_with("Softmax: Exp over its ReduceSum"),
        "{softmax}"
    );
    let norm = &reasons(&found, "reciprocal_sqrt")[0];
    assert!(norm.starts_with("layer normalisation, by Sqrt"), "{norm}");
    // 1e-6 is added to the variance, on the grid of bf16.
    let inputs = found.program.inputs_of("reciprocal_sqrt").unwrap();
    assert_eq!((inputs.low, inputs.high), (9.983778e-7, f32::INFINITY));
    // 214 classes; the maximum comes back beside its row by Reshape and Expand to a computed shape.
    let inputs = found.program.inputs_of("reciprocal").unwrap();
    assert_eq!((inputs.low, inputs.high), (1.0, 436.0));
}

#[test]
fn rapidocr() {
    let Some(package) = package("rapidocr-onnxruntime") else {
        return;
    };
    let models = "rapidocr_onnxruntime/models";
    let recognition = model(&package, &format!("{models}/ch_PP-OCRv4_rec_infer.onnx"));
    assert_eq!(
        counts(&recognition),
        [
            ("exp", 3),
            ("hard_sigmoid", 2),
            ("hard_swish", 28),
            ("reciprocal", 3),
            ("reciprocal_sqrt", 5),
            ("relu", 2),
            ("silu", 7),
            ("square", 5),
        ]
    );
    let detection = model(&package, &format!("{models}/ch_PP-OCRv4_det_infer.onnx"));
    assert_eq!(
        counts(&detection),
        [
            ("hard_sigmoid", 10),
            ("hard_swish", 24),
            ("relu", 12),
            ("sigmoid", 1),
        ]
    );
    let direction = model(
        &package,
        &format!("{models}/ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    );
    assert_eq!(
        counts(&direction),
        [
            ("exp", 1),
            ("hard_sigmoid", 9),
            ("hard_swish", 18),
            ("reciprocal", 1),
            ("relu", 15),
        ]
    );
}

#[test]
fn silero_vad() {
    let Some(package) = package("silero-vad") else {
        return;
    };
    // Two sampling rates, each with an If around the recurrent cell: both branches hold an LSTM.
    for (name, expected) in [
        ("silero_vad", [10, 6, 2, 4, 4]),
        ("silero_vad_op18_ifless", [10, 8, 2, 4, 4]),
        ("silero_vad_16k_op15", [5, 3, 1, 2, 2]),
        ("silero_vad_half", [5, 3, 1, 2, 2]),
        ("silero_vad_openvino_16k", [5, 2, 1, 2, 1]),
        ("silero_vad_16k_sequence", [5, 2, 1, 2, 1]),
    ] {
        let found = model(&package, &format!("silero_vad/data/{name}.onnx"));
        let names = ["relu", "sigmoid", "sqrt", "square", "tanh"];
        let expected: Vec<_> = names.into_iter().zip(expected).collect();
        assert_eq!(counts(&found), expected, "{name}");
    }
}

#[test]
fn light_models() {
    let Some(package) = package("onnx") else {
        return;
    };
    // relu, softmax at the end, and the powers of local response normalisation.
    for (name, relu, softmax, powers) in [
        ("bvlc_alexnet", 7, 1, 2),
        ("densenet121", 121, 0, 0),
        ("inception_v1", 57, 1, 2),
        ("inception_v2", 69, 1, 0),
        ("resnet50", 49, 1, 0),
        ("shufflenet", 33, 1, 0),
        ("squeezenet", 26, 1, 0),
        ("vgg19", 18, 1, 0),
        ("zfnet512", 7, 1, 2),
    ] {
        let found = model(
            &package,
            &format!("onnx/backend/test/data/light/light_{name}.onnx"),
        );
        let expected = [
            ("exp", softmax + powers),
            ("ln", powers),
            ("reciprocal", softmax),
            ("relu", relu),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect();
        assert_eq!(counts(&found), expected, "{name}");
    }
}

/// The models of single operators that come with the package: each is read, and the fewest loads are never more than the
/// stock compiler's.
#[test]
fn every_model_of_every_package_is_read_and_planned() {
    let roster = Roster::of_stock(stock_sets(Target::StockTrainium)).unwrap();
    let names = ["magika", "rapidocr-onnxruntime", "silero-vad", "onnx"];
    let mut pending: Vec<PathBuf> = names.into_iter().filter_map(package).collect();
    let mut unknown = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(
                std::fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let found = read(&path).unwrap();
        unknown.extend(found.unknown.into_iter().map(|unknown| unknown.name));
        let stock = greedy(&found.program, &roster);
        let best = fewest(&found.program, &roster, Counting::default()).unwrap();
        for schedule in [&stock, &best] {
            schedule.check(&found.program, &roster).unwrap();
        }
        let cost = |schedule: &actforge_models::plan::Schedule| {
            schedule.cost(&roster, Counting::default())
        };
        assert!(cost(&best) <= cost(&stock), "{}", path.display());
    }
    unknown.sort_unstable();
    let known = ["Elu (alpha 2)", "Shrink (lambd 1.5, bias 1.5)"];
    assert!(unknown.is_empty() || unknown == known, "{unknown:?}");
}
