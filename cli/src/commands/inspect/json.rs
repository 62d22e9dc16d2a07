//! A set as JSON: floats of the tables as bits, so that nothing is lost.

use actforge_tables::{Bucket, FieldValue, FunctionEntry, FunctionSet, RegionKind, Table as Kind};
use serde_json::{Map, Value, json};

use super::text::ends;
use super::{bound, profile, words};
use crate::exit::Failure;
use crate::numbers::bits;

/// The version of this layout; it changes when a field changes its meaning or goes away.
const SCHEMA_VERSION: u32 = 1;

pub(super) fn set(set: &FunctionSet, shown: &[&FunctionEntry]) -> Result<Value, Failure> {
    let tables: Map<String, Value> = Kind::ALL
        .into_iter()
        .map(|kind| {
            let table = json!({
                "entries": set.entries(kind),
                "capacity": set.target.capacity().of(kind),
                "bytes_per_entry": set.target.stride(kind),
            });
            (kind.as_str().to_owned(), table)
        })
        .collect();
    let cam: Vec<Value> = set
        .cam
        .iter()
        .enumerate()
        .map(|(slot, entry)| {
            json!({
                "slot": slot,
                "opcode": entry.opcode,
                "opcode_mask": entry.opcode_mask,
                "func_id": entry.func_id,
                "func_id_mask": entry.func_id_mask,
                "valid": entry.valid,
            })
        })
        .collect();
    let functions: Result<Vec<Value>, Failure> =
        shown.iter().map(|entry| function(set, entry)).collect();
    Ok(json!({
        "schema_version": SCHEMA_VERSION,
        "name": set.name,
        "target": set.target.as_str(),
        "datapath": set.datapath.as_str(),
        "tool_version": set.tool_version,
        "spec_sha256": set.spec_hash,
        "tables": tables,
        "cam": cam,
        "functions": functions?,
    }))
}

fn function(set: &FunctionSet, entry: &FunctionEntry) -> Result<Value, Failure> {
    let failure = |error: &dyn std::fmt::Display| {
        Failure::internal(format!("function {}: {error}", entry.name))
    };
    let saturation: Map<String, Value> = RegionKind::ALL
        .into_iter()
        .zip(entry.saturation)
        .map(|(kind, index)| (kind.as_str().to_owned(), indexed_bucket(set, index, None)))
        .collect();
    let buckets: Vec<Value> = entry
        .octave_buckets()
        .map(|index| indexed_bucket(set, index, bound(entry, index)))
        .collect();
    let notes = &entry.notes;
    Ok(json!({
        "name": entry.name,
        "func_id": entry.func_id,
        "profile_index": entry.profile,
        "dtype": notes.dtype,
        "method": notes.method,
        "target_ulp": notes.target_ulp,
        "range_bits": notes.range.map(|ends| ends.map(bits)),
        "lower_bound_ulp": notes.lower_bound_ulp,
        "measured_ulp": notes.measured_ulp,
        "profile": fields(set, entry)?,
        "control_words": control(set, entry).map_err(|error| failure(&error))?,
        "saturation": saturation,
        "buckets": buckets,
    }))
}

fn fields(set: &FunctionSet, entry: &FunctionEntry) -> Result<Vec<Value>, Failure> {
    let profile = profile(set, entry)?;
    let fields = profile
        .fields()
        .zip(words(set, entry)?)
        .map(|(field, word)| {
            let value = match field.value {
                FieldValue::Unsigned(value) => json!(value),
                FieldValue::Float(value) => json!({ "bits": bits(value) }),
                FieldValue::Region(word) => {
                    let control = word.control_word();
                    json!({
                        "pwl_control": word.control,
                        "base": control.base,
                        "lsb": control.lsb,
                        "size": control.size,
                        "mantissa_threshold": word.mantissa_threshold,
                        "compare": word.compare,
                    })
                }
            };
            json!({
                "name": word.name,
                "lsb": word.lsb,
                "msb": word.msb,
                "hex": word.hex,
                "value": value,
                "meaning": word.meaning,
            })
        });
    Ok(fields.collect())
}

fn control(
    set: &FunctionSet,
    entry: &FunctionEntry,
) -> Result<Vec<Value>, actforge_tables::SetError> {
    let octaves = set.octaves(entry)?;
    let words = entry
        .control
        .clone()
        .filter_map(|index| Some((index, set.control.get(index)?)));
    Ok(words
        .map(|(index, word)| {
            let served: Vec<Value> = octaves
                .iter()
                .filter(|octave| octave.control_index == index)
                .map(|octave| {
                    let [first, last] = ends(octave).map(bits);
                    json!({
                        "negative": octave.negative,
                        "octave": octave.exponent,
                        "first_input_bits": first,
                        "last_input_bits": last,
                        "first_bucket": octave.buckets.start,
                        "last_bucket": octave.buckets.end.saturating_sub(1),
                    })
                })
                .collect();
            json!({
                "index": index,
                "word": word.encode().ok().map(|word| format!("{word:#010x}")),
                "base": word.base,
                "lsb": word.lsb,
                "size": word.size,
                "serves": served,
            })
        })
        .collect())
}

fn indexed_bucket(set: &FunctionSet, index: usize, floor: Option<f64>) -> Value {
    let Some(Bucket { d, x0 }) = set.buckets.get(index) else {
        return Value::Null;
    };
    json!({ "index": index, "d_bits": d.map(bits), "x0_bits": bits(*x0), "lower_bound_ulp": floor })
}
