//! `manifest.json` of a release.

use actforge_tables::{ContainerError, FunctionSet};
use serde::{Deserialize, Serialize};

use super::{
    ArchiveError, BASELINE, BUDGETS, GATE, GATE_REPORTS, GatedBy, MANIFEST, WAIVERS, report_file,
    set_directory,
};

/// The version of this layout; it changes when a field changes its meaning or goes away.
pub const MANIFEST_SCHEMA_VERSION: u32 = 2;

/// What a release is, with every file that it holds beside this one and the list of digests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`MANIFEST_SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of actforge that packed it.
    pub tool_version: String,
    /// The sets, in the order of their names.
    pub sets: Vec<SetRecord>,
    /// What the gate said; none for a release that was not gated.
    pub gate: Option<GateRecord>,
    /// The files, in the order of their paths.
    pub files: Vec<FileRecord>,
}

/// A set of the release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetRecord {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub directory: String,
    /// Its hardware generation.
    pub target: String,
    /// The rounding schedule that its buckets were fitted for.
    pub datapath: String,
    /// The version of actforge that built it.
    pub tool_version: String,
    /// What its `set.json` says of itself; with it all digests of its images are known.
    pub manifest_sha256: String,
    /// SHA-256 of the specification it was built from.
    pub spec_sha256: Option<String>,
    /// Whether it was built again from its specification, with the same bytes, before it was packed.
    pub rebuilt: bool,
    /// Its functions, in the order of their profiles.
    pub functions: Vec<String>,
    /// The file with its replay.
    pub report: String,
}

/// What the gate said, and what it judged by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateRecord {
    /// The file with its result.
    pub file: String,
    /// Its verdict; a release is not packed without it.
    pub passed: bool,
    /// The file of budgets.
    pub budgets: String,
    /// The file of waivers, if there are some besides those among the budgets.
    pub waivers: Option<String>,
    /// What is known of the last release.
    pub baseline: Vec<String>,
    /// Reports that it needed besides those of the sets.
    pub reports: Vec<String>,
}

impl GateRecord {
    /// The record of a gate that passed.
    pub(crate) fn of(by: &GatedBy) -> Self {
        let numbered = |directory: &str, count: usize| {
            let numbers = 1..=count;
            numbers
                .map(|number| format!("{directory}/{number}.json"))
                .collect()
        };
        Self {
            file: GATE.to_owned(),
            passed: true,
            budgets: BUDGETS.to_owned(),
            waivers: by.waivers.as_ref().map(|_| WAIVERS.to_owned()),
            baseline: numbered(BASELINE, by.baseline.len()),
            reports: numbered(GATE_REPORTS, by.reports.len()),
        }
    }

    /// All files of the gate.
    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        [&self.file, &self.budgets]
            .into_iter()
            .chain(&self.waivers)
            .chain(&self.baseline)
            .chain(&self.reports)
    }
}

/// A file of the release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRecord {
    /// Its path below `release/`.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its SHA-256.
    pub sha256: String,
}

impl SetRecord {
    /// The record of a set.
    pub(crate) fn new(set: &FunctionSet, rebuilt: bool) -> Result<Self, ContainerError> {
        Ok(Self {
            name: set.name.clone(),
            directory: set_directory(&set.name),
            target: set.target.as_str().to_owned(),
            datapath: set.datapath.as_str().to_owned(),
            tool_version: set.tool_version.clone(),
            manifest_sha256: set.digest()?,
            spec_sha256: set.spec_hash.clone(),
            rebuilt,
            functions: set
                .functions
                .iter()
                .map(|entry| entry.name.clone())
                .collect(),
            report: report_file(&set.name),
        })
    }
}

impl Manifest {
    /// The one form of the file.
    ///
    /// # Errors
    /// [`ArchiveError::Json`], which does not happen.
    pub fn to_json(&self) -> Result<Vec<u8>, ArchiveError> {
        let mut text = serde_json::to_vec_pretty(self).map_err(refused)?;
        text.push(b'\n');
        Ok(text)
    }

    /// Reads the file, in its one form.
    ///
    /// # Errors
    /// [`ArchiveError::Json`] for other structures, [`ArchiveError::Content`] for other versions and forms.
    pub fn parse(bytes: &[u8]) -> Result<Self, ArchiveError> {
        /// The version first: other versions may have other keys.
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
        }
        let Version { schema_version } = serde_json::from_slice(bytes).map_err(refused)?;
        if schema_version != MANIFEST_SCHEMA_VERSION {
            return Err(ArchiveError::content(
                MANIFEST,
                "schema_version",
                MANIFEST_SCHEMA_VERSION,
                schema_version,
            ));
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(refused)?;
        if manifest.to_json()? != bytes {
            return Err(ArchiveError::content(
                MANIFEST,
                "form",
                "the text that actforge writes",
                "the same keys written in another way",
            ));
        }
        Ok(manifest)
    }

    /// The text of `SHA256SUMS`: the files of the manifest and, in the order of the paths, the manifest itself.
    pub(crate) fn sums(&self, manifest_sha256: &str) -> Vec<u8> {
        let files = self.files.iter();
        let files = files.map(|file| (file.path.as_str(), file.sha256.as_str()));
        let mut lines: Vec<(&str, &str)> = files.chain([(MANIFEST, manifest_sha256)]).collect();
        lines.sort_unstable();
        lines
            .into_iter()
            .flat_map(|(path, digest)| format!("{digest}  {path}\n").into_bytes())
            .collect()
    }
}

fn refused(source: serde_json::Error) -> ArchiveError {
    ArchiveError::Json {
        file: MANIFEST.to_owned(),
        source,
    }
}
