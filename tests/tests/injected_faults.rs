//! Injected faults: one flipped bit in a coefficient, a control word, a threshold or a special result, and the replay
//! must report it.
//!
//! A mutation counts when it changes at least one output, which the engine itself shows. It is then replayed over a
//! stretch of inputs around the change, with and without the fault, and the two reports must differ in what they say
//! about errors. (The ignored test does the same with all 2^32 inputs.)

use std::collections::BTreeMap;

use actforge_engine::{EngineConfig, Function as Table, Run};
use actforge_reports::report::{FunctionReport, SpecialReport, Violations};
use actforge_reports::{ReplayOptions, replay};
use actforge_tables::{Bucket, ControlWord, Datapath, FunctionSet, Profile, RegionKind};
use actforge_tests::random::Random;
use actforge_tests::samples;

/// Inputs in a narrowed replay.
const STRETCH: u32 = 1 << 13;

/// What is mutated, in turn.
const KINDS: [&str; 4] = ["coefficient", "control word", "threshold", "special result"];

/// A mutation: the set with one bit flipped, and where its outputs change.
struct Fault {
    what: String,
    function: &'static str,
    set: FunctionSet,
    /// A stretch of inputs that holds a change, as values; `None` when only special inputs change.
    stretch: Option<[f32; 2]>,
}

fn table<'a>(set: &'a FunctionSet, name: &str) -> Option<Table<'a>> {
    let entry = set.function(name)?;
    Table::from_set(set, entry, EngineConfig::from(set.datapath)).ok()
}

/// Flips one bit somewhere in the tables of a function; `None` when the choice hits a bit that does not exist.
fn flip(
    set: &FunctionSet,
    name: &str,
    kind: &str,
    random: &mut Random,
) -> Option<(FunctionSet, String)> {
    let mut set = set.clone();
    let entry = set.function(name)?.clone();
    let what = match kind {
        "coefficient" => {
            let own: Vec<usize> = entry.buckets.clone().chain(entry.saturation).collect();
            let place = own[random.below(own.len() as u32) as usize];
            let mut bytes = set.buckets[place].to_bytes();
            // d0 to d3 and x0, 32 bits each.
            let bit = random.below(160);
            bytes[bit as usize / 8] ^= 1 << (bit % 8);
            set.buckets[place] = Bucket::from_bytes(&bytes).ok()?;
            format!("bucket {place}, field {} bit {}", bit / 32, bit % 32)
        }
        "control word" => {
            let words = entry.control.len() as u32;
            if words == 0 {
                return None;
            }
            let place = entry.control.start + random.below(words) as usize;
            let bit = random.below(20);
            let bits = set.control[place].encode().ok()? ^ 1 << bit;
            set.control[place] = ControlWord::decode(bits).ok()?;
            format!("control word {place} bit {bit}")
        }
        "threshold" => {
            let profile = set.profiles.get_mut(entry.profile)?;
            flip_threshold(profile, random)
        }
        _ => {
            let profile = set.profiles.get_mut(entry.profile)?;
            let bit = random.below(32);
            let results = [
                &mut profile.func_rslt_for_zero,
                &mut profile.func_rslt_for_nan,
                &mut profile.func_rslt_for_pos_inf,
                &mut profile.func_rslt_for_neg_inf,
            ];
            let which = random.below(4) as usize;
            let result = results.into_iter().nth(which)?;
            *result = f32::from_bits(result.to_bits() ^ 1 << bit);
            format!("special result {which} bit {bit}")
        }
    };
    Some((set, format!("{name}: {what}")))
}

fn flip_threshold(profile: &mut Profile, random: &mut Random) -> String {
    let kind = RegionKind::ALL[random.below(4) as usize];
    let what = random.below(3);
    if what == 0 {
        let bit = random.below(8);
        let exponent = match kind {
            RegionKind::LargePositive => &mut profile.large_pos_signal_threshold,
            RegionKind::LargeNegative => &mut profile.large_neg_signal_threshold,
            RegionKind::SmallPositive => &mut profile.small_pos_signal_threshold,
            RegionKind::SmallNegative => &mut profile.small_neg_signal_threshold,
        };
        *exponent ^= 1 << bit;
        return format!("{kind:?} exponent bit {bit}");
    }
    let region = profile.region_mut(kind);
    if what == 1 {
        region.compare = !region.compare;
        return format!("{kind:?} compare");
    }
    let bit = random.below(23);
    region.mantissa_threshold ^= 1 << bit;
    format!("{kind:?} mantissa bit {bit}")
}

/// Every stretch of inputs whose way through the engine differs.
fn changes(before: &[Run], after: &[Run]) -> Vec<(u32, u32)> {
    let mut changes = Vec::new();
    let (mut left, mut right) = (before.iter().peekable(), after.iter().peekable());
    let mut first = 0;
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        let last = one.last.min(other.last);
        let finite = first << 1 != 0 && f32::from_bits(first).is_finite();
        if one.route != other.route && finite {
            changes.push((first, last));
        }
        if one.last == last {
            left.next();
        }
        if right.peek().is_some_and(|other| other.last == last) {
            right.next();
        }
        first = last.wrapping_add(1);
    }
    changes
}

/// A stretch in which an output changes, if any of a few is.
fn changed_stretch(before: &Table<'_>, after: &Table<'_>, random: &mut Random) -> Option<[f32; 2]> {
    let changes = changes(
        &before.runs().collect::<Vec<_>>(),
        &after.runs().collect::<Vec<_>>(),
    );
    if changes.is_empty() {
        return None;
    }
    for _ in 0..24 {
        let (first, last) = changes[random.below(changes.len() as u32) as usize];
        let length = (last - first).min(STRETCH - 1);
        let room = last - first - length;
        // Seams are where changes begin, so every other stretch starts there.
        let start = first
            + if room > 0 && random.below(2) == 1 {
                random.below(room)
            } else {
                0
            };
        let x: Vec<f32> = (start..=start + length).map(f32::from_bits).collect();
        let [mut one, mut other] = [vec![0.0; x.len()], vec![0.0; x.len()]];
        before.eval_slice(&x, &mut one).ok()?;
        after.eval_slice(&x, &mut other).ok()?;
        let same = one
            .iter()
            .zip(&other)
            .all(|(one, other)| one.to_bits() == other.to_bits());
        if !same {
            let ends = [x[0], x[x.len() - 1]];
            return Some(if ends[0] < ends[1] {
                ends
            } else {
                [ends[1], ends[0]]
            });
        }
    }
    None
}

fn faults(set: &FunctionSet, names: &[&'static str], wanted: usize, seed: u64) -> Vec<Fault> {
    let mut random = Random::new(seed);
    let mut faults = Vec::new();
    for turn in 0.. {
        if faults.len() == wanted {
            break;
        }
        assert!(turn < 100 * wanted, "too few mutations change an output");
        let kind = KINDS[faults.len() % KINDS.len()];
        let name = names[random.below(names.len() as u32) as usize];
        let Some((mutated, what)) = flip(set, name, kind, &mut random) else {
            continue;
        };
        // Tables that the engine refuses never get to a replay.
        let (Some(before), Some(after)) = (table(set, name), table(&mutated, name)) else {
            continue;
        };
        let stretch = changed_stretch(&before, &after, &mut random);
        if stretch.is_none() && kind != "special result" {
            continue;
        }
        faults.push(Fault {
            what,
            function: name,
            set: mutated,
            stretch,
        });
    }
    faults
}

/// What a report says about errors, without the tables it speaks of.
fn findings(
    report: &FunctionReport,
) -> (
    Option<f64>,
    u64,
    String,
    Vec<u64>,
    Violations,
    Vec<SpecialReport>,
) {
    (
        report.max_ulp,
        report.max_steps,
        report.error_sum.clone(),
        report.histogram.clone(),
        report.violations.clone(),
        report.special.clone(),
    )
}

fn replayed(set: &FunctionSet, name: &str, stretch: Option<[f32; 2]>) -> FunctionReport {
    let mut set = set.clone();
    for entry in set.functions.iter_mut().filter(|entry| entry.name == name) {
        entry.notes.range = stretch;
    }
    let options = ReplayOptions {
        functions: vec![name.to_owned()],
        ..ReplayOptions::default()
    };
    let mut report = replay(&set, &options, &|_| {}).unwrap();
    report.functions.remove(0)
}

fn check(wanted: usize, seed: u64, whole: bool) {
    let names = samples::FIVE;
    let set = samples::set(&names, Datapath::Fma).unwrap();
    let mut missed = Vec::new();
    let mut counts = [0; KINDS.len()];
    // Without faults, a replay of all inputs finds the same each time.
    let mut sound_reports: BTreeMap<&str, FunctionReport> = BTreeMap::new();
    for (k, fault) in faults(&set, &names, wanted, seed).into_iter().enumerate() {
        counts[k % KINDS.len()] += 1;
        let stretch = if whole {
            None
        } else {
            fault.stretch.or(Some([0.5, 0.500_001]))
        };
        if !whole {
            sound_reports.clear();
        }
        let sound = sound_reports
            .entry(fault.function)
            .or_insert_with(|| replayed(&set, fault.function, stretch));
        let found = replayed(&fault.set, fault.function, stretch);
        if findings(sound) == findings(&found) {
            missed.push(fault.what);
        }
    }
    assert!(
        missed.is_empty(),
        "{} of {wanted} faults went unseen: {missed:#?}",
        missed.len()
    );
    assert!(counts.iter().all(|count| *count >= wanted / KINDS.len()));
}

#[test]
fn every_injected_fault_is_reported() {
    check(240, 4, false);
}

/// `cargo test --release --test injected_faults -- --ignored`.
#[test]
#[ignore = "minutes long: 205 replays of all 2^32 inputs"]
fn every_injected_fault_is_reported_by_the_whole_replay() {
    check(200, 5, true);
}
