//! The reader of reports. No text makes it panic, and what it accepts is written and read again to the same report, can
//! be shown, and be what a gate compares with.
#![no_main]

use actforge_reports::Report;
use actforge_reports::gate::Baseline;
use actforge_reports::octave_csv::octave_csv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(report) = serde_json::from_str::<Report>(text) else {
        assert!(Baseline::new("baseline").add(text).is_err());
        return;
    };
    // What no replay can have written is nothing to compare with either.
    let is_possible = Report::from_json(text).is_ok();
    assert!(is_possible || Baseline::new("baseline").add(text).is_err());
    let again = report.to_json().expect("what was read");
    let _ = octave_csv(&report);
    let _ = Baseline::new("baseline").add(text);
    assert_eq!(serde_json::from_str::<Report>(&again).ok(), Some(report));
});
