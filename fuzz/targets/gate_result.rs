//! The reader of stored results of a gate. No text makes it panic, and what it accepts is written and read again to the
//! same result, is shown in every form, and can be what a gate compares with.
#![no_main]

use actforge_reports::gate::{Baseline, GateResult, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(result) = GateResult::from_json(text) else {
        return;
    };
    let again = serde_json::to_string(&result).expect("what was read");
    assert!(!result.summary().is_empty());
    let _ = render::annotations(&result);
    let _ = render::junit(&result);
    let _ = render::markdown(&result);
    let _ = render::sarif(&result);
    let _ = Baseline::new("baseline").add(text);
    assert_eq!(GateResult::from_json(&again).ok(), Some(result));
});
