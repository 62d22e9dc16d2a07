//! The reader of stock files: no bytes make it panic, every set that it makes out is valid, and what it accepts is
//! written and read again to the same sets.
#![no_main]

use std::sync::LazyLock;

use actforge_tables::stock::{StockFile, StockSource, examine, stock_files};
use actforge_tables::{FunctionSet, Target};
use libfuzzer_sys::fuzz_target;

mod edits;
#[path = "../../tables/tests/support/mod.rs"]
mod support;

/// A directory in which nothing is wrong.
struct Good {
    sets: Vec<FunctionSet>,
    files: Vec<StockFile>,
}

// Small ones: one function each, folded and with two sides, with a table and without.
static GOOD: LazyLock<[Good; 3]> = LazyLock::new(|| {
    [
        (Target::StockTrainium, support::least()),
        (
            Target::StockWithLn,
            support::two_sided("both", 7, [-1, -3], 1),
        ),
        (Target::StockTrainium, support::relu()),
    ]
    .map(|(target, function)| {
        let files = stock_files(&[support::least_set(target, function)]).expect("stock files");
        let examined = examine(files.as_slice());
        assert_eq!(examined.findings.first_error(), None);
        Good {
            sets: examined.sets,
            files,
        }
    })
});

/// A good directory with one file replaced.
struct Damaged<'a> {
    files: &'a [StockFile],
    place: usize,
    bytes: &'a [u8],
}

impl StockSource for Damaged<'_> {
    fn open(&self, path: &str, longest: usize) -> std::io::Result<Option<Vec<u8>>> {
        match self.files.get(self.place) {
            Some(file) if file.path == path => {
                Ok(Some(self.bytes.iter().copied().take(longest + 1).collect()))
            }
            _ => self.files.open(path, longest),
        }
    }
}

// The input's first byte says which file of which directory is replaced, and whether the other bytes are the file or
// edits of it.
fuzz_target!(|input: &[u8]| {
    let Some((&how, rest)) = input.split_first() else {
        return;
    };
    let how = usize::from(how);
    let good = &GOOD[how % GOOD.len()];
    let how = how / GOOD.len();
    let place = how % good.files.len();
    let bytes = match how / good.files.len() % 2 {
        0 => rest.to_vec(),
        _ => edits::edited(&good.files[place].bytes, rest),
    };
    let damaged = Damaged {
        files: &good.files,
        place,
        bytes: &bytes,
    };
    let examined = examine(&damaged);
    for finding in examined.findings.all() {
        assert!(!finding.to_string().contains('\n'));
    }
    // Sets that are read in spite of an error are shown, but not written.
    if examined.findings.first_error().is_some() || examined.sets == good.sets {
        return;
    }
    for set in &examined.sets {
        assert_eq!(set.validate(), Ok(()));
    }
    let again = stock_files(&examined.sets).expect("what was read");
    let read = examine(again.as_slice());
    assert_eq!(read.findings.first_error(), None);
    assert_eq!(read.sets, examined.sets);
});
