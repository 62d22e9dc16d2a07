//! `docs/report.md` explains every key that a report has.

use std::collections::BTreeSet;

use actforge_reports::{ReplayOptions, replay};
use actforge_tables::Datapath;
use actforge_tests::samples;
use serde_json::Value;

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                found.insert(key.clone());
                keys(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn the_document_names_every_key_of_a_report() {
    let mut found = BTreeSet::new();
    // All inputs, so that saturation and seams are there, and a narrow type, so that it is quick.
    for (range, input) in [
        (Some([88.7, 88.74]), actforge_reference::Format::Fp32),
        (None, actforge_reference::Format::Bf16),
    ] {
        let mut table = samples::table("exp");
        table.notes.range = range;
        let set = actforge_tables::FunctionSet::assemble(
            "keys",
            actforge_tables::Target::Cayman,
            Datapath::Fma,
            &[table],
        )
        .unwrap();
        let options = ReplayOptions {
            input,
            ..ReplayOptions::default()
        };
        let report = replay(&set, &options, &|_| {}).unwrap();
        keys(&serde_json::to_value(&report).unwrap(), &mut found);
    }
    // The one part that only a replay of all binary32 inputs has.
    found.extend(["first", "right", "limit", "negative"].map(str::to_owned));
    assert!(found.len() > 50, "{found:?}");

    let document = include_str!("../../docs/report.md");
    let missing: Vec<&String> = found
        .iter()
        .filter(|key| !document.contains(&format!("`{key}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/report.md does not explain {missing:?}"
    );
}
