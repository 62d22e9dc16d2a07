//! A float of `pwp_jsons`: the same number in six forms, of which readers take `int`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A binary32 number in a box. Only the bits count; the other forms are made from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(from = "Bits")]
pub(super) struct Boxed(pub(super) u32);

/// What is read of a box: the bits. The other forms may be of any type, or missing.
#[derive(Deserialize)]
struct Bits {
    int: u32,
    #[serde(default, rename = "float")]
    _float: Value,
    #[serde(default, rename = "hexstring")]
    _hexstring: Value,
    #[serde(default, rename = "sign")]
    _sign: Value,
    #[serde(default, rename = "exponent")]
    _exponent: Value,
    #[serde(default, rename = "mantissa")]
    _mantissa: Value,
}

impl From<Bits> for Boxed {
    fn from(bits: Bits) -> Self {
        Self(bits.int)
    }
}

/// A box as it is written.
#[derive(Serialize)]
struct Forms {
    /// `null` for infinities and NaNs, which JSON has no numbers for.
    float: Option<f32>,
    int: u32,
    hexstring: String,
    sign: u32,
    /// Biased.
    exponent: u32,
    /// 23 bits.
    mantissa: u32,
}

impl Serialize for Boxed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bits = self.0;
        let float = f32::from_bits(bits);
        Forms {
            float: float.is_finite().then_some(float),
            int: bits,
            hexstring: format!("{bits:#010x}"),
            sign: bits >> 31,
            exponent: bits >> 23 & 0xff,
            mantissa: bits & 0x7f_ffff,
        }
        .serialize(serializer)
    }
}

impl From<f32> for Boxed {
    fn from(value: f32) -> Self {
        Self(value.to_bits())
    }
}
