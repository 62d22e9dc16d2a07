//! `pwp_jsons/<func>_<N>p.json`: one function by itself.

use serde::{Deserialize, Serialize};

use super::boxed::Boxed;
use super::model::ProfileMeta;
use super::roster::function;
use super::starts::{Declared, declared};
use super::write::number;
use crate::bucket::Bucket;
use crate::profile::RegionKind;
use crate::set::{FunctionEntry, FunctionSet};
use crate::target::Target;

/// The file, key for key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FunctionFile {
    symmetry_en: u8,
    symmetry_invert_sign_opt: u8,
    symmetry_opt_use_neg_region: u8,
    symmetry_point: Boxed,
    zero_result: Boxed,
    nan_result: Boxed,
    pinf_result: Boxed,
    ninf_result: Boxed,
    imm_bias: u32,
    exponent_offset: i16,
    fma_const0: Boxed,
    fma_const1: Boxed,
    lower_bound: Boxed,
    upper_bound: Boxed,
    use_multipass: u32,
    pub(super) max_diff: Boxed,
    lut_size: u32,
    /// Its place in the compiler's enumeration; its id where it has none (assumed).
    neuron_id: u32,
    sunda_id: u32,
    tonga_id: u32,
    pos_exponents: Vec<Exponent>,
    neg_exponents: Vec<Exponent>,
    saturation_points: SaturationPoints,
}

/// One octave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Exponent {
    /// Unbiased.
    exponent: i32,
    /// `2^extract_size`, also where fewer are stored.
    num_sections: u32,
    extract_size: u8,
    exponent_sections: Vec<Section>,
}

/// One bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Section {
    x: Boxed,
    d0: Boxed,
    d1: Boxed,
    d2: Boxed,
    d3: Boxed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SaturationPoints {
    sat_point_pos_high: SaturationPoint,
    sat_point_pos_low: SaturationPoint,
    sat_point_neg_high: SaturationPoint,
    sat_point_neg_low: SaturationPoint,
}

/// A region: its threshold and its cubic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SaturationPoint {
    /// The threshold's biased exponent, as in the set's file (assumed).
    sat_point: u32,
    /// 23 bits.
    mantissa_point: u32,
    #[serde(flatten)]
    section: Section,
}

impl From<Bucket> for Section {
    fn from(bucket: Bucket) -> Self {
        let [d0, d1, d2, d3] = bucket.d.map(Boxed::from);
        let x = bucket.x0.into();
        Self { x, d0, d1, d2, d3 }
    }
}

/// The file of a function whose profile is `meta`.
pub(super) fn function_file(
    set: &FunctionSet,
    entry: &FunctionEntry,
    meta: &ProfileMeta,
) -> FunctionFile {
    let notes = entry.stock_notes();
    let (ordinal, sunda_id, tonga_id) = ids(set.target, entry);
    let exponents = |negative| exponents(set, entry, negative);
    let point = |kind| saturation_point(set, entry, kind);
    FunctionFile {
        symmetry_en: meta.symmetry_opt_en,
        symmetry_invert_sign_opt: meta.sym_invert_sign_point,
        symmetry_opt_use_neg_region: meta.symmetry_opt_use_neg_region,
        symmetry_point: Boxed(meta.symmetry_point),
        zero_result: Boxed(meta.fzero_result),
        nan_result: Boxed(meta.fnan_result),
        pinf_result: Boxed(meta.fpinf_result),
        ninf_result: Boxed(meta.fninf_result),
        imm_bias: meta.imm_bias,
        exponent_offset: meta.exp_offset,
        fma_const0: Boxed(meta.fma_const_0),
        fma_const1: Boxed(meta.fma_const_1),
        lower_bound: Boxed(meta.lower_bound),
        upper_bound: Boxed(meta.upper_bound),
        use_multipass: meta.use_multipass,
        max_diff: Boxed(notes.max_diff),
        lut_size: number(entry.buckets.len()),
        neuron_id: ordinal,
        sunda_id,
        tonga_id,
        pos_exponents: exponents(false),
        neg_exponents: exponents(true),
        saturation_points: SaturationPoints {
            sat_point_pos_high: point(RegionKind::LargePositive),
            sat_point_pos_low: point(RegionKind::SmallPositive),
            sat_point_neg_high: point(RegionKind::LargeNegative),
            sat_point_neg_low: point(RegionKind::SmallNegative),
        },
    }
}

/// The ordinal and both ids. The id of the set's own generation is the function's.
fn ids(target: Target, entry: &FunctionEntry) -> (u32, u32, u32) {
    let own = u32::from(entry.func_id);
    let Some(stock) = function(&entry.name) else {
        return (own, own, own);
    };
    let (sunda, tonga) = (u32::from(stock.sunda_id), u32::from(stock.tonga_id));
    let ordinal = stock.ordinal.unwrap_or(own);
    match target {
        Target::StockWithLn => (ordinal, sunda, own),
        _ => (ordinal, own, tonga),
    }
}

fn exponents(set: &FunctionSet, entry: &FunctionEntry, negative: bool) -> Vec<Exponent> {
    let Some(profile) = set.profile(entry) else {
        return Vec::new();
    };
    let octaves = declared(set, entry, profile);
    let ends = octaves.iter().skip(1).map(|next| next.word.base);
    let ends = ends.map(usize::from).chain([entry.buckets.end]);
    let of_side = octaves.iter().zip(ends);
    of_side
        .filter(|(octave, _)| octave.negative == negative)
        .map(|(octave, end)| exponent(set, octave, end))
        .collect()
}

/// The buckets of an octave end where those of the next one begin.
fn exponent(set: &FunctionSet, octave: &Declared, end: usize) -> Exponent {
    let stored = set.buckets.get(usize::from(octave.word.base)..end);
    Exponent {
        exponent: octave.exponent,
        num_sections: 1 << octave.word.size.min(31),
        extract_size: octave.word.size,
        exponent_sections: stored
            .unwrap_or_default()
            .iter()
            .map(|bucket| Section::from(*bucket))
            .collect(),
    }
}

fn saturation_point(set: &FunctionSet, entry: &FunctionEntry, kind: RegionKind) -> SaturationPoint {
    let profile = set.profile(entry).copied().unwrap_or_default();
    let place = profile.region(kind).control as usize;
    let bucket = set.buckets.get(place).copied();
    SaturationPoint {
        sat_point: profile.threshold(kind).into(),
        mantissa_point: profile.region(kind).mantissa_threshold,
        section: bucket.unwrap_or(Bucket::constant(0.0)).into(),
    }
}
