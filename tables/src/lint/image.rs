//! What it is that a set was refused for, and where.

use super::{Findings, Lint};
use crate::container::{ContainerError, MANIFEST, file_name};
use crate::set::SetError;
use crate::target::Table;

impl Findings {
    /// Adds what a directory of register images was refused for. Its reader stops at the first fault, since later checks
    /// trust earlier ones, so there is one only.
    pub fn add_container_error(&mut self, error: &ContainerError) {
        match error {
            ContainerError::Io { path, source, .. } => {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let expected = "one that can be read";
                self.add(Lint::FileMissing, &file, "file", expected, source);
            }
            ContainerError::NotASet { .. } => {
                self.add(Lint::FileMissing, MANIFEST, "file", "a file", "none");
            }
            ContainerError::TooLong { file, longest } => {
                let expected = format!("at most {longest} bytes");
                self.add(Lint::FileTooLong, file, "length", expected, "more");
            }
            ContainerError::Json { file, source } => {
                let expected = "a value of its type";
                self.add(Lint::JsonStructure, file, ".", expected, source);
            }
            ContainerError::Entry {
                file,
                index,
                source,
            } => {
                let lint = Table::ALL
                    .into_iter()
                    .find(|table| file_name(*table) == *file)
                    .map_or(Lint::SetValid, lint_of_entry);
                let key = format!("entry {index}");
                self.add(lint, file, key, "an entry of the format", source);
            }
            ContainerError::Content {
                file,
                field,
                expected,
                found,
            } => {
                let is_image = Table::ALL.iter().any(|table| file_name(*table) == *file);
                let lint = match field.as_str() {
                    "SHA-256" => Lint::Digest,
                    field if field.ends_with(".entries") => Lint::Capacity,
                    _ if is_image => Lint::ImageLength,
                    _ => Lint::JsonStructure,
                };
                self.add(lint, file, field, expected, found);
            }
            ContainerError::Set(error) => self.add_set_error(MANIFEST, error),
        }
    }

    /// Adds why the parts of a set do not fit together. `file` is where that is said to be.
    pub(crate) fn add_set_error(&mut self, file: &str, error: &SetError) {
        match error {
            SetError::Capacity {
                table,
                target,
                needed,
                capacity,
            } => {
                let key = format!("entries of {table}");
                let expected = format!("at most {capacity}, what target {target} holds");
                self.add(Lint::Capacity, file, key, expected, needed);
            }
            SetError::Selector {
                profile,
                field,
                found,
            } => {
                let key = format!("profile {profile}: {field}");
                self.add(Lint::Selectors, file, key, "0 or 1", found);
            }
            SetError::Set {
                field,
                expected,
                found,
            } => self.add(Lint::SetValid, file, field, expected, found),
            SetError::Function {
                function,
                field,
                expected,
                found,
            } => {
                let key = format!("{function}: {field}");
                self.add(Lint::SetValid, file, key, expected, found);
            }
            SetError::Entry {
                table,
                index,
                source,
            } => {
                let key = format!("{table} entry {index}");
                let expected = "an entry of the format";
                self.add(lint_of_entry(*table), file, key, expected, source);
            }
        }
    }
}

/// The invariant that an entry fails which is none of the format.
fn lint_of_entry(table: Table) -> Lint {
    match table {
        Table::Cam => Lint::CamReserved,
        Table::Profile => Lint::ProfileField,
        Table::Control => Lint::ControlReserved,
        Table::Bucket => Lint::BucketReserved,
    }
}
