//! Random damage with a fixed seed: never a panic, and what is accepted is a valid set
//! that is written to the very same bytes.

mod support;

use actforge_tables::stock::{StockFile, examine, import, stock_files};
use actforge_tables::{Blobs, FunctionSet, Table, Target};
use support::{seal, set_for};

/// A linear congruential generator (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next()).expect("32 bits") % bound.max(1)
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let place = random.below(bytes.len());
    let byte = random.next().to_le_bytes()[0];
    match random.below(16) {
        0 if !bytes.is_empty() => drop(bytes.remove(place)),
        1 => bytes.insert(place, byte),
        2 => bytes.truncate(place),
        3 => bytes.extend_from_within(place..),
        4 => {
            // A digit of a number in JSON, a small value elsewhere.
            if let Some(cell) = bytes.get_mut(place) {
                *cell = if cell.is_ascii_digit() {
                    b'0' + byte % 10
                } else {
                    byte % 4
                };
            }
        }
        5 => {
            if let Some(cell) = bytes.get_mut(place) {
                *cell = byte;
            }
        }
        _ => {
            if let Some(cell) = bytes.get_mut(place) {
                *cell ^= 1 << (byte % 8);
            }
        }
    }
}

fn part<'a>(blobs: &'a mut Blobs, random: &mut Random) -> &'a mut Vec<u8> {
    match random.below(6) {
        4 => &mut blobs.manifest,
        5 => &mut blobs.dma,
        table => blobs.table_mut(Table::ALL[table]),
    }
}

#[test]
fn damaged_sets() {
    let sets = [Target::Cayman, Target::Sunda, Target::Maverick]
        .map(|target| set_for(target).to_blobs().expect("valid"));
    let mut random = Random(2);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..20_000_usize {
        let good = &sets[round % sets.len()];
        let mut blobs = good.clone();
        for _ in 0..=random.below(2) {
            mutate(part(&mut blobs, &mut random), &mut random);
        }
        // Half of them get past the digests.
        let sealed = round % 2 == 0;
        if sealed {
            seal(&mut blobs);
        }
        match FunctionSet::from_blobs(&blobs) {
            Ok(set) => {
                assert!(
                    sealed || blobs == *good,
                    "round {round}: damage was accepted"
                );
                assert_eq!(set.validate(), Ok(()), "round {round}");
                assert_eq!(set.to_blobs().expect("valid"), blobs, "round {round}");
                accepted += 1;
            }
            Err(error) => {
                assert!(!error.to_string().contains('\n'), "round {round}: {error}");
                refused += 1;
            }
        }
    }
    // Both must happen often, or the mutations are not worth much: other coefficients
    // make another valid set.
    assert!(
        accepted > 1000 && refused > 10_000,
        "{accepted} accepted, {refused} refused"
    );
}

/// The same for stock files: what is accepted is written and read again to the same sets.
#[test]
fn damaged_stock_files() {
    let good = [Target::StockTrainium, Target::StockWithLn]
        .map(|target| stock_files(&[set_for(target)]).expect("stock files"));
    let mut random = Random(3);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..1_000_usize {
        let mut files: Vec<StockFile> = good[round % good.len()].clone();
        for _ in 0..=random.below(2) {
            let place = random.below(files.len());
            mutate(&mut files[place].bytes, &mut random);
        }
        let examined = examine(files.as_slice());
        for finding in examined.findings.all() {
            let text = finding.to_string();
            assert!(!text.contains('\n'), "round {round}: {text}");
        }
        match import(files.as_slice()) {
            Ok(imported) => {
                let again = stock_files(&imported.sets).expect("what was read");
                let read = import(again.as_slice()).expect("what was written");
                assert_eq!(read.sets, imported.sets, "round {round}");
                accepted += 1;
            }
            Err(error) => {
                assert!(!error.to_string().contains('\n'), "round {round}: {error}");
                refused += 1;
            }
        }
    }
    assert!(
        accepted > 100 && refused > 200,
        "{accepted} accepted, {refused} refused"
    );
}
