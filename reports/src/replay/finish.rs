//! From tallies to the report: the last decisions in MPFR, and the facts that need no sweep.

use std::collections::BTreeMap;

use actforge_engine::Route;
use actforge_reference::{Format, Function, Surrogate, ulp_error};
use actforge_tables::{DefinitionNotes, FunctionEntry, FunctionNotes, FunctionSet};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::measure::{FunctionMeasurement, OctaveKey};
use super::shard::{MergeError, format_of};
use super::special::{SpecialInputs, special_inputs};
use super::{Judged, ReplayError, Subject, saturation, seams, symmetry};
use crate::reference::reference;
use crate::report::{
    BucketReport, Extreme, FunctionReport, GroupReport, OctaveReport, Saturation, Seams,
    Violations, Witness, hex,
};
use crate::sweep::{Candidate, HISTOGRAM_EDGES, Tally};

/// What a report says of a function besides its tallies; every shard finds the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Frame {
    name: String,
    func_id: u8,
    dtype: String,
    input_dtype: String,
    range: Option<[String; 2]>,
    /// The expression of a function that is not in the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<FrameDefinition>,
    lower_bound_ulp: Option<f64>,
    control_words: u32,
    buckets: Vec<BucketFrame>,
    octaves: Vec<OctaveFrame>,
    saturation: Vec<Saturation>,
    seams: Seams,
    asymmetric: u64,
    special: SpecialInputs,
    reference_bound_ulp: f64,
}

/// A function by expression, as its set has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameDefinition {
    definition: DefinitionNotes,
    /// The range it was surveyed over, as bits.
    range: Option<[u32; 2]>,
}

/// A bucket of the function, as index in the pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BucketFrame {
    index: u32,
    region: Option<String>,
    reached: Option<[u32; 2]>,
    lower_bound_ulp: Option<f64>,
}

/// An octave of inputs and the buckets they reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OctaveFrame {
    key: OctaveKey,
    buckets: u32,
    lower_bound_ulp: Option<f64>,
}

impl Frame {
    pub(super) fn new(
        set: &FunctionSet,
        subject: &Subject<'_>,
        surrogate: &Surrogate,
    ) -> Result<Self, ReplayError> {
        let entry = subject.entry;
        let buckets = bucket_frames(subject);
        let octaves = octave_frames(subject, &buckets);
        let full = subject.input == Format::Fp32;
        Ok(Self {
            name: entry.name.clone(),
            func_id: entry.func_id,
            dtype: subject.output.name().to_owned(),
            input_dtype: subject.input.name().to_owned(),
            range: subject.range.map(Judged::stated),
            definition: entry
                .notes
                .definition
                .as_ref()
                .map(|definition| FrameDefinition {
                    definition: definition.clone(),
                    range: entry.notes.range.map(|range| range.map(f32::to_bits)),
                }),
            lower_bound_ulp: entry
                .notes
                .lower_bound_ulp
                .filter(|_| is_own_dtype(subject)),
            control_words: control_words(set, entry)?,
            buckets,
            octaves,
            saturation: if full {
                saturation::find(subject)
            } else {
                Vec::new()
            },
            seams: if full {
                seams::measure(subject, surrogate)
            } else {
                Seams::default()
            },
            asymmetric: if full { symmetry::count(subject) } else { 0 },
            special: special_inputs(subject),
            reference_bound_ulp: surrogate.bound(),
        })
    }

    /// Whether it can be counted with.
    pub(super) fn check(&self) -> Result<(), String> {
        self.special.check()
    }
}

/// The control words of a function: those that it has, or as many as its octaves ask for.
pub(super) fn control_words(set: &FunctionSet, entry: &FunctionEntry) -> Result<u32, ReplayError> {
    let octaves = set
        .octaves(entry)
        .map_err(|error| ReplayError::Internal(error.to_string()))?;
    Ok(octaves.len().max(entry.control.len()) as u32)
}

/// How many buckets a function takes of the pool, saturation buckets included.
pub(super) fn bucket_count(subject: &Subject<'_>) -> usize {
    bucket_frames(subject).len()
}

/// Bounds in the manifest are in ulp of the type the function was fitted for.
fn is_own_dtype(subject: &Subject<'_>) -> bool {
    subject.entry.notes.dtype.as_deref().unwrap_or("fp32") == subject.output.name()
}

fn bucket_frames(subject: &Subject<'_>) -> Vec<BucketFrame> {
    let entry = subject.entry;
    let mut frames: BTreeMap<u32, BucketFrame> = BTreeMap::new();
    let bounds = if is_own_dtype(subject) {
        entry.notes.bucket_bounds.as_slice()
    } else {
        &[]
    };
    for (k, index) in entry.octave_buckets().enumerate() {
        let lower_bound_ulp = bounds.get(k).copied();
        let index = index as u32;
        frames.insert(
            index,
            BucketFrame {
                index,
                region: None,
                reached: None,
                lower_bound_ulp,
            },
        );
    }
    for run in subject.table.runs() {
        if let Route::Cubic { index, region, .. } = run.route {
            let frame = frames.entry(index).or_insert(BucketFrame {
                index,
                region: None,
                reached: None,
                lower_bound_ulp: None,
            });
            if let Some(kind) = region {
                frame.region.get_or_insert_with(|| kind.as_str().to_owned());
            }
            let reached = frame.reached.get_or_insert([run.first, run.last]);
            // A bucket that both signs share (a fold) is described by the side that comes first.
            if reached[0] >> 31 == run.first >> 31 {
                *reached = [reached[0].min(run.first), reached[1].max(run.last)];
            }
        }
    }
    frames.into_values().collect()
}

fn octave_frames(subject: &Subject<'_>, buckets: &[BucketFrame]) -> Vec<OctaveFrame> {
    let bound_of: BTreeMap<u32, Option<f64>> = buckets
        .iter()
        .map(|b| (b.index, b.lower_bound_ulp))
        .collect();
    let mut reached: BTreeMap<OctaveKey, Vec<u32>> = BTreeMap::new();
    for run in subject.table.runs() {
        if let Route::Cubic { index, .. } = run.route {
            let (first, last) = (run.first >> 23 & 0xff, (run.last >> 23 & 0xff).min(254));
            for exponent in first..=last {
                let key = OctaveKey {
                    negative: run.first >> 31 == 1,
                    exponent: exponent as i32 - 127,
                };
                reached.entry(key).or_default().push(index);
            }
        }
    }
    reached
        .into_iter()
        .map(|(key, mut indices)| {
            indices.sort_unstable();
            indices.dedup();
            let bounds = indices
                .iter()
                .filter_map(|index| bound_of.get(index).copied().flatten());
            OctaveFrame {
                key,
                buckets: indices.len() as u32,
                lower_bound_ulp: bounds.reduce(f64::max),
            }
        })
        .collect()
}

/// Decides the maxima of a function and writes its report.
pub(super) fn finish(
    frame: Frame,
    measurement: FunctionMeasurement,
) -> Result<FunctionReport, MergeError> {
    let invalid = |reason: String| MergeError::Invalid {
        function: frame.name.clone(),
        reason,
    };
    let notes = FunctionNotes {
        definition: frame
            .definition
            .as_ref()
            .map(|known| known.definition.clone()),
        range: frame
            .definition
            .as_ref()
            .and_then(|known| known.range.map(|range| range.map(f32::from_bits))),
        ..FunctionNotes::default()
    };
    let function = reference(&frame.name, &notes).map_err(|error| invalid(error.to_string()))?;
    let format = format_of(&frame.name, &frame.dtype)?;
    let judge = Decider {
        function: &function,
        format,
        bound: frame.reference_bound_ulp,
    };

    let mut total = measurement.total;
    frame.special.add_to(&mut total);
    let octave_tallies: BTreeMap<OctaveKey, Tally> = measurement
        .octaves
        .into_iter()
        .map(|group| (group.key, group.tally))
        .collect();
    let bucket_tallies: BTreeMap<u32, Tally> = measurement
        .buckets
        .into_iter()
        .map(|group| (group.key, group.tally))
        .collect();

    let mut octaves: Vec<OctaveReport> = frame
        .octaves
        .par_iter()
        .filter_map(|octave| {
            let tally = octave_tallies.get(&octave.key)?;
            Some(OctaveReport {
                negative: octave.key.negative,
                exponent: octave.key.exponent,
                buckets: octave.buckets,
                lower_bound_ulp: octave.lower_bound_ulp.map(millionths),
                non_monotone: tally.non_monotone,
                group: judge.group(tally),
            })
        })
        .collect();
    // Towards and then away from zero: the order of the number line within each side.
    octaves.sort_by_key(|octave| (!octave.negative, octave.exponent));
    let nothing = Tally::default();
    let bucket_rows: Vec<BucketReport> = frame
        .buckets
        .par_iter()
        .map(|bucket| {
            let tally = bucket_tallies.get(&bucket.index).unwrap_or(&nothing);
            BucketReport {
                index: bucket.index,
                region: bucket.region.clone(),
                reached: bucket.reached.map(|reached| reached.map(hex)),
                lower_bound_ulp: bucket.lower_bound_ulp.map(millionths),
                max_absolute: tally.largest_absolute.map(extreme),
                group: judge.group(tally),
            }
        })
        .collect();

    let group = judge.group(&total);
    let mut report = FunctionReport {
        name: frame.name,
        func_id: frame.func_id,
        dtype: frame.dtype,
        input_dtype: frame.input_dtype,
        inputs: total.inputs,
        definition: frame
            .definition
            .as_ref()
            .map(|_| function.definition().to_owned()),
        range: frame.range,
        max_ulp: group.max_ulp,
        max_ulp_at: group.max_ulp_at,
        lower_bound_ulp: frame.lower_bound_ulp.map(millionths),
        max_steps: total.most_steps.map_or(0, |(steps, _)| steps),
        max_steps_at: total.most_steps.map(|(_, bits)| hex(bits)),
        mean_ulp: group.mean_ulp,
        error_sum: total.error_sum.to_string(),
        correctly_rounded: group.correctly_rounded,
        max_absolute: total.largest_absolute.map(extreme),
        max_relative: total.largest_relative.map(extreme),
        buckets: frame.buckets.len() as u32,
        control_words: frame.control_words,
        histogram_edges: HISTOGRAM_EDGES.to_vec(),
        histogram: total.histogram.to_vec(),
        violations: Violations {
            nan_results: total.nan_results,
            infinite_results: total.infinite_results,
            out_of_range: total.out_of_range,
            wrong_sign: total.wrong_sign,
            zero_sign: total.zero_sign,
            non_monotone: total.non_monotone,
            asymmetric: frame.asymmetric,
        },
        subnormal_results: judge.group(&measurement.subnormal_results),
        saturation: frame.saturation,
        seams: frame.seams,
        octaves,
        bucket_rows,
        special: frame.special.reports(),
        reference_bound_ulp: frame.reference_bound_ulp,
        decided_in_mpfr: total.decided,
        weighted: None,
        seconds: measurement.seconds,
    };
    report.decided_in_mpfr += judge.count(&total) as u64;
    Ok(report)
}

/// Decides maxima in MPFR.
struct Decider<'a> {
    function: &'a Function,
    format: Format,
    bound: f64,
}

impl Decider<'_> {
    /// The candidates that may be the maximum: those within the reference's own uncertainty of the first.
    fn contenders<'t>(&self, tally: &'t Tally) -> impl Iterator<Item = &'t Candidate> {
        let best = tally.worst.first().map_or(0.0, |candidate| candidate.error);
        let reach = 2.0 * self.bound;
        tally
            .worst
            .iter()
            .take_while(move |candidate| candidate.error >= best - reach)
    }

    fn count(&self, tally: &Tally) -> usize {
        self.contenders(tally).count()
    }

    fn group(&self, tally: &Tally) -> GroupReport {
        let decided = self.contenders(tally).map(|candidate| {
            let result = f32::from_bits(candidate.result);
            let x = f32::from_bits(candidate.bits);
            (
                ulp_error(self.format, result, &self.function.enclose(x, 80)),
                candidate,
            )
        });
        // The first of equals is kept: candidates come with the smaller bit pattern first.
        let worst = decided.reduce(|best, next| if next.0 > best.0 { next } else { best });
        GroupReport {
            inputs: tally.inputs,
            max_ulp: match worst {
                Some((error, _)) if !error.is_finite() => None,
                Some((error, _)) => Some(millionths(error)),
                None => Some(0.0),
            },
            max_ulp_at: worst.map(|(_, candidate)| self.witness(candidate)),
            mean_ulp: millionths(tally.mean()),
            correctly_rounded: tally.correctly_rounded(),
        }
    }

    fn witness(&self, candidate: &Candidate) -> Witness {
        let x = f32::from_bits(candidate.bits);
        let want = self
            .function
            .round(x, self.format)
            .map_or(f32::NAN, |want| want);
        Witness {
            bits: hex(candidate.bits),
            value: format!("{x:?}"),
            got: hex(candidate.result),
            want: hex(want.to_bits()),
        }
    }
}

fn extreme((error, bits): (f64, u32)) -> Extreme {
    Extreme {
        error,
        at: hex(bits),
    }
}

/// Rounds to a millionth: what is printed is then exact, being far above the reference's bound.
pub(crate) fn millionths(value: f64) -> f64 {
    let scaled = (value * 1e6).round();
    if scaled.abs() < 9e15 {
        scaled / 1e6
    } else {
        value
    }
}
