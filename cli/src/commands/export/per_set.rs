//! The forms that are made of one set at a time: `c`, `memh`, `npy`, `json` and `vectors`.

use std::collections::BTreeMap;

use actforge_reports::vectors::{VectorsError, vectors_csv};
use actforge_tables::export::{self, ExportError, identifier};
use actforge_tables::{Datapath, FunctionSet};

use super::files::ExportFile;
use crate::exit::Failure;

/// What one set becomes.
pub(super) type Form = fn(&FunctionSet) -> Result<Vec<export::ExportFile>, ExportError>;

/// The files of all sets together. Sets share the files that do not depend on them.
pub(super) fn files(sets: &[FunctionSet], form: Form) -> Result<Vec<ExportFile>, Failure> {
    let mut all: Vec<export::ExportFile> = Vec::new();
    for set in sets {
        let files =
            form(set).map_err(|error| Failure::internal(format!("{}: {error}", set.name)))?;
        all.extend(files);
    }
    join(all)
}

/// The vectors of all sets, one file each.
pub(super) fn vectors(
    sets: &[FunctionSet],
    datapath: Option<Datapath>,
) -> Result<Vec<ExportFile>, Failure> {
    let files = sets.iter().map(|set| {
        let text = vectors_csv(set, datapath).map_err(|error| {
            let message = format!("{}: {error}", set.name);
            match error {
                VectorsError::Engine { .. } => {
                    Failure::invalid(message, "the set is damaged; build it again")
                }
                VectorsError::Csv(_) => Failure::internal(message),
            }
        })?;
        Ok(export::ExportFile {
            name: format!("{}_vectors.csv", identifier(&set.name)),
            bytes: text.into_bytes(),
        })
    });
    join(files.collect::<Result<Vec<_>, Failure>>()?)
}

/// Each file once; an error if two sets claim the same name with different content.
fn join(files: Vec<export::ExportFile>) -> Result<Vec<ExportFile>, Failure> {
    let mut joined: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for file in files {
        match joined.get(&file.name) {
            Some(bytes) if *bytes != file.bytes => {
                return Err(Failure::usage(
                    format!("two of the sets become the same file {}", file.name),
                    "export them to directories of their own, or build one under another name (--set-name)",
                ));
            }
            Some(_) => {}
            None => {
                joined.insert(file.name, file.bytes);
            }
        }
    }
    Ok(joined
        .into_iter()
        .map(|(name, bytes)| ExportFile::new(name, bytes))
        .collect())
}
