//! What a plan leaves over: the octave with the largest error is searched to the end, then cut finer, as long as that
//! helps.

use crate::function::{FittedFunction, FittedOctave, FunctionFitter};
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
        let regions = fitted
            .sides
            .iter()
            .map(|side| side.regions)
            .fold(0.0, f64::max);
        let octaves = fitted.sides.iter().enumerate().flat_map(|(s, side)| {
            (side.octaves.iter().enumerate()).map(move |(o, octave)| (s, o, octave.worst()))
        });
        let (s, o, worst) = octaves.reduce(|one, two| if two.2 > one.2 { two } else { one })?;
        if worst <= regions {
            return None;
        }
        let side = fitted.sides.get_mut(s)?;
        let view = self.view(fitted.fold, side.layout.negative);
        let layout = &side.layout;
        let octave = side.octaves.get_mut(o)?;
        let (size, searched) = (octave.size, octave.searched);
        let mut attempt = |size: u8| {
            let finer = self.fit_octave_at(&view, layout, octave.exponent, size, 0.0);
            let more = finer.buckets.len().checked_sub(octave.buckets.len())?;
            let better = more <= spare && finer.worst() < worst;
            better.then(|| {
                *octave = FittedOctave {
                    searched: true,
                    ..finer
                };
                more
            })
        };
        // The search for candidates ended when they were good enough for the plan; to go on costs no bucket.
        let improved = (!searched).then(|| attempt(size)).flatten();
        improved.or_else(|| (size < LARGEST_SIZE).then(|| attempt(size + 1)).flatten())
    }
}
