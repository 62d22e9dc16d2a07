//! The reader of archives, zstd and tar. No bytes make it panic, what it accepts is packed to the very same tar file,
//! and what is packed is read again. What the files of an archive say is the target `release`.
#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use actforge_cli::archive::{MOST_KEPT, Member, pack, read_archive, read_tar, tar_bytes};
use libfuzzer_sys::fuzz_target;

mod edits;

type Files = BTreeMap<String, Vec<u8>>;

static GOOD: LazyLock<Files> = LazyLock::new(|| {
    let files: [(&str, &[u8]); 3] = [
        ("SHA256SUMS", b""),
        ("manifest.json", b"{}\n"),
        ("sets/s/bucket.bin", &[7; 513]),
    ];
    files
        .map(|(path, bytes)| (path.to_owned(), bytes.to_vec()))
        .into()
});
static TAR: LazyLock<Vec<u8>> = LazyLock::new(|| tar_bytes(&GOOD).expect("a tar file"));
static PACKED: LazyLock<Vec<u8>> = LazyLock::new(|| pack(&GOOD).expect("an archive"));

fn all(_: &str) -> Option<u64> {
    Some(MOST_KEPT)
}

fn files_of(members: &[Member]) -> Files {
    let content = |member: &Member| member.content.clone().expect("kept");
    members
        .iter()
        .map(|m| (m.path.clone(), content(m)))
        .collect()
}

fn read(tar: &[u8]) {
    match read_tar(tar, all) {
        // Not assert_eq: nobody wants to see the bytes.
        Ok(members) => assert!(tar_bytes(&files_of(&members)).expect("read before") == tar),
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
}

fn unpack(archive: &[u8]) {
    match read_archive(archive, all) {
        Ok(members) => {
            let tar = tar_bytes(&files_of(&members)).expect("read before");
            assert!(read_tar(tar.as_slice(), all).expect("written before") == members);
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
}

/// Files of which a line is a path, and the next one what is in it.
fn pack_and_read(text: &[u8]) {
    let mut lines = text.split(|byte| *byte == b'\n');
    let mut files = Files::new();
    while let Some(path) = lines.next() {
        let path = String::from_utf8_lossy(path).into_owned();
        files.insert(path, lines.next().unwrap_or_default().to_vec());
    }
    if let Ok(tar) = tar_bytes(&files) {
        match read_tar(tar.as_slice(), all) {
            Ok(members) => assert!(files_of(&members) == files),
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
}

// The first byte says what the others are: a tar file, edits of one, an archive, edits of one, or files.
fuzz_target!(|input: &[u8]| {
    let Some((&how, rest)) = input.split_first() else {
        return;
    };
    match how % 5 {
        0 => read(rest),
        1 => read(&edits::edited(&TAR, rest)),
        2 => unpack(rest),
        3 => unpack(&edits::edited(&PACKED, rest)),
        _ => pack_and_read(rest),
    }
});
