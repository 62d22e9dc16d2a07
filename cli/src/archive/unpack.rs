//! From an archive to its files, whatever bytes it may be.

use std::io::{self, BufRead, Read};

use sha2::{Digest, Sha256};

use super::pack::header;
use super::{ArchiveError, MOST_BYTES, MOST_FILES, MOST_KEPT, ROOT, WINDOW_LOG, check_path};

/// Size of a header, and what files are padded to.
const BLOCK: u64 = 512;

/// What ends a tar file.
const END: u64 = 2 * BLOCK;

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

/// Reads the files of an archive. `longest` says of how many bytes a file that is kept in memory may be; `None` of a file
/// that is only hashed.
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
    tar: impl Read,
    longest: impl Fn(&str) -> Option<u64>,
) -> Result<Vec<Member>, ArchiveError> {
    let mut archive = tar::Archive::new(Counted {
        inner: tar,
        count: 0,
    });
    let mut members: Vec<Member> = Vec::new();
    let (mut expected_bytes, mut kept) = (END, 0);
    // Raw: headers of extensions are entries like any other, to be refused, and nothing is read on their behalf.
    for (index, entry) in archive.entries()?.raw(true).enumerate() {
        if index == MOST_FILES {
            let expected = format!("at most {MOST_FILES} files");
            return Err(ArchiveError::entry(index, "file", expected, "more"));
        }
        let mut entry = entry?;
        let (path, size) = path_and_size(index, entry.header())?;
        if let Some(last) = members.last()
            && last.path >= path
        {
            let expected = format!("one after {:?}", last.path);
            return Err(ArchiveError::entry(
                index,
                "path",
                expected,
                format!("{path:?}"),
            ));
        }
        expected_bytes += BLOCK + size.next_multiple_of(BLOCK);
        if expected_bytes > MOST_BYTES {
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
        members.push(read_member(
            index,
            &mut entry,
            path,
            size,
            longest.is_some(),
        )?);
    }
    // After the first block of zeros the reader stops; what is left must be the second, and nothing more.
    let mut rest = archive.into_inner();
    let mut end = Vec::new();
    rest.by_ref().take(END + 1).read_to_end(&mut end)?;
    if rest.count != expected_bytes || end.iter().any(|byte| *byte != 0) {
        return Err(ArchiveError::content(
            "archive",
            "end",
            format!("two blocks of zeros, {expected_bytes} bytes in all"),
            format!("another end, after {} bytes", rest.count),
        ));
    }
    Ok(members)
}

/// What a header says, if it says nothing else.
fn path_and_size(index: usize, found: &tar::Header) -> Result<(String, u64), ArchiveError> {
    let name = found.path_bytes();
    let shown = || format!("{:?}", String::from_utf8_lossy(&name));
    let path = std::str::from_utf8(&name)
        .ok()
        .and_then(|name| name.strip_prefix(ROOT)?.strip_prefix('/'))
        .ok_or_else(|| ArchiveError::entry(index, "path", format!("one below {ROOT}/"), shown()))?;
    check_path(path).map_err(|expected| ArchiveError::entry(index, "path", expected, shown()))?;
    let size = found.entry_size()?;
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

/// Counts what is read.
struct Counted<R> {
    inner: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}
