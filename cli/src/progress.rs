//! Progress bars: on a terminal only, so that logs and pipes hold results alone.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use actforge_reports::Progress as ReplayProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Whether bars are kept from being shown at all.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Shows no bars from now on, on a terminal neither.
pub(crate) fn hide() {
    HIDDEN.store(true, Ordering::Relaxed);
}

/// One bar on standard error; it is gone when this is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// What the bar is about at the moment.
    subject: Mutex<String>,
}

const WITH_LENGTH: &str = "{msg:<28} {wide_bar} {percent:>3}% {eta:>4}";

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        // A malformed template would leave the default style; a test excludes it.
        if let Ok(style) = ProgressStyle::with_template(WITH_LENGTH) {
            bar.set_style(style);
        }
        Self {
            bar,
            subject: Mutex::default(),
        }
    }

    /// Shows that `done` of `total` steps of `subject` are done.
    pub(crate) fn show(&self, subject: &str, done: u64, total: u64) {
        let Ok(mut shown) = self.subject.lock() else {
            return;
        };
        if *shown != subject {
            // Not before there is something to show: what is done at once shows no bar.
            let may_show = !HIDDEN.load(Ordering::Relaxed) && std::io::stderr().is_terminal();
            if shown.is_empty() && may_show {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            subject.clone_into(&mut shown);
            self.bar.set_length(total);
            self.bar.reset();
            self.bar.set_message(subject.to_owned());
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    /// The callback of a replay.
    pub(crate) fn of_replay(&self) -> impl Fn(ReplayProgress<'_>) + Sync {
        |at| self.show(&format!("replay {}", at.function), at.done, at.total)
    }

    /// An observer of a comparison.
    pub(crate) fn of_comparison(&self) -> impl Fn(ReplayProgress<'_>) + Sync {
        |at| self.show(&format!("compare {}", at.function), at.done, at.total)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_well_formed() {
        assert!(ProgressStyle::with_template(WITH_LENGTH).is_ok());
    }

    #[test]
    fn subjects_may_alternate() {
        let progress = Progress::new();
        for (subject, done) in [("tanh", 1), ("exp", 5), ("tanh", 2)] {
            progress.show(subject, done, 10);
            assert_eq!(progress.bar.position(), done);
        }
    }
}
