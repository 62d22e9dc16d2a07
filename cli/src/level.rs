//! `ACTFORGE_LEVEL`: which vector instructions are used, for those who want to see that results do not depend on them.

use std::ffi::OsStr;

use actforge_engine::Level;
use actforge_reports::choose_level;

use crate::exit::Failure;

/// The name of the environment variable.
pub(crate) const VARIABLE: &str = "ACTFORGE_LEVEL";

/// Has the level of this name used, the best one of this machine without a name.
pub(crate) fn apply(name: Option<&OsStr>) -> Result<(), Failure> {
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        choose_level(find(name)?);
    }
    Ok(())
}

fn find(name: &OsStr) -> Result<Level, Failure> {
    let found = Level::available().find(|level| name == level.name());
    found.ok_or_else(|| {
        let known: Vec<&str> = Level::available().map(Level::name).collect();
        Failure::usage(
            format!("{VARIABLE}: this machine has no vector level {name:?}"),
            format!("it has {}; results do not depend on it", known.join(", ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_by_name_and_others_refused() {
        for level in Level::available() {
            assert_eq!(find(OsStr::new(level.name())), Ok(level));
        }
        let failure = find(OsStr::new("sse9")).unwrap_err();
        assert_eq!(failure.exit.code(), 2);
        assert!(
            failure.hint.starts_with("it has portable"),
            "{}",
            failure.hint
        );
    }
}
