//! Reports that are read again: every one that a replay writes is believed, and none that says what is not so.

use actforge_reference::Format;
use actforge_reports::{ReplayOptions, Report, replay};
use actforge_tables::{Datapath, FunctionSet};
use actforge_tests::samples;

/// What a report says of a set after it was stored.
fn read_again(set: &FunctionSet, report: &Report) -> Result<(), String> {
    let text = report.to_json().unwrap();
    let read = Report::from_json(&text).map_err(|error| error.to_string())?;
    assert_eq!(read, *report);
    let datapath = report.datapath.parse().unwrap();
    read.check_against(set, datapath)
        .map_err(|error| error.to_string())
}

#[test]
fn what_a_replay_writes_is_believed() {
    let sets = samples::NAMES.map(|name| samples::set(&[name], Datapath::Fma).unwrap());
    let options = |input, output, range| ReplayOptions {
        input,
        output,
        range,
        ..ReplayOptions::default()
    };
    // Few inputs each, of every type, to one side of zero and about it.
    let parts = [[0.75, 0.76], [-2e-3, -1.99e-3], [88.7, 88.74]];
    let asked = [
        options(Format::Fp8E4M3, None, None),
        options(Format::Fp8E5M2, Some(Format::Fp8E5M2), None),
        options(Format::Bf16, None, Some([-3.0, f32::INFINITY])),
        options(Format::Fp16, Some(Format::Fp16), Some([-3.0, -2.5])),
    ];
    let asked = asked
        .into_iter()
        .chain(parts.map(|range| options(Format::Fp32, None, Some(range))))
        .chain(parts.map(|range| options(Format::Fp32, Some(Format::Bf16), Some(range))));
    for options in asked {
        for datapath in [Datapath::Fma, Datapath::Mixed] {
            for set in &sets {
                let options = ReplayOptions {
                    datapath: Some(datapath),
                    ..options.clone()
                };
                // Not every function is judged in every range.
                if let Ok(report) = replay(set, &options, &|_| {}) {
                    read_again(set, &report).unwrap_or_else(|error| panic!("{options:?}: {error}"));
                }
            }
        }
    }
}

/// The part of a range with one sign reads like the whole of it, which is judged with its mirror image.
#[test]
fn half_of_a_range_is_not_taken_for_the_whole() {
    let set = samples::narrowed("tanh", [0.5, 0.5001], Datapath::Fma);
    let half = ReplayOptions {
        range: Some([0.5, 0.5001]),
        ..ReplayOptions::default()
    };
    let [whole, half] = [ReplayOptions::default(), half].map(|options| {
        let report = replay(&set, &options, &|_| {}).unwrap();
        read_again(&set, &report).unwrap();
        report.functions[0].clone()
    });
    assert_eq!(whole.range, half.range);
    assert!(whole.inputs > half.inputs);
    assert!(actforge_reports::is_whole(&set, &whole).unwrap());
    assert!(!actforge_reports::is_whole(&set, &half).unwrap());
}

#[test]
fn a_report_is_of_one_build() {
    let set = samples::set(&["relu"], Datapath::Fma).unwrap();
    let options = ReplayOptions {
        input: Format::Bf16,
        ..ReplayOptions::default()
    };
    let report = replay(&set, &options, &|_| {}).unwrap();
    let refused = |change: &dyn Fn(&mut Report), says: &str| {
        let mut edited = report.clone();
        change(&mut edited);
        let error = edited.check_against(&set, Datapath::Fma).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(says), "expected {says:?} in: {error}");
    };
    refused(
        &|report| report.functions[0].name = "silu".to_owned(),
        "silu: name: expected a function of the set",
    );
    refused(&|report| report.set_sha256 = None, "set_sha256");
    refused(
        &|report| report.datapath = "mixed".to_owned(),
        "datapath: expected fma, found mixed",
    );
}
