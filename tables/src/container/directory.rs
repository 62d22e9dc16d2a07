//! Sets as directories: replaced as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{Blobs, ContainerError, DMA, FILES, MANIFEST, SPEC, exchange, file_name, longest};
use crate::set::FunctionSet;
use crate::target::Table;

impl FunctionSet {
    /// Writes the set as the directory `dir`: new, in place of an empty one, or in place
    /// of an earlier set, whose files it replaces together. Files in `dir` that are not
    /// a set's stay there. Missing parents are created.
    ///
    /// The files are first written to a sibling directory, which then takes the place of
    /// `dir`. When writing fails, `dir` is as it was. So the parent must be writable, and
    /// `dir` must not be a mount point. A process that is killed leaves a whole set, as
    /// [`exchange`] says.
    ///
    /// # Errors
    /// As [`FunctionSet::to_blobs`]; [`ContainerError::NotASet`] if `dir` holds files but
    /// no set; [`ContainerError::Io`] if the system refuses.
    pub fn write_dir(&self, dir: &Path) -> Result<(), ContainerError> {
        let blobs = self.to_blobs()?;
        // The directory itself, not a link to it, takes part in the exchange.
        let dir = match fs::canonicalize(dir) {
            Ok(existing) => existing,
            Err(error) if error.kind() == io::ErrorKind::NotFound => dir.to_owned(),
            Err(error) => return Err(refused(dir, "open the directory")(error)),
        };
        let replaced = is_replaceable(&dir)?;
        let parent = match dir.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(refused(parent, "create the directory"))?;
        let new = Sibling::create(&dir)?;
        for (file, bytes) in blobs.files() {
            let path = new.path.join(file);
            let write = || {
                let mut file = File::create_new(&path)?;
                file.write_all(bytes)?;
                file.sync_all()
            };
            write().map_err(refused(&path, "write the file"))?;
        }
        if !replaced {
            return fs::rename(&new.path, &dir).map_err(refused(&dir, "put the set there"));
        }
        exchange(&new.path, &dir).map_err(refused(&dir, "put the set there"))?;
        // From here on the new set is in place, and `new` holds the earlier one. What does not belong to a set moves over.
        keep_foreign_files(&new.path, &dir).map_err(|error| {
            let path = new.keep();
            refused(&path, "move the other files back from here")(error)
        })
    }

    /// Reads the set in the directory `dir`. Other files there are of no concern.
    ///
    /// # Errors
    /// [`ContainerError::Io`] for a missing or unreadable file; otherwise as
    /// [`FunctionSet::from_blobs`].
    pub fn read_dir(dir: &Path) -> Result<Self, ContainerError> {
        Self::from_blobs(&Blobs::read_dir(dir)?)
    }
}

impl Blobs {
    /// Reads the files in directory `dir`, as long as they may be, without a look into them.
    ///
    /// # Errors
    /// [`ContainerError::Io`] for a missing or unreadable file, [`ContainerError::Content`] for one that is too long.
    pub fn read_dir(dir: &Path) -> Result<Self, ContainerError> {
        let mut blobs = Self {
            manifest: read(dir, MANIFEST)?,
            ..Self::default()
        };
        for table in Table::ALL {
            *blobs.table_mut(table) = read(dir, file_name(table))?;
        }
        blobs.dma = read(dir, DMA)?;
        // A link to nowhere is a fault, nothing at all is none.
        if fs::symlink_metadata(dir.join(SPEC)).is_ok() {
            blobs.spec = Some(read(dir, SPEC)?);
        }
        Ok(blobs)
    }

    /// Each file's name and content, the manifest last: what is written in this order is no set before it is whole.
    pub fn files(&self) -> Vec<(&'static str, &[u8])> {
        let mut files: Vec<(&'static str, &[u8])> = Table::ALL
            .map(|table| (file_name(table), self.table(table)))
            .to_vec();
        files.extend(self.spec.as_deref().map(|spec| (SPEC, spec)));
        files.extend([(DMA, self.dma.as_slice()), (MANIFEST, &self.manifest)]);
        files
    }
}

fn refused<'a>(
    path: &'a Path,
    action: &'static str,
) -> impl FnOnce(io::Error) -> ContainerError + use<'a> {
    move |source| ContainerError::Io {
        path: path.to_owned(),
        action,
        source,
    }
}

/// Reads a file, however long it claims or turns out to be.
fn read(dir: &Path, file: &'static str) -> Result<Vec<u8>, ContainerError> {
    let longest = longest(file);
    let path = dir.join(file);
    let metadata = fs::metadata(&path).map_err(refused(&path, "read the file"))?;
    if !metadata.is_file() {
        return Err(ContainerError::content(
            file,
            "type",
            "a regular file",
            "something else",
        ));
    }
    let mut bytes = Vec::new();
    File::open(&path)
        .and_then(|file| file.take(longest as u64 + 1).read_to_end(&mut bytes))
        .map_err(refused(&path, "read the file"))?;
    if bytes.len() > longest {
        return Err(ContainerError::TooLong { file, longest });
    }
    Ok(bytes)
}

/// Whether there is a directory that may be replaced; an error if something else is there.
fn is_replaceable(dir: &Path) -> Result<bool, ContainerError> {
    let mut entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(refused(dir, "open the directory")(error)),
    };
    if entries.next().is_some() && !dir.join(MANIFEST).is_file() {
        return Err(ContainerError::NotASet {
            path: dir.to_owned(),
        });
    }
    Ok(true)
}

fn keep_foreign_files(old: &Path, dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(old)? {
        let name = entry?.file_name();
        if !FILES.iter().any(|file| name == *file) {
            fs::rename(old.join(&name), dir.join(&name))?;
        }
    }
    Ok(())
}

/// A directory next to another one; removed with all that is in it unless kept or moved.
struct Sibling {
    path: PathBuf,
}

impl Sibling {
    fn create(dir: &Path) -> Result<Self, ContainerError> {
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        let process = std::process::id();
        let mut attempt = 0_u32;
        loop {
            let path = dir.with_file_name(format!(".{name}.new-{process}-{attempt}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                // Left over from a process that was killed, or made by another thread.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {
                    attempt += 1;
                }
                Err(error) => return Err(refused(&path, "create the directory")(error)),
            }
        }
    }

    /// Leaves the directory where it is.
    fn keep(mut self) -> PathBuf {
        std::mem::take(&mut self.path)
    }
}

impl Drop for Sibling {
    fn drop(&mut self) {
        if self.path != Path::new("") {
            // Moved away as a rule, then there is nothing to remove. The manifest goes first: what is left of a
            // process that is killed here is no set.
            let _ = fs::remove_file(self.path.join(MANIFEST));
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
