//! What each PROFILE field means, in words, with its value worked in where that helps.

use actforge_tables::profile::FieldLayout;
use actforge_tables::{EntryError, FieldValue, Profile, ProfileField, RegionWord};

/// One field of a profile, as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileWord {
    /// Its name in the layout.
    pub name: &'static str,
    /// Its lowest bit, counted from bit 0 of byte 0.
    pub lsb: u32,
    /// Its highest bit.
    pub msb: u32,
    /// Its bits, `0x` and hexadecimal digits.
    pub hex: String,
    /// Its value: a number, a float in decimal, or the parts of a region word.
    pub value: String,
    /// What it means.
    pub meaning: String,
}

/// All fields of a profile, in the order of the layout.
///
/// # Errors
/// [`EntryError`] for a value that its field cannot hold; a set that was read has none.
pub fn profile_words(profile: &Profile) -> Result<Vec<ProfileWord>, EntryError> {
    let bytes = profile.to_bytes()?;
    let words = profile.fields().map(|field| ProfileWord {
        name: field.layout.name,
        lsb: field.layout.lsb,
        msb: field.layout.msb,
        hex: format!(
            "{:#x}",
            raw_bits(&bytes, field.layout.lsb, field.layout.msb)
        ),
        value: value(&field),
        meaning: meaning(&field),
    });
    Ok(words.collect())
}

/// The bits `lsb..=msb` of a profile.
fn raw_bits(bytes: &[u8], lsb: u32, msb: u32) -> u64 {
    let bit = |at: u32| {
        bytes
            .get(at as usize / 8)
            .map_or(0, |byte| u64::from(byte >> (at % 8) & 1))
    };
    (lsb..=msb).rev().fold(0, |value, at| value << 1 | bit(at))
}

fn bits(value: f32) -> String {
    format!("{:#010x}", value.to_bits())
}

fn decimal(value: f32) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    format!("{value:?}")
}

/// The value for people: a number, a float in decimal, or the parts of a region word.
fn value(field: &ProfileField) -> String {
    match field.value {
        FieldValue::Unsigned(value) => value.to_string(),
        FieldValue::Float(value) => decimal(value),
        FieldValue::Region(RegionWord {
            control,
            mantissa_threshold,
            compare,
        }) => {
            let compare = if compare { "on" } else { "off" };
            format!(
                "pwl_control {control:#07x}, mantissa {mantissa_threshold:#08x}, compare {compare}"
            )
        }
    }
}

/// The meaning of the field, in one line.
fn meaning(field: &ProfileField) -> String {
    let fixed = fixed_meaning(field.layout);
    match field.value {
        FieldValue::Unsigned(exponent) if field.layout.name.ends_with("_signal_threshold") => {
            format!("{fixed}: {}", magnitude(exponent))
        }
        FieldValue::Unsigned(offset) if field.layout.name == "exponent_offset" => {
            format!("{fixed}: octave {}", i64::from(offset) - 127)
        }
        FieldValue::Float(value) => format!("{fixed} ({})", bits(value)),
        FieldValue::Region(word) => {
            let bucket = word.control_word();
            if bucket.size == 0 {
                format!("{fixed}: bucket {}", bucket.base)
            } else {
                format!(
                    "{fixed}: base {}, lsb {}, size {}",
                    bucket.base, bucket.lsb, bucket.size
                )
            }
        }
        FieldValue::Unsigned(_) => fixed.to_owned(),
    }
}

/// A biased exponent as the magnitude it begins at.
fn magnitude(exponent: u32) -> String {
    match exponent {
        0 => "exponent of zero and the subnormals".to_owned(),
        255 => "exponent of infinities and NaNs".to_owned(),
        _ => format!("2^{}", i64::from(exponent) - 127),
    }
}

/// The part of a meaning that does not depend on the value.
fn fixed_meaning(layout: &FieldLayout) -> &'static str {
    match layout.name {
        "bias_dtype_sel" => "dtype of the bias operand",
        "scale_dtype_sel" => "dtype of the scale operand",
        "pwl_bypass" => "the result is the input, no table is read",
        "symmetry_opt_en" => "fold the input onto one side",
        "symmetry_opt_use_neg_region" => "the stored side is the negative one",
        "func_sym_inv_sign" => "negate the result of a folded input",
        "sub_src_sel" => "source of the subtrahend in t = s - x0",
        "symmetry_point" => "added to the result of a folded input",
        "exponent_offset" => "lowest octave + 127",
        "small_pos_signal_threshold" => "biased exponent below which a positive input is small",
        "small_neg_signal_threshold" => "biased exponent below which a negative input is small",
        "large_pos_signal_threshold" => "biased exponent from which a positive input is large",
        "large_neg_signal_threshold" => "biased exponent from which a negative input is large",
        "pwl_control_base_pos" => "control word of the lowest octave, positive side",
        "pwl_control_base_neg" => "control word of the lowest octave, negative side",
        "ctrl_table_select_logic" => "meaning unknown",
        "large_pos" => "region of large positive inputs",
        "large_neg" => "region of large negative inputs",
        "small_pos" => "region of small positive inputs",
        "small_neg" => "region of small negative inputs",
        "bias_imm_val_sel" => "selects an immediate bias",
        "bias_fuse_en" => "fuse the bias into the multiply",
        "bias_src_sel" => "where the bias comes from",
        "bias_const" => "constant bias",
        "scale_imm_val_sel" => "selects an immediate scale",
        "scale_fuse_en" => "fuse the scale into the multiply",
        "scale_src_sel" => "where the scale comes from",
        "scale_const" => "constant scale",
        "fma_bypass" => "skip stages of the cubic",
        "bias_scale_fma_bypass" => "skip the affine stage before the table",
        "fma_indirection_src_sel" => "operand that an indirection reads",
        "fma_src_sel0" | "fma_src_sel1" => "operand of the first fma",
        "fma_src_sel2" | "fma_src_sel3" => "operand of the second fma",
        "fma_src_sel4" | "fma_src_sel5" => "operand of the third fma",
        "fma_const0" | "fma_const1" => "constant of the fma stages",
        "mp_high_threshold" => "upper threshold of a multipass function",
        "func_rslt_for_zero" => "result for +0 and -0",
        "func_rslt_for_nan" => "result for every NaN",
        "func_rslt_for_pos_inf" => "result for +inf",
        "func_rslt_for_neg_inf" => "result for -inf",
        "mp_low_threshold" => "lower threshold of a multipass function",
        "mp_low_threshold_config" => "how the lower threshold is applied",
        "batchnorm_accumulator_rd" => "read the batch-norm accumulator",
        // A test keeps the layout free of other names.
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actforge_tables::profile::LAYOUT;

    #[test]
    fn bits_are_counted_from_bit_0_of_byte_0() {
        let bytes = [0b1000_0001, 0xff, 0x00, 0x80];
        assert_eq!(raw_bits(&bytes, 0, 0), 1);
        assert_eq!(raw_bits(&bytes, 7, 15), 0x1ff);
        assert_eq!(raw_bits(&bytes, 31, 31), 1);
        assert_eq!(raw_bits(&bytes, 28, 40), 8);
    }

    #[test]
    fn words_are_those_of_the_layout() {
        let words = profile_words(&Profile::default()).unwrap();
        assert_eq!(words.len(), LAYOUT.len());
        assert!(words.iter().all(|word| word.hex.starts_with("0x")));
    }

    #[test]
    fn every_field_of_the_layout_has_a_meaning() {
        for layout in LAYOUT {
            assert_ne!(fixed_meaning(layout), "", "{}", layout.name);
        }
    }

    #[test]
    fn values_are_worked_into_the_meaning() {
        let profile = Profile {
            large_pos_signal_threshold: 133,
            exponent_offset: 108,
            symmetry_point: 1.0,
            large_pos: RegionWord {
                control: 42,
                mantissa_threshold: 5,
                compare: true,
            },
            ..Profile::default()
        };
        let said = |name: &str| {
            let field = profile
                .fields()
                .find(|field| field.layout.name == name)
                .unwrap();
            format!("{} | {}", value(&field), meaning(&field))
        };
        assert!(said("large_pos_signal_threshold").ends_with("is large: 2^6"));
        assert!(said("exponent_offset").ends_with("octave -19"));
        assert_eq!(
            said("symmetry_point"),
            "1.0 | added to the result of a folded input (0x3f800000)"
        );
        assert_eq!(
            said("large_pos"),
            "pwl_control 0x0002a, mantissa 0x000005, compare on | region of large positive inputs: bucket 42"
        );
    }
}
