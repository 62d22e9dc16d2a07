//! Shards that were edited, by hand or by a bad disk: they are refused, or make a report, but never panic.

use actforge_reports::{ShardReport, merge};
use serde_json::{Value, json};

/// A whole replay as a single shard, cut down to two octaves.
const SHARD: &str = include_str!("../../fuzz/seeds/shard/one-function.json");

fn with(path: &str, value: Value) -> Result<ShardReport, serde_json::Error> {
    let mut shard: Value = serde_json::from_str(SHARD).unwrap();
    *shard
        .pointer_mut(path)
        .unwrap_or_else(|| panic!("no {path}")) = value;
    ShardReport::from_json(&shard.to_string())
}

#[test]
fn counts_that_no_replay_reaches_are_refused() {
    let report = merge(vec![ShardReport::from_json(SHARD).unwrap()]).unwrap();
    assert_eq!(report.functions[0].name, "relu");
    let function = "/functions/0";
    let total = "/functions/0/measurement/total";
    let beyond = (1_u64 << 32) + 1;
    let candidate = json!({"error": 0.0, "bits": 0, "result": 0});
    for (path, value, complaint) in [
        ("/shard/index".to_owned(), json!(0), "found 0/1"),
        ("/shard/index".to_owned(), json!(2), "found 2/1"),
        ("/shard/count".to_owned(), json!(0), "found 1/0"),
        // Found by fuzzing: the share of what is right was below zero.
        (
            format!("{total}/incorrect"),
            json!(31744),
            "incorrect: 31744 of 31743 inputs",
        ),
        (format!("{total}/inputs"), json!(beyond), "found 4294967297"),
        (
            format!("{total}/decided"),
            json!(u64::MAX),
            "found 18446744073709551615",
        ),
        (
            format!("{total}/histogram/3"),
            json!(beyond),
            "found 4294967297",
        ),
        (
            format!("{total}/worst"),
            json!(vec![candidate; 5]),
            "at most 4 inputs, found 5",
        ),
        (
            format!("{function}/measurement/octaves/1/tally/non_monotone"),
            json!(beyond),
            "found 4294967297",
        ),
        (
            format!("{function}/measurement/buckets/0/tally/zero_sign"),
            json!(beyond),
            "found 4294967297",
        ),
        (
            format!("{function}/frame/special/0/report/inputs"),
            json!(beyond),
            "special inputs: expected at most 4294967296 of a class",
        ),
    ] {
        let error = with(&path, value).expect_err(&path).to_string();
        assert!(error.contains(complaint), "{path}: {error}");
    }
    // A JSON value cannot hold it.
    let text = SHARD.replacen(
        "\"error_sum\":0",
        &format!("\"error_sum\":{}", u128::MAX),
        1,
    );
    let error = ShardReport::from_json(&text).unwrap_err().to_string();
    assert!(error.contains("error_sum: expected at most"), "{error}");
}

#[test]
fn edited_shards_are_refused_or_merged() {
    let shard: Value = serde_json::from_str(SHARD).unwrap();
    let mut paths = Vec::new();
    collect(&shard, String::new(), &mut paths);
    assert!(paths.len() > 150);
    for path in paths {
        for value in [
            Value::Null,
            json!(0),
            json!(-1),
            json!(1e308),
            json!(5e-324),
            json!(u32::MAX),
            json!(u64::MAX),
            json!(""),
            json!("\n"),
            json!([]),
        ] {
            if let Ok(shard) = with(&path, value) {
                let _ = merge(vec![shard.clone(), shard.clone()]);
                let _ = merge(vec![shard]);
            }
        }
    }
}

fn collect(value: &Value, here: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                collect(value, format!("{here}/{key}"), found);
            }
        }
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate().take(3) {
                collect(value, format!("{here}/{place}"), found);
            }
        }
        _ => {}
    }
    found.push(here);
}
