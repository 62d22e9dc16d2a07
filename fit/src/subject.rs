//! What functions a request asks for: entries of the catalogue, or made of its expressions.

use std::borrow::Cow;

use actforge_reference::{CatalogueEntry, DefineError, Definition, expression_ids, lookup};
use actforge_tables::{DefinitionNotes, LimitNotes};

use crate::error::FitError;
use crate::request::FunctionRequest;

/// The entries of all functions, in order. Those by expression get the ids that are set apart for them, in order, too.
pub(crate) fn entries(
    requests: &[FunctionRequest],
) -> Result<Vec<Cow<'static, CatalogueEntry>>, FitError> {
    let mut ids = expression_ids();
    requests
        .iter()
        .map(|request| resolve(request, &mut ids))
        .collect()
}

/// The entry of a function alone.
pub(crate) fn entry(request: &FunctionRequest) -> Result<Cow<'static, CatalogueEntry>, FitError> {
    resolve(request, &mut expression_ids())
}

fn resolve(
    request: &FunctionRequest,
    ids: &mut impl Iterator<Item = u8>,
) -> Result<Cow<'static, CatalogueEntry>, FitError> {
    let Some(definition) = &request.definition else {
        return Ok(Cow::Borrowed(lookup(&request.name)?));
    };
    let id = ids.next().ok_or_else(|| DefineError::Ids {
        function: request.name.clone(),
        most: expression_ids().count(),
    })?;
    let entry = CatalogueEntry::define(&request.name, id, definition, request.range)?;
    Ok(Cow::Owned(entry))
}

/// A definition as the manifest keeps it.
pub(crate) fn notes(definition: &Definition) -> DefinitionNotes {
    let bits = |limit: Option<f32>| limit.map(|limit| format!("{:#010x}", limit.to_bits()));
    DefinitionNotes {
        expr: definition.expression.clone(),
        params: definition.params.clone(),
        limits: LimitNotes {
            zero: bits(definition.limits.zero),
            pos_inf: bits(definition.limits.pos_inf),
            neg_inf: bits(definition.limits.neg_inf),
        },
    }
}
