//! The model reader: no bytes make it panic, and every line it says is a short one whatever names the file holds.
#![no_main]

use actforge_models::parse;
use libfuzzer_sys::fuzz_target;

const LONGEST_LINE: usize = 1000;

fuzz_target!(|bytes: &[u8]| {
    let lines = match parse("model", bytes.to_vec()) {
        Ok(found) => {
            let needs = found
                .needs
                .into_iter()
                .map(|need| (need.function, need.reasons));
            let unknown = found
                .unknown
                .into_iter()
                .map(|activation| (activation.name, activation.reasons));
            needs
                .chain(unknown)
                .flat_map(|(name, reasons)| reasons.into_iter().chain([name]))
                .collect()
        }
        Err(error) => vec![error.to_string()],
    };
    for line in lines {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(line.len() <= LONGEST_LINE, "{line:?}");
    }
});
