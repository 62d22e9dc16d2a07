//! Which vector instructions the sweeps of this process use.
//!
//! Results do not depend on it, so it is no option of a replay or a fit: it is there to show just that.

use std::sync::OnceLock;

use actforge_engine::Level;

static CHOSEN: OnceLock<Level> = OnceLock::new();

/// Makes all sweeps of this process use `level`. The first choice holds, and only if nothing was swept before.
pub fn choose_level(level: Level) {
    // A later choice would leave a process with both, for no one's benefit.
    let _ = CHOSEN.set(level);
}

/// What was chosen, otherwise the best of this machine.
pub(crate) fn chosen_level() -> Level {
    *CHOSEN.get_or_init(Level::detect)
}
