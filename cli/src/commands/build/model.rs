//! What a model needs, and what of it there is.

use std::path::Path;

use actforge_models::ModelNeeds;
use actforge_reference::lookup;
use actforge_reports::document::quoted;

use crate::commands::models::kind;
use crate::exit::Failure;
use crate::output::Output;

/// Prints which functions the model needs and why; gives those that can be built.
pub(super) fn say_needs(
    path: &Path,
    model: &ModelNeeds,
    output: &mut Output,
) -> Result<Vec<String>, Failure> {
    let kind = kind(model.format);
    output.line(format!("{} ({kind}) needs", path.display()))?;
    let mut known = Vec::new();
    let mut missing = Vec::new();
    for need in &model.needs {
        if lookup(&need.function).is_ok() {
            output.line(format!("  {}", need.function))?;
            known.push(need.function.clone());
        } else {
            output.line(format!("  {} - not in the catalogue yet", need.function))?;
            missing.push(need.function.as_str());
        }
        need.reasons
            .iter()
            .try_for_each(|reason| output.line(format!("    because of {reason}")))?;
    }
    for unknown in &model.unknown {
        output.line(format!(
            "  {} - not known as an activation",
            quoted(&unknown.name)
        ))?;
        unknown
            .reasons
            .iter()
            .try_for_each(|reason| output.line(format!("    because of {reason}")))?;
    }
    if model.needs.is_empty() && model.unknown.is_empty() {
        output.line("  no activation function")?;
    }
    if !missing.is_empty() {
        output.line(format!(
            "not in the catalogue yet, left out: {}",
            missing.join(", ")
        ))?;
    }
    output.line("")?;
    Ok(known)
}
