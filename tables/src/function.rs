//! One fitted function, not yet placed: what a fit produces and
//! `FunctionSet::assemble` packs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bucket::Bucket;
use crate::profile::RegionKind;
use crate::stock::StockNotes;

/// Which side of an input is stored; the other is folded onto it (numerics.md, step 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Both sides are stored.
    None,
    /// `s = |v|`.
    StorePositive,
    /// `s = -|v|`.
    StoreNegative,
}

/// The symmetry reduction of a function.
///
/// An input that the fold changed gives `point - f(s)` with `invert_sign` and
/// `point + f(s)` without.
#[derive(Debug, Clone, Copy)]
pub struct Symmetry {
    /// The stored side.
    pub fold: Fold,
    /// Negate the result of a folded input.
    pub invert_sign: bool,
    /// Added in f32 to the result of a folded input.
    pub point: f32,
}

impl Symmetry {
    /// No fold: both sides stored.
    pub const NONE: Self = Self {
        fold: Fold::None,
        invert_sign: false,
        point: 0.0,
    };
    /// `f(-x) = f(x)`, positive side stored.
    pub const EVEN: Self = Self {
        fold: Fold::StorePositive,
        ..Self::NONE
    };
    /// `f(-x) = -f(x)`, positive side stored.
    pub const ODD: Self = Self {
        invert_sign: true,
        ..Self::EVEN
    };
}

impl Symmetry {
    fn to_bits(self) -> (Fold, bool, u32) {
        (self.fold, self.invert_sign, self.point.to_bits())
    }
}

/// Equal bits: a point of +0 differs from one of -0.
impl PartialEq for Symmetry {
    fn eq(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Eq for Symmetry {}

/// The results for inputs that never reach the table (numerics.md, step 1).
#[derive(Debug, Clone, Copy)]
pub struct SpecialResults {
    /// For +0 and for -0.
    pub zero: f32,
    /// For every NaN.
    pub nan: f32,
    /// For +inf.
    pub pos_inf: f32,
    /// For -inf.
    pub neg_inf: f32,
}

impl SpecialResults {
    fn to_bits(self) -> [u32; 4] {
        [self.zero, self.nan, self.pos_inf, self.neg_inf].map(f32::to_bits)
    }
}

/// Equal bits: NaN equals NaN, +0 differs from -0.
impl PartialEq for SpecialResults {
    fn eq(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Eq for SpecialResults {}

/// One region: where it begins and the cubic used in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The threshold's biased exponent.
    pub exponent: u8,
    /// The threshold's mantissa, 23 bits.
    pub mantissa: u32,
    /// Whether the mantissa decides at the threshold exponent; if not, that exponent
    /// does not belong to the region.
    pub compare: bool,
    /// The saturation bucket.
    pub bucket: Bucket,
}

impl Region {
    /// A large region that takes every input of its side: what a function without a
    /// table has.
    pub const fn everything(bucket: Bucket) -> Self {
        Self {
            exponent: 0,
            mantissa: 0,
            compare: true,
            bucket,
        }
    }
}

/// One octave of a side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Octave {
    /// `extract_size`: the octave has `2^size` buckets, chosen by the top mantissa bits.
    pub size: u8,
    /// Index of the first stored bucket. Those below it, and those after the last
    /// stored one, must be out of reach behind a region's threshold.
    pub first: u16,
    /// The stored buckets in order of `|x|`. Empty for an octave that is declared but
    /// never reached.
    pub buckets: Vec<Bucket>,
}

/// The positive or the negative inputs of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The unbiased exponent of `octaves[0]`, -127 (subnormals) to 127.
    pub lowest: i16,
    /// One octave per exponent from `lowest` up.
    pub octaves: Vec<Octave>,
    /// Towards zero.
    pub small: Region,
    /// Away from zero.
    pub large: Region,
}

impl Side {
    /// A side without octaves: every input is large and uses `bucket`.
    pub const fn without_table(bucket: Bucket) -> Self {
        let region = Region::everything(bucket);
        Self {
            lowest: -127,
            octaves: Vec::new(),
            small: region,
            large: region,
        }
    }

    /// The side of `-x`: its results are those of this one, negated with `invert`.
    fn mirrored(&self, invert: bool) -> Self {
        let bucket = |bucket: Bucket| bucket.mirrored(invert);
        let region = |region: Region| Region {
            bucket: bucket(region.bucket),
            ..region
        };
        Self {
            lowest: self.lowest,
            octaves: self
                .octaves
                .iter()
                .map(|octave| Octave {
                    buckets: octave.buckets.iter().copied().map(bucket).collect(),
                    ..octave.clone()
                })
                .collect(),
            small: region(self.small),
            large: region(self.large),
        }
    }

    /// How many buckets the octaves store.
    pub fn stored_buckets(&self) -> usize {
        self.octaves.iter().map(|octave| octave.buckets.len()).sum()
    }
}

/// A function as fitted.
///
/// With a fold the unused side has no octaves; its regions are never reached.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionTable {
    /// The function's name in the catalogue.
    pub name: String,
    /// The id an instruction carries.
    pub func_id: u8,
    /// The fold.
    pub symmetry: Symmetry,
    /// The results for zero, NaN and the infinities.
    pub specials: SpecialResults,
    /// Inputs whose folded value is positive.
    pub positive: Side,
    /// Inputs whose folded value is negative.
    pub negative: Side,
    /// What the manifest records about the function.
    pub notes: FunctionNotes,
}

impl FunctionTable {
    /// The side of positive or of negative inputs.
    pub const fn side(&self, negative: bool) -> &Side {
        if negative {
            &self.negative
        } else {
            &self.positive
        }
    }

    /// One of the four regions.
    pub const fn region(&self, kind: RegionKind) -> &Region {
        match kind {
            RegionKind::LargePositive => &self.positive.large,
            RegionKind::LargeNegative => &self.negative.large,
            RegionKind::SmallPositive => &self.positive.small,
            RegionKind::SmallNegative => &self.negative.small,
        }
    }

    /// The same function without the fold, both sides stored: possible where results are
    /// mirrored bit for bit, as those of odd and even functions are; others stay as they are.
    pub fn unfolded(&self) -> Self {
        let Symmetry {
            fold,
            invert_sign,
            point,
        } = self.symmetry;
        if fold == Fold::None || point.to_bits() != 0 {
            return self.clone();
        }
        let stored = self.side(fold == Fold::StoreNegative);
        let mirrored = stored.mirrored(invert_sign);
        let (positive, negative) = match fold {
            Fold::StoreNegative => (mirrored, stored.clone()),
            Fold::StorePositive | Fold::None => (stored.clone(), mirrored),
        };
        Self {
            symmetry: Symmetry::NONE,
            positive,
            negative,
            ..self.clone()
        }
    }

    /// How many octaves are declared on both sides.
    pub fn octave_count(&self) -> usize {
        self.negative.octaves.len() + self.positive.octaves.len()
    }

    /// How many buckets the octaves store, without the saturation buckets.
    pub fn stored_buckets(&self) -> usize {
        self.negative.stored_buckets() + self.positive.stored_buckets()
    }

    /// How many buckets it takes of the pool of a set of its own: saturation buckets with the same bits are stored once.
    pub fn bucket_count(&self) -> usize {
        let saturation = RegionKind::ALL.map(|kind| self.region(kind).bucket.to_words());
        let distinct = saturation
            .iter()
            .enumerate()
            .filter(|(k, words)| saturation.iter().take(*k).all(|other| other != *words));
        self.stored_buckets() + distinct.count()
    }
}

/// What the manifest records about a function beyond its bits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FunctionNotes {
    /// The output type whose ulp counts: `fp32`, `bf16` or `fp16`.
    pub dtype: Option<String>,
    /// The fitting method.
    pub method: Option<String>,
    /// The error asked for, in ulp of `dtype`.
    pub target_ulp: Option<f64>,
    /// The inputs that were asked for, first and last. Written as bits.
    #[serde(with = "range_as_bits")]
    pub range: Option<[f32; 2]>,
    /// The floor of the error: the largest lower bound of a bucket, in ulp of `dtype`.
    pub lower_bound_ulp: Option<f64>,
    /// The lower bound of each bucket in the order of the function's run; may be empty.
    pub bucket_bounds: Vec<f64>,
    /// The largest error measured when the function was built, in ulp of `dtype`.
    pub measured_ulp: Option<f64>,
    /// The expression that the function was defined by; absent for one of the catalogue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<DefinitionNotes>,
    /// What stock files say of the function beyond its bits; absent in a set that does not
    /// come from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stock: Option<StockNotes>,
}

/// A function by expression: all that is needed to know its values again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefinitionNotes {
    /// The formula in `x` and the parameters.
    pub expr: String,
    /// Named numbers, as the decimal texts that say exactly what they are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// Results at special inputs that were given instead of found.
    #[serde(default, skip_serializing_if = "LimitNotes::is_empty")]
    pub limits: LimitNotes,
}

/// Results at special inputs that were given, as their binary32 bits: `0x` and 8 hex
/// digits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitNotes {
    /// At +0 and -0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero: Option<String>,
    /// At plus infinity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pos_inf: Option<String>,
    /// At minus infinity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neg_inf: Option<String>,
}

impl LimitNotes {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Floats of the user go into the manifest as their bits, like those of the tables: no
/// decimal in between, and infinities are possible.
mod range_as_bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        range: &Option<[f32; 2]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        range
            .map(|ends| ends.map(|end| format!("{:#010x}", end.to_bits())))
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<[f32; 2]>, D::Error> {
        let Some(ends) = Option::<[String; 2]>::deserialize(deserializer)? else {
            return Ok(None);
        };
        let mut range = [0.0; 2];
        for (value, text) in range.iter_mut().zip(&ends) {
            let bits = text
                .strip_prefix("0x")
                .filter(|digits| digits.len() == 8)
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or_else(|| {
                    D::Error::custom(format!("range: expected 0x and 8 hex digits, found {text}"))
                })?;
            *value = f32::from_bits(bits);
        }
        Ok(Some(range))
    }
}
