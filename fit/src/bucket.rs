//! Fitting one bucket.

use actforge_reference::Surrogate;
use actforge_tables::Bucket;

use crate::accurate;
use crate::bound::alternation_bound;
use crate::cubic::{RealCubic, is_usable, middle};
use crate::degree::best_usable;
use crate::judge::{Judge, Trial};
use crate::minimax::{Minimax, minimax};
use crate::request::Method;
use crate::root::anchored;
use crate::sample::{Grid, Sample, Stretch};
use crate::taylor::taylor;

/// A bucket as fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedBucket {
    /// The coefficients.
    pub bucket: Bucket,
    /// The largest error over all inputs it serves, in ulp, as the judge found it.
    pub measured: f64,
    /// 0.5 plus the proven minimax error: no coefficients can be expected to do better. Zero where the function is a
    /// cubic, exactly.
    pub floor: f64,
}

/// Fits buckets of one function in one way.
#[derive(Clone, Copy)]
pub struct BucketFitter<'a> {
    /// The function, in ulp of the output type.
    pub surrogate: &'a Surrogate,
    /// Who decides between candidates.
    pub judge: &'a dyn Judge,
    /// How coefficients are found.
    pub method: Method,
    /// Inputs of the other sign that the fold brings here: how their results are unfolded. `None` when there are none
    /// or when they mirror the stored ones bit for bit.
    pub reflected: Option<(bool, f32)>,
}

/// Candidates that the judge sees.
const CANDIDATES: usize = 10;

/// A candidate this close to the floor (relative) ends the search.
const CLOSE_ENOUGH: f64 = 1.004;

/// Below this many ulp a real cubic counts as the function itself.
const EXACT: f64 = 1e-9;

impl BucketFitter<'_> {
    /// Fits the bucket that serves a stretch. The search ends early with a result within `wanted` ulp.
    pub fn fit(&self, stretch: Stretch, wanted: f64) -> FittedBucket {
        let grid = Grid::new(self.surrogate, stretch);
        let best = minimax(&grid.samples, &[0, 1, 2, 3]);
        let floor = self.floor(&grid, &best);
        let usable = best_usable(&grid, stretch, &best).best;
        let cubic = RealCubic::new(&grid, &usable.coefficients);
        let x0 = middle(stretch.first, stretch.last);
        let candidates: Vec<Bucket> = match self.method {
            Method::Taylor => {
                vec![taylor(self.surrogate.function(), x0).unwrap_or(cubic.rounded(x0))]
            }
            Method::Minimax => vec![cubic.rounded(x0)],
            Method::Accurate => {
                let mut tried: Vec<Bucket> =
                    accurate::candidates(&grid, &cubic, stretch, CANDIDATES)
                        .into_iter()
                        .map(|candidate| candidate.bucket)
                        .collect();
                tried.push(cubic.rounded(x0));
                if let Some(anchored) = anchored(self.surrogate, &grid) {
                    tried.splice(0..0, anchored.buckets);
                }
                tried
            }
        };
        self.best_of(&candidates, stretch, floor, wanted)
    }

    /// The candidate with the least error as replayed.
    fn best_of(
        &self,
        candidates: &[Bucket],
        stretch: Stretch,
        floor: f64,
        wanted: f64,
    ) -> FittedBucket {
        let enough = wanted.min(floor * CLOSE_ENOUGH).max(floor);
        let mut best = FittedBucket {
            bucket: Bucket::constant(0.0),
            measured: f64::INFINITY,
            floor,
        };
        for bucket in candidates.iter().filter(|bucket| is_usable(bucket)) {
            let measured = self.measure(bucket, stretch, best.measured);
            if measured < best.measured || best.measured.is_infinite() {
                best = FittedBucket {
                    bucket: *bucket,
                    measured,
                    floor,
                };
            }
            if best.measured <= enough {
                break;
            }
        }
        best
    }

    /// The largest error of a bucket over the inputs it serves, those that the fold brings included.
    pub fn measure(&self, bucket: &Bucket, stretch: Stretch, give_up_above: f64) -> f64 {
        let trial = Trial {
            bucket: *bucket,
            first: stretch.first,
            last: stretch.last,
            unfold: None,
        };
        let worst = self
            .judge
            .worst_error(self.surrogate, &trial, give_up_above);
        match self.reflected {
            Some(_) if worst <= give_up_above => {
                let mirror = 1 << 31;
                let (first, last) = (stretch.first ^ mirror, stretch.last ^ mirror);
                let trial = Trial {
                    first,
                    last,
                    unfold: self.reflected,
                    ..trial
                };
                worst.max(
                    self.judge
                        .worst_error(self.surrogate, &trial, give_up_above),
                )
            }
            _ => worst,
        }
    }

    /// The proven floor: see [`alternation_bound`].
    pub(crate) fn floor(&self, grid: &Grid, best: &Minimax) -> f64 {
        if best.error < EXACT && best.reference.is_empty() {
            return 0.5;
        }
        let reference: Vec<Sample> = best
            .reference
            .iter()
            .filter_map(|place| grid.samples.get(*place).copied())
            .collect();
        0.5 + alternation_bound(self.surrogate, &reference, grid.unit)
    }
}
