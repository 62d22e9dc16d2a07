//! The PROFILE layout as data, and what is generated from it.

use super::{FieldValue, ProfileField, RegionWord};
use crate::error::{EntryError, fitting};

/// How well the position of a field is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Known from running code.
    Pinned,
    /// Known from running code on cayman and later; zero on sunda.
    PinnedSinceCayman,
    /// The only packing of the listed fields between the pinned ones.
    Derived,
}

/// Where one field lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldLayout {
    /// The field's name, also in [`Profile`].
    pub name: &'static str,
    /// Its lowest bit, counted from bit 0 of byte 0.
    pub lsb: u32,
    /// Its highest bit.
    pub msb: u32,
    /// How well that is known.
    pub origin: Origin,
}

impl FieldLayout {
    /// The field's width in bits.
    pub const fn width(&self) -> u32 {
        self.msb - self.lsb + 1
    }
}

/// A field's type: how its value becomes bits and back.
pub(super) trait Cell: Copy {
    /// The bits, from bit 0; fails if a part of the value does not fit.
    fn to_raw(self) -> Result<u64, EntryError>;
    /// The value of these bits; bits the type has no room for are ignored.
    fn from_raw(raw: u64) -> Self;
    /// The value for display.
    fn value(self) -> FieldValue;
}

macro_rules! unsigned_cell {
    ($($type:ty: $from_raw:expr;)+) => { $(
        impl Cell for $type {
            fn to_raw(self) -> Result<u64, EntryError> {
                Ok(self.into())
            }
            fn from_raw(raw: u64) -> Self {
                $from_raw(raw)
            }
            fn value(self) -> FieldValue {
                FieldValue::Unsigned(self.into())
            }
        }
    )+ };
}
unsigned_cell! {
    bool: |raw| raw & 1 == 1;
    u8: |raw| raw as u8;
    u32: |raw| raw as u32;
}

impl Cell for f32 {
    fn to_raw(self) -> Result<u64, EntryError> {
        Ok(self.to_bits().into())
    }
    fn from_raw(raw: u64) -> Self {
        Self::from_bits(raw as u32)
    }
    fn value(self) -> FieldValue {
        FieldValue::Float(self)
    }
}

/// The `width` bits of `bytes` from bit `lsb` on.
fn read_bits(bytes: &[u8; Profile::BYTES], field: &FieldLayout) -> u64 {
    (field.lsb..=field.msb).rev().fold(0, |value, bit| {
        value << 1 | u64::from(bytes[bit as usize / 8] >> (bit % 8) & 1)
    })
}

/// Sets the bits of a field that is still zero.
fn write_bits(
    bytes: &mut [u8; Profile::BYTES],
    field: &FieldLayout,
    value: u64,
) -> Result<(), EntryError> {
    let value = fitting("PROFILE", field.name, field.width(), value)?;
    for bit in field.lsb..=field.msb {
        bytes[bit as usize / 8] |= ((value >> (bit - field.lsb) & 1) as u8) << (bit % 8);
    }
    Ok(())
}

macro_rules! profile_layout {
    ($( $(#[$doc:meta])* $lsb:literal..=$msb:literal $name:ident: $type:ty, $origin:ident; )+) => {
        /// One PROFILE entry. The default is all zero.
        ///
        /// Two profiles are equal when their bits are.
        #[derive(Debug, Clone, Copy, Default)]
        pub struct Profile { $( $(#[$doc])* pub $name: $type, )+ }

        /// Every field in bit order. Bits in none of them are zero.
        pub const LAYOUT: &[FieldLayout] = &[ $( FieldLayout {
            name: stringify!($name), lsb: $lsb, msb: $msb, origin: Origin::$origin,
        }, )+ ];

        impl Profile {
            pub(super) fn write_fields(
                &self,
                bytes: &mut [u8; Profile::BYTES],
            ) -> Result<(), EntryError> {
                let mut layout = LAYOUT.iter();
                $( if let Some(field) = layout.next() {
                    write_bits(bytes, field, self.$name.to_raw()?)?;
                } )+
                Ok(())
            }

            pub(super) fn read_fields(bytes: &[u8; Profile::BYTES]) -> Self {
                let mut profile = Self::default();
                let mut layout = LAYOUT.iter();
                $( if let Some(field) = layout.next() {
                    profile.$name = Cell::from_raw(read_bits(bytes, field));
                } )+
                profile
            }

            /// Every field with its value, in bit order.
            pub fn fields(&self) -> impl Iterator<Item = ProfileField> + use<> {
                let values = [ $( self.$name.value(), )+ ];
                LAYOUT.iter().zip(values).map(|(layout, value)| ProfileField { layout, value })
            }
        }

        impl PartialEq for Profile {
            fn eq(&self, other: &Self) -> bool {
                true $( && self.$name.to_raw() == other.$name.to_raw() )+
            }
        }

        impl Eq for Profile {}
    };
}

profile_layout! {
    /// Selects the dtype of the bias operand.
    0..=3 bias_dtype_sel: u8, Derived;
    /// Selects the dtype of the scale operand.
    4..=7 scale_dtype_sel: u8, Derived;
    /// The result is the input: no table is read.
    32..=32 pwl_bypass: bool, Pinned;
    /// `symmetry_en`: fold the input onto one side.
    33..=34 symmetry_opt_en: u8, Derived;
    /// The stored side is the negative one.
    35..=36 symmetry_opt_use_neg_region: u8, Derived;
    /// `invert_sign`: negate the result of an input that was folded.
    37..=38 func_sym_inv_sign: u8, Derived;
    /// Selects the source of the subtrahend in `t = s - x0`.
    39..=39 sub_src_sel: u8, Derived;
    /// Added in f32 to the result of an input that was folded.
    40..=71 symmetry_point: f32, Pinned;
    /// Lowest octave + 127 (assumed biased).
    72..=79 exponent_offset: u8, Pinned;
    /// Biased exponent at and below which a positive input is small.
    80..=87 small_pos_signal_threshold: u8, Derived;
    /// The same for negative inputs.
    88..=95 small_neg_signal_threshold: u8, Derived;
    /// Biased exponent from which a positive input is large.
    96..=103 large_pos_signal_threshold: u8, Derived;
    /// The same for negative inputs.
    104..=111 large_neg_signal_threshold: u8, Derived;
    /// CONTROL index of octave `exponent_offset` of the positive side.
    112..=119 pwl_control_base_pos: u8, Derived;
    /// The same for the negative side.
    120..=127 pwl_control_base_neg: u8, Derived;
    /// Meaning unknown, 0 wherever seen.
    128..=159 ctrl_table_select_logic: u32, Derived;
    /// The region of large positive inputs.
    160..=203 large_pos: RegionWord, Derived;
    /// The region of large negative inputs.
    204..=247 large_neg: RegionWord, Derived;
    /// The region of small positive inputs.
    248..=291 small_pos: RegionWord, Derived;
    /// The region of small negative inputs.
    292..=335 small_neg: RegionWord, Derived;
    /// Selects an immediate bias.
    336..=338 bias_imm_val_sel: u8, Derived;
    /// Fuses the bias into the multiply.
    339..=339 bias_fuse_en: u8, Derived;
    /// Selects where the bias comes from.
    340..=341 bias_src_sel: u8, Derived;
    /// The constant bias.
    352..=383 bias_const: f32, Derived;
    /// Selects an immediate scale.
    384..=386 scale_imm_val_sel: u8, Derived;
    /// Fuses the scale into the multiply.
    387..=387 scale_fuse_en: u8, Derived;
    /// Selects where the scale comes from.
    388..=389 scale_src_sel: u8, Derived;
    /// The constant scale.
    400..=431 scale_const: f32, Derived;
    /// Skips stages of the cubic.
    432..=434 fma_bypass: u8, Derived;
    /// Skips the affine stage before the table.
    435..=435 bias_scale_fma_bypass: bool, PinnedSinceCayman;
    /// Selects the operand an indirection reads (stock parametric_relu: 2).
    436..=441 fma_indirection_src_sel: u8, Derived;
    /// Operand of the first fma.
    442..=445 fma_src_sel0: u8, Derived;
    /// Operand of the first fma.
    446..=449 fma_src_sel1: u8, Derived;
    /// Operand of the second fma.
    450..=453 fma_src_sel2: u8, Derived;
    /// Operand of the second fma.
    454..=457 fma_src_sel3: u8, Derived;
    /// Operand of the third fma.
    458..=461 fma_src_sel4: u8, Derived;
    /// Operand of the third fma.
    462..=465 fma_src_sel5: u8, Derived;
    /// First constant of the fma stages (stock parametric_relu: 1).
    496..=527 fma_const0: f32, Derived;
    /// Second constant of the fma stages.
    528..=559 fma_const1: f32, Derived;
    /// Upper threshold of a multipass function.
    560..=591 mp_high_threshold: f32, Derived;
    /// The result for +0 and -0.
    592..=623 func_rslt_for_zero: f32, Pinned;
    /// The result for every NaN.
    624..=655 func_rslt_for_nan: f32, Pinned;
    /// The result for +inf.
    656..=687 func_rslt_for_pos_inf: f32, Pinned;
    /// The result for -inf.
    688..=719 func_rslt_for_neg_inf: f32, Pinned;
    /// Lower threshold of a multipass function.
    720..=751 mp_low_threshold: f32, Derived;
    /// How the lower threshold is applied.
    752..=753 mp_low_threshold_config: u8, Derived;
    /// Reads the batch-norm accumulator.
    754..=754 batchnorm_accumulator_rd: bool, PinnedSinceCayman;
}
