//! The reader of stock files: no bytes make it panic, and what it accepts is valid and is
//! written and read again to the same sets.
#![no_main]

use std::sync::LazyLock;

use actforge_tables::Target;
use actforge_tables::stock::{StockFile, examine, import, stock_files};
use libfuzzer_sys::fuzz_target;

#[path = "../../tables/tests/support/mod.rs"]
mod support;

static GOOD: LazyLock<[Vec<StockFile>; 2]> = LazyLock::new(|| {
    [Target::StockTrainium, Target::StockWithLn]
        .map(|target| stock_files(&[support::set_for(target)]).expect("stock files"))
});

// The input's first byte says what happens to good files: to which of them, and whether the
// other bytes are the file or patches of three bytes, an offset and a value.
fuzz_target!(|input: &[u8]| {
    let Some((&how, rest)) = input.split_first() else {
        return;
    };
    let how = usize::from(how);
    let mut files = GOOD[how % 2].clone();
    let count = files.len();
    let bytes = &mut files[how / 2 % count].bytes;
    if how / 2 / count % 2 == 0 {
        *bytes = rest.to_vec();
    } else {
        for patch in rest.chunks_exact(3) {
            let offset = usize::from(u16::from_le_bytes([patch[0], patch[1]]));
            let length = bytes.len();
            bytes[offset % length] = patch[2];
        }
    }
    let examined = examine(files.as_slice());
    for finding in examined.findings.all() {
        assert!(!finding.to_string().contains('\n'));
    }
    if let Ok(imported) = import(files.as_slice()) {
        for set in &imported.sets {
            assert_eq!(set.validate(), Ok(()));
        }
        let again = stock_files(&imported.sets).expect("what was read");
        let read = import(again.as_slice()).expect("what was written");
        assert_eq!(read.sets, imported.sets);
    }
});
