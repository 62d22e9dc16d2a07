//! The set reader: no bytes make it panic, and what it accepts is a valid set that is written to the very same bytes.
#![no_main]

use std::sync::LazyLock;

use actforge_tables::{Blobs, FunctionSet, Table, Target};
use libfuzzer_sys::fuzz_target;

mod edits;
#[path = "../../tables/tests/support/mod.rs"]
mod support;

// Small ones: one function each, folded and with two sides, with a table and without.
static GOOD: LazyLock<[Blobs; 3]> = LazyLock::new(|| {
    [
        (Target::Cayman, support::least()),
        (Target::Sunda, support::two_sided("both", 7, [-1, -3], 1)),
        (Target::Maverick, support::relu()),
    ]
    .map(|(target, function)| {
        let blobs = support::least_set(target, function).to_blobs();
        let blobs = blobs.expect("a valid set");
        assert!(FunctionSet::from_blobs(&blobs).is_ok());
        blobs
    })
});

// The input's first byte says what happens to a good set: to which of its files, whether the other bytes are the file
// or edits of it, and whether the digests are corrected afterwards.
fuzz_target!(|input: &[u8]| {
    let Some((&how, rest)) = input.split_first() else {
        return;
    };
    let how = usize::from(how);
    let good = &GOOD[how % 3];
    let mut blobs = good.clone();
    let file = match how / 3 % 7 {
        4 => &mut blobs.manifest,
        5 => &mut blobs.dma,
        6 => blobs.spec.get_or_insert_default(),
        table => blobs.table_mut(Table::ALL[table]),
    };
    *file = match how / 21 % 2 {
        0 => rest.to_vec(),
        _ => edits::edited(file, rest),
    };
    if how / 42 % 2 == 0 {
        support::seal(&mut blobs);
    }
    if blobs == *good {
        return;
    }
    if let Ok(set) = FunctionSet::from_blobs(&blobs) {
        assert_eq!(set.validate(), Ok(()));
        assert_eq!(set.to_blobs().expect("valid"), blobs);
    }
});
