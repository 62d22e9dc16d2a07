//! The golden vectors hit all that a table does. What there is to hit is worked out from the tables, without the
//! engine's runs that the vectors are made of.

use std::collections::{BTreeMap, BTreeSet};

use actforge_engine::{EngineConfig, Function};
use actforge_reports::vectors::{VECTOR_COLUMNS, vectors_csv};
use actforge_tables::{Datapath, FunctionEntry, FunctionSet, RegionKind};
use actforge_tests::samples;

const SIGN: u32 = 1 << 31;

/// A row of the CSV, by column.
type Row<'t> = BTreeMap<&'static str, &'t str>;

fn rows<'t>(text: &'t str, function: &str) -> Vec<Row<'t>> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.next(), Some(VECTOR_COLUMNS.join(",").as_str()));
    lines
        .map(|line| VECTOR_COLUMNS.into_iter().zip(line.split(',')).collect())
        .filter(|row: &Row<'_>| row["function"] == function)
        .collect()
}

fn input(row: &Row<'_>) -> u32 {
    u32::from_str_radix(row["input"], 16).expect("hex digits")
}

/// Inputs that must occur, by what they hit. Folded inputs occur with either sign.
fn wanted(set: &FunctionSet, entry: &FunctionEntry) -> BTreeMap<u32, String> {
    let profile = set.profile(entry).expect("a profile");
    let mut wanted = BTreeMap::new();
    let mut want = |bits: u32, what: String| {
        wanted.insert(bits, what.clone());
        if profile.is_folded() {
            wanted.insert(bits ^ SIGN, what);
        }
    };
    for octave in set.octaves(entry).expect("a valid set") {
        let least =
            u32::from(octave.negative) << 31 | ((i32::from(octave.exponent) + 127) as u32) << 23;
        let width = 1 << (23 - u32::from(octave.word.size));
        for (place, bucket) in octave.buckets.clone().enumerate() {
            // Sections count from the first reachable bucket.
            let section = (octave.mantissas.0 / width) + place as u32;
            let first = (section * width).max(octave.mantissas.0);
            let last = (section * width + (width - 1)).min(octave.mantissas.1);
            let middle = first + (last - first) / 2;
            for mantissa in [first, middle, last] {
                want(least | mantissa, format!("bucket {bucket}"));
            }
        }
    }
    for kind in RegionKind::ALL {
        let negative = matches!(kind, RegionKind::LargeNegative | RegionKind::SmallNegative);
        if profile.is_folded() && profile.folds_to_negative() != negative {
            continue;
        }
        // All regions of the samples compare the mantissa: the edge itself belongs to the region.
        let edge =
            u32::from(profile.threshold(kind)) << 23 | profile.region(kind).mantissa_threshold;
        let is_large = kind == RegionKind::large(negative);
        let outside = if is_large {
            edge.wrapping_sub(1)
        } else {
            edge + 1
        };
        for (bits, side) in [(edge, "in"), (outside, "outside")] {
            // A function without a table has only its large regions, from zero on.
            if (1..0x7f80_0000).contains(&bits) && !entry.control.is_empty() {
                want(
                    bits | u32::from(negative) << 31,
                    format!("{side} {}", kind.as_str()),
                );
            }
        }
    }
    for magnitude in [
        0,
        1,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
    ] {
        for bits in [magnitude, magnitude | SIGN] {
            wanted.insert(bits, "a special input".to_owned());
        }
    }
    wanted
}

#[test]
fn every_bucket_region_edge_and_special_is_hit() {
    for names in [
        ["relu", "sigmoid", "tanh", "sin", "exp", "abs"].as_slice(),
        &["sqrt", "gelu", "square"],
    ] {
        let set = samples::set(names, Datapath::Fma).expect("the samples fit");
        let text = vectors_csv(&set, None).expect("vectors");
        assert!(text.starts_with(
            "# actforge vectors, version 1, set samples, target cayman, datapath fma\n"
        ));
        assert_eq!(text, vectors_csv(&set, None).expect("vectors"));
        for entry in &set.functions {
            let rows = rows(&text, &entry.name);
            let inputs: BTreeSet<u32> = rows.iter().map(input).collect();
            assert_eq!(inputs.len(), rows.len(), "each input once");
            for (bits, what) in wanted(&set, entry) {
                assert!(
                    inputs.contains(&bits),
                    "{}: {bits:#010x}, {what}",
                    entry.name
                );
            }
            let hit = |place: usize| rows.iter().any(|row| row["bucket"] == place.to_string());
            let missed: Vec<usize> = entry.buckets.clone().filter(|place| !hit(*place)).collect();
            assert!(missed.is_empty(), "{}: buckets {missed:?}", entry.name);
        }
    }
}

#[test]
fn rows_say_what_the_engine_does() {
    let set = samples::set(&["sigmoid", "exp"], Datapath::Fma).expect("the samples fit");
    let text = vectors_csv(&set, Some(Datapath::Mixed)).expect("vectors");
    let mut routes = BTreeSet::new();
    for entry in &set.functions {
        let function = Function::from_set(&set, entry, EngineConfig::from(Datapath::Mixed));
        let function = function.expect("a valid set");
        for row in rows(&text, &entry.name) {
            let trace = function.trace(f32::from_bits(input(&row)));
            let text = |value: Option<String>| value.unwrap_or_default();
            assert_eq!(row["expected"], format!("{:08x}", trace.result.to_bits()));
            assert_eq!(
                row["bucket"],
                text(trace.bucket_index().map(|i| i.to_string()))
            );
            assert_eq!(row["octave"], text(trace.octave().map(|i| i.to_string())));
            assert_eq!(row["unfolded"], u8::from(trace.unfolded()).to_string());
            assert_eq!(row["func_id"], entry.func_id.to_string());
            routes.insert(row["route"]);
        }
    }
    let all = [
        "large_neg",
        "large_pos",
        "nan",
        "neg_inf",
        "octave",
        "pos_inf",
        "small_neg",
        "small_pos",
        "zero",
    ];
    assert_eq!(routes.into_iter().collect::<Vec<_>>(), all);
}
