//! What it is that a register-image directory was refused for.

use super::Lint;
use crate::container::{ContainerError, file_name};
use crate::set::SetError;
use crate::target::Table;

/// The invariant that a directory of register images fails. Its reader stops at the first
/// fault, since later checks trust earlier ones, so there is one only.
pub fn lint_of_container_error(error: &ContainerError) -> Lint {
    match error {
        ContainerError::Io { .. } | ContainerError::NotASet { .. } => Lint::FileMissing,
        ContainerError::Json { .. } => Lint::JsonStructure,
        ContainerError::Entry { file, .. } if *file == file_name(Table::Control) => {
            Lint::ControlReserved
        }
        ContainerError::Entry { file, .. } if *file == file_name(Table::Bucket) => {
            Lint::BucketReserved
        }
        ContainerError::Entry { .. } => Lint::ProfileField,
        ContainerError::Set(SetError::Capacity { .. }) => Lint::Capacity,
        ContainerError::Set(_) => Lint::SetValid,
        ContainerError::Content { file, field, .. } => match (*file, field.as_str()) {
            (_, "SHA-256") => Lint::Digest,
            (_, "length" | "stride" | "padding to 64 bytes")
                if *file == file_name(Table::Control) =>
            {
                Lint::ControlCount
            }
            (_, "length" | "padding to 64 bytes") => Lint::BucketCount,
            _ => Lint::JsonStructure,
        },
    }
}
