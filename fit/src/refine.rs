//! What a plan leaves over: the octave with the largest error is searched to the end, then cut finer, as long as that
//! helps.

use crate::bucket::FittedBucket;
use crate::function::{FittedFunction, FunctionFitter, largest};
use crate::ladder::LARGEST_SIZE;
use crate::request::Method;

/// Spends buckets where the error is largest, one octave at a time; returns how many were spent.
pub(crate) fn spend(
    fitters: &[&FunctionFitter<'_>],
    fitted: &mut [FittedFunction],
    spare: usize,
) -> usize {
    let mut spent = 0;
    let mut open: Vec<usize> = (0..fitted.len()).collect();
    loop {
        let worst = open
            .iter()
            .copied()
            .filter_map(|k| Some((k, fitted.get(k)?.measured())))
            .reduce(|one, two| if two.1 > one.1 { two } else { one });
        let Some((k, _)) = worst else {
            return spent;
        };
        let improved = fitters
            .get(k)
            .zip(fitted.get_mut(k))
            .and_then(|(fitter, function)| fitter.improve_worst(function, spare - spent));
        match improved {
            Some(buckets) => spent += buckets,
            None => open.retain(|other| *other != k),
        }
    }
}

impl FunctionFitter<'_> {
    /// Lowers the error of the octave where it is largest, with at most `spare` more buckets; returns how many that took.
    /// `None` when regions have the largest error, or when there is nothing more to be had.
    fn improve_worst(&self, fitted: &mut FittedFunction, spare: usize) -> Option<usize> {
        // Baselines are to be seen as they are.
        if self.request.method != Method::Accurate {
            return None;
        }
        let errors: Vec<(usize, usize, f64)> = fitted
            .sides
            .iter()
            .enumerate()
            .flat_map(|(s, side)| {
                (side.octaves.iter().enumerate()).map(move |(o, octave)| (s, o, octave.worst()))
            })
            .collect();
        let (s, o, worst) = errors
            .iter()
            .copied()
            .reduce(|one, two| if two.2 > one.2 { two } else { one })?;
        let regions = fitted.sides.iter().map(|side| side.regions);
        let others = errors
            .iter()
            .filter(|(other_s, other_o, _)| (*other_s, *other_o) != (s, o))
            .map(|(_, _, error)| *error);
        let bar = regions.chain(others).fold(0.0, f64::max);
        if fitted.sides.iter().any(|side| side.regions >= worst) {
            return None;
        }
        // To be no longer the worst is enough: it will be its turn again.
        let wanted = if bar < worst { bar } else { 0.0 };
        let side = fitted.sides.get_mut(s)?;
        let view = self.view(fitted.fold, side.layout.negative);
        let layout = &side.layout;
        let octave = side.octaves.get_mut(o)?;
        if octave.is_shared {
            return None;
        }
        // The search for candidates ended when they were good enough for the plan; to go on costs no bucket.
        let searched: Vec<FittedBucket> = octave
            .buckets
            .iter()
            .zip(layout.reached(octave.exponent, octave.size))
            .map(|(bucket, (_, stretch))| match bucket.measured > wanted {
                true => view.fit(stretch, wanted),
                false => *bucket,
            })
            .collect();
        if largest(&searched) < worst {
            octave.buckets = searched;
            return Some(0);
        }
        if octave.size == LARGEST_SIZE {
            return None;
        }
        let finer = self.fit_octave_at(&view, layout, octave.exponent, octave.size + 1, wanted);
        let more = finer.buckets.len().checked_sub(octave.buckets.len())?;
        (more <= spare && finer.worst() < worst).then(|| {
            *octave = finer;
            more
        })
    }
}
