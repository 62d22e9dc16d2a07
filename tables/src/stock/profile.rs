//! A function of a set as one element of `profile_meta_data`.

use super::StockError;
use super::assumed::default_notes;
use super::model::ProfileMeta;
use super::notes::StockNotes;
use crate::profile::{Profile, RegionKind};
use crate::set::{FunctionEntry, FunctionSet};

impl FunctionEntry {
    /// What the stock files say of the function beyond its PROFILE: its own notes, or the
    /// assumed ones of a function that does not come from stock files.
    pub fn stock_notes(&self) -> StockNotes {
        self.notes
            .stock
            .unwrap_or_else(|| default_notes(&self.name, self.buckets.len(), &self.notes))
    }

    /// `<func>_<N>p`
    pub(super) fn variant(&self) -> String {
        format!("{}_{}p", self.name, self.stock_notes().selector)
    }
}

/// The thirty fields. `exp_offset` and everything else is as the profile has it.
pub(super) fn profile_meta(
    set: &FunctionSet,
    entry: &FunctionEntry,
    profile: &Profile,
) -> Result<ProfileMeta, StockError> {
    let notes = entry.stock_notes();
    let saturation = |kind| profile.region(kind).control;
    let meta = ProfileMeta {
        func_name: entry.variant(),
        func_id: entry.func_id,
        fnan_result: profile.func_rslt_for_nan.to_bits(),
        fpinf_result: profile.func_rslt_for_pos_inf.to_bits(),
        fninf_result: profile.func_rslt_for_neg_inf.to_bits(),
        fzero_result: profile.func_rslt_for_zero.to_bits(),
        symmetry_opt_en: profile.symmetry_opt_en,
        sym_invert_sign_point: profile.func_sym_inv_sign,
        symmetry_opt_use_neg_region: profile.symmetry_opt_use_neg_region,
        symmetry_point: profile.symmetry_point.to_bits(),
        imm_bias: notes.imm_bias,
        exp_offset: i16::from(profile.exponent_offset) - 127,
        fma_const_0: profile.fma_const0.to_bits(),
        fma_const_1: profile.fma_const1.to_bits(),
        fma_indirection_src_sel: profile.fma_indirection_src_sel,
        pwl_control_base_pos: profile.pwl_control_base_pos,
        pwl_control_base_neg: profile.pwl_control_base_neg,
        small_pos_signal_exp_threshold: profile.small_pos_signal_threshold,
        pos_small_signal_pwl_control: saturation(RegionKind::SmallPositive),
        small_neg_signal_exp_threshold: profile.small_neg_signal_threshold,
        neg_small_signal_pwl_control: saturation(RegionKind::SmallNegative),
        large_pos_signal_exp_threshold: profile.large_pos_signal_threshold,
        large_pos_signal_mantissa_threshold: profile.large_pos.mantissa_threshold,
        pos_large_signal_pwl_control: saturation(RegionKind::LargePositive),
        large_neg_signal_exp_threshold: profile.large_neg_signal_threshold,
        large_neg_signal_mantissa_threshold: profile.large_neg.mantissa_threshold,
        neg_large_signal_pwl_control: saturation(RegionKind::LargeNegative),
        lower_bound: notes.lower_bound,
        upper_bound: notes.upper_bound,
        use_multipass: notes.use_multipass,
    };
    check_representable(set, entry, profile, &meta)?;
    Ok(meta)
}

/// The profile that these fields describe.
pub(super) fn profile_of(meta: &ProfileMeta) -> Option<Profile> {
    let mut profile = Profile {
        symmetry_opt_en: meta.symmetry_opt_en,
        symmetry_opt_use_neg_region: meta.symmetry_opt_use_neg_region,
        func_sym_inv_sign: meta.sym_invert_sign_point,
        symmetry_point: f32::from_bits(meta.symmetry_point),
        exponent_offset: u8::try_from(meta.exp_offset.checked_add(127)?).ok()?,
        small_pos_signal_threshold: meta.small_pos_signal_exp_threshold,
        small_neg_signal_threshold: meta.small_neg_signal_exp_threshold,
        large_pos_signal_threshold: meta.large_pos_signal_exp_threshold,
        large_neg_signal_threshold: meta.large_neg_signal_exp_threshold,
        pwl_control_base_pos: meta.pwl_control_base_pos,
        pwl_control_base_neg: meta.pwl_control_base_neg,
        fma_indirection_src_sel: meta.fma_indirection_src_sel,
        fma_const0: f32::from_bits(meta.fma_const_0),
        fma_const1: f32::from_bits(meta.fma_const_1),
        func_rslt_for_zero: f32::from_bits(meta.fzero_result),
        func_rslt_for_nan: f32::from_bits(meta.fnan_result),
        func_rslt_for_pos_inf: f32::from_bits(meta.fpinf_result),
        func_rslt_for_neg_inf: f32::from_bits(meta.fninf_result),
        ..Profile::default()
    };
    for (kind, control, mantissa) in [
        (
            RegionKind::LargePositive,
            meta.pos_large_signal_pwl_control,
            meta.large_pos_signal_mantissa_threshold,
        ),
        (
            RegionKind::LargeNegative,
            meta.neg_large_signal_pwl_control,
            meta.large_neg_signal_mantissa_threshold,
        ),
        (
            RegionKind::SmallPositive,
            meta.pos_small_signal_pwl_control,
            0,
        ),
        (
            RegionKind::SmallNegative,
            meta.neg_small_signal_pwl_control,
            0,
        ),
    ] {
        let region = profile.region_mut(kind);
        region.control = control;
        region.mantissa_threshold = mantissa;
        region.compare = true;
    }
    Some(profile)
}

/// Everything that is not in the thirty fields must be what they leave unsaid: all other
/// PROFILE fields 0, comparisons on, mantissas of small regions 0.
fn check_representable(
    set: &FunctionSet,
    entry: &FunctionEntry,
    profile: &Profile,
    meta: &ProfileMeta,
) -> Result<(), StockError> {
    let Some(said) = profile_of(meta) else {
        return Ok(());
    };
    for (found, said) in profile.fields().zip(said.fields()) {
        // As text, in which a NaN equals itself.
        let (found_value, said) = (format!("{:?}", found.value), format!("{:?}", said.value));
        if found_value != said {
            return Err(StockError::layout(
                &set.name,
                format!("{}: {}", entry.name, found.layout.name),
                format!("{said}, the only value that the stock container can tell"),
                found_value,
            ));
        }
    }
    Ok(())
}
