//! Reading a set, and finding a function in it.

use std::path::Path;

use actforge_reports::document::{did_you_mean, quoted};
use actforge_tables::{ContainerError, FunctionEntry, FunctionSet};

use crate::exit::Failure;

/// Reads and validates the set in directory `path`.
pub(super) fn read_set(path: &Path) -> Result<FunctionSet, Failure> {
    FunctionSet::read_dir(path).map_err(|error| match error {
        ContainerError::Io { .. } => Failure::invalid(
            error,
            "expected the directory of a set, as `actforge build -o DIR` makes it",
        ),
        error => {
            let message = format!("{}: {error}", path.display());
            Failure::invalid(message, "the set is damaged or was edited; build it again")
        }
    })
}

/// The function of this name in a set.
pub(super) fn function<'s>(set: &'s FunctionSet, name: &str) -> Result<&'s FunctionEntry, Failure> {
    set.function(name).ok_or_else(|| {
        let names: Vec<&str> = set
            .functions
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let message = format!("set {} has no function {}", quoted(&set.name), quoted(name));
        Failure::usage(message, held(name, &names))
    })
}

/// Checks that a set holds all of the named functions.
pub(super) fn check_functions(set: &FunctionSet, names: &[String]) -> Result<(), Failure> {
    names
        .iter()
        .try_for_each(|name| function(set, name).map(drop))
}

/// Checks that a slope, where one is given, has a function to go to.
pub(super) fn check_alpha(set: &FunctionSet, alpha: Option<f32>) -> Result<(), Failure> {
    match alpha {
        Some(_) if !set.functions.iter().any(FunctionEntry::takes_slope) => Err(Failure::usage(
            format!(
                "set {} has no function that takes --alpha",
                quoted(&set.name)
            ),
            "parametric_relu alone does; leave the option out",
        )),
        _ => Ok(()),
    }
}

fn held(name: &str, names: &[&str]) -> String {
    let all = names.join(", ");
    match did_you_mean(name, names) {
        Some(near) => format!("did you mean {near}? the set holds {all}"),
        None => format!("the set holds {all}"),
    }
}
