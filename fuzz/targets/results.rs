//! The readers of what our own commands store: reports, shards of them, results of the gate. No text makes them panic,
//! and what they accept can be shown, joined and compared with.
#![no_main]

use actforge_reports::gate::{Baseline, GateResult, render};
use actforge_reports::octave_csv::octave_csv;
use actforge_reports::{Report, ShardReport, merge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(report) = serde_json::from_str::<Report>(text) {
        let _ = octave_csv(&report);
        let again = report.to_json().expect("what was read");
        assert_eq!(serde_json::from_str::<Report>(&again).ok(), Some(report));
    }
    if let Ok(shard) = ShardReport::from_json(text) {
        if let Err(error) = merge(vec![shard]) {
            assert!(!error.to_string().is_empty());
        }
    }
    if let Ok(result) = GateResult::from_json(text) {
        let _ = result.summary();
        let _ = render::annotations(&result);
        let _ = render::junit(&result);
        let _ = render::markdown(&result);
        let _ = render::sarif(&result);
    }
    let _ = Baseline::new("baseline").add(text);
});
