//! The JSON texts of a stock directory, key for key, in the order they are written in.
//!
//! Floats are the bits of a binary32 number as an integer; thresholds are true integers.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// No list or map of a stock file has more entries than this: as many control words as
/// the container can address, and as many sets as an index of 8 bits can tell apart.
const LONGEST: usize = 256;

/// `act_info.json`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ActInfo {
    pub(super) act_func_sets: List<ActFuncSet>,
    pub(super) pwp_file_keys: List<String>,
}

/// The value of `pwp_file_keys`.
pub(super) const PWP_FILE_KEYS: [&str; 3] = ["bkt_bin", "ctrl_bin", "profile_json"];

/// One set of `act_info.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ActFuncSet {
    pub(super) name: String,
    pub(super) bkt_bin: String,
    pub(super) ctrl_bin: String,
    pub(super) profile_json: String,
    /// Function and selector.
    pub(super) act: Map<Selector>,
}

/// The N of `_Np`. Written as a number (assumed); `"400p"` and `"exp_400p"` are understood,
/// too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Selector(pub(super) u32);

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Forms;
        impl Visitor<'_> for Forms {
            type Value = Selector;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a selector, as 400 or \"400p\"")
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Selector, E> {
                let selector = u32::try_from(number);
                selector
                    .map(Selector)
                    .map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Selector, E> {
                let number = text.rsplit('_').next().unwrap_or(text);
                let number = number.strip_suffix('p').unwrap_or(number);
                let selector = number.parse().map(Selector);
                selector.map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Forms)
    }
}

/// `<set>.json`: exactly these nine keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SetFile {
    pub(super) bkt_bin: String,
    pub(super) bkt_entry_cnt: u32,
    /// Spelt so; the value still ends in `_ctrl.bin`.
    pub(super) ctl_bin: String,
    pub(super) ctl_entry_cnt: u32,
    pub(super) func_to_bkt_start_idx: Map<u32>,
    pub(super) func_to_ctl_start_idx: Map<u32>,
    /// Unbiased exponent to the starts of its octaves: negative and positive, or the one
    /// that is stored.
    pub(super) func_exp_to_bkt_start_idx: Map<Map<List<u32>>>,
    pub(super) func_exp_to_ctl_start_idx: Map<Map<List<u32>>>,
    pub(super) profile_meta_data: List<ProfileMeta>,
}

/// One function of `profile_meta_data`: exactly these thirty fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProfileMeta {
    /// `<func>_<N>p`
    pub(super) func_name: String,
    pub(super) func_id: u8,
    pub(super) fnan_result: u32,
    pub(super) fpinf_result: u32,
    pub(super) fninf_result: u32,
    pub(super) fzero_result: u32,
    pub(super) symmetry_opt_en: u8,
    pub(super) sym_invert_sign_point: u8,
    pub(super) symmetry_opt_use_neg_region: u8,
    pub(super) symmetry_point: u32,
    pub(super) imm_bias: u32,
    /// Unbiased.
    pub(super) exp_offset: i16,
    pub(super) fma_const_0: u32,
    pub(super) fma_const_1: u32,
    pub(super) fma_indirection_src_sel: u8,
    /// An index of the control table.
    pub(super) pwl_control_base_pos: u8,
    pub(super) pwl_control_base_neg: u8,
    /// Biased.
    pub(super) small_pos_signal_exp_threshold: u8,
    /// An index of the bucket table, as the other three of its kind.
    pub(super) pos_small_signal_pwl_control: u32,
    pub(super) small_neg_signal_exp_threshold: u8,
    pub(super) neg_small_signal_pwl_control: u32,
    pub(super) large_pos_signal_exp_threshold: u8,
    /// 23 bits.
    pub(super) large_pos_signal_mantissa_threshold: u32,
    pub(super) pos_large_signal_pwl_control: u32,
    pub(super) large_neg_signal_exp_threshold: u8,
    pub(super) large_neg_signal_mantissa_threshold: u32,
    pub(super) neg_large_signal_pwl_control: u32,
    pub(super) lower_bound: u32,
    pub(super) upper_bound: u32,
    pub(super) use_multipass: u32,
}

/// An object whose keys are not known beforehand, in the order of the text. No key comes
/// twice, and there are at most [`LONGEST`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Map<T>(pub(super) Vec<(String, T)>);

impl<T> Map<T> {
    pub(super) fn get(&self, key: &str) -> Option<&T> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }
}

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Map<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Map<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an object of at most {LONGEST} entries")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Map<T>, A::Error> {
                let mut map = Map(Vec::new());
                while let Some(key) = access.next_key::<String>()? {
                    if map.get(&key).is_some() {
                        return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
                    }
                    if map.0.len() == LONGEST {
                        return Err(A::Error::invalid_length(LONGEST + 1, &self));
                    }
                    let value = access.next_value()?;
                    map.0.push((key, value));
                }
                Ok(map)
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// An array of at most [`LONGEST`] entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct List<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an array of at most {LONGEST} elements")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<List<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(element) = access.next_element()? {
                    if list.len() == LONGEST {
                        return Err(A::Error::invalid_length(LONGEST + 1, &self));
                    }
                    list.push(element);
                }
                Ok(List(list))
            }
        }
        deserializer.deserialize_seq(Elements(PhantomData))
    }
}
