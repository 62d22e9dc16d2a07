//! What `actforge diff` says of two sets, against every input one by one.

use actforge_engine::{EngineConfig, Function};
use actforge_reports::diff::{SetDiff, Status, diff_reports, diff_sets};
use actforge_reports::{ReplayOptions, replay};
use actforge_tables::{Bucket, ControlWord, Datapath, FunctionSet};
use actforge_tests::samples;

fn set() -> FunctionSet {
    samples::set(&["relu", "tanh", "exp", "sigmoid"], Datapath::Fma).expect("the samples fit")
}

fn diff(old: &FunctionSet, new: &FunctionSet) -> SetDiff {
    diff_sets(old, new, &|_| ()).expect("valid sets")
}

/// The inputs of these bits whose results differ.
fn changed(
    old: &FunctionSet,
    new: &FunctionSet,
    name: &str,
    inputs: impl Iterator<Item = u32>,
) -> Vec<u32> {
    fn function<'s>(set: &'s FunctionSet, name: &str) -> Function<'s> {
        let entry = set.function(name).expect("a function");
        Function::from_set(set, entry, EngineConfig::from(set.datapath)).expect("a valid set")
    }
    let (f, g) = (function(old, name), function(new, name));
    inputs
        .filter(|bits| {
            let v = f32::from_bits(*bits);
            f.eval(v).to_bits() != g.eval(v).to_bits()
        })
        .collect()
}

fn flip_coefficient(set: &FunctionSet, index: usize, bit: u32) -> FunctionSet {
    let mut words = set.buckets[index].to_words();
    words[bit as usize / 32] ^= 1 << (bit % 32);
    let mut flipped = set.clone();
    flipped.buckets[index] = Bucket::from_words(words);
    flipped
}

#[test]
fn a_set_is_equal_to_itself() {
    let set = set();
    let mut same = set.clone();
    // Where a set comes from is told, but is no difference.
    same.tool_version = "another".to_owned();
    let diff = diff(&set, &same);
    assert!(diff.equal, "{diff:?}");
    assert_eq!(
        (
            diff.old.tool_version == diff.new.tool_version,
            diff.set.len()
        ),
        (false, 0)
    );
    for function in diff.functions {
        assert_eq!(function.status, Status::Equal);
        let outputs = function.outputs.expect("both hold it");
        assert_eq!((outputs.compared, outputs.changed), (1 << 32, 0));
        assert_eq!((outputs.first, outputs.largest), (None, None));
    }
}

#[test]
fn one_bit_of_a_coefficient_is_named_with_all_that_it_changes() {
    let set = set();
    // Low bits of d1 change some results of their bucket and not all; of tanh and sigmoid on both sides of zero.
    for (name, place, bit) in [
        ("tanh", 60, 32 + 3),
        ("exp", 10, 32 + 1),
        ("sigmoid", 0, 64 + 20),
    ] {
        let entry = set.function(name).expect("a function");
        let index = entry.buckets.start + place;
        let flipped = flip_coefficient(&set, index, bit);
        let diff = diff(&set, &flipped);
        assert!(!diff.equal);
        for function in &diff.functions {
            let is_meant = function.name == name;
            assert_eq!(
                function.status == Status::Changed,
                is_meant,
                "{}",
                function.name
            );
        }
        let function = diff.functions.iter().find(|f| f.name == name).expect("it");
        let [change] = function.entries.as_slice() else {
            panic!("{:?}", function.entries)
        };
        assert_eq!(
            (change.table, change.old_index, change.new_index),
            ("bucket", Some(index), Some(index))
        );
        let [field] = change.fields.as_slice() else {
            panic!("{:?}", change.fields)
        };
        let word = bit / 32;
        assert_eq!(field.field, ["d0", "d1", "d2", "d3", "x0"][word as usize]);
        assert_eq!(field.position, Some([32 * word, 32 * word + 31]));
        let [old, new] = [&set, &flipped].map(|set| set.buckets[index].to_words()[word as usize]);
        assert_eq!(field.old.bits, Some(format!("{old:#010x}")));
        assert_eq!(field.new.value, format!("{:?}", f32::from_bits(new)));

        // The inputs of the bucket, from the layout of the octaves, and each of them evaluated.
        let octaves = set.octaves(entry).expect("a valid set");
        let octave = octaves
            .iter()
            .find(|octave| octave.buckets.contains(&index))
            .expect("reached");
        let least = ((i32::from(octave.exponent) + 127) as u32) << 23;
        let width = 1 << (23 - u32::from(octave.word.size));
        let section = index as u32 - u32::from(octave.word.base);
        let first = least | (section * width).max(octave.mantissas.0);
        let last = least | (section * width + (width - 1)).min(octave.mantissas.1);
        let signs = match name {
            "exp" => vec![u32::from(octave.negative) << 31],
            _ => vec![0, 1 << 31],
        };
        let inputs = signs
            .iter()
            .flat_map(|sign| (first..=last).map(move |bits| bits | sign));
        let served = change.old_inputs.as_ref().expect("a bucket has inputs");
        assert_eq!(served.count, inputs.clone().count() as u64);
        for (sign, side) in [(0, &served.positive), (1 << 31, &served.negative)] {
            let expected = signs
                .contains(&sign)
                .then(|| [first, last].map(|bits| format!("{:#010x}", bits | sign)));
            let found = side
                .as_ref()
                .map(|ends| ends.clone().map(|end| end.bits.expect("bits")));
            assert_eq!(found, expected, "{name}");
        }
        let brute = changed(&set, &flipped, name, inputs);
        assert!(
            !brute.is_empty() && (brute.len() as u64) < served.count,
            "{}",
            brute.len()
        );
        assert_eq!(change.changed_inputs, Some(brute.len() as u64));
        let outputs = function.outputs.as_ref().expect("both hold it");
        assert_eq!(outputs.changed, brute.len() as u64);
        let input = outputs
            .first
            .as_ref()
            .and_then(|first| first.input.bits.clone());
        assert_eq!(input, Some(format!("{:#010x}", brute[0])));
        assert!(
            outputs
                .largest
                .as_ref()
                .and_then(|largest| largest.steps)
                .is_some_and(|steps| steps > 0)
        );
    }
}

/// A control word reaches further than its entry: the counts come from the inputs, wherever they are led.
#[test]
fn a_control_word_and_a_threshold_are_counted_wherever_they_reach() {
    let set = set();
    let entry = set.function("tanh").expect("a function").clone();
    let octave = set.octaves(&entry).expect("a valid set").swap_remove(12);
    let mut coarse = set.clone();
    let word = octave.word;
    coarse.control[octave.control_index] = ControlWord::octave(word.base, word.size - 1);
    let least = ((i32::from(octave.exponent) + 127) as u32) << 23;
    let inputs = (least..least + (1 << 23)).flat_map(|bits| [bits, bits | 1 << 31]);
    let brute = changed(&set, &coarse, "tanh", inputs);
    let found = diff(&set, &coarse);
    let function = &found.functions[1];
    assert_eq!(
        function.outputs.as_ref().map(|outputs| outputs.changed),
        Some(brute.len() as u64)
    );
    let [change] = function.entries.as_slice() else {
        panic!("{:?}", function.entries)
    };
    assert_eq!(
        (change.table, change.old_index),
        ("control", Some(octave.control_index))
    );
    assert_eq!(
        change.role,
        Some(format!("positive octave {}", octave.exponent))
    );
    let names: Vec<&str> = change
        .fields
        .iter()
        .map(|field| field.field.as_str())
        .collect();
    assert_eq!(names, ["extract_lsb", "extract_size"]);

    let mut narrow = set.clone();
    let profile = &mut narrow.profiles[entry.profile];
    profile.large_pos.mantissa_threshold -= 1000;
    profile.func_rslt_for_nan = 7.0;
    let from =
        u32::from(profile.large_pos_signal_threshold) << 23 | profile.large_pos.mantissa_threshold;
    let inputs = (from..from + 1000).flat_map(|bits| [bits, bits | 1 << 31]);
    let brute = changed(&set, &narrow, "tanh", inputs).len() as u64;
    let found = diff(&set, &narrow);
    let outputs = found.functions[1].outputs.as_ref().expect("both hold it");
    // All NaNs of either sign.
    let nans = 2 * ((1 << 23) - 1);
    assert_eq!((outputs.changed, outputs.nan_changes), (brute + nans, nans));
    let fields: Vec<&str> = found.functions[1].entries[0]
        .fields
        .iter()
        .map(|f| f.field.as_str())
        .collect();
    assert_eq!(
        fields,
        ["large_pos.mantissa_threshold", "func_rslt_for_nan"]
    );
}

#[test]
fn threads_do_not_show() {
    let set = set();
    let index = set.function("exp").expect("a function").buckets.start + 10;
    let flipped = flip_coefficient(&set, index, 5);
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool").install(|| diff(&set, &flipped))
    });
    assert!(!one.equal);
    assert_eq!(one, three);
}

#[test]
fn a_function_that_lies_elsewhere_is_the_same() {
    let set = set();
    let other = samples::set(&["tanh", "exp", "abs"], Datapath::Fma).expect("the samples fit");
    let diff = diff(&set, &other);
    assert!(!diff.equal);
    let status: Vec<(&str, Status)> = diff
        .functions
        .iter()
        .map(|f| (f.name.as_str(), f.status))
        .collect();
    assert_eq!(
        status,
        [
            ("relu", Status::OnlyOld),
            ("tanh", Status::Changed),
            ("exp", Status::Changed),
            ("sigmoid", Status::OnlyOld),
            ("abs", Status::OnlyNew),
        ]
    );
    let exp = &diff.functions[2];
    assert_eq!(exp.outputs.as_ref().map(|outputs| outputs.changed), Some(0));
    let ids = exp.entries.iter().flat_map(|entry| &entry.fields);
    assert!(
        ids.clone().all(|field| field.field == "func_id"),
        "{:?}",
        exp.entries
    );
    assert!(!exp.moved.is_empty());
}

/// The two sets cut the inputs differently: what there is on both sides is compared, the rest is counted.
#[test]
fn without_its_least_octave_a_function_keeps_the_other_buckets() {
    let old = samples::table("tanh");
    let mut new = old.clone();
    let octave = new.positive.octaves.remove(0);
    new.positive.lowest += 1;
    new.positive.small.exponent += 1;
    // One coefficient of a bucket that stays.
    let [first, kept] = [0, 5].map(|place| old.positive.octaves[place].buckets.len());
    let d = &mut new.positive.octaves[4].buckets[kept - 1].d;
    d[1] = f32::from_bits(d[1].to_bits() ^ 1 << 4);
    let [old, new] = [old, new].map(|table| {
        FunctionSet::assemble(
            "shorter",
            actforge_tables::Target::Cayman,
            Datapath::Fma,
            &[table],
        )
        .expect("it fits")
    });
    let diff = diff(&old, &new);
    let function = &diff.functions[0];
    let unmatched: Vec<_> = function
        .unmatched
        .iter()
        .map(|unmatched| (unmatched.table, unmatched.only_old, unmatched.only_new))
        .collect();
    assert_eq!(unmatched, [("control", 1, 0), ("bucket", first, 0)]);
    let buckets: Vec<_> = function
        .entries
        .iter()
        .filter(|entry| entry.table == "bucket")
        .collect();
    let [bucket] = buckets.as_slice() else {
        panic!("{buckets:?}")
    };
    assert_eq!(bucket.fields[0].field, "d1");
    assert_eq!(bucket.old_inputs, bucket.new_inputs);
    let profile = function
        .entries
        .iter()
        .find(|entry| entry.table == "profile");
    let fields = profile.expect("thresholds").fields.iter();
    let fields: Vec<&str> = fields.map(|field| field.field.as_str()).collect();
    assert!(fields.contains(&"exponent_offset") && fields.contains(&"small_pos_signal_threshold"));
    // What the octave served is the small region's now, and some of the bucket's results changed.
    let lost = octave.buckets.len() as u64;
    assert_eq!(lost, first as u64);
    let in_octave = changed(&old, &new, "tanh", {
        let least = u32::from(samples::table("tanh").positive.small.exponent) << 23;
        (least..=least + (1 << 23)).flat_map(|bits| [bits, bits | 1 << 31])
    });
    let changed = function.outputs.as_ref().map(|outputs| outputs.changed);
    let in_bucket = bucket.changed_inputs.unwrap_or(0);
    assert!(in_bucket > 0);
    assert_eq!(changed, Some(in_octave.len() as u64 + in_bucket));
}

#[test]
#[ignore = "evaluates all inputs twice: the datapaths do the same work nowhere"]
fn another_datapath_changes_results_and_no_tables() {
    let set = samples::set(&["tanh"], Datapath::Fma).expect("the sample fits");
    let mut mixed = set.clone();
    mixed.datapath = Datapath::Mixed;
    let diff = diff(&set, &mixed);
    assert!(!diff.equal);
    assert_eq!(diff.set[0].field, "datapath");
    let tanh = &diff.functions[0];
    assert!(tanh.entries.is_empty());
    assert!(
        tanh.outputs
            .as_ref()
            .is_some_and(|outputs| outputs.changed > 1000)
    );
}

#[test]
fn figures_of_reports_are_compared_by_name() {
    let old = samples::narrowed("tanh", [0.25, 0.5], Datapath::Fma);
    let octaves = old.octaves(&old.functions[0]).expect("a valid set");
    let octave = octaves.iter().find(|octave| octave.exponent == -2);
    let place = octave.expect("inputs of [0.25, 0.5]").buckets.start;
    let new = flip_coefficient(&old, place, 32 + 12);
    let [a, b] = [&old, &new].map(|set| {
        let options = ReplayOptions {
            timing: true,
            ..ReplayOptions::default()
        };
        replay(set, &options, &|_| ()).expect("a replay")
    });
    // The seconds differ, and nothing else.
    let again = replay(&old, &ReplayOptions::default(), &|_| ()).expect("a replay");
    assert!(diff_reports(&a, &again).expect("reports").equal);
    let diff = diff_reports(&a, &b).expect("reports");
    assert!(!diff.equal);
    // Which set it was is no figure.
    assert!(diff.report.is_empty() && a.set_sha256 != b.set_sha256);
    let function = &diff.functions[0];
    let mean = function
        .figures
        .iter()
        .find(|figure| figure.name == "mean_ulp")
        .expect("it moved");
    let expected = b.functions[0].mean_ulp - a.functions[0].mean_ulp;
    assert_eq!(mean.change, Some(expected));
    let bucket = function
        .rows
        .iter()
        .find(|row| row.table == "bucket_rows")
        .expect("it moved");
    assert_eq!(bucket.row, place.to_string());
    assert!(
        function
            .rows
            .iter()
            .any(|row| row.table == "octaves" && row.row == "positive -2")
    );
}
