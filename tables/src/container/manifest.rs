//! `set.json`: what the set is, whose entries are whose, and the digests.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::text::{json, sha256_hex};
use super::{Blobs, ContainerError, MANIFEST, SPEC};
use crate::function::FunctionNotes;
use crate::set::{FunctionEntry, FunctionSet};
use crate::target::{Table, Target};

/// The version of both JSON files.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// The manifest as it stands in the file, key for key.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    schema_version: u32,
    tool_version: String,
    name: String,
    target: String,
    datapath: String,
    /// SHA-256 of the specification the set was built from.
    spec_sha256: Option<String>,
    tables: Tables,
    functions: Vec<Function>,
    /// SHA-256 of this file with this value empty: any edit shows.
    manifest_sha256: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    cam: Image,
    profile: Image,
    control: Image,
    bucket: Image,
}

/// What the manifest says of one image.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Image {
    pub(super) entries: usize,
    pub(super) sha256: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Function {
    name: String,
    func_id: u8,
    /// Slot in CAM and profile table.
    profile: usize,
    control: Run,
    buckets: Run,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shared_buckets: Vec<Run>,
    saturation: Saturation,
    notes: FunctionNotes,
}

/// A run of entries of a table.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    first: usize,
    count: usize,
}

/// Bucket indices in the order of the PROFILE.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saturation {
    large_pos: usize,
    large_neg: usize,
    small_pos: usize,
    small_neg: usize,
}

impl From<&Range<usize>> for Run {
    fn from(range: &Range<usize>) -> Self {
        Self {
            first: range.start,
            count: range.len(),
        }
    }
}

impl From<Run> for Range<usize> {
    /// A run that ends beyond all numbers ends beyond every table, too.
    fn from(run: Run) -> Self {
        run.first..run.first.saturating_add(run.count)
    }
}

impl Manifest {
    /// Reads the text. Only names and structure are known to be right afterwards.
    pub(super) fn parse(text: &[u8]) -> Result<Self, ContainerError> {
        /// The version first: other versions may have other keys.
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
        }
        let error = |source| ContainerError::Json {
            file: MANIFEST,
            source,
        };
        let Version { schema_version } = serde_json::from_slice(text).map_err(error)?;
        if schema_version != SCHEMA_VERSION {
            return Err(ContainerError::content(
                MANIFEST,
                "schema_version",
                SCHEMA_VERSION,
                schema_version,
            ));
        }
        serde_json::from_slice(text).map_err(error)
    }

    pub(super) const fn table(&self, table: Table) -> &Image {
        match table {
            Table::Cam => &self.tables.cam,
            Table::Profile => &self.tables.profile,
            Table::Control => &self.tables.control,
            Table::Bucket => &self.tables.bucket,
        }
    }

    /// The SHA-256 that the manifest holds of itself, and so of the whole set.
    pub(super) fn digest(self) -> String {
        self.manifest_sha256
    }

    /// The text of the specification, if it is the one that the manifest means.
    pub(super) fn spec_text(&self, bytes: &[u8]) -> Result<String, ContainerError> {
        let expected = self.spec_sha256.as_deref().unwrap_or("no such file");
        let found = sha256_hex(bytes);
        if expected != found {
            return Err(ContainerError::content(SPEC, "SHA-256", expected, found));
        }
        String::from_utf8(bytes.to_vec())
            .map_err(|_| ContainerError::content(SPEC, "text", "UTF-8", "other bytes"))
    }

    /// The set with all it says about itself and with empty tables.
    pub(super) fn empty_set(&self) -> Result<FunctionSet, ContainerError> {
        let target = Target::from_name(&self.target).map_err(|error| {
            ContainerError::content(MANIFEST, "target", error.known(), &self.target)
        })?;
        let datapath = self
            .datapath
            .parse()
            .map_err(|error: crate::UnknownDatapath| {
                ContainerError::content(MANIFEST, "datapath", error.known(), &self.datapath)
            })?;
        Ok(FunctionSet {
            name: self.name.clone(),
            target,
            datapath,
            cam: Vec::new(),
            profiles: Vec::new(),
            control: Vec::new(),
            buckets: Vec::new(),
            functions: self.functions.iter().map(FunctionEntry::from).collect(),
            spec_hash: self.spec_sha256.clone(),
            spec: None,
            tool_version: self.tool_version.clone(),
        })
    }
}

impl From<&Function> for FunctionEntry {
    fn from(function: &Function) -> Self {
        let Saturation {
            large_pos,
            large_neg,
            small_pos,
            small_neg,
        } = function.saturation;
        Self {
            name: function.name.clone(),
            func_id: function.func_id,
            profile: function.profile,
            control: function.control.into(),
            buckets: function.buckets.into(),
            shared: function
                .shared_buckets
                .iter()
                .copied()
                .map(Range::from)
                .collect(),
            saturation: [large_pos, large_neg, small_pos, small_neg],
            notes: function.notes.clone(),
        }
    }
}

impl From<&FunctionEntry> for Function {
    fn from(entry: &FunctionEntry) -> Self {
        let [large_pos, large_neg, small_pos, small_neg] = entry.saturation;
        Self {
            name: entry.name.clone(),
            func_id: entry.func_id,
            profile: entry.profile,
            control: (&entry.control).into(),
            buckets: (&entry.buckets).into(),
            shared_buckets: entry.shared.iter().map(Run::from).collect(),
            saturation: Saturation {
                large_pos,
                large_neg,
                small_pos,
                small_neg,
            },
            notes: entry.notes.clone(),
        }
    }
}

/// The manifest of a set whose images are in `blobs`.
pub(super) fn encode(set: &FunctionSet, blobs: &Blobs) -> Result<Vec<u8>, ContainerError> {
    let image = |table| Image {
        entries: set.entries(table),
        sha256: sha256_hex(blobs.table(table)),
    };
    let mut manifest = Manifest {
        schema_version: SCHEMA_VERSION,
        tool_version: set.tool_version.clone(),
        name: set.name.clone(),
        target: set.target.as_str().to_owned(),
        datapath: set.datapath.as_str().to_owned(),
        spec_sha256: set.spec_hash.clone(),
        tables: Tables {
            cam: image(Table::Cam),
            profile: image(Table::Profile),
            control: image(Table::Control),
            bucket: image(Table::Bucket),
        },
        functions: set.functions.iter().map(Function::from).collect(),
        manifest_sha256: String::new(),
    };
    manifest.manifest_sha256 = sha256_hex(&json(MANIFEST, &manifest)?);
    json(MANIFEST, &manifest)
}
