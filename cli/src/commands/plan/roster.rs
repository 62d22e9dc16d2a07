//! The sets that a plan may load.

use std::fs;
use std::path::Path;

use actforge_models::plan::{MOST_SETS, Roster, RosterError};
use actforge_tables::stock::{ACT_INFO, import, stock_sets};
use actforge_tables::{FunctionSet, Target};

use crate::commands::sets::read_set;
use crate::exit::Failure;

/// A roster, and the tables of its sets where they are at hand.
pub(super) struct NamedRoster {
    /// The directory, or the target.
    pub(super) name: String,
    pub(super) roster: Roster,
    /// By index; empty for a roster that is only known.
    pub(super) sets: Vec<FunctionSet>,
}

/// The roster in a directory, or the one of a target.
pub(super) fn of(directory: Option<&Path>, target: Target) -> Result<NamedRoster, Failure> {
    let Some(directory) = directory else {
        // The generations load the trainium files (assumed).
        let target = match target {
            Target::StockWithLn => target,
            _ => Target::StockTrainium,
        };
        let roster = Roster::of_stock(stock_sets(target)).map_err(Failure::internal)?;
        return Ok(NamedRoster {
            name: target.as_str().to_owned(),
            roster,
            sets: Vec::new(),
        });
    };
    let name = directory.display().to_string();
    let sets = if directory.join(ACT_INFO).exists() {
        let imported = import(directory).map_err(|error| {
            Failure::invalid(
                format!("{name}: {error}"),
                format!("`actforge lint {name}` lists all of it"),
            )
        })?;
        imported.sets
    } else {
        sets_below(directory)?
    };
    let roster = Roster::of_sets(&sets).map_err(|error: RosterError| {
        Failure::invalid(format!("{name}: {error}"), "split the directory")
    })?;
    Ok(NamedRoster { name, roster, sets })
}

/// The sets in the directories below one, in the order of their names.
fn sets_below(directory: &Path) -> Result<Vec<FunctionSet>, Failure> {
    const HINT: &str = "--roster takes a directory with act_info.json, or one whose directories are sets, as `actforge stock` writes them";
    let name = directory.display();
    let unreadable =
        |error: std::io::Error| Failure::invalid(format!("{name}: cannot be read: {error}"), HINT);
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            paths.push(path);
        }
        if paths.len() > MOST_SETS {
            return Err(Failure::invalid(
                format!("{name}: expected at most {MOST_SETS} sets, found more directories"),
                HINT,
            ));
        }
    }
    if paths.is_empty() {
        return Err(Failure::invalid(
            format!("{name}: expected sets, found no act_info.json and no directory"),
            HINT,
        ));
    }
    paths.sort();
    paths.iter().map(|path| read_set(path)).collect()
}
