//! A whole set, decoded, as one JSON document (docs/exports.md).

use serde::Serialize;

use super::{ExportError, ExportFile, identifier};
use crate::bucket::Bucket;
use crate::cam::CamEntry;
use crate::control::ControlWord;
use crate::function::FunctionNotes;
use crate::profile::{FieldValue, Profile, ProfileField};
use crate::set::{FunctionEntry, FunctionSet, OctaveLayout};
use crate::target::Table;

/// The version of the document; it changes when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'s> {
    schema_version: u32,
    name: &'s str,
    target: &'static str,
    datapath: &'static str,
    tool_version: &'s str,
    spec_sha256: Option<&'s str>,
    functions: Vec<Function<'s>>,
    cam: Vec<Cam>,
    control: Vec<Control>,
    buckets: Vec<Cubic>,
}

/// A float: what is stored, and the shortest decimal that reads back as the same number.
/// JSON has no number for NaN and infinity, so the decimal is text.
#[derive(Serialize)]
struct Float {
    bits: String,
    decimal: String,
}

impl From<f32> for Float {
    fn from(value: f32) -> Self {
        Self {
            bits: hex(value.to_bits()),
            decimal: if value.is_nan() {
                "nan".to_owned()
            } else {
                format!("{value:?}")
            },
        }
    }
}

fn hex(bits: u32) -> String {
    format!("{bits:#010x}")
}

#[derive(Serialize)]
struct Function<'s> {
    name: &'s str,
    func_id: u8,
    /// Slot in CAM and profile table.
    profile_index: usize,
    control: Run,
    buckets: Run,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared_buckets: Vec<Run>,
    saturation: Regions<usize>,
    octaves: Vec<Octave>,
    profile: serde_json::Map<String, serde_json::Value>,
    notes: &'s FunctionNotes,
}

#[derive(Serialize)]
struct Run {
    first: usize,
    count: usize,
}

impl From<&std::ops::Range<usize>> for Run {
    fn from(range: &std::ops::Range<usize>) -> Self {
        Self {
            first: range.start,
            count: range.len(),
        }
    }
}

#[derive(Serialize)]
struct Regions<T> {
    large_pos: T,
    large_neg: T,
    small_pos: T,
    small_neg: T,
}

/// An octave that inputs reach.
#[derive(Serialize)]
struct Octave {
    negative: bool,
    exponent: i16,
    /// The input of least magnitude, and the one of greatest.
    first: Float,
    last: Float,
    control_index: usize,
    buckets: Run,
}

#[derive(Serialize)]
struct Cam {
    opcode: u8,
    func_id: u8,
    opcode_mask: u8,
    func_id_mask: u8,
    valid: bool,
}

#[derive(Serialize)]
struct Control {
    word: String,
    act_tbl_base: u16,
    extract_lsb: u8,
    extract_size: u8,
}

#[derive(Serialize)]
struct Cubic {
    d: [Float; 4],
    x0: Float,
}

/// `NAME.json`: the set with every field of its four tables.
///
/// # Errors
/// [`ExportError::Set`] if the set is not valid, [`ExportError::Json`] if a number of its
/// notes has no form in JSON (those of a valid set have one).
pub fn json(set: &FunctionSet) -> Result<ExportFile, ExportError> {
    set.validate()?;
    let functions = set.functions.iter().zip(&set.profiles);
    let control = set.control.iter().enumerate();
    let document = Document {
        schema_version: SCHEMA_VERSION,
        name: &set.name,
        target: set.target.as_str(),
        datapath: set.datapath.as_str(),
        tool_version: &set.tool_version,
        spec_sha256: set.spec_hash.as_deref(),
        functions: functions
            .map(|(entry, profile)| function(set, entry, profile))
            .collect::<Result<_, _>>()?,
        cam: set.cam.iter().map(Cam::from).collect(),
        control: control
            .map(|(index, word)| control_word(index, word))
            .collect::<Result<_, _>>()?,
        buckets: set.buckets.iter().map(Cubic::from).collect(),
    };
    let mut bytes = serde_json::to_vec_pretty(&document)?;
    bytes.push(b'\n');
    Ok(ExportFile {
        name: format!("{}.json", identifier(&set.name)),
        bytes,
    })
}

fn function<'s>(
    set: &FunctionSet,
    entry: &'s FunctionEntry,
    profile: &Profile,
) -> Result<Function<'s>, ExportError> {
    let [large_pos, large_neg, small_pos, small_neg] = entry.saturation;
    let octaves = set.octaves(entry)?;
    let fields = profile.fields();
    Ok(Function {
        name: &entry.name,
        func_id: entry.func_id,
        profile_index: entry.profile,
        control: (&entry.control).into(),
        buckets: (&entry.buckets).into(),
        shared_buckets: entry.shared.iter().map(Run::from).collect(),
        saturation: Regions {
            large_pos,
            large_neg,
            small_pos,
            small_neg,
        },
        octaves: octaves.iter().map(Octave::from).collect(),
        profile: fields
            .map(|field| Ok((field.layout.name.to_owned(), profile_field(&field)?)))
            .collect::<Result<_, ExportError>>()?,
        notes: &entry.notes,
    })
}

impl From<&OctaveLayout> for Octave {
    fn from(octave: &OctaveLayout) -> Self {
        let least = u32::from(octave.negative) << 31
            | u32::try_from(i32::from(octave.exponent) + 127).unwrap_or(0) << 23;
        Self {
            negative: octave.negative,
            exponent: octave.exponent,
            first: f32::from_bits(least | octave.mantissas.0).into(),
            last: f32::from_bits(least | octave.mantissas.1).into(),
            control_index: octave.control_index,
            buckets: (&octave.buckets).into(),
        }
    }
}

fn profile_field(field: &ProfileField) -> Result<serde_json::Value, ExportError> {
    /// One of the four regions.
    #[derive(Serialize)]
    struct Region {
        pwl_control: Control,
        mantissa_threshold: u32,
        mantissa_compare_enable: bool,
    }
    Ok(match field.value {
        FieldValue::Unsigned(value) => value.into(),
        FieldValue::Float(value) => serde_json::to_value(Float::from(value))?,
        FieldValue::Region(region) => serde_json::to_value(Region {
            pwl_control: decoded(region.control, &region.control_word()),
            mantissa_threshold: region.mantissa_threshold,
            mantissa_compare_enable: region.compare,
        })?,
    })
}

fn control_word(index: usize, word: &ControlWord) -> Result<Control, ExportError> {
    let bits = word
        .encode()
        .map_err(|source| ExportError::entry(Table::Control, index, source))?;
    Ok(decoded(bits, word))
}

fn decoded(bits: u32, word: &ControlWord) -> Control {
    Control {
        word: hex(bits),
        act_tbl_base: word.base,
        extract_lsb: word.lsb,
        extract_size: word.size,
    }
}

impl From<&CamEntry> for Cam {
    fn from(entry: &CamEntry) -> Self {
        Self {
            opcode: entry.opcode,
            func_id: entry.func_id,
            opcode_mask: entry.opcode_mask,
            func_id_mask: entry.func_id_mask,
            valid: entry.valid,
        }
    }
}

impl From<&Bucket> for Cubic {
    fn from(bucket: &Bucket) -> Self {
        Self {
            d: bucket.d.map(Float::from),
            x0: bucket.x0.into(),
        }
    }
}
