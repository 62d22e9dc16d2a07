//! The archive of a release: sets, what was measured of them, and a manifest that accounts for every byte.
//!
//! An archive is a tar file in one zstd frame, and has one form only: the same content gives the same bytes, and
//! whatever is not in that form is refused, so a reader has nothing to interpret. Files come in the order of their
//! paths; the header of each says its path and its size and nothing of the machine that packed it.
//!
//! ```text
//! release/SHA256SUMS           every other file, for sha256sum --check
//! release/gate.json            the result of the gate, if the release was gated
//! release/gate/...             what it was judged by: budgets.toml, waivers.toml, baseline/N.json, reports/N.json
//! release/manifest.json        what the release is: Manifest
//! release/report.html          the page of the sets
//! release/reports/NAME.json    the replay of each set
//! release/sets/NAME/...        the files of each set
//! ```

mod content;
mod error;
mod manifest;
mod pack;
mod unpack;
mod verdict;

#[cfg(test)]
mod tests;

pub(crate) use content::check_report;
pub use content::{Release, ReleasedSet};
pub use error::ArchiveError;
pub use manifest::{FileRecord, GateRecord, MANIFEST_SCHEMA_VERSION, Manifest, SetRecord};
pub use pack::{pack, tar_bytes};
pub use unpack::{Member, read_archive, read_tar};
pub use verdict::GatedBy;

use actforge_reports::Report;

/// All files of an archive lie below this directory.
pub const ROOT: &str = "release";

/// The most files that an archive may hold.
pub const MOST_FILES: usize = 4096;

/// The most bytes that the files of an archive may hold together, unpacked.
pub const MOST_BYTES: u64 = 1 << 30;

/// The most bytes of the files that are kept in memory while an archive is checked: sets and texts about them.
pub const MOST_KEPT: u64 = 256 << 20;

/// Binary logarithm of the memory that unpacking may need, in bytes: what the compression level of [`pack`] asks for.
const WINDOW_LOG: u32 = 23;

/// The path of a file of the release, below [`ROOT`].
pub(crate) const SUMS: &str = "SHA256SUMS";
pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const GATE: &str = "gate.json";
pub(crate) const BUDGETS: &str = "gate/budgets.toml";
pub(crate) const WAIVERS: &str = "gate/waivers.toml";
/// The directory of what is known of the last release.
pub(crate) const BASELINE: &str = "gate/baseline";
/// The directory of reports that the gate needed besides those of the sets.
pub(crate) const GATE_REPORTS: &str = "gate/reports";
pub(crate) const PAGE: &str = "report.html";

/// The directory of a set.
pub(crate) fn set_directory(name: &str) -> String {
    format!("sets/{name}")
}

/// The file with the replay of a set.
pub(crate) fn report_file(name: &str) -> String {
    format!("reports/{name}.json")
}

/// The one form of a report.
fn report_text(path: &str, report: &Report) -> Result<Vec<u8>, ArchiveError> {
    report
        .to_json()
        .map(String::into_bytes)
        .map_err(|source| ArchiveError::Json {
            file: path.to_owned(),
            source,
        })
}

/// Reads a report, in its one form.
fn read_report(path: &str, text: &str) -> Result<Report, ArchiveError> {
    let report = Report::from_json(text).map_err(|source| ArchiveError::Report {
        file: path.to_owned(),
        source: Box::new(source),
    })?;
    if report_text(path, &report)? != text.as_bytes() {
        return Err(ArchiveError::content(
            path,
            "form",
            "the text that actforge writes",
            "the same report written in another way",
        ));
    }
    Ok(report)
}

/// Why `path` cannot be a path of an archive: parts of letters, digits, `_`, `-` and `.`, none of which begins with a
/// dot or a dash, short enough for every tar reader.
pub(crate) fn check_path(path: &str) -> Result<(), &'static str> {
    /// What the name field of a tar header takes.
    const LONGEST: usize = 100;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_part = |part: &str| {
        !part.is_empty() && !part.starts_with(['.', '-']) && part.bytes().all(is_plain)
    };
    if path.len() + ROOT.len() + 1 > LONGEST {
        return Err("a path of at most 100 bytes");
    }
    if !path.split('/').all(is_part) {
        return Err("a path below release/ of plain names");
    }
    Ok(())
}
