//! From an archive to its files, whatever bytes it may be.

use std::io::{self, BufRead, Read};

use sha2::{Digest, Sha256};
use tar::Header;

use super::pack::header;
use super::{ArchiveError, MOST_BYTES, MOST_FILES, MOST_KEPT, ROOT, WINDOW_LOG, check_path};

/// Size of a header, and what files are padded to.
const BLOCK: usize = 512;

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its path below `release/`.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its SHA-256.
    pub sha256: String,
    /// Its content, unless only its digest is of interest.
    pub content: Option<Vec<u8>>,
}

/// Reads the files of an archive. `longest` says of how many bytes a file that is kept in memory may be; `None` of a
/// file that is only hashed.
///
/// # Errors
/// [`ArchiveError`] for anything that [`pack`](super::pack) does not write, or that is larger than the limits.
pub fn read_archive(
    archive: impl BufRead,
    longest: impl Fn(&str) -> Option<u64>,
) -> Result<Vec<Member>, ArchiveError> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(archive)?.single_frame();
    decoder.window_log_max(WINDOW_LOG)?;
    let members = read_tar(&mut decoder, longest)?;
    // The checksum stands at the end of the frame: it is read with the end of the data.
    if !decoder.finish().fill_buf()?.is_empty() {
        return Err(ArchiveError::content(
            "archive",
            "end",
            "the end of the zstd frame",
            "more bytes",
        ));
    }
    Ok(members)
}

/// Reads the files of a tar file; see [`read_archive`].
///
/// # Errors
/// As [`read_archive`].
pub fn read_tar(
    mut tar: impl Read,
    longest: impl Fn(&str) -> Option<u64>,
) -> Result<Vec<Member>, ArchiveError> {
    let mut members: Vec<Member> = Vec::new();
    let (mut unpacked, mut kept) = (0, 0);
    loop {
        let index = members.len();
        let mut block = [0; BLOCK];
        tar.read_exact(&mut block)?;
        if block == [0; BLOCK] {
            check_end(&mut tar)?;
            return Ok(members);
        }
        if index == MOST_FILES {
            let expected = format!("at most {MOST_FILES} files");
            return Err(ArchiveError::entry(index, "file", expected, "more"));
        }
        let (path, size) = path_and_size(index, Header::from_byte_slice(&block))?;
        if let Some(last) = members.last()
            && last.path >= path
        {
            let expected = format!("one after {:?}", last.path);
            let found = format!("{path:?}");
            return Err(ArchiveError::entry(index, "path", expected, found));
        }
        unpacked += size;
        if unpacked > MOST_BYTES {
            let expected = format!("at most {MOST_BYTES} bytes in all files");
            return Err(ArchiveError::entry(index, "size", expected, size));
        }
        let longest = longest(&path);
        if let Some(longest) = longest {
            kept += size;
            if size > longest || kept > MOST_KEPT {
                let expected = format!("at most {} bytes", longest.min(MOST_KEPT));
                return Err(ArchiveError::entry(index, "size", expected, size));
            }
        }
        let mut content = tar.by_ref().take(size);
        members.push(read_member(
            index,
            &mut content,
            path,
            size,
            longest.is_some(),
        )?);
        check_padding(index, size, &mut tar)?;
    }
}

/// Zeros up to the next block, which no digest covers.
fn check_padding(index: usize, size: u64, tar: &mut impl Read) -> Result<(), ArchiveError> {
    let length = size.next_multiple_of(BLOCK as u64) - size;
    let mut padding = Vec::new();
    tar.take(length).read_to_end(&mut padding)?;
    if padding.len() as u64 != length || padding.iter().any(|byte| *byte != 0) {
        let expected = format!("{length} zeros");
        return Err(ArchiveError::entry(
            index,
            "padding",
            expected,
            "other bytes",
        ));
    }
    Ok(())
}

/// A second block of zeros, and nothing behind it.
fn check_end(tar: &mut impl Read) -> Result<(), ArchiveError> {
    let mut end = Vec::new();
    tar.take(BLOCK as u64 + 1).read_to_end(&mut end)?;
    if end != [0; BLOCK] {
        return Err(ArchiveError::content(
            "archive",
            "end",
            "two blocks of zeros and nothing behind them",
            "something else",
        ));
    }
    Ok(())
}

/// What a header says, if it says nothing else.
fn path_and_size(index: usize, found: &Header) -> Result<(String, u64), ArchiveError> {
    let name = found.path_bytes();
    let shown = || format!("{:?}", String::from_utf8_lossy(&name));
    let path = std::str::from_utf8(&name)
        .ok()
        .and_then(|name| name.strip_prefix(ROOT)?.strip_prefix('/'))
        .ok_or_else(|| ArchiveError::entry(index, "path", format!("one below {ROOT}/"), shown()))?;
    check_path(path).map_err(|expected| ArchiveError::entry(index, "path", expected, shown()))?;
    // The message of the tar reader would quote the bytes as they are.
    let size = found.entry_size().map_err(|_| {
        let field = String::from_utf8_lossy(&found.as_old().size);
        let expected = "an octal number of bytes";
        ArchiveError::entry(index, "size", expected, format!("{field:?}"))
    })?;
    if size > MOST_BYTES {
        let expected = format!("at most {MOST_BYTES} bytes");
        return Err(ArchiveError::entry(index, "size", expected, size));
    }
    if header(path, size)?.as_bytes() != found.as_bytes() {
        return Err(ArchiveError::entry(
            index,
            "header",
            format!("that of a plain file {path:?} without owner and time"),
            "another",
        ));
    }
    Ok((path.to_owned(), size))
}

fn read_member(
    index: usize,
    content: &mut impl Read,
    path: String,
    size: u64,
    is_kept: bool,
) -> Result<Member, ArchiveError> {
    let mut digest = Sha256::new();
    let mut kept = Vec::new();
    let mut buffer = [0; 1 << 14];
    let mut read = 0_u64;
    loop {
        let count = match content.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        digest.update(bytes);
        if is_kept {
            kept.extend_from_slice(bytes);
        }
        read += count as u64;
    }
    if read != size {
        let found = format!("{read}, then the end of the archive");
        return Err(ArchiveError::entry(index, "size", size, found));
    }
    Ok(Member {
        path,
        size,
        sha256: hex(&digest.finalize()),
        content: is_kept.then_some(kept),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
