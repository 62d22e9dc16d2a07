//! From files to the one archive that holds them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use tar::{EntryType, Header};

use super::{ROOT, WINDOW_LOG, check_path};

/// The strongest of the ordinary levels. Archives are small and made seldom.
const LEVEL: i32 = 19;

/// The permissions of every file: readable for all.
const MODE: u32 = 0o644;

/// The header of a file: its path, its size, and nothing else.
pub(super) fn header(path: &str, size: u64) -> io::Result<Header> {
    // The tar writer would make another path of some of them.
    check_path(path).map_err(|expected| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{path:?}: expected {expected}"),
        )
    })?;
    let mut header = Header::new_ustar();
    header.set_path(format!("{ROOT}/{path}"))?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(size);
    header.set_mode(MODE);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_cksum();
    Ok(header)
}

/// The tar file that holds these files, by their paths below [`ROOT`].
///
/// # Errors
/// For a path that no archive holds.
pub fn tar_bytes(files: &BTreeMap<String, Vec<u8>>) -> io::Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        builder.append(&header(path, bytes.len() as u64)?, bytes.as_slice())?;
    }
    builder.into_inner()
}

/// The archive that holds these files. The bytes depend on nothing else: one frame, one thread, fixed parameters.
///
/// # Errors
/// As [`tar_bytes`].
pub fn pack(files: &BTreeMap<String, Vec<u8>>) -> io::Result<Vec<u8>> {
    let tar = tar_bytes(files)?;
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    encoder.window_log(WINDOW_LOG)?;
    encoder.include_checksum(true)?;
    encoder.set_pledged_src_size(Some(tar.len() as u64))?;
    encoder.write_all(&tar)?;
    encoder.finish()
}
