//! Functions placed in a set: engine and tables agree on what inputs reach.

use actforge_engine::{EngineConfig, Function, Route};
use actforge_tables::{
    Bucket, Datapath, FunctionNotes, FunctionSet, FunctionTable, Octave, Region, Side,
    SpecialResults, Symmetry, Target,
};
use std::collections::BTreeSet;

/// Octaves of 1, 2, 4... buckets whose cubics are constants, so that results tell buckets
/// apart. The top octave is cut off by the large region.
fn side(lowest: i16, octaves: u8, tag: f32) -> Side {
    let mut label = tag;
    let mut next = || {
        label += 1.0;
        Bucket::constant(label)
    };
    let octaves: Vec<Octave> = (0..octaves)
        .map(|size| Octave {
            size,
            first: 0,
            buckets: (0..1 << size).map(|_| next()).collect(),
        })
        .collect();
    let region = |exponent: i16, mantissa, value| Region {
        exponent: (exponent + 127) as u8,
        mantissa,
        compare: true,
        bucket: Bucket::constant(value),
    };
    Side {
        lowest,
        small: region(lowest, 0, tag - 1.0),
        large: region(lowest + octaves.len() as i16 - 1, 0x7f_ffff, tag - 2.0),
        octaves,
    }
}

fn table(name: &str, func_id: u8, positive: Side, negative: Side) -> FunctionTable {
    FunctionTable {
        name: name.to_owned(),
        func_id,
        symmetry: Symmetry::NONE,
        specials: SpecialResults {
            zero: 0.0,
            nan: f32::NAN,
            pos_inf: f32::INFINITY,
            neg_inf: 0.0,
        },
        positive,
        negative,
        notes: FunctionNotes::default(),
    }
}

#[test]
fn octaves_of_a_set_and_runs_of_the_engine() {
    let relu = table(
        "relu",
        3,
        Side::without_table(Bucket::linear(0.0, 1.0)),
        Side::without_table(Bucket::constant(0.0)),
    );
    let steps = table("steps", 9, side(-3, 5, 100.0), side(1, 4, 500.0));
    let set =
        FunctionSet::assemble("test", Target::Cayman, Datapath::Fma, &[relu, steps]).expect("fits");
    for entry in &set.functions {
        let function = Function::from_set(&set, entry, EngineConfig::default()).expect("valid");
        let reached = |negative: bool| -> BTreeSet<(i16, u32)> {
            function
                .runs()
                .filter(|run| negative == (run.first >> 31 == 1))
                .filter_map(|run| match run.route {
                    Route::Cubic { index, octave, .. } => Some((octave?, index)),
                    _ => None,
                })
                .collect()
        };
        for negative in [false, true] {
            let placed = set.octaves(entry).expect("valid");
            let placed: BTreeSet<(i16, u32)> = placed
                .iter()
                .filter(|octave| octave.negative == negative)
                .flat_map(|octave| octave.buckets.clone().map(|b| (octave.exponent, b as u32)))
                .collect();
            assert_eq!(reached(negative), placed, "{}", entry.name);
        }
    }
    let steps = Function::from_set(&set, &set.functions[1], EngineConfig::default());
    let steps = steps.expect("valid");
    // 1.5 lies in octave 0, the fourth of the positive side: section 4 of 8, after 1 + 2 + 4.
    assert_eq!(steps.eval(1.5), 100.0 + 7.0 + 5.0);
    assert_eq!(steps.eval(-2.5), 501.0);
    assert_eq!(steps.eval(0.01), 99.0);
    assert_eq!(steps.eval(1e9), 98.0);
    assert_eq!(steps.eval(-1e9), 498.0);

    let mut broken = set.functions[1].clone();
    broken.profile = 7;
    assert!(Function::from_set(&set, &broken, EngineConfig::default()).is_err());
    let mut broken = set.functions[1].clone();
    broken.control.start += 1;
    assert!(Function::from_set(&set, &broken, EngineConfig::default()).is_err());
}
