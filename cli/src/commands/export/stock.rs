//! `--format stock`

use actforge_tables::FunctionSet;
use actforge_tables::stock::{StockError, stock_files};

use super::files::ExportFile;
use crate::exit::Failure;

/// The files of a stock directory with these sets.
pub(super) fn files(sets: &[FunctionSet]) -> Result<Vec<ExportFile>, Failure> {
    let files = stock_files(sets).map_err(|error| match error {
        StockError::Layout { .. } => Failure::failed(
            error,
            "build the set with `--target stock-trainium` or `--target stock-with-ln`",
        ),
        error => Failure::internal(error),
    })?;
    Ok(files
        .into_iter()
        .map(|file| ExportFile::new(file.path, file.bytes))
        .collect())
}
