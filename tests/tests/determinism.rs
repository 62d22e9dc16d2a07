//! One set, one report: whatever the vector instructions, the threads and the shards.

use actforge_engine::Level;
use actforge_reference::Format;
use actforge_reports::{
    MergeError, ReplayOptions, Report, Shard, ShardReport, merge, replay, replay_shard,
};
use actforge_tables::{Datapath, FunctionSet, Target};
use actforge_tests::samples;

/// Samples with ranges narrow enough for the portable level, whose fused multiply-add is a function call.
fn set(datapath: Datapath) -> FunctionSet {
    let ranges: [(&str, [f32; 2]); 5] = [
        ("exp", [88.7, 88.74]),
        ("gelu", [-0.76, -0.74]),
        ("sigmoid", [-88.0, -87.9]),
        ("silu", [-1.0e-39, 1.0e-39]),
        ("tanh", [-9.02, -9.0]),
    ];
    let tables: Vec<_> = ranges
        .iter()
        .map(|(name, range)| {
            let mut table = samples::table(name);
            table.notes.range = Some(*range);
            table
        })
        .collect();
    FunctionSet::assemble("determinism", Target::Cayman, datapath, &tables).unwrap()
}

fn json(set: &FunctionSet, options: &ReplayOptions) -> String {
    replay(set, options, &|_| {}).unwrap().to_json().unwrap()
}

#[test]
fn every_vector_level_writes_the_same_bytes() {
    for datapath in Datapath::ALL {
        let set = set(datapath);
        for output in [Format::Fp32, Format::Fp16] {
            let mut reports = Level::available().map(|level| {
                let options = ReplayOptions {
                    level: Some(level),
                    output: Some(output),
                    ..ReplayOptions::default()
                };
                (level, json(&set, &options))
            });
            let (_, portable) = reports.next().expect("the portable level is always there");
            for (level, report) in reports {
                assert!(
                    report == portable,
                    "{datapath} {output}: {level} differs from portable"
                );
            }
        }
    }
}

#[test]
fn every_number_of_threads_writes_the_same_bytes() {
    let set = set(Datapath::Fma);
    let reports = [1, 2, 3, 7].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| json(&set, &ReplayOptions::default()))
    });
    assert!(reports.iter().all(|report| *report == reports[0]));
}

#[test]
fn merged_shards_are_the_undivided_report() {
    let set = set(Datapath::Fma);
    for input in [Format::Fp32, Format::Fp16] {
        let options = ReplayOptions {
            input,
            ..ReplayOptions::default()
        };
        let whole = json(&set, &options);
        for count in [1, 2, 5, 64] {
            // They travel as files, and arrive in any order.
            let mut shards: Vec<ShardReport> = (1..=count)
                .map(|index| {
                    let shard = replay_shard(&set, &options, Shard { index, count }, &|_| {});
                    ShardReport::from_json(&shard.unwrap().to_json().unwrap()).unwrap()
                })
                .collect();
            shards.reverse();
            let merged = merge(shards).unwrap().to_json().unwrap();
            assert!(merged == whole, "{input}, {count} shards");
        }
    }
}

#[test]
fn shards_of_a_broken_table_travel_with_their_infinities() {
    // A NaN coefficient: errors without a number.
    let mut set = set(Datapath::Fma);
    let entry = set.function("exp").unwrap().clone();
    for bucket in &mut set.buckets[entry.buckets] {
        bucket.d[0] = f32::NAN;
    }
    let options = ReplayOptions::default();
    let whole = json(&set, &options);
    assert!(whole.contains("\"max_ulp\": null"));
    let shards = (1..=3).map(|index| {
        let shard = replay_shard(&set, &options, Shard { index, count: 3 }, &|_| {}).unwrap();
        ShardReport::from_json(&shard.to_json().unwrap()).unwrap()
    });
    assert!(merge(shards.collect()).unwrap().to_json().unwrap() == whole);
}

#[test]
fn shards_that_do_not_belong_together_are_refused() {
    let set = set(Datapath::Fma);
    let shard = |index, count, datapath| {
        let options = ReplayOptions {
            datapath,
            functions: vec!["tanh".to_owned()],
            ..ReplayOptions::default()
        };
        replay_shard(&set, &options, Shard { index, count }, &|_| {}).unwrap()
    };
    assert_eq!(merge(Vec::new()), Err(MergeError::Nothing));
    let missing = merge(vec![shard(1, 3, None), shard(3, 3, None)]);
    assert!(matches!(
        missing,
        Err(MergeError::Incomplete {
            index: 2,
            times: 0,
            ..
        })
    ));
    let double = merge(vec![
        shard(1, 2, None),
        shard(2, 2, None),
        shard(2, 2, None),
    ]);
    assert!(matches!(
        double,
        Err(MergeError::Incomplete {
            index: 2,
            times: 2,
            ..
        })
    ));
    let other = merge(vec![shard(1, 2, None), shard(2, 2, Some(Datapath::Mixed))]);
    assert!(matches!(
        other,
        Err(MergeError::Mismatch {
            field: "datapath",
            ..
        })
    ));
    let count = merge(vec![shard(1, 2, None), shard(2, 3, None)]);
    assert!(matches!(
        count,
        Err(MergeError::Mismatch {
            field: "shard count",
            ..
        })
    ));
}

#[test]
fn a_report_reads_back_as_it_was_written() {
    let text = json(&set(Datapath::Fma), &ReplayOptions::default());
    let report: Report = serde_json::from_str(&text).unwrap();
    assert_eq!(report.to_json().unwrap(), text);
}
