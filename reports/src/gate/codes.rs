//! What a gate can find, by name. Names do not change: scripts and dashboards rely on them.

use serde::{Deserialize, Serialize};

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The gate fails.
    Error,
    /// Something to look after.
    Warning,
    /// Something to know.
    Note,
}

impl Level {
    /// The word for it at the beginning of a line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "FAIL",
            Self::Warning => "WARN",
            Self::Note => "note",
        }
    }
}

macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $code:ident = $name:literal,)*) => {
        /// What was found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Code {
            $($(#[doc = $meaning])+ #[serde(rename = $name)] $code,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)* }
            }

            /// What it means, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$code => concat!($($meaning),+),)* }
            }
        }
    };
}

// In the order in which findings are shown: what makes everything else pointless comes first.
codes! {
    /// Nothing was checked, so nothing is known.
    NothingChecked = "nothing-checked",
    /// A set that the budgets file lists is not among those gated.
    SetMissing = "set-missing",
    /// A gated set is not among those that the budgets file lists.
    SetUnlisted = "set-unlisted",
    /// A set is for another hardware generation than the budgets file says.
    WrongTarget = "wrong-target",
    /// A set is for another datapath than the budgets file says.
    WrongDatapath = "wrong-datapath",
    /// A set lacks a function that the budgets file lists for it.
    FunctionMissing = "function-missing",
    /// A set holds a function that the budgets file does not list for it.
    FunctionUnlisted = "function-unlisted",
    /// A function has no rule over all of its inputs.
    FunctionWithoutRule = "function-without-rule",
    /// A rule covers no function of the gated sets.
    RuleUnused = "rule-unused",
    /// A set of the last release is not among those gated.
    SetDropped = "set-dropped",
    /// A function of the last release is no longer in its set.
    FunctionDropped = "function-dropped",
    /// The last release is for another target or datapath, so that its figures say nothing.
    BaselineMismatch = "baseline-mismatch",
    /// The last release has no figures of what was measured of a function, or of any set.
    NothingCompared = "nothing-compared",
    /// A result is NaN where a number is right.
    NanResults = "nan-results",
    /// A special input gives a wrong result.
    SpecialInput = "special-input",
    /// A limit cannot be judged, because the figure was not or cannot be measured.
    NotMeasured = "not-measured",
    /// A figure exceeds the limit of its rule.
    OverBudget = "over-budget",
    /// A figure is worse than that of the last release.
    WorseThanBaseline = "worse-than-baseline",
    /// A figure exceeds even the ceiling of its waiver.
    WaiverExceeded = "waiver-exceeded",
    /// A waiver no longer holds.
    WaiverExpired = "waiver-expired",
    /// A waiver lifts no limit that is exceeded.
    WaiverUnused = "waiver-unused",
    /// The last release has figures that no rule asks for any more.
    BaselineUnused = "baseline-unused",
    /// A function is without a rule, and the budgets file allows that.
    NotChecked = "not-checked",
    /// The last release has no such figures: there is nothing to compare with yet.
    NewFigures = "new-figures",
}
