//! Two entries of one kind, field by field.

use std::collections::BTreeSet;

use actforge_tables::profile::LAYOUT;
use actforge_tables::{Bucket, ControlWord, FieldValue};

use super::super::{DiffError, Shown};
use super::{FieldChange, Side, field};

/// What the manifest says of the function. Long lists are told by their length.
pub(super) fn manifest_fields(
    old: &Side<'_>,
    new: &Side<'_>,
) -> Result<Vec<FieldChange>, DiffError> {
    /// More of a value helps nobody.
    const LONGEST: usize = 60;
    let notes = |side: &Side<'_>| serde_json::to_value(&side.entry.notes);
    let [a, b] = [notes(old)?, notes(new)?];
    let ids = [old, new].map(|side| Shown::integer(side.entry.func_id.into(), 8));
    let mut fields: Vec<FieldChange> = field("func_id", None, ids).into_iter().collect();
    // A note may be absent on either side.
    let names = [&a, &b]
        .into_iter()
        .filter_map(serde_json::Value::as_object);
    let names: BTreeSet<&String> = names.flat_map(|notes| notes.keys()).collect();
    for name in names {
        let [a, b] = [a.get(name), b.get(name)];
        if a == b {
            continue;
        }
        let shown = |value: Option<&serde_json::Value>| {
            let text = value.map(ToString::to_string).unwrap_or_default();
            match value.and_then(|value| value.as_array()) {
                Some(list) if text.len() > LONGEST => Shown::text(format!("{} values", list.len())),
                _ => Shown::text(text),
            }
        };
        fields.push(FieldChange {
            field: format!("notes.{name}"),
            position: None,
            old: shown(a),
            new: shown(b),
        });
    }
    Ok(fields)
}

pub(super) fn cam_fields(old: &Side<'_>, new: &Side<'_>) -> Vec<FieldChange> {
    let entry = |side: &Side<'_>| side.set.cam.get(side.entry.profile).copied();
    let (Some(a), Some(b)) = (entry(old), entry(new)) else {
        return Vec::new();
    };
    let byte = |name, position, values: [u8; 2]| {
        let values = values.map(|value| Shown::integer(value.into(), 8));
        field(name, Some(position), values)
    };
    // The bits as they are everywhere but on sunda, where the masks are swapped.
    let fields = [
        byte("opcode", [0, 7], [a.opcode, b.opcode]),
        byte("func_id", [8, 15], [a.func_id, b.func_id]),
        byte("opcode_mask", [32, 39], [a.opcode_mask, b.opcode_mask]),
        byte("func_id_mask", [40, 47], [a.func_id_mask, b.func_id_mask]),
        byte("valid", [64, 64], [a.valid.into(), b.valid.into()]),
    ];
    fields.into_iter().flatten().collect()
}

pub(super) fn profile_fields(old: &Side<'_>, new: &Side<'_>) -> Vec<FieldChange> {
    let mut fields = Vec::new();
    let pairs = old.profile.fields().zip(new.profile.fields());
    for (layout, (a, b)) in LAYOUT.iter().zip(pairs) {
        let position = Some([layout.lsb, layout.msb]);
        let integer = |value| Shown::integer(value, layout.width());
        match [a.value, b.value] {
            [FieldValue::Float(a), FieldValue::Float(b)] => {
                fields.extend(field(layout.name, position, [a, b].map(Shown::from)));
            }
            [FieldValue::Unsigned(a), FieldValue::Unsigned(b)] => {
                let from_start =
                    |side: &Side<'_>, base: u32| i64::from(base) - side.entry.control.start as i64;
                let is_base = layout.name.starts_with("pwl_control_base");
                if !is_base || from_start(old, a) != from_start(new, b) {
                    fields.extend(field(layout.name, position, [a, b].map(integer)));
                }
            }
            [FieldValue::Region(a), FieldValue::Region(b)] => {
                // The bucket is compared by what it holds, wherever it lies.
                const BASE: u32 = 0x7ff;
                let name = |part| format!("{}.{part}", layout.name);
                let control = [a, b].map(|word| Shown::integer(word.control, 20));
                if (a.control ^ b.control) & !BASE != 0 {
                    fields.extend(field(name("pwl_control"), position, control));
                }
                let threshold = [a, b].map(|word| Shown::integer(word.mantissa_threshold, 23));
                fields.extend(field(name("mantissa_threshold"), position, threshold));
                let compare = [a, b].map(|word| Shown::integer(word.compare.into(), 1));
                fields.extend(field(name("mantissa_compare_enable"), position, compare));
            }
            _ => {}
        }
    }
    fields
}

pub(super) fn word_fields(sides: [&Side<'_>; 2], words: [&ControlWord; 2]) -> Vec<FieldChange> {
    let bases = words.map(|word| Shown::integer(word.base.into(), 11));
    let from_start = |place: usize| {
        let pair = sides.get(place).zip(words.get(place));
        pair.map(|(side, word)| i64::from(word.base) - side.entry.buckets.start as i64)
    };
    let base = if from_start(0) == from_start(1) {
        None
    } else {
        field("act_tbl_base", Some([0, 10]), bases)
    };
    let lsb = words.map(|word| Shown::integer(word.lsb.into(), 5));
    let size = words.map(|word| Shown::integer(word.size.into(), 4));
    [
        base,
        field("extract_lsb", Some([11, 15]), lsb),
        field("extract_size", Some([16, 19]), size),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(super) fn bucket_fields([a, b]: [&Bucket; 2]) -> Vec<FieldChange> {
    const NAMES: [&str; 5] = ["d0", "d1", "d2", "d3", "x0"];
    let words = a.to_words().into_iter().zip(b.to_words());
    let fields = NAMES.into_iter().zip(words).zip(0..);
    fields
        .filter_map(|((name, (a, b)), place)| {
            let position = Some([32 * place, 32 * place + 31]);
            let values = [a, b].map(|word| Shown::from(f32::from_bits(word)));
            field(name, position, values)
        })
        .collect()
}
