//! Walking the table instead of the inputs.

use crate::bits::{INFINITY, MAGNITUDE, SIGN};
use crate::function::{Function, Place, Spot};
use crate::route::Route;
use core::iter::FusedIterator;

/// A contiguous range of input bit patterns of one sign that share a route.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Run {
    /// The first pattern, the one of least magnitude.
    pub first: u32,
    /// The last pattern, part of the run.
    pub last: u32,
    /// What becomes of all of them.
    pub route: Route,
}

impl Run {
    /// Number of inputs, at least 1.
    pub fn inputs(&self) -> u64 {
        u64::from(self.last - self.first) + 1
    }
}

/// All 2^32 input patterns as [`Run`]s, in the order of the patterns: +0 up to +inf, the
/// positive NaNs, then -0 down to -inf and the negative NaNs. Every pattern is in exactly one run,
/// and two neighbours of one sign never share a route.
#[derive(Clone, Debug)]
pub struct Runs<'f, 'a> {
    function: &'f Function<'a>,
    /// First pattern not yet covered.
    next: Option<u32>,
}

impl<'a> Function<'a> {
    /// Cuts all inputs into runs. A table as `fit` makes it has one run per bucket and sign
    /// plus a dozen; only a control word that extracts low mantissa bits makes them short.
    pub fn runs(&self) -> Runs<'_, 'a> {
        Runs {
            function: self,
            next: Some(0),
        }
    }

    /// The last pattern of the run that `first` begins.
    fn run_end(&self, first: u32, place: &Place) -> u32 {
        let sign = first & SIGN;
        let end = match place {
            Place::Fixed(Route::Zero) => self.zero_below - 1,
            Place::Fixed(Route::PosInf | Route::NegInf) => INFINITY,
            Place::Fixed(_) => MAGNITUDE,
            Place::Cubic(spot) => self.cubic_run_end(first & MAGNITUDE, spot),
        };
        sign | end
    }

    /// Last magnitude of a run that reaches a cubic.
    fn cubic_run_end(&self, magnitude: u32, spot: &Spot) -> u32 {
        use actforge_tables::RegionKind::{
            LargeNegative, LargePositive, SmallNegative, SmallPositive,
        };
        let [positive, negative] = &self.sides;
        let side = if spot.s & SIGN == 0 {
            positive
        } else {
            negative
        };
        let beyond = match spot.region {
            Some(LargePositive | LargeNegative) => SIGN,
            Some(SmallPositive | SmallNegative) => side.small_below.min(side.large_from),
            None => side.large_from.min((magnitude | 0x007f_ffff) + 1),
        };
        // Infinities are special wherever the regions lie; NaNs come after them.
        let beyond = if magnitude < INFINITY {
            beyond.min(INFINITY)
        } else {
            beyond
        };
        let limit = (spot.s & SIGN) | (beyond - 1);
        spot.word.section_end(spot.s, limit) & MAGNITUDE
    }
}

impl Iterator for Runs<'_, '_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let first = self.next?;
        let place = self.function.place(first);
        let last = self.function.run_end(first, &place);
        self.next = last.checked_add(1);
        Some(Run {
            first,
            last,
            route: self.function.route_of(&place),
        })
    }
}

impl FusedIterator for Runs<'_, '_> {}
