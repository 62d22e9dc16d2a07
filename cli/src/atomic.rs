//! Files that are written as a whole or not at all, and whose place is known to be writable before the work starts.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use actforge_tables::container::{MANIFEST, exchange};

use crate::exit::Failure;
use crate::output::Output;

/// A file to be written later. That there is one means that its place was found to be writable.
#[derive(Debug)]
pub(crate) struct OutputFile {
    place: Place,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// `-`: standard output.
    Stdout,
    /// Written beside, then renamed.
    Regular(PathBuf),
    /// A device or a named pipe: there is nothing to replace.
    Special(PathBuf),
}

impl OutputFile {
    /// Checks that `path` can be written; `-` is standard output.
    ///
    /// Missing parent directories are created when the file is written, not here.
    pub(crate) fn check(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self {
                place: Place::Stdout,
            });
        }
        let place = match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(unwritable(path, "expected a file, found a directory"));
            }
            Ok(found) if !found.is_file() => Place::Special(path.to_owned()),
            // Behind a link the file it points to is replaced, the link stays.
            Ok(_) => {
                Place::Regular(fs::canonicalize(path).map_err(|error| unwritable(path, error))?)
            }
            Err(error) if is_missing(&error) => {
                Place::Regular(std::path::absolute(path).map_err(|error| unwritable(path, error))?)
            }
            Err(error) => return Err(unwritable(path, error)),
        };
        if let Place::Regular(file) = &place {
            probe(path, &nearest_directory(path, parent(file))?)?;
        }
        Ok(Self { place })
    }

    /// Refuses to replace `input`, which the command reads.
    pub(crate) fn check_apart(&self, input: &Path) -> Result<(), Failure> {
        match &self.place {
            Place::Regular(path) if real(path) == real(input) => Err(Failure::usage(
                format!(
                    "{}: would be replaced by an output of the command that reads it",
                    input.display()
                ),
                "give the output a file of its own",
            )),
            _ => Ok(()),
        }
    }

    /// Whether this is standard output, so that nothing else should go there.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.place, Place::Stdout)
    }

    /// Writes the file. When that fails, an earlier file is as it was.
    pub(crate) fn write(&self, bytes: &[u8], output: &mut Output) -> Result<(), Failure> {
        match &self.place {
            Place::Stdout => output.text(bytes),
            Place::Regular(path) => replace(path, bytes).map_err(|error| unwritable(path, error)),
            Place::Special(path) => {
                let written = File::options()
                    .write(true)
                    .open(path)
                    .and_then(|mut file| file.write_all(bytes));
                written.map_err(|error| unwritable(path, error))
            }
        }
    }
}

/// Checks the optional files of a command together.
pub(crate) fn check_all<const N: usize>(
    paths: [Option<&Path>; N],
) -> Result<[Option<OutputFile>; N], Failure> {
    let mut files = [const { None }; N];
    for (file, path) in files.iter_mut().zip(paths) {
        *file = path.map(OutputFile::check).transpose()?;
    }
    let mut taken = BTreeSet::new();
    for file in files.iter().flatten() {
        if let Place::Regular(path) = &file.place
            && !taken.insert(real(path))
        {
            return Err(Failure::usage(
                format!("{}: two outputs of one command", path.display()),
                "give each output a file of its own",
            ));
        }
    }
    Ok(files)
}

/// Checks that a set can be written as directory `path`: it is new, empty, or a set, which is replaced as a whole.
pub(crate) fn check_set_directory(path: &Path) -> Result<(), Failure> {
    check_is_no_stdout(path)?;
    match fs::metadata(path) {
        Err(error) if is_missing(&error) => {
            return probe(path, &nearest_directory(path, parent(path))?);
        }
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(unwritable(path, "expected a directory, found a file")),
        Err(error) => return Err(unwritable(path, error)),
    }
    let mut entries = fs::read_dir(path).map_err(|error| unwritable(path, error))?;
    if entries.next().is_some() && !path.join(MANIFEST).is_file() {
        let message = format!(
            "{}: expected an empty directory or a function set to replace, found other files and no {MANIFEST}",
            path.display()
        );
        return Err(Failure::invalid(
            message,
            "give the set a directory of its own",
        ));
    }
    // The new set is made beside the old one.
    check_beside(path)
}

/// Checks that files can be written beside what is at `path`, behind a link beside what it leads to.
pub(crate) fn check_beside(path: &Path) -> Result<(), Failure> {
    let real = fs::canonicalize(path).map_err(|error| unwritable(path, error))?;
    probe(path, parent(&real))
}

/// Checks that files can be written in directory `path`, which need not exist yet.
pub(crate) fn check_directory(path: &Path) -> Result<(), Failure> {
    check_is_no_stdout(path)?;
    probe(path, &nearest_directory(path, path)?)
}

/// Refuses `-` as a directory: whoever writes it means standard output, as for files.
fn check_is_no_stdout(path: &Path) -> Result<(), Failure> {
    if path != Path::new("-") {
        return Ok(());
    }
    Err(Failure::usage(
        "-: expected a directory, and standard output is none",
        "give the directory a name; `./-` is one that is called `-`",
    ))
}

/// Writes files, given by their paths below it, as directory `path`, which is new or empty. It appears with all of them
/// or not at all.
pub(crate) fn new_directory<'f>(
    path: &Path,
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        // Behind a link the directory itself is replaced, the link stays.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        fs::create_dir_all(parent(&path))?;
        let made = directory_builder().tempdir_in(parent(&path))?;
        write_files(made.path(), files)?;
        fs::rename(made.path(), &path)
    };
    write().map_err(|error| unwritable(path, error))
}

/// The same in place of a directory that is there and need not be empty.
pub(crate) fn replace_directory<'f>(
    path: &Path,
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        let path = fs::canonicalize(path)?;
        let made = directory_builder().tempdir_in(parent(&path))?;
        write_files(made.path(), files)?;
        // What stood there goes where the new files were made, and is removed with that.
        exchange(made.path(), &path)
    };
    write().map_err(|error| unwritable(path, error))
}

/// Writes files, given by their paths below it, into a new directory.
fn write_files<'f>(
    directory: &Path,
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
) -> io::Result<()> {
    for (name, bytes) in files {
        let place = directory.join(name);
        fs::create_dir_all(parent(&place))?;
        let mut file = File::create_new(&place)?;
        file.write_all(bytes)?;
        file.sync_all()?;
    }
    Ok(())
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = parent(path);
    fs::create_dir_all(directory)?;
    let mut file = temporary().tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// A temporary file that gets the permissions of an ordinary new file.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".actforge-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The process's umask applies, as to every new file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// A temporary directory that gets the permissions of an ordinary new one.
fn directory_builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".actforge-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder
}

/// What tells a file from others, however it is named: the way to it without links, as far as there is one.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| {
        let directory = fs::canonicalize(parent(path)).unwrap_or_else(|_| parent(path).to_owned());
        directory.join(path.file_name().unwrap_or_default())
    })
}

/// The directory that `path` lies in; the current one for a bare name.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Whether there is nothing, possibly because a part of the path is no directory.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// `directory`, or the nearest one above it that exists.
fn nearest_directory(path: &Path, directory: &Path) -> Result<PathBuf, Failure> {
    let mut directory = directory;
    loop {
        match fs::metadata(directory) {
            Ok(found) if found.is_dir() => return Ok(directory.to_owned()),
            Ok(_) => {
                let found = format!(
                    "expected {} to be a directory, found a file",
                    directory.display()
                );
                return Err(unwritable(path, found));
            }
            Err(error) if is_missing(&error) => directory = parent(directory),
            Err(error) => return Err(unwritable(path, error)),
        }
    }
}

/// Makes and removes a file: no other question gets a reliable answer.
fn probe(path: &Path, directory: &Path) -> Result<(), Failure> {
    temporary()
        .tempfile_in(directory)
        .map(drop)
        .map_err(|error| {
            // tempfile adds its own path to the error, which only distracts.
            let cause = error
                .get_ref()
                .and_then(|inner| inner.source())
                .map_or_else(|| error.to_string(), ToString::to_string);
            unwritable(
                path,
                format!("no file can be made in {}: {cause}", directory.display()),
            )
        })
}

fn unwritable(path: &Path, cause: impl std::fmt::Display) -> Failure {
    let message = format!("{}: cannot be written: {cause}", path.display());
    Failure::invalid(
        message,
        "choose another place for the output; nothing was written",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_leaves_nothing_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/report.json");
        let mut output = Output::stdout();
        for text in ["first", "second"] {
            let file = OutputFile::check(&path).unwrap();
            file.write(text.as_bytes(), &mut output).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(parent(&path)).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_appears_with_all_its_files_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/export");
        let files = [("a.bin", b"1".as_slice()), ("below/b.json", b"2")];
        new_directory(&path, files).unwrap();
        assert_eq!(fs::read(path.join("below/b.json")).unwrap(), b"2");
        // A name that cannot be made: nothing stays behind.
        let failed = directory.path().join("new/other");
        let twice = [("a.bin", b"1".as_slice()), ("a.bin", b"2")];
        assert!(new_directory(&failed, twice).is_err());
        let parent = directory.path().join("new");
        assert_eq!(fs::read_dir(parent).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_is_replaced_with_all_that_is_in_it_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sets");
        new_directory(&path, [("a/old.bin", b"1".as_slice())]).unwrap();
        // A name that cannot be made: all is as it was.
        let twice = [("a.bin", b"1".as_slice()), ("a.bin", b"2")];
        assert!(replace_directory(&path, twice).is_err());
        assert_eq!(fs::read(path.join("a/old.bin")).unwrap(), b"1");
        replace_directory(&path, [("b/new.bin", b"2".as_slice())]).unwrap();
        assert_eq!(fs::read(path.join("b/new.bin")).unwrap(), b"2");
        assert!(!path.join("a").exists());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn no_two_outputs_share_a_file_and_none_is_an_input() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        fs::create_dir(place("below")).unwrap();
        let same = [place("new"), place("below/../new")];
        let failure = check_all([Some(same[0].as_path()), Some(same[1].as_path())]).unwrap_err();
        assert!(
            failure.message.ends_with("two outputs of one command"),
            "{}",
            failure.message
        );
        let null = Path::new("/dev/null");
        let [file, ..] = check_all([Some(same[0].as_path()), Some(null), Some(null)]).unwrap();
        let file = file.unwrap();
        assert!(file.check_apart(&same[1]).is_err());
        file.check_apart(&place("other")).unwrap();
    }

    #[test]
    fn a_directory_is_no_standard_output() {
        for check in [check_directory, check_set_directory] {
            let failure = check(Path::new("-")).unwrap_err();
            assert_eq!(failure.exit, crate::exit::Exit::Usage);
            assert!(failure.hint.contains("./-"), "{}", failure.hint);
        }
    }

    #[test]
    fn checking_writes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/report.json");
        OutputFile::check(&path).unwrap();
        check_directory(&path).unwrap();
        check_set_directory(&path).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn places_that_cannot_be_written_are_found_beforehand() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let below_file = file.join("report.json");
        assert!(OutputFile::check(&below_file).is_err());
        assert!(check_set_directory(&below_file).is_err());
        assert!(check_set_directory(&file).is_err());
        assert!(check_directory(&file).is_err());
        let failure = OutputFile::check(directory.path()).unwrap_err();
        assert!(
            failure
                .message
                .ends_with("expected a file, found a directory"),
            "{}",
            failure.message
        );
        // Files that are no set's are not to be replaced.
        assert!(
            check_set_directory(directory.path())
                .unwrap_err()
                .message
                .contains("no set.json")
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_are_written_in_place() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut output = Output::stdout();
        OutputFile::check(&link)
            .unwrap()
            .write(b"new", &mut output)
            .unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let null = OutputFile::check(Path::new("/dev/null")).unwrap();
        assert!(matches!(null.place, Place::Special(_)));
    }
}
