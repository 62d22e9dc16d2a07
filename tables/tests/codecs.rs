//! Every codec of the crate, with arbitrary content: what is encoded is decoded to the same, and arbitrary bytes are refused or
//! encoded to the same bytes again, but never a panic.

mod support;

use actforge_tables::stock::{StockFile, examine, stock_files};
use actforge_tables::{
    Blobs, Bucket, CamEntry, ControlWord, Datapath, DefinitionNotes, FunctionNotes, FunctionSet,
    FunctionTable, MaskOrder, Profile, Table, Target,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use support::{for_stock, least, odd, relu, seal, two_sided};

const IMAGES: [Target; 5] = [
    Target::Sunda,
    Target::Cayman,
    Target::Mariana,
    Target::MarianaPlus,
    Target::Maverick,
];

const STOCK: [Target; 2] = [Target::StockTrainium, Target::StockWithLn];

/// Bytes of which most are zero, as in entries with reserved bits.
fn sparse<const N: usize>() -> impl Strategy<Value = [u8; N]> {
    let byte = prop_oneof![3 => Just(0_u8), 1 => any::<u8>()];
    vec(byte, N).prop_map(|bytes| bytes.try_into().expect("so many bytes"))
}

fn number() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("JSON has finite numbers alone", |number| number.is_finite())
}

/// What a manifest says of a function besides its tables, with any text and any numbers.
fn notes() -> impl Strategy<Value = FunctionNotes> {
    let definition = (
        any::<String>(),
        btree_map(any::<String>(), any::<String>(), 0..3),
    )
        .prop_map(|(expr, params)| DefinitionNotes {
            expr,
            params,
            ..DefinitionNotes::default()
        });
    (
        option::of(any::<String>()),
        option::of(number()),
        option::of([-1e30_f32..0.0, 0.0_f32..1e30]),
        vec(number(), 0..4),
        option::of(definition),
    )
        .prop_map(
            |(method, number, range, bucket_bounds, definition)| FunctionNotes {
                dtype: Some("bf16".to_owned()),
                method,
                target_ulp: number,
                range,
                lower_bound_ulp: number,
                bucket_bounds,
                measured_ulp: number,
                definition,
                ..FunctionNotes::default()
            },
        )
}

/// Functions of the sample shapes with any coefficients.
fn table() -> impl Strategy<Value = FunctionTable> {
    let shape = (0..4_usize, -40_i16..20, -40_i16..20, 1_u16..5);
    let words = vec(any::<[u32; 5]>(), 60);
    (shape, words, notes()).prop_map(|((shape, low, other, count), words, notes)| {
        let mut function = match shape {
            0 => odd(),
            1 => relu(),
            2 => least(),
            _ => two_sided("both", 7, [low, other], count),
        };
        let mut next = words.into_iter().cycle();
        for side in [&mut function.negative, &mut function.positive] {
            let octaves = side.octaves.iter_mut();
            for bucket in octaves.flat_map(|octave| &mut octave.buckets) {
                let words = next.next().expect("a cycle");
                // Octaves hold finite numbers.
                *bucket = Bucket::from_words(words.map(|word| word & 0xff7f_ffff));
            }
        }
        function.notes = notes;
        function
    })
}

fn set_of(target: Target, tables: Vec<FunctionTable>) -> FunctionSet {
    let tables: Vec<FunctionTable> = tables
        .into_iter()
        .zip(20..)
        .map(|(table, id)| FunctionTable {
            name: format!("f{id}"),
            func_id: id,
            ..match target.has_stock_layout() {
                true => for_stock(table),
                false => table,
            }
        })
        .collect();
    FunctionSet::assemble("any", target, Datapath::Fma, &tables).expect("a valid set")
}

proptest! {
    #[test]
    fn any_bucket_bytes(bytes in sparse::<32>()) {
        match Bucket::from_bytes(&bytes) {
            Ok(bucket) => prop_assert_eq!(bucket.to_bytes(), bytes),
            Err(_) => prop_assert!(bytes[20..].iter().any(|byte| *byte != 0)),
        }
    }

    #[test]
    fn any_control_word(word: u32) {
        match ControlWord::decode(word) {
            Ok(control) => prop_assert_eq!(control.encode(), Ok(word)),
            Err(_) => prop_assert!(word >> 20 != 0),
        }
    }

    #[test]
    fn any_control_fields(base: u16, lsb: u8, size: u8) {
        let control = ControlWord { base, lsb, size };
        match control.encode() {
            Ok(word) => prop_assert_eq!(ControlWord::decode(word), Ok(control)),
            Err(_) => prop_assert!(base > 2047 || lsb > 31 || size > 15),
        }
    }

    #[test]
    fn any_cam_bytes(bytes in sparse::<32>(), order in prop::sample::select(vec![MaskOrder::OpcodeFirst, MaskOrder::FuncIdFirst])) {
        if let Ok(entry) = CamEntry::from_bytes(&bytes, order) {
            prop_assert_eq!(entry.to_bytes(order), bytes);
        }
    }

    #[test]
    fn any_cam_entry(opcode: u8, func_id: u8, opcode_mask: u8, func_id_mask: u8, valid: bool) {
        let entry = CamEntry { opcode, func_id, opcode_mask, func_id_mask, valid };
        for order in [MaskOrder::OpcodeFirst, MaskOrder::FuncIdFirst] {
            prop_assert_eq!(CamEntry::from_bytes(&entry.to_bytes(order), order), Ok(entry));
        }
    }

    #[test]
    fn any_profile_bytes(bytes in prop_oneof![sparse::<128>(), vec(any::<u8>(), 128).prop_map(|bytes| bytes.try_into().expect("128 bytes"))]) {
        if let Ok(profile) = Profile::from_bytes(&bytes) {
            prop_assert_eq!(profile.to_bytes(), Ok(bytes));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The container: images, manifest, load descriptors and specification.
    #[test]
    fn any_set_is_its_files(
        tables in vec(table(), 1..5),
        target in prop::sample::select(&IMAGES[..]),
        spec in option::of(any::<String>()),
    ) {
        let mut set = set_of(target, tables);
        if let Some(spec) = spec {
            set.record_spec(spec);
        }
        let blobs = set.to_blobs().expect("valid");
        let read = FunctionSet::from_blobs(&blobs).expect("what was written");
        prop_assert_eq!(read.to_blobs().expect("valid"), blobs);
        prop_assert_eq!(read, set);
    }

    /// Bytes in the place of a file, and bytes in the midst of one, with right digests.
    #[test]
    fn any_bytes_are_no_set_or_the_same_again(
        file in 0..7_usize,
        place: prop::sample::Index,
        bytes in prop_oneof![vec(any::<u8>(), 0..40), vec(prop::sample::select(&b"0123456789{}[]\":,.e-"[..]), 0..8)],
        is_whole: bool,
    ) {
        let set = support::least_set(Target::Cayman, least());
        let mut blobs = set.to_blobs().expect("valid");
        let chosen = chosen(&mut blobs, file);
        if is_whole {
            *chosen = bytes;
        } else {
            let start = place.index(chosen.len());
            let end = (start + bytes.len()).min(chosen.len());
            chosen.splice(start..end, bytes);
        }
        seal(&mut blobs);
        if let Ok(set) = FunctionSet::from_blobs(&blobs) {
            prop_assert_eq!(set.to_blobs().expect("valid"), blobs);
        }
    }

    /// The stock container, with any coefficients and control words that may say anything.
    #[test]
    fn any_stock_tables(
        table in table(),
        target in prop::sample::select(&STOCK[..]),
        file in 1..3_usize,
        place: prop::sample::Index,
        word: u32,
    ) {
        let set = set_of(target, vec![table]);
        let mut files = stock_files(&[set]).expect("stock files");
        let sound = examine(files.as_slice());
        prop_assert_eq!(sound.findings.first_error(), None);
        prop_assert_eq!(&stock_files(&sound.sets).expect("again"), &files);
        let bytes = &mut files[file].bytes;
        // A control word of 20 bits, or a coefficient.
        let (stride, word) = match file {
            1 => (4, word),
            _ => (target.stride(Table::Control), word & 0xf_ffff),
        };
        let start = place.index(bytes.len() / stride) * stride;
        bytes[start..start + 4].copy_from_slice(&word.to_le_bytes());
        let examined = examine(files.as_slice());
        if examined.findings.first_error().is_none() {
            let again = stock_files(&examined.sets).expect("what was read");
            let tables = |files: &[StockFile]| files[1..3].to_vec();
            prop_assert_eq!(tables(&again), tables(&files));
        }
    }
}

fn chosen(blobs: &mut Blobs, file: usize) -> &mut Vec<u8> {
    match file {
        4 => &mut blobs.manifest,
        5 => &mut blobs.dma,
        6 => blobs.spec.get_or_insert_default(),
        table => blobs.table_mut(Table::ALL[table]),
    }
}
