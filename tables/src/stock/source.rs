//! Where the files of a stock directory come from.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::StockFile;

/// Why a file could not be had.
#[derive(Debug)]
pub(super) enum Unavailable {
    /// It is not there.
    Missing,
    /// It is longer than so many bytes.
    TooLong(usize),
    /// The operating system refused, or it is no file.
    Refused(String),
}

/// The files of a stock directory, by their paths below it.
pub trait StockSource {
    /// At most `longest` bytes of a file; `None` if it is not there. A longer file is cut
    /// off after one byte more.
    ///
    /// # Errors
    /// What the operating system says.
    fn open(&self, path: &str, longest: usize) -> std::io::Result<Option<Vec<u8>>>;
}

/// A directory.
impl StockSource for Path {
    fn open(&self, path: &str, longest: usize) -> std::io::Result<Option<Vec<u8>>> {
        let file = match File::open(self.join(path)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(std::io::Error::other("not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(longest as u64 + 1).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }
}

/// Files in memory.
impl StockSource for [StockFile] {
    fn open(&self, path: &str, longest: usize) -> std::io::Result<Option<Vec<u8>>> {
        let file = self.iter().find(|file| file.path == path);
        Ok(file.map(|file| file.bytes.iter().copied().take(longest + 1).collect()))
    }
}

/// A file as a whole.
pub(super) fn read(
    source: &(impl StockSource + ?Sized),
    path: &str,
    longest: usize,
) -> Result<Vec<u8>, Unavailable> {
    match source.open(path, longest) {
        Ok(Some(bytes)) if bytes.len() > longest => Err(Unavailable::TooLong(longest)),
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Unavailable::Missing),
        Err(error) => Err(Unavailable::Refused(error.to_string())),
    }
}
