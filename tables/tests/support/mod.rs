//! Small functions to build sets from, and the means to edit a set's files and seal them
//! again. Also used by the fuzz targets.
#![allow(dead_code)] // Each test uses its own part.

use actforge_tables::container::{MANIFEST, sha256_hex};
use actforge_tables::{
    Blobs, Bucket, Datapath, Fold, FunctionNotes, FunctionSet, FunctionTable, Octave, Region, Side,
    SpecialResults, Symmetry, Table, Target,
};

/// `count` buckets that occur nowhere else.
pub(crate) fn buckets(tag: u16, count: u16) -> Vec<Bucket> {
    (0..count)
        .map(|index| Bucket {
            d: [f32::from(tag), f32::from(index), 0.5, -0.25],
            x0: 1.0,
        })
        .collect()
}

/// An octave of `2^size` buckets of which `count` are stored, beginning at `first`.
pub(crate) fn octave(tag: u16, size: u8, first: u16, count: u16) -> Octave {
    Octave {
        size,
        first,
        buckets: buckets(tag, count),
    }
}

/// A region that begins at this unbiased exponent and mantissa.
pub(crate) fn region(exponent: i16, mantissa: u32, bucket: Bucket) -> Region {
    Region {
        exponent: u8::try_from(exponent + 127).expect("an exponent"),
        mantissa,
        compare: true,
        bucket,
    }
}

pub(crate) fn relu() -> FunctionTable {
    FunctionTable {
        name: "relu".to_owned(),
        func_id: 2,
        symmetry: Symmetry::NONE,
        specials: SpecialResults {
            zero: 0.0,
            nan: f32::NAN,
            pos_inf: f32::INFINITY,
            neg_inf: 0.0,
        },
        positive: Side::without_table(Bucket::linear(0.0, 1.0)),
        negative: Side::without_table(Bucket::constant(0.0)),
        notes: FunctionNotes::default(),
    }
}

/// An odd function: octaves -2 to 1 on the positive side; the topmost stores 3 of 4 buckets.
pub(crate) fn odd() -> FunctionTable {
    let positive = Side {
        lowest: -2,
        octaves: vec![
            octave(10, 0, 0, 1),
            octave(11, 1, 0, 2),
            octave(12, 2, 0, 4),
            octave(13, 2, 0, 3),
        ],
        small: region(-2, 0, Bucket::linear(0.0, 1.0)),
        // Section 3 of octave 1 begins at mantissa 0x600000.
        large: region(1, 0x60_0000, Bucket::constant(1.0)),
    };
    let negative = Side {
        octaves: Vec::new(),
        ..positive.clone()
    };
    FunctionTable {
        name: "odd".to_owned(),
        func_id: 10,
        symmetry: Symmetry::ODD,
        specials: SpecialResults {
            zero: 0.0,
            nan: f32::NAN,
            pos_inf: 1.0,
            neg_inf: -1.0,
        },
        positive,
        negative,
        notes: FunctionNotes {
            dtype: Some("fp32".to_owned()),
            method: Some("accurate".to_owned()),
            target_ulp: Some(1.0),
            range: Some([f32::NEG_INFINITY, 0.1]),
            lower_bound_ulp: Some(0.1 + 0.2),
            bucket_bounds: vec![0.5, 1.0 / 3.0, 5e-324],
            measured_ulp: Some(0.571),
            ..FunctionNotes::default()
        },
    }
}

/// A function without symmetry whose sides begin at different exponents.
pub(crate) fn two_sided(name: &str, func_id: u8, lowest: [i16; 2], count: u16) -> FunctionTable {
    let side = |negative: bool| {
        let tag = 100 * u16::from(func_id) + 50 * u16::from(negative);
        let lowest = lowest[usize::from(negative)];
        Side {
            lowest,
            octaves: (0..count)
                .map(|place| octave(tag + place, 1, 0, 2))
                .collect(),
            small: region(lowest - 1, 0x7f_ffff, Bucket::constant(1.0)),
            large: region(
                lowest + i16::try_from(count).expect("a count"),
                0,
                Bucket::constant(f32::from(u8::from(!negative))),
            ),
        }
    };
    FunctionTable {
        name: name.to_owned(),
        func_id,
        symmetry: Symmetry {
            fold: Fold::None,
            ..Symmetry::NONE
        },
        specials: SpecialResults {
            zero: 1.0,
            nan: f32::NAN,
            pos_inf: f32::INFINITY,
            neg_inf: 0.0,
        },
        positive: side(false),
        negative: side(true),
        notes: FunctionNotes::default(),
    }
}

/// An odd function with one octave of one bucket: the least that has all parts.
pub(crate) fn least() -> FunctionTable {
    let mut function = odd();
    let positive = Side {
        octaves: vec![octave(10, 0, 0, 1)],
        large: region(-1, 0, Bucket::constant(1.0)),
        ..function.positive
    };
    function.negative = Side {
        octaves: Vec::new(),
        ..positive.clone()
    };
    function.positive = positive;
    function.notes.bucket_bounds.truncate(1);
    function
}

pub(crate) fn functions() -> Vec<FunctionTable> {
    vec![odd(), relu(), two_sided("both", 7, [-1, -3], 3)]
}

/// The function with small regions that end with a power of two, as the stock files need it.
pub(crate) fn for_stock(mut function: FunctionTable) -> FunctionTable {
    for side in [&mut function.negative, &mut function.positive] {
        if side.small.mantissa != 0 {
            side.small.exponent += 1;
            side.small.mantissa = 0;
        }
    }
    function
}

/// The functions in a form that the target can hold.
pub(crate) fn functions_for(target: Target) -> Vec<FunctionTable> {
    let functions = functions().into_iter();
    match target.has_stock_layout() {
        true => functions.map(for_stock).collect(),
        false => functions.collect(),
    }
}

pub(crate) fn set_for(target: Target) -> FunctionSet {
    FunctionSet::assemble("sample", target, Datapath::Fma, &functions_for(target))
        .expect("a valid set")
}

/// A set of one function, as small as they get, with its specification.
pub(crate) fn least_set(target: Target, function: FunctionTable) -> FunctionSet {
    let function = match target.has_stock_layout() {
        true => for_stock(function),
        false => function,
    };
    let mut set =
        FunctionSet::assemble("s", target, Datapath::Fma, &[function]).expect("a valid set");
    if !target.has_stock_layout() {
        set.record_spec("[set]\nname = \"s\"\n".to_owned());
    }
    set
}

/// Corrects the digests after an edit of images or manifest, so that what lies behind
/// them is reached. A manifest that is not JSON is left alone.
pub(crate) fn seal(blobs: &mut Blobs) {
    let Ok(mut manifest) = serde_json::from_slice::<serde_json::Value>(&blobs.manifest) else {
        return;
    };
    for table in Table::ALL {
        if let Some(digest) = manifest.pointer_mut(&format!("/tables/{table}/sha256")) {
            *digest = sha256_hex(blobs.table(table)).into();
        }
    }
    let text = |manifest: &serde_json::Value| {
        let mut text = serde_json::to_vec_pretty(manifest).unwrap_or_default();
        text.push(b'\n');
        text
    };
    if manifest.get("manifest_sha256").is_some() {
        manifest["manifest_sha256"] = "".into();
        manifest["manifest_sha256"] = sha256_hex(&text(&manifest)).into();
    }
    blobs.manifest = text(&manifest);
}

/// Edits the manifest with `from` replaced by `to`, which must occur, and seals it.
pub(crate) fn edit_manifest(blobs: &Blobs, from: &str, to: &str) -> Blobs {
    let text = String::from_utf8(blobs.manifest.clone()).expect("text");
    assert!(text.contains(from), "{MANIFEST} has no {from}");
    let mut edited = blobs.clone();
    edited.manifest = text.replacen(from, to, 1).into_bytes();
    seal(&mut edited);
    edited
}
