//! Whether the parts of a set fit together.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{FunctionEntry, FunctionSet, SetError};
use crate::cam::CamEntry;
use crate::container::sha256_hex;
use crate::function::FunctionNotes;
use crate::profile::{Profile, RegionKind};
use crate::target::Table;

impl FunctionSet {
    /// Checks everything that the engine and the hardware rely on. Later checks trust
    /// earlier ones:
    /// 1. names, the hash, the specification and the capacities of the target;
    /// 2. every entry can be stored, with the bits the target lacks at zero;
    /// 3. slot i of CAM and profiles is function i, found by its id and no other;
    /// 4. every control word belongs to one function, every bucket to at least one;
    /// 5. every input of every function is led to that function's own control words and
    ///    buckets, every region to one saturation bucket.
    ///
    /// # Errors
    /// The first [`SetError`] found.
    pub fn validate(&self) -> Result<(), SetError> {
        check_name(&self.name).map_err(|found| SetError::set("name", NAME_RULE, found))?;
        if let Some(hash) = &self.spec_hash
            && !is_sha256(hash)
        {
            return Err(SetError::set("spec_hash", "64 lowercase hex digits", hash));
        }
        if let Some(spec) = &self.spec {
            let hash = sha256_hex(spec.as_bytes());
            if self.spec_hash.as_ref() != Some(&hash) {
                let found = self.spec_hash.as_deref().unwrap_or("none");
                return Err(SetError::set(
                    "spec_hash",
                    format!("{hash}, that of spec"),
                    found,
                ));
            }
        }
        self.check_capacities()?;
        self.check_entries()?;
        self.check_slots()?;
        self.check_ownership()?;
        for function in &self.functions {
            self.check_regions(function)?;
            self.octaves(function)?;
            check_notes(function)?;
        }
        Ok(())
    }

    fn check_capacities(&self) -> Result<(), SetError> {
        let capacity = self.target.capacity();
        for table in Table::ALL {
            if self.entries(table) > capacity.of(table) {
                return Err(SetError::Capacity {
                    table,
                    target: self.target,
                    needed: self.entries(table),
                    capacity: capacity.of(table),
                });
            }
        }
        Ok(())
    }

    fn check_entries(&self) -> Result<(), SetError> {
        for (index, profile) in self.profiles.iter().enumerate() {
            let entry = |source| SetError::Entry {
                table: Table::Profile,
                index,
                source,
            };
            profile.to_bytes().map_err(entry)?;
            self.check_profile(index, profile)?;
        }
        for (index, word) in self.control.iter().enumerate() {
            let entry = |source| SetError::Entry {
                table: Table::Control,
                index,
                source,
            };
            word.encode().map_err(entry)?;
            if word.lsb + word.size > 23 {
                return Err(SetError::set(
                    format!("control word {index}"),
                    "extract_lsb + extract_size at most 23, the bits of a mantissa",
                    format!("{} + {}", word.lsb, word.size),
                ));
            }
        }
        Ok(())
    }

    /// Values that fit their fields but have no known meaning, or none on this target.
    fn check_profile(&self, index: usize, profile: &Profile) -> Result<(), SetError> {
        for (name, selector) in [
            ("symmetry_opt_en", profile.symmetry_opt_en),
            (
                "symmetry_opt_use_neg_region",
                profile.symmetry_opt_use_neg_region,
            ),
            ("func_sym_inv_sign", profile.func_sym_inv_sign),
        ] {
            if selector > 1 {
                return Err(SetError::Selector {
                    profile: index,
                    field: name,
                    found: selector,
                });
            }
        }
        for (name, bit) in [
            ("bias_scale_fma_bypass", profile.bias_scale_fma_bypass),
            ("batchnorm_accumulator_rd", profile.batchnorm_accumulator_rd),
        ] {
            if bit && !self.target.has_later_profile_bits() {
                let expected = format!("0 on target {}", self.target);
                let field = format!("profile {index}: {name}");
                return Err(SetError::set(field, expected, 1));
            }
        }
        Ok(())
    }

    fn check_slots(&self) -> Result<(), SetError> {
        for table in [Table::Cam, Table::Profile] {
            if self.entries(table) != self.functions.len() {
                return Err(SetError::set(
                    format!("{table} entries"),
                    format!("one per function, {}", self.functions.len()),
                    self.entries(table),
                ));
            }
        }
        if self.functions.is_empty() {
            return Err(SetError::set("functions", "at least one", 0));
        }
        let mut names = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for (slot, function) in self.functions.iter().enumerate() {
            check_name(&function.name).map_err(|found| function.error("name", NAME_RULE, found))?;
            if !names.insert(&function.name) {
                return Err(function.error("name", "a name of its own", "one used before"));
            }
            if !ids.insert(function.func_id) {
                return Err(function.error(
                    "func_id",
                    "an id of its own",
                    format!("{}, used before", function.func_id),
                ));
            }
            if function.profile != slot {
                return Err(function.error("profile", slot, function.profile));
            }
            let found = self.lookup(CamEntry::ACTIVATE, function.func_id);
            if found != Some(slot) {
                let found = found.map_or("none".to_owned(), |found| format!("slot {found}"));
                return Err(function.error(
                    "CAM entry that matches",
                    format!("slot {slot}"),
                    found,
                ));
            }
        }
        Ok(())
    }

    fn check_ownership(&self) -> Result<(), SetError> {
        let mut next_word = 0;
        let mut owned = vec![false; self.buckets.len()];
        for function in &self.functions {
            let Range { start, end } = function.control;
            if start != next_word || end < start || end > self.control.len() {
                return Err(function.error(
                    "control words",
                    format!("a run from {next_word} within {}", self.control.len()),
                    format!("{:?}", function.control),
                ));
            }
            next_word = end;
            let run = owned.get_mut(function.buckets.clone()).ok_or_else(|| {
                let expected = format!("a run within {}", self.buckets.len());
                function.error("buckets", expected, format!("{:?}", function.buckets))
            })?;
            run.fill(true);
            for place in function.saturation {
                let bucket = owned.get_mut(place).ok_or_else(|| {
                    let expected = format!("an index below {}", self.buckets.len());
                    function.error("saturation bucket", expected, place)
                })?;
                *bucket = true;
            }
        }
        if next_word != self.control.len() {
            return Err(SetError::set(
                "control words",
                next_word,
                self.control.len(),
            ));
        }
        for function in &self.functions {
            let is_of_others = |run: &Range<usize>| {
                run.start < run.end
                    && self.functions.iter().any(|other| {
                        other.name != function.name
                            && other.buckets.start <= run.start
                            && run.end <= other.buckets.end
                    })
            };
            let is_ascending = function
                .shared
                .is_sorted_by(|one, two| one.end <= two.start);
            if !is_ascending || !function.shared.iter().all(is_of_others) {
                return Err(function.error(
                    "shared buckets",
                    "runs of other functions, in ascending order",
                    format!("{:?}", function.shared),
                ));
            }
        }
        match owned.iter().position(|owned| !owned) {
            Some(bucket) => Err(SetError::set(
                format!("bucket {bucket}"),
                "a bucket of some function",
                "one of none",
            )),
            None => Ok(()),
        }
    }

    fn check_regions(&self, function: &FunctionEntry) -> Result<(), SetError> {
        let Some(profile) = self.profile(function) else {
            return Ok(());
        };
        for (kind, place) in RegionKind::ALL.into_iter().zip(function.saturation) {
            let word = profile.region(kind).control_word();
            if word.size != 0 || usize::from(word.base) != place {
                return Err(function.error(
                    format!("pwl_control of {}", kind.as_str()),
                    format!("its one saturation bucket, {place}"),
                    format!("base {}, extract_size {}", word.base, word.size),
                ));
            }
        }
        Ok(())
    }
}

/// Numbers that JSON cannot carry would be lost in the manifest.
fn check_notes(function: &FunctionEntry) -> Result<(), SetError> {
    let FunctionNotes {
        target_ulp,
        lower_bound_ulp,
        measured_ulp,
        bucket_bounds,
        ..
    } = &function.notes;
    let single = [
        ("target_ulp", target_ulp),
        ("lower_bound_ulp", lower_bound_ulp),
        ("measured_ulp", measured_ulp),
    ];
    let bounds = bucket_bounds.iter().map(|bound| ("bucket_bounds", *bound));
    for (field, value) in single
        .into_iter()
        .filter_map(|(field, value)| Some((field, (*value)?)))
        .chain(bounds)
    {
        if !value.is_finite() {
            return Err(function.error(field, "a finite number", value));
        }
    }
    Ok(())
}

const NAME_RULE: &str = "1 to 64 of the characters a-z A-Z 0-9 _ - . and no . or - at the start";

/// Names become names of files and of columns. Fails with the name, made printable.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let good = (1..=64).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.starts_with(['.', '-']);
    if good {
        Ok(())
    } else {
        Err(format!("{name:?}"))
    }
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
