//! The first place where two sets are not the same, to the byte.

use std::fmt;

use super::{ContainerError, DMA, MANIFEST, SPEC, file_name, text};
use crate::cam::CamEntry;
use crate::control::ControlWord;
use crate::profile::{FieldValue, Profile};
use crate::set::{FunctionEntry, FunctionSet};
use crate::target::Table;

/// A place where two sets differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The file of the set.
    pub file: &'static str,
    /// The entry with the function it belongs to and the field, or the line.
    pub place: String,
    /// What the first set has there.
    pub expected: String,
    /// What the second set has there.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}: expected {}, found {}",
            self.file, self.place, self.expected, self.found
        )
    }
}

impl FunctionSet {
    /// The first place where the files of `found` are not those of this set: in the tables by entry and field, in texts by
    /// line. `None` says that all files are the same to the byte.
    ///
    /// # Errors
    /// As [`FunctionSet::to_blobs`], of either set.
    pub fn first_difference(&self, found: &Self) -> Result<Option<Difference>, ContainerError> {
        let (ours, theirs) = (self.to_blobs()?, found.to_blobs()?);
        if ours == theirs {
            return Ok(None);
        }
        // Entries of other layouts cannot be told apart field by field.
        if self.target == found.target
            && let Some(difference) = tables(self, found)
        {
            return Ok(Some(difference));
        }
        let empty = Vec::new();
        let texts = [
            (MANIFEST, &ours.manifest, &theirs.manifest),
            (DMA, &ours.dma, &theirs.dma),
            (
                SPEC,
                ours.spec.as_ref().unwrap_or(&empty),
                theirs.spec.as_ref().unwrap_or(&empty),
            ),
        ];
        let line = texts
            .into_iter()
            .find_map(|(file, ours, theirs)| Some((file, text::first_other_line(ours, theirs)?)));
        Ok(Some(match line {
            Some((file, line)) => Difference {
                file,
                place: format!("line {}", line.number),
                expected: line.expected,
                found: line.found,
            },
            // Equal texts and entries: an empty specification against none.
            None => Difference {
                file: SPEC,
                place: "file".to_owned(),
                expected: presence(self.spec.as_ref()),
                found: presence(found.spec.as_ref()),
            },
        }))
    }
}

fn presence(spec: Option<&String>) -> String {
    spec.map_or("no such file", |_| "an empty file").to_owned()
}

/// A field of two entries that is not the same in both.
type Field = (&'static str, [String; 2]);

/// A table, and how the first such field of one of its entries is found.
type Search<'s> = (Table, &'s dyn Fn(usize) -> Option<Field>);

/// Buckets first, as they are loaded.
fn tables(ours: &FunctionSet, theirs: &FunctionSet) -> Option<Difference> {
    let bucket = |index: usize| {
        let [a, b] = [ours, theirs].map(|set| set.buckets.get(index).map(|b| b.to_words()));
        let (a, b) = (a?, b?);
        let mut words = ["d0", "d1", "d2", "d3", "x0"]
            .into_iter()
            .zip(a.into_iter().zip(b));
        let (name, (a, b)) = words.find(|(_, (a, b))| a != b)?;
        Some((name, [a, b].map(float)))
    };
    let control =
        |index: usize| control_field(ours.control.get(index)?, theirs.control.get(index)?);
    let profile =
        |index: usize| profile_field(ours.profiles.get(index)?, theirs.profiles.get(index)?);
    let cam = |index: usize| cam_field(ours.cam.get(index)?, theirs.cam.get(index)?);
    let owner = |table, index| owner(ours, table, index);
    let searches: [Search<'_>; 4] = [
        (Table::Bucket, &bucket),
        (Table::Control, &control),
        (Table::Profile, &profile),
        (Table::Cam, &cam),
    ];
    searches.into_iter().find_map(|(table, field)| {
        let counts = [ours, theirs].map(|set| set.entries(table));
        let both = counts[0].min(counts[1]);
        let differing = (0..both).find_map(|index| Some((index, field(index)?)));
        let (place, [expected, found]) = match differing {
            Some((index, (name, values))) => (
                format!("entry {index}{}, {name}", owner(table, index)),
                values,
            ),
            None if counts[0] != counts[1] => {
                ("entries".to_owned(), counts.map(|count| count.to_string()))
            }
            None => return None,
        };
        Some(Difference {
            file: file_name(table),
            place,
            expected,
            found,
        })
    })
}

/// ` (tanh)`: the first function that has this entry for its own.
fn owner(set: &FunctionSet, table: Table, index: usize) -> String {
    let owns = |function: &&FunctionEntry| match table {
        Table::Bucket => function.buckets.contains(&index) || function.saturation.contains(&index),
        Table::Control => function.control.contains(&index),
        Table::Profile | Table::Cam => function.profile == index,
    };
    let owner = set.functions.iter().find(owns);
    owner.map_or_else(String::new, |function| format!(" ({})", function.name))
}

fn control_field(ours: &ControlWord, theirs: &ControlWord) -> Option<Field> {
    let fields = [
        ("act_tbl_base", [ours.base, theirs.base]),
        ("extract_lsb", [ours.lsb, theirs.lsb].map(u16::from)),
        ("extract_size", [ours.size, theirs.size].map(u16::from)),
    ];
    differing(fields)
}

fn cam_field(ours: &CamEntry, theirs: &CamEntry) -> Option<Field> {
    let fields = [
        ("opcode", [ours.opcode, theirs.opcode]),
        ("func_id", [ours.func_id, theirs.func_id]),
        ("opcode_mask", [ours.opcode_mask, theirs.opcode_mask]),
        ("func_id_mask", [ours.func_id_mask, theirs.func_id_mask]),
        ("valid", [ours.valid, theirs.valid].map(u8::from)),
    ];
    differing(fields)
}

fn differing<T: PartialEq + ToString, const N: usize>(
    fields: [(&'static str, [T; 2]); N],
) -> Option<Field> {
    let differing = fields.into_iter().find(|(_, [a, b])| a != b);
    differing.map(|(name, values)| (name, values.map(|value| value.to_string())))
}

fn profile_field(ours: &Profile, theirs: &Profile) -> Option<Field> {
    let mut pairs = ours.fields().zip(theirs.fields());
    let bits = |value: FieldValue| match value {
        FieldValue::Unsigned(value) => value.to_string(),
        FieldValue::Float(value) => float(value.to_bits()),
        FieldValue::Region(word) => format!("{word:?}"),
    };
    pairs.find_map(|(a, b)| {
        let values = [a.value, b.value].map(bits);
        (values[0] != values[1]).then_some((a.layout.name, values))
    })
}

/// `0x3f800000 (1.0)`
fn float(bits: u32) -> String {
    format!("{bits:#010x} ({:?})", f32::from_bits(bits))
}
