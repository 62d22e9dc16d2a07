//! Pictures as files: a file appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::PlotError;
use super::figure::Figure;

/// The files of one picture, drawn but not yet written.
pub(super) struct Drawn {
    files: Vec<(String, Vec<u8>)>,
}

/// Draws a picture as `NAME.png` and `NAME.svg`, in memory, with its data as `.csv` and `.json` if asked for.
pub(super) fn draw(figure: &Figure, with_data: bool) -> Result<Drawn, PlotError> {
    let name = &figure.name;
    let mut drawn = draw_picture(name, figure.png()?, figure.svg()?);
    if with_data {
        for (name, data) in figure.data() {
            drawn
                .files
                .push((format!("{name}.csv"), data.to_csv()?.into_bytes()));
            drawn
                .files
                .push((format!("{name}.json"), data.to_json().into_bytes()));
        }
    }
    Ok(drawn)
}

/// The two files of a picture.
pub(super) fn draw_picture(name: &str, png: Vec<u8>, svg: String) -> Drawn {
    Drawn {
        files: vec![
            (format!("{name}.png"), png),
            (format!("{name}.svg"), svg.into_bytes()),
        ],
    }
}

/// Writes pictures to `dir`, which is made if it does not exist, and returns the paths.
pub(super) fn write(pictures: Vec<Drawn>, dir: &Path) -> Result<Vec<PathBuf>, PlotError> {
    fs::create_dir_all(dir).map_err(refused(dir, "create the directory"))?;
    let mut paths = Vec::new();
    for (name, bytes) in pictures.iter().flat_map(|drawn| &drawn.files) {
        let path = dir.join(name);
        write_whole(&path, dir, name, bytes)?;
        paths.push(path);
    }
    Ok(paths)
}

/// Writes to a file of another name beside `path` and then renames it.
fn write_whole(path: &Path, dir: &Path, name: &str, bytes: &[u8]) -> Result<(), PlotError> {
    // The process id keeps two runs that draw into one directory apart.
    let partial = dir.join(format!(".{name}.{}.partial", std::process::id()));
    let written = File::create(&partial)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        // What matters is the first error; a leftover that cannot be removed is hidden and never read.
        let _ = fs::remove_file(&partial);
        refused(path, "write the file")(error)
    })
}

fn refused(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> PlotError {
    let path = path.to_owned();
    move |source| PlotError::Write {
        path,
        action,
        source,
    }
}

/// Checks that the name of a function can be that of a file, in any directory and on any system.
pub(super) fn check_name(name: &str) -> Result<(), PlotError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(PlotError::Name {
            name: name.to_owned(),
        });
    }
    Ok(())
}
