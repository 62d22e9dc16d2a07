//! Waivers at work: which limits they lift, and which of them have nothing to do or have expired.

use actforge_reference::Format;
use jiff::civil::Date;

use super::codes::{Code, Level};
use super::result::{Finding, Location, WaiverResult, WaiverState};
use crate::budget::{Limit, Waiver};

/// The waivers with what became of them so far.
pub(super) struct Waivers<'a> {
    waivers: Vec<(&'a Waiver, WaiverState)>,
    as_of: Date,
}

/// Which results a limit is about.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) set: &'a str,
    pub(super) function: &'a str,
    pub(super) dtype: Format,
    pub(super) input: Format,
    pub(super) range: Option<[f32; 2]>,
}

impl<'a> Waivers<'a> {
    pub(super) fn new(waivers: &'a [Waiver], as_of: Date) -> Self {
        let state = |waiver: &Waiver| {
            if waiver.is_expired(as_of) {
                WaiverState::Expired
            } else {
                WaiverState::Unused
            }
        };
        Self {
            waivers: waivers
                .iter()
                .map(|waiver| (waiver, state(waiver)))
                .collect(),
            as_of,
        }
    }

    /// The waiver for a limit that is exceeded, and whether its ceiling is kept: the first whose ceiling is, or else the
    /// first. A figure that is infinite keeps no ceiling.
    pub(super) fn lift(
        &mut self,
        scope: Scope<'_>,
        limit: Limit,
        measured: Option<f64>,
    ) -> Option<(&'a Waiver, bool)> {
        let covering = self.waivers.iter_mut().filter(|(waiver, state)| {
            let Scope {
                set,
                function,
                dtype,
                input,
                range,
            } = scope;
            *state != WaiverState::Expired
                && waiver.covers(set, function, dtype, input, range, limit)
        });
        let mut exceeded = None;
        for (waiver, state) in covering {
            if measured.is_some_and(|measured| limit.keeps(measured, waiver.ceiling)) {
                // A waiver that is exceeded elsewhere stays so.
                if *state != WaiverState::Exceeded {
                    *state = WaiverState::Used;
                }
                return Some((*waiver, true));
            }
            exceeded.get_or_insert((waiver, state));
        }
        let (waiver, state) = exceeded?;
        *state = WaiverState::Exceeded;
        Some((*waiver, false))
    }

    /// What is wrong with the waivers themselves. Unused ones fail only in CI: while somebody works on a fix, the waiver
    /// may be there a little longer than it is needed.
    pub(super) fn findings(&self, in_ci: bool) -> Vec<Finding> {
        let finding = |(waiver, state): &(&Waiver, WaiverState)| {
            let Waiver {
                id,
                function,
                owner,
                expires,
                ..
            } = waiver;
            let key = waiver.limit.key();
            let (code, level, message) = match state {
                WaiverState::Used | WaiverState::Exceeded => return None,
                WaiverState::Expired => {
                    let today = self.as_of;
                    let message = format!(
                        "waiver {id} for {key} of {function} expired on {expires} (as of {today}); its owner is {owner}"
                    );
                    (Code::WaiverExpired, Level::Error, message)
                }
                WaiverState::Unused => {
                    let level = if in_ci { Level::Error } else { Level::Warning };
                    let message = format!(
                        "waiver {id} is not needed: no {key} of {function} that it covers exceeds its limit"
                    );
                    (Code::WaiverUnused, level, message)
                }
            };
            Some(Finding {
                location: Some(location(waiver)),
                set: waiver.set.clone(),
                function: Some(function.clone()),
                limit: Some(waiver.limit),
                ..Finding::new(code, level, message)
            })
        };
        self.waivers.iter().filter_map(finding).collect()
    }

    pub(super) fn results(&self) -> Vec<WaiverResult> {
        let result = |(waiver, state): &(&Waiver, WaiverState)| WaiverResult {
            id: waiver.id.clone(),
            state: *state,
            function: waiver.function.clone(),
            limit: waiver.limit,
            ceiling: waiver.ceiling,
            reason: waiver.reason.clone(),
            owner: waiver.owner.clone(),
            expires: waiver.expires.to_string(),
            location: location(waiver),
        };
        self.waivers.iter().map(result).collect()
    }
}

fn location(waiver: &Waiver) -> Location {
    Location {
        file: waiver.file.clone(),
        line: waiver.line,
        column: 1,
    }
}
