//! A set as text.

use actforge_tables::{
    Bucket, FunctionEntry, FunctionSet, OctaveLayout, RegionKind, Table as Kind,
};

use super::{bound, words};
use crate::exit::Failure;
use crate::numbers::{bits, decimal, hex_float};
use crate::output::{Output, Table};

pub(super) fn set(
    set: &FunctionSet,
    shown: &[&FunctionEntry],
    with_buckets: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    output.line(format!(
        "set {}, target {}, datapath {}",
        set.name, set.target, set.datapath
    ))?;
    output.line(format!("built by actforge {}", set.tool_version))?;
    output.line(format!(
        "specification sha256 {}",
        set.spec_hash.as_deref().unwrap_or("not recorded")
    ))?;
    let mut tables = Table::new(&["table", ">entries", ">of", ">bytes each"]);
    for kind in Kind::ALL {
        tables.row([
            kind.as_str().to_owned(),
            set.entries(kind).to_string(),
            set.target.capacity().of(kind).to_string(),
            set.target.stride(kind).to_string(),
        ]);
    }
    output.table(&tables, 2)?;
    cam(set, output)?;
    shown
        .iter()
        .try_for_each(|entry| function(set, entry, with_buckets, output))
}

fn cam(set: &FunctionSet, output: &mut Output) -> Result<(), Failure> {
    output.line("\ncam")?;
    let mut table = Table::new(&[
        ">slot",
        "opcode",
        "opcode mask",
        ">func id",
        "func id mask",
        "valid",
        "function",
    ]);
    for (slot, entry) in set.cam.iter().enumerate() {
        let owner = set
            .functions
            .iter()
            .find(|function| function.profile == slot);
        table.row([
            slot.to_string(),
            format!("{:#04x}", entry.opcode),
            format!("{:#04x}", entry.opcode_mask),
            entry.func_id.to_string(),
            format!("{:#04x}", entry.func_id_mask),
            if entry.valid { "yes" } else { "no" }.to_owned(),
            owner.map_or_else(String::new, |function| function.name.clone()),
        ]);
    }
    output.table(&table, 2)
}

fn function(
    set: &FunctionSet,
    entry: &FunctionEntry,
    with_buckets: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    output.line(format!(
        "\nfunction {}, func id {}, profile {}",
        entry.name, entry.func_id, entry.profile
    ))?;
    notes(entry, output)?;
    fields(set, entry, output)?;
    let octaves = set
        .octaves(entry)
        .map_err(|error| Failure::internal(format!("function {}: {error}", entry.name)))?;
    control(set, entry, &octaves, output)?;
    saturation(set, entry, output)?;
    if with_buckets {
        return buckets(set, entry, output);
    }
    let runs: Vec<String> = entry
        .bucket_runs()
        .filter(|run| !run.is_empty())
        .map(|run| {
            let is_shared = run != entry.buckets;
            let kind = if is_shared { " (shared)" } else { "" };
            format!("{} to {}{kind}", run.start, run.end - 1)
        })
        .collect();
    if runs.is_empty() {
        return output.line("  buckets: none of its own beyond the saturation buckets");
    }
    output.line(format!(
        "  buckets {}: --buckets lists them",
        runs.join(", ")
    ))
}

fn notes(entry: &FunctionEntry, output: &mut Output) -> Result<(), Failure> {
    let notes = &entry.notes;
    let number =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let range = notes.range.map_or_else(
        || "-".to_owned(),
        |[low, high]| format!("[{}, {}]", decimal(low), decimal(high)),
    );
    for (title, value) in [
        ("dtype", text(&notes.dtype)),
        ("method", text(&notes.method)),
        ("range", range),
        ("target ulp", number(notes.target_ulp)),
        ("floor ulp", number(notes.lower_bound_ulp)),
        ("measured ulp", number(notes.measured_ulp)),
    ] {
        output.line(format!("  {title:<13}{value}"))?;
    }
    Ok(())
}

fn fields(set: &FunctionSet, entry: &FunctionEntry, output: &mut Output) -> Result<(), Failure> {
    output.line("  profile")?;
    let mut table = Table::new(&["field", ">bits", ">hex", "value", "meaning"]);
    for word in words(set, entry)? {
        table.row([
            word.name.to_owned(),
            format!("{}:{}", word.msb, word.lsb),
            word.hex,
            word.value,
            word.meaning,
        ]);
    }
    output.table(&table, 4)
}

fn control(
    set: &FunctionSet,
    entry: &FunctionEntry,
    octaves: &[OctaveLayout],
    output: &mut Output,
) -> Result<(), Failure> {
    if entry.control.is_empty() {
        return output.line("  control words: none");
    }
    output.line("  control words")?;
    let mut table = Table::new(&[
        ">index",
        "word",
        ">base",
        ">lsb",
        ">size",
        "side",
        ">octave",
        "first input",
        "last input",
        "buckets",
    ]);
    for index in entry.control.clone() {
        let Some(word) = set.control.get(index) else {
            continue;
        };
        let encoded = word
            .encode()
            .map_or_else(|_| "-".to_owned(), |word| format!("{word:#07x}"));
        let stored = [
            index.to_string(),
            encoded,
            word.base.to_string(),
            word.lsb.to_string(),
            word.size.to_string(),
        ];
        let mut served = octaves
            .iter()
            .filter(|octave| octave.control_index == index)
            .peekable();
        if served.peek().is_none() {
            table.row(stored.into_iter().chain(["not reached".to_owned()]));
            continue;
        }
        for octave in served {
            table.row(stored.iter().cloned().chain(octave_cells(octave)));
        }
    }
    output.table(&table, 4)
}

fn octave_cells(octave: &OctaveLayout) -> [String; 5] {
    let [first, last] = ends(octave).map(decimal);
    [
        if octave.negative {
            "negative"
        } else {
            "positive"
        }
        .to_owned(),
        octave.exponent.to_string(),
        first,
        last,
        format!(
            "{}..={}",
            octave.buckets.start,
            octave.buckets.end.saturating_sub(1)
        ),
    ]
}

/// The folded inputs of least and of greatest magnitude that an octave serves.
pub(super) fn ends(octave: &OctaveLayout) -> [f32; 2] {
    let sign = u32::from(octave.negative) << 31;
    let exponent = u32::try_from(i32::from(octave.exponent) + 127).unwrap_or_default() << 23;
    [octave.mantissas.0, octave.mantissas.1]
        .map(|mantissa| f32::from_bits(sign | exponent | mantissa))
}

fn saturation(
    set: &FunctionSet,
    entry: &FunctionEntry,
    output: &mut Output,
) -> Result<(), Failure> {
    output.line("  saturation buckets")?;
    let mut table = Table::new(&["region", ">index", "d0", "d1", "d2", "d3", "x0"]);
    for (kind, index) in RegionKind::ALL.into_iter().zip(entry.saturation) {
        let Some(bucket) = set.buckets.get(index) else {
            continue;
        };
        table.row(
            [kind.as_str().to_owned(), index.to_string()]
                .into_iter()
                .chain(bucket_cells(bucket)),
        );
    }
    output.table(&table, 4)
}

fn buckets(set: &FunctionSet, entry: &FunctionEntry, output: &mut Output) -> Result<(), Failure> {
    output.line("  buckets")?;
    let mut table = Table::new(&[">index", ">floor ulp", "d0", "d1", "d2", "d3", "x0"]);
    for index in entry.octave_buckets() {
        let Some(bucket) = set.buckets.get(index) else {
            continue;
        };
        let floor =
            bound(entry, index).map_or_else(|| "-".to_owned(), |bound| format!("{bound:.6}"));
        table.row(
            [index.to_string(), floor]
                .into_iter()
                .chain(bucket_cells(bucket)),
        );
    }
    output.table(&table, 4)
}

fn bucket_cells(bucket: &Bucket) -> impl Iterator<Item = String> {
    let numbers = bucket.d.into_iter().chain([bucket.x0]);
    numbers.map(|value| {
        let shown = hex_float(value);
        if value.is_finite() {
            format!("{shown} = {}", decimal(value))
        } else {
            format!("{shown} {}", bits(value))
        }
    })
}
