//! The reader of the shards of a replay. No text makes it panic, what it accepts is written and read again to the same
//! shard, and what is made of it is a report.
#![no_main]

use actforge_reports::{ShardReport, merge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(shard) = ShardReport::from_json(text) else {
        return;
    };
    let again = shard.to_json().expect("what was read");
    assert!(ShardReport::from_json(&again).ok().as_ref() == Some(&shard));
    match merge(vec![shard]) {
        Ok(report) => assert!(report.to_json().is_ok()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
