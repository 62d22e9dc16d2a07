//! The limits of one function and the comparison with what was measured.

use std::fmt;

/// The limits a function must keep. A limit that is not given is not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The largest error over all inputs, in ulp of the output type.
    pub max_ulp: Option<f64>,
    /// The mean error over all inputs, in ulp of the output type.
    pub mean_ulp: Option<f64>,
    /// The number of buckets the function may take.
    pub max_buckets: Option<u32>,
    /// The least share of inputs whose result is the correctly rounded one, 0 to 1.
    pub min_correctly_rounded: Option<f64>,
}

/// What was measured of one function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The largest error in ulp; `None` when some result has no finite error (a NaN or an infinity where the
    /// function is finite, or the other way round).
    pub max_ulp: Option<f64>,
    /// The mean error in ulp; `None` for the same reason.
    pub mean_ulp: Option<f64>,
    /// Buckets taken.
    pub buckets: u32,
    /// Share of inputs with the correctly rounded result, 0 to 1.
    pub correctly_rounded: f64,
}

/// One of the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// [`Limits::max_ulp`].
    MaxUlp,
    /// [`Limits::mean_ulp`].
    MeanUlp,
    /// [`Limits::max_buckets`].
    MaxBuckets,
    /// [`Limits::min_correctly_rounded`].
    MinCorrectlyRounded,
}

impl Limit {
    /// Every limit, in the order of reports.
    pub const ALL: [Self; 4] = [
        Self::MaxUlp,
        Self::MeanUlp,
        Self::MaxBuckets,
        Self::MinCorrectlyRounded,
    ];

    /// The key of the budgets file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::MaxUlp => "max_ulp",
            Self::MeanUlp => "mean_ulp",
            Self::MaxBuckets => "max_buckets",
            Self::MinCorrectlyRounded => "min_correctly_rounded",
        }
    }
}

/// A limit that is not kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breach {
    /// Which one.
    pub limit: Limit,
    /// What the budget allows.
    pub allowed: f64,
    /// What was measured; `None` when there is no finite error.
    pub measured: Option<f64>,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            limit,
            allowed,
            measured,
        } = self;
        let side = if *limit == Limit::MinCorrectlyRounded {
            "at least"
        } else {
            "at most"
        };
        write!(f, "{}: budget {side} {allowed}, measured ", limit.key())?;
        match measured {
            Some(value) => write!(f, "{value}"),
            None => f.write_str("no finite error (a result is NaN or infinite where it must not be, or not where it must)"),
        }
    }
}

impl Limits {
    /// Whether no limit is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The limits that `measured` does not keep, in the order of [`Limit::ALL`]. A NaN keeps none.
    pub fn check(&self, measured: &Measured) -> Vec<Breach> {
        let at_most = |limit, allowed: Option<f64>, value: Option<f64>| {
            let allowed = allowed?;
            let kept = value.is_some_and(|value| value <= allowed);
            (!kept).then_some(Breach {
                limit,
                allowed,
                measured: value.filter(|value| !value.is_nan()),
            })
        };
        // "At least" is "at most" with the signs turned; only the reported numbers have to be turned back.
        let rounded = at_most(
            Limit::MinCorrectlyRounded,
            self.min_correctly_rounded.map(|share| -share),
            Some(-measured.correctly_rounded),
        )
        .map(|breach| Breach {
            allowed: -breach.allowed,
            measured: breach.measured.map(|share| -share),
            ..breach
        });
        let buckets = self.max_buckets.map(f64::from);
        [
            at_most(Limit::MaxUlp, self.max_ulp, measured.max_ulp),
            at_most(Limit::MeanUlp, self.mean_ulp, measured.mean_ulp),
            at_most(
                Limit::MaxBuckets,
                buckets,
                Some(f64::from(measured.buckets)),
            ),
            rounded,
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
