//! The set reader: no bytes make it panic, and what it accepts is a valid set that is
//! written to the very same bytes.
#![no_main]

use std::sync::LazyLock;

use actforge_tables::{Blobs, FunctionSet, Table, Target};
use libfuzzer_sys::fuzz_target;

#[path = "../../tables/tests/support/mod.rs"]
mod support;

const TARGETS: [Target; 3] = [Target::Cayman, Target::Sunda, Target::Maverick];

static GOOD: LazyLock<[Blobs; 3]> = LazyLock::new(|| {
    TARGETS.map(|target| {
        let mut set = support::set_for(target);
        set.record_spec("[set]\nname = \"sample\"\n".to_owned());
        set.to_blobs().expect("valid")
    })
});

// The input's first byte says what happens to a good set: to which of its files, whether
// the digests are corrected afterwards, and whether the other bytes are the file or
// patches of three bytes, an offset and a value.
fuzz_target!(|input: &[u8]| {
    let Some((&how, rest)) = input.split_first() else {
        return;
    };
    let how = usize::from(how);
    let mut blobs = GOOD[how % 3].clone();
    let file = match how / 3 % 7 {
        4 => &mut blobs.manifest,
        5 => &mut blobs.dma,
        6 => blobs.spec.get_or_insert_default(),
        table => blobs.table_mut(Table::ALL[table]),
    };
    if how / 21 % 2 == 0 {
        *file = rest.to_vec();
    } else {
        for patch in rest.chunks_exact(3) {
            let offset = usize::from(u16::from_le_bytes([patch[0], patch[1]]));
            let length = file.len();
            file[offset % length] = patch[2];
        }
    }
    if how / 42 % 2 == 0 {
        support::seal(&mut blobs);
    }
    if let Ok(set) = FunctionSet::from_blobs(&blobs) {
        assert_eq!(set.validate(), Ok(()));
        assert_eq!(set.to_blobs().expect("valid"), blobs);
    }
});
