//! One set, verified: its invariants, and whether its specification gives it again.

use std::path::{Path, PathBuf};

use actforge_reports::gate::shell_word;
use actforge_tables::FunctionSet;
use actforge_tables::container::{Difference, SPEC};
use serde::Serialize;

use crate::archive::{ROOT, set_directory};
use crate::commands::{build, lint};
use crate::exit::Failure;
use crate::output::Output;

/// What came of building the set again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Rebuild {
    /// The same bytes.
    Same,
    /// Other bytes.
    Different,
    /// The set records no specification, so nothing shows where it comes from.
    NoSpecification,
    /// It was not asked for.
    Skipped,
}

/// What was found of a set.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct VerifiedSet {
    /// Its name.
    name: String,
    /// Its directory, as the user named it, or its place in an archive.
    path: String,
    passed: bool,
    manifest_sha256: String,
    spec_sha256: Option<String>,
    tool_version: String,
    /// What `actforge lint` says.
    findings: Vec<String>,
    rebuild: Rebuild,
    difference: Option<Differing>,
    /// The archive that it is in.
    #[serde(skip)]
    archive: Option<PathBuf>,
}

/// The first place that is not what the specification gives.
#[derive(Clone, Debug, Serialize)]
struct Differing {
    file: &'static str,
    place: String,
    expected: String,
    found: String,
}

impl From<Difference> for Differing {
    fn from(difference: Difference) -> Self {
        Self {
            file: difference.file,
            place: difference.place,
            expected: difference.expected,
            found: difference.found,
        }
    }
}

/// Verifies a set that could be read, so that its digests are right.
pub(crate) fn verify_set(
    path: &str,
    set: &FunctionSet,
    may_rebuild: bool,
) -> Result<VerifiedSet, Failure> {
    let findings = lint::findings(set);
    let findings: Vec<String> = findings.all().iter().map(ToString::to_string).collect();
    let (rebuild, difference) = match &set.spec {
        _ if !may_rebuild => (Rebuild::Skipped, None),
        None => (Rebuild::NoSpecification, None),
        Some(spec) => {
            let mut built = build::rebuild(path, set, spec)?;
            // Which version did it is no difference, if the bytes are the same.
            built.tool_version.clone_from(&set.tool_version);
            let difference = built.first_difference(set).map_err(Failure::internal)?;
            match difference {
                Some(difference) => (Rebuild::Different, Some(difference.into())),
                None => (Rebuild::Same, None),
            }
        }
    };
    Ok(VerifiedSet {
        name: set.name.clone(),
        path: path.to_owned(),
        passed: findings.is_empty() && matches!(rebuild, Rebuild::Same | Rebuild::Skipped),
        manifest_sha256: set.digest().map_err(Failure::internal)?,
        spec_sha256: set.spec_hash.clone(),
        tool_version: set.tool_version.clone(),
        findings,
        rebuild,
        difference,
        archive: None,
    })
}

impl VerifiedSet {
    /// The same of a set that is in an archive.
    pub(super) fn in_archive(self, archive: &Path) -> Self {
        Self {
            archive: Some(archive.to_owned()),
            ..self
        }
    }

    pub(crate) fn passed(&self) -> bool {
        self.passed
    }

    pub(crate) fn is_rebuilt(&self) -> bool {
        self.rebuild == Rebuild::Same
    }

    /// The verdict, and for a set that fails why and how to see it again.
    pub(crate) fn show(&self, output: &mut Output) -> Result<(), Failure> {
        let Self { path, name, .. } = self;
        for finding in &self.findings {
            output.line(format!("FAIL  {path}: {finding}"))?;
        }
        match (&self.rebuild, &self.difference) {
            (Rebuild::Different, Some(at)) => {
                output.line(format!(
                    "FAIL  {path}: set {name} is not what its specification gives: {}: {}: expected {}, found {}",
                    at.file, at.place, at.expected, at.found
                ))?;
                let ours = env!("CARGO_PKG_VERSION");
                if self.tool_version != ours {
                    output.line(format!(
                        "      it was built by actforge {}, this is {ours}: build that version to tell which of both it is",
                        self.tool_version
                    ))?;
                }
                let (unpack, directory) = match &self.archive {
                    Some(archive) => {
                        let archive = shell_word(&archive.display().to_string());
                        let directory = format!("{ROOT}/{}", set_directory(name));
                        (format!("tar xf {archive} && "), directory)
                    }
                    None => (String::new(), path.clone()),
                };
                let spec = shell_word(&format!("{directory}/{SPEC}"));
                let directory = shell_word(&directory);
                output.line(format!(
                    "      reproduce {unpack}actforge build {spec} -o rebuilt && actforge diff rebuilt {directory}"
                ))?;
            }
            (Rebuild::NoSpecification, _) => {
                output.line(format!(
                    "FAIL  {path}: set {name} has no {SPEC}: there is nothing to build it from (--no-rebuild checks digests alone)"
                ))?;
            }
            _ if !self.passed => {}
            (Rebuild::Skipped, _) => {
                output.line(format!(
                    "PASS  {path}: set {name}: all digests are right; not built again"
                ))?;
            }
            _ => {
                output.line(format!(
                    "PASS  {path}: set {name}: all digests are right; its specification gives the same bytes"
                ))?;
            }
        }
        Ok(())
    }
}
