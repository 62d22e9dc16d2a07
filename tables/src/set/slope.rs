//! The one operand that a table does not hold: the slope of `parametric_relu` below zero.

use std::borrow::Cow;

use super::{FunctionEntry, FunctionSet, SetError};
use crate::bucket::Bucket;
use crate::function::{DefinitionNotes, LimitNotes};
use crate::profile::RegionKind;
use crate::stock::assumed::PARAMETRIC_RELU;
use crate::target::Table;

/// The slope that frameworks begin with, for everybody who names none.
pub const DEFAULT_SLOPE: f32 = 0.25;

impl FunctionEntry {
    /// Whether the instruction brings the function's slope for negative inputs.
    pub fn takes_slope(&self) -> bool {
        self.name == PARAMETRIC_RELU && self.notes.definition.is_none()
    }
}

impl FunctionSet {
    /// The set as it computes with this operand: the saturation buckets that serve negative inputs of `parametric_relu`
    /// multiply with it, which gives the product rounded once as the hardware does, and its notes define it as that
    /// function. A set without such a function is given back as it is.
    ///
    /// # Errors
    /// [`SetError::Capacity`] when the pool has no room for one more bucket, [`SetError::Function`] for a slope that is no
    /// number.
    pub fn with_slope(&self, slope: f32) -> Result<Cow<'_, Self>, SetError> {
        if !self.functions.iter().any(FunctionEntry::takes_slope) {
            return Ok(Cow::Borrowed(self));
        }
        if !slope.is_finite() {
            return Err(SetError::function(
                PARAMETRIC_RELU,
                "slope",
                "a finite number",
                slope,
            ));
        }
        let mut set = self.clone();
        let bucket = Bucket::linear(0.0, slope);
        let known = set
            .buckets
            .iter()
            .position(|other| other.to_words() == bucket.to_words());
        let place = known.unwrap_or(set.buckets.len());
        if known.is_none() {
            let capacity = self.target.capacity().bucket;
            if place >= capacity {
                return Err(SetError::Capacity {
                    table: Table::Bucket,
                    target: self.target,
                    needed: place + 1,
                    capacity,
                });
            }
            set.buckets.push(bucket);
        }
        for entry in &mut set.functions {
            if !entry.takes_slope() {
                continue;
            }
            let profile = set.profiles.get_mut(entry.profile).ok_or_else(|| {
                SetError::function(&entry.name, "profile", "a slot of the set", entry.profile)
            })?;
            for (kind, stored) in RegionKind::ALL.into_iter().zip(&mut entry.saturation) {
                if kind == RegionKind::large(true) || kind == RegionKind::small(true) {
                    *stored = place;
                    profile.region_mut(kind).control = place as u32;
                }
            }
            profile.func_rslt_for_neg_inf = slope * f32::NEG_INFINITY;
            entry.notes.definition = Some(definition(slope));
        }
        Ok(Cow::Owned(set))
    }
}

/// The function with this slope, by expression.
fn definition(slope: f32) -> DefinitionNotes {
    let bits = |value: f32| Some(format!("{:#010x}", value.to_bits()));
    DefinitionNotes {
        expr: "max(x, 0) + slope*min(x, 0)".to_owned(),
        params: [("slope".to_owned(), exact_decimal(slope))].into(),
        limits: LimitNotes {
            zero: bits(0.0),
            pos_inf: bits(f32::INFINITY),
            neg_inf: bits(slope * f32::NEG_INFINITY),
        },
    }
}

/// A number in full: 149 places after the point are enough for every binary32 number.
fn exact_decimal(value: f32) -> String {
    let text = format!("{value:.149}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (value, text) in [
            (0.25_f32, "0.25"),
            (0.1, "0.100000001490116119384765625"),
            (-2.0, "-2"),
            (0.0, "0"),
        ] {
            assert_eq!(exact_decimal(value), text);
        }
        let least = exact_decimal(f32::from_bits(1));
        assert_eq!((least.len(), least.parse()), (151, Ok(f32::from_bits(1))));
    }
}
