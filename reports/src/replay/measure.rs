//! Measuring one function (or a shard of it): tallies by octave and bucket, not yet decided in MPFR.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use actforge_engine::Route;
use actforge_reference::{CellKind, Format, Surrogate};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Observer, Progress, ReplayError, Shard, Subject};
use crate::sweep::{Piece, Subject as SweepSubject, Tally, measure_piece, plan};

/// An octave of inputs: sign, then unbiased exponent (-127 for subnormals).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct OctaveKey {
    /// Sign.
    pub(super) negative: bool,
    /// Unbiased exponent.
    pub(super) exponent: i32,
}

impl OctaveKey {
    /// The octave of an input.
    pub(super) fn of(bits: u32) -> Self {
        Self {
            negative: bits >> 31 == 1,
            exponent: (bits >> 23 & 0xff) as i32 - 127,
        }
    }
}

/// A group of inputs with its tally.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GroupKey<K> {
    /// What they have in common.
    pub(super) key: K,
    /// Their statistics.
    pub(super) tally: Tally,
}

/// The tallies of one function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FunctionMeasurement {
    /// The function.
    pub(super) name: String,
    /// All inputs but the special ones.
    pub(super) total: Tally,
    /// Inputs whose true value is subnormal in the output type.
    pub(super) subnormal_results: Tally,
    /// By octave of the input.
    pub(super) octaves: Vec<GroupKey<OctaveKey>>,
    /// By bucket, as index in the pool.
    pub(super) buckets: Vec<GroupKey<u32>>,
    /// Seconds, when asked for.
    pub(super) seconds: Option<f64>,
}

impl FunctionMeasurement {
    pub(super) fn collect(name: &str, parts: impl Iterator<Item = Part>) -> Self {
        let mut total = Tally::default();
        let mut subnormal_results = Tally::default();
        let mut octaves: BTreeMap<OctaveKey, Tally> = BTreeMap::new();
        let mut buckets: BTreeMap<u32, Tally> = BTreeMap::new();
        for part in parts {
            total.merge(&part.tally);
            octaves.entry(part.octave).or_default().merge(&part.tally);
            if part.subnormal {
                subnormal_results.merge(&part.tally);
            }
            if let Some(bucket) = part.bucket {
                buckets.entry(bucket).or_default().merge(&part.tally);
            }
        }
        Self {
            name: name.to_owned(),
            total,
            subnormal_results,
            octaves: groups(octaves),
            buckets: groups(buckets),
            seconds: None,
        }
    }

    /// Whether all tallies can be those of a replay.
    pub(super) fn check(&self) -> Result<(), String> {
        let octaves = self.octaves.iter().map(|group| &group.tally);
        let buckets = self.buckets.iter().map(|group| &group.tally);
        let mut all = [&self.total, &self.subnormal_results]
            .into_iter()
            .chain(octaves)
            .chain(buckets);
        all.try_for_each(Tally::check)
    }

    /// Adds the same function's tallies from another shard.
    pub(super) fn merge(&mut self, other: Self) {
        self.total.merge(&other.total);
        self.subnormal_results.merge(&other.subnormal_results);
        merge_groups(&mut self.octaves, other.octaves);
        merge_groups(&mut self.buckets, other.buckets);
        self.seconds = self
            .seconds
            .zip(other.seconds)
            .map(|(left, right)| left + right);
    }
}

fn groups<K>(map: BTreeMap<K, Tally>) -> Vec<GroupKey<K>> {
    map.into_iter()
        .map(|(key, tally)| GroupKey { key, tally })
        .collect()
}

fn merge_groups<K: Ord + Copy>(into: &mut Vec<GroupKey<K>>, from: Vec<GroupKey<K>>) {
    let mut map: BTreeMap<K, Tally> = std::mem::take(into)
        .into_iter()
        .map(|group| (group.key, group.tally))
        .collect();
    for group in from {
        map.entry(group.key).or_default().merge(&group.tally);
    }
    *into = groups(map);
}

/// The tally of one piece and the groups it belongs to.
pub(super) struct Part {
    pub(super) tally: Tally,
    pub(super) octave: OctaveKey,
    pub(super) bucket: Option<u32>,
    pub(super) subnormal: bool,
}

/// Measures the part of a function that falls to a shard.
pub(super) fn measure(
    subject: &Subject<'_>,
    surrogate: &Surrogate,
    shard: Shard,
    observer: Observer<'_>,
) -> Result<FunctionMeasurement, ReplayError> {
    let name = subject.function.name();
    if subject.input != Format::Fp32 {
        let parts = super::each::measure_each(subject, surrogate, shard);
        return Ok(FunctionMeasurement::collect(name, parts.into_iter()));
    }
    let pieces = pieces_of(subject, surrogate, shard);
    let total: u64 = pieces.iter().map(Piece::inputs).sum();
    let sweep = SweepSubject {
        table: &subject.table,
        surrogate,
        value_bounds: subject.function.value_bounds(subject.output),
        level: subject.level,
    };
    let done = AtomicU64::new(0);
    let parts: Vec<Part> = pieces
        .par_iter()
        .map(|piece| {
            let tally = measure_piece(&sweep, piece);
            let done = done.fetch_add(piece.inputs(), Ordering::Relaxed) + piece.inputs();
            observer(Progress { function: name, done, total });
            Part {
                tally,
                octave: OctaveKey::of(piece.first),
                bucket: match piece.route {
                    Route::Cubic { index, .. } => Some(index),
                    _ => None,
                },
                subnormal: matches!(&piece.cell.kind, CellKind::Polynomial(polynomial) if polynomial.subnormal),
            }
        })
        .collect();
    let measurement = FunctionMeasurement::collect(name, parts.into_iter());
    if measurement.total.inputs == total {
        Ok(measurement)
    } else {
        let found = measurement.total.inputs;
        Err(ReplayError::Internal(format!(
            "{name}: {total} inputs were planned, {found} were judged"
        )))
    }
}

/// The pieces inside the judged range that fall to a shard: shards cut the inputs evenly, at the ends of pieces.
pub(super) fn pieces_of<'s>(
    subject: &Subject<'_>,
    surrogate: &'s Surrogate,
    shard: Shard,
) -> Vec<Piece<'s>> {
    let mut pieces: Vec<Piece<'s>> = plan(&subject.table, surrogate)
        .into_iter()
        .filter_map(|piece| clip(piece, subject))
        .collect();
    let mut end = None;
    for piece in &mut pieces {
        piece.continues = end == Some(piece.first) && piece.first & 0x7fff_ffff != 0;
        end = piece.last.checked_add(1);
    }
    let total: u64 = pieces.iter().map(Piece::inputs).sum();
    let mut before = 0;
    let mut mine = Vec::new();
    for piece in pieces {
        let inputs = piece.inputs();
        if shard.owns(before, total) {
            mine.push(piece);
        }
        before += inputs;
    }
    mine
}

/// The part of a piece that lies in the judged range. A piece has one sign, so that is a stretch of magnitudes.
fn clip<'s>(mut piece: Piece<'s>, subject: &Subject<'_>) -> Option<Piece<'s>> {
    let Some(range) = subject.range else {
        return Some(piece);
    };
    let sign = piece.first & 1 << 31;
    let (nearest, farthest) = range.side(sign != 0)?;
    piece.first = piece.first.max(sign | nearest);
    piece.last = piece.last.min(sign | farthest);
    (piece.first <= piece.last).then_some(piece)
}
