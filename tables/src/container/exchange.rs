//! Two directories that change places, so that whoever looks sees one of the two and never nothing.

use std::fs;
use std::io;
use std::path::Path;

/// Lets two directories in one parent change places: what is made in `new` stands at `place`, and what stood there is in
/// `new`. On Linux, where the file system can do it (most can), it is one step, and a process killed at any moment leaves
/// both whole. Elsewhere there are moments with nothing at `place`; a process killed then leaves what stood there beside
/// `new`, under its name with `.old` behind it.
///
/// # Errors
/// What the system refuses; both are then as they were. If not even that is possible, the error says where the
/// content of `place` is.
pub fn exchange(new: &Path, place: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE) {
            // An old kernel or a file system without it.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            exchanged => return Ok(exchanged?),
        }
    }
    in_steps(new, place)
}

fn in_steps(new: &Path, place: &Path) -> io::Result<()> {
    let name = new.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut aside = name.to_owned();
    aside.push(".old");
    let aside = new.with_file_name(aside);
    // Onto an empty directory of our own, so that nothing of somebody else is taken for it.
    fs::create_dir(&aside)?;
    if let Err(error) = fs::rename(place, &aside) {
        fs::remove_dir(&aside)?;
        return Err(error);
    }
    if let Err(error) = fs::rename(new, place) {
        return Err(match fs::rename(&aside, place) {
            Ok(()) => error,
            Err(_) => io::Error::other(format!(
                "{error}; the earlier content is in {}",
                aside.display()
            )),
        });
    }
    fs::rename(&aside, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("a directory");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("readable").file_name())
            .map(|name| name.into_string().expect("text"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn both_are_whole_afterwards() {
        for exchange in [exchange, in_steps] {
            let parent = tempfile::tempdir().expect("a directory");
            let [new, place] = ["new", "place"].map(|name| parent.path().join(name));
            for (dir, files) in [(&new, ["a", "b"]), (&place, ["b", "c"])] {
                fs::create_dir(dir).expect("made");
                for file in files {
                    fs::write(dir.join(file), file).expect("written");
                }
            }
            exchange(&new, &place).expect("exchanged");
            assert_eq!(content(&place), ["a", "b"]);
            assert_eq!(content(&new), ["b", "c"]);
            assert_eq!(content(parent.path()), ["new", "place"]);
        }
    }

    #[test]
    fn what_cannot_be_exchanged_stays() {
        for exchange in [exchange, in_steps] {
            let parent = tempfile::tempdir().expect("a directory");
            let [new, place] = ["new", "place"].map(|name| parent.path().join(name));
            fs::create_dir(&place).expect("made");
            fs::write(place.join("a"), "a").expect("written");
            assert!(exchange(&new, &place).is_err(), "there is no new directory");
            assert_eq!(content(&place), ["a"]);
            assert!(exchange(&place, &new).is_err(), "there is no old directory");
            assert_eq!(content(&place), ["a"]);
            assert_eq!(content(parent.path()), ["place"]);
        }
    }
}
