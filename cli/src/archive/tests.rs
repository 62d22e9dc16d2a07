//! Archives that `pack` does not write are refused, each for its reason.

use std::collections::BTreeMap;
use std::io::Cursor;

use tar::{EntryType, Header};

use super::pack::header;
use super::*;

fn files(files: &[(&str, &[u8])]) -> BTreeMap<String, Vec<u8>> {
    let files = files.iter();
    files
        .map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()))
        .collect()
}

fn sample() -> BTreeMap<String, Vec<u8>> {
    files(&[
        ("manifest.json", b"{}"),
        ("report.html", &[7; 1024]),
        ("sets/small/cam.bin", &[1; 513]),
    ])
}

fn keep(path: &str) -> Option<u64> {
    path.starts_with("sets/").then_some(1000)
}

fn refused(tar: &[u8]) -> String {
    let error = read_tar(tar, keep)
        .expect_err("must be refused")
        .to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

/// A tar file of one entry, with a header that was changed after it was made.
fn with_header(path: &str, bytes: &[u8], change: impl Fn(&mut Header)) -> Vec<u8> {
    let mut header = header(path, bytes.len() as u64).unwrap();
    change(&mut header);
    header.set_cksum();
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header, bytes).unwrap();
    builder.into_inner().unwrap()
}

#[test]
fn what_is_packed_is_read_again() {
    let bytes = pack(&sample()).unwrap();
    assert_eq!(bytes, pack(&sample()).unwrap());
    let members = read_archive(bytes.as_slice(), keep).unwrap();
    let paths: Vec<(&str, u64)> = members.iter().map(|m| (m.path.as_str(), m.size)).collect();
    assert_eq!(
        paths,
        [
            ("manifest.json", 2),
            ("report.html", 1024),
            ("sets/small/cam.bin", 513)
        ]
    );
    assert_eq!(members[0].content, None);
    assert_eq!(members[2].content.as_deref(), Some([1; 513].as_slice()));
    // Of `{}`.
    assert_eq!(
        members[0].sha256,
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    );
}

#[test]
fn every_cut_and_every_flipped_bit_is_noticed() {
    let bytes = pack(&sample()).unwrap();
    for length in 0..bytes.len() {
        assert!(
            read_archive(&bytes[..length], keep).is_err(),
            "cut at {length}"
        );
    }
    let good = read_archive(bytes.as_slice(), keep).unwrap();
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            // Some bits of a frame's header do not change what it holds.
            if let Ok(members) = read_archive(damaged.as_slice(), keep) {
                assert_eq!(members, good, "bit {bit} of byte {place}");
            }
        }
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let error = read_archive(longer.as_slice(), keep).unwrap_err();
    assert!(
        error.to_string().contains("end of the zstd frame"),
        "{error}"
    );
    let tar = tar_bytes(&sample()).unwrap();
    for length in (0..tar.len()).step_by(64) {
        refused(&tar[..length]);
    }
    assert!(refused(&[tar.as_slice(), &[0; 512]].concat()).starts_with("archive: end: "));
}

#[test]
fn nothing_hides_between_the_files() {
    // Found by fuzzing: no digest covers what a file is padded with.
    let tar = tar_bytes(&files(&[("x", b"1")])).unwrap();
    for place in [513, 1023] {
        let mut hiding = tar.clone();
        hiding[place] = 7;
        let error = refused(&hiding);
        assert_eq!(
            error,
            "entry 0: padding: expected 511 zeros, found other bytes"
        );
    }
    for place in [1024, 1535, 1536, 2047] {
        let mut hiding = tar.clone();
        hiding[place] = 7;
        refused(&hiding);
    }
}

#[test]
fn hostile_paths_are_refused() {
    let path = |name: &[u8]| {
        let name = name.to_vec();
        refused(&with_header("x", b"", move |header| {
            let field = &mut header.as_old_mut().name;
            field.fill(0);
            field[..name.len()].copy_from_slice(&name);
        }))
    };
    for name in [
        b"/etc/passwd".as_slice(),
        b"release/../../etc/passwd",
        b"release/sets/../x",
        b"release//x",
        b"release/./x",
        b"release/.hidden",
        b"release/-rf",
        b"release/a b",
        b"release/a\\b",
        b"release/a\nb",
        b"release/\xff",
        b"release/",
        b"release",
        b"elsewhere/x",
        b"",
    ] {
        let error = path(name);
        assert!(error.starts_with("entry 0: path: expected "), "{error}");
    }
}

#[test]
fn what_would_not_be_read_is_not_packed() {
    // Found by fuzzing: the slashes went, and the file with them.
    for path in ["//2", "/x", "a/../b", "a//b", "", ".hidden", "a b"] {
        let error = tar_bytes(&files(&[(path, b"")])).expect_err(path);
        assert!(error.to_string().contains("expected a path"), "{error}");
    }
}

#[test]
fn nothing_but_plain_files_in_order_is_accepted() {
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Directory,
        EntryType::Char,
        EntryType::Fifo,
        EntryType::GNULongName,
        EntryType::GNUSparse,
        EntryType::XHeader,
        EntryType::XGlobalHeader,
    ] {
        let error = refused(&with_header("x", b"", |header| header.set_entry_type(kind)));
        assert!(error.starts_with("entry 0: header: "), "{kind:?}: {error}");
    }
    let changes: [fn(&mut Header); 5] = [
        |header| header.set_mtime(1),
        |header| header.set_uid(1),
        |header| header.set_mode(0o4755),
        |header| header.set_username("root").unwrap(),
        |header| header.set_link_name("/etc/passwd").unwrap(),
    ];
    for change in changes {
        let error = refused(&with_header("x", b"", change));
        assert!(error.starts_with("entry 0: header: "), "{error}");
    }
    let two = |first: &str, second: &str| {
        let mut builder = tar::Builder::new(Vec::new());
        for path in [first, second] {
            builder
                .append(&header(path, 1).unwrap(), [0].as_slice())
                .unwrap();
        }
        refused(&builder.into_inner().unwrap())
    };
    for (first, second) in [("x", "x"), ("y", "x")] {
        let error = two(first, second);
        assert!(
            error.starts_with("entry 1: path: expected one after"),
            "{error}"
        );
    }
}

#[test]
fn sizes_are_bounded_before_anything_is_read() {
    for size in [MOST_BYTES + 1, u64::MAX / 2, 0o77_777_777_777] {
        let tar = with_header("report.html", b"", |header| header.set_size(size));
        let error = refused(&tar);
        assert!(error.starts_with("entry 0: "), "{error}");
    }
    // Found by fuzzing: the message was not one line.
    let tar = with_header("report.html", b"", |header| {
        header.as_old_mut().size = *b"0000000\t\n\ne\0";
    });
    let error = refused(&tar);
    assert!(
        error.starts_with("entry 0: size: expected an octal number of bytes, found \"0000000\\t"),
        "{error}"
    );
    // A file that is kept in memory has a limit of its own.
    let error = refused(&tar_bytes(&files(&[("sets/small/cam.bin", &[0; 1001])])).unwrap());
    assert_eq!(
        error,
        "entry 0: size: expected at most 1000 bytes, found 1001"
    );
    // More files than any release has.
    let many = (0..=MOST_FILES).map(|k| (format!("f{k:06}"), Vec::new()));
    let error = refused(&tar_bytes(&many.collect()).unwrap());
    assert_eq!(
        error,
        "entry 4096: file: expected at most 4096 files, found more"
    );
    // Many files that are large together: zeros, so that the archive itself is small.
    let zeros = std::io::Read::take(std::io::repeat(0), 300 << 20);
    let mut builder = tar::Builder::new(zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap());
    builder
        .append(&header("a", 300 << 20).unwrap(), zeros)
        .unwrap();
    for path in ["b", "c", "d"] {
        builder
            .append(&header(path, 300 << 20).unwrap(), std::io::empty())
            .unwrap();
    }
    let bomb = builder.into_inner().unwrap().finish().unwrap();
    let error = read_archive(Cursor::new(bomb), keep)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("entry "), "{error}");
}

#[test]
fn a_window_larger_than_ours_is_refused() {
    use std::io::Write;
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(WINDOW_LOG + 4).unwrap();
    encoder.include_contentsize(false).unwrap();
    encoder.write_all(&vec![0; 32 << 20]).unwrap();
    let bytes = encoder.finish().unwrap();
    assert!(matches!(
        read_archive(bytes.as_slice(), keep),
        Err(ArchiveError::Read(_))
    ));
}
