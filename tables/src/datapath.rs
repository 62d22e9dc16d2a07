//! The rounding schedules of the cubic (numerics.md, step 5).

use core::fmt;
use core::str::FromStr;

/// In which order the cubic of a bucket is evaluated, and where it is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Datapath {
    /// Horner's rule in three fused multiply-adds: our model of the silicon.
    #[default]
    Fma,
    /// Horner's rule, every product and every sum rounded.
    MulAdd,
    /// `fma(fma(d3, t, d2), t*t, fma(d1, t, d0))`.
    Estrin,
    /// The vendor's reference simulator: the linear part in f32, the rest in f64.
    Mixed,
}

impl Datapath {
    /// All of them, the default first.
    pub const ALL: [Self; 4] = [Self::Fma, Self::MulAdd, Self::Estrin, Self::Mixed];

    /// The name used in manifests, specifications and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fma => "fma",
            Self::MulAdd => "muladd",
            Self::Estrin => "estrin",
            Self::Mixed => "mixed",
        }
    }
}

impl fmt::Display for Datapath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A name that is no datapath. The caller knows the name and where it stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown datapath: expected {}", self.known())]
pub struct UnknownDatapath;

impl UnknownDatapath {
    /// The names there are.
    pub const fn known(self) -> &'static str {
        "fma, muladd, estrin or mixed"
    }
}

impl FromStr for Datapath {
    type Err = UnknownDatapath;

    fn from_str(name: &str) -> Result<Self, UnknownDatapath> {
        Self::ALL
            .into_iter()
            .find(|datapath| datapath.as_str() == name)
            .ok_or(UnknownDatapath)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for datapath in Datapath::ALL {
            assert_eq!(datapath.as_str().parse(), Ok(datapath));
            assert!(
                UnknownDatapath.to_string().contains(datapath.as_str()),
                "the message names every datapath"
            );
        }
        assert_eq!("FMA".parse::<Datapath>(), Err(UnknownDatapath));
        assert_eq!(Datapath::default(), Datapath::Fma);
    }
}
