//! Planning one function: where its regions end and how its octaves are cut, for an error.

use std::sync::{Arc, PoisonError};

use actforge_reference::{Parity, Truth};
use actforge_tables::{Bucket, Fold};
use rayon::prelude::*;

use crate::error::FitError;
use crate::function::FunctionFitter;
use crate::ladder::{LARGEST_SIZE, estimate};
use crate::layout::{Layout, OctaveLayout, SideLayout};
use crate::region::FittedRegion;
use crate::sample::Stretch;

/// The errors that layouts are planned for lie on this ladder: half an ulp times a power of 1.01.
pub(crate) fn step_error(step: u32) -> f64 {
    0.5 * 1.01_f64.powi(step as i32)
}

/// The last step: errors beyond 2^22 ulp say that nothing fits at all.
pub(crate) const LAST_STEP: u32 = 1600;

/// From this error on, adding the symmetry point costs less than the other side's buckets: the sum is rounded once more,
/// and brings half of the stored side's error with it.
const FOLD_ABOUT_POINT_FROM: f64 = 1.0;

/// From this size on, a glance at the narrowest buckets comes before an octave's cuts are tried one after the other.
const LOOK_AHEAD_FROM: u8 = 5;

impl FunctionFitter<'_> {
    /// The fold for an error of `wanted` ulp.
    pub(crate) fn fold(&self, wanted: f64) -> Fold {
        match self.entry.function().parity() {
            Parity::Odd | Parity::Even => Fold::StorePositive,
            Parity::Point { .. } if wanted >= FOLD_ABOUT_POINT_FROM => {
                // The side with the small values is stored: what the sum leaves of them on the other would be nothing.
                let specials = self.entry.function().specials();
                match specials.pos_inf.abs() < specials.neg_inf.abs() {
                    true => Fold::StorePositive,
                    false => Fold::StoreNegative,
                }
            }
            Parity::Point { .. } | Parity::None => Fold::None,
        }
    }

    /// A layout expected to keep an error, from memory when it was planned before. `None` when an octave needs more
    /// buckets than any size has.
    pub(crate) fn plan_step(&self, step: u32) -> Option<Arc<Layout>> {
        let known = self
            .plans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&step)
            .cloned();
        known.unwrap_or_else(|| {
            let plan = self.plan(step_error(step), 1.0).map(Arc::new);
            self.plans
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(step, plan.clone());
            plan
        })
    }

    /// A layout expected to keep an error of `wanted` ulp: regions keep it, and octaves are expected to within a factor
    /// of `optimism`.
    pub(crate) fn plan(&self, wanted: f64, optimism: f64) -> Option<Layout> {
        let fold = self.fold(wanted);
        let sides: Option<Vec<SideLayout>> = self
            .stored_sides(fold)
            .par_iter()
            .map(|negative| self.plan_side(fold, *negative, wanted, optimism))
            .collect();
        Some(Layout {
            fold,
            is_stock: self.small_at_powers,
            sides: sides?,
        })
    }

    /// Whether each stored side is the negative one.
    fn stored_sides(&self, fold: Fold) -> &'static [bool] {
        match fold {
            Fold::None => &[true, false],
            Fold::StoreNegative => &[true],
            Fold::StorePositive => &[false],
        }
    }

    fn plan_side(
        &self,
        fold: Fold,
        negative: bool,
        wanted: f64,
        optimism: f64,
    ) -> Option<SideLayout> {
        let mut side = self.regions(fold, negative, wanted);
        let octaves: Option<Vec<OctaveLayout>> = side
            .exponents()
            .collect::<Vec<i32>>()
            .into_par_iter()
            .map(|exponent| self.plan_octave(&side, exponent, wanted * optimism))
            .collect();
        side.octaves = octaves?;
        Some(side)
    }

    /// The coarsest cut of an octave that is expected to keep an error.
    fn plan_octave(&self, side: &SideLayout, exponent: i32, wanted: f64) -> Option<OctaveLayout> {
        let fits = |size: &u8| self.worst_estimate(side, exponent, *size) <= wanted;
        let size = (0..LOOK_AHEAD_FROM).find(fits).or_else(|| {
            // The estimates of thousands of buckets take long: one of the narrowest says whether there is any hope.
            let narrowest = side.reached(exponent, LARGEST_SIZE);
            let (_, sample) = narrowest.get(narrowest.len() / 2)?;
            let hope = f64::from(estimate(self.surrogate, *sample)) <= wanted;
            hope.then(|| (LOOK_AHEAD_FROM..=LARGEST_SIZE).find(fits))?
        })?;
        Some(OctaveLayout { exponent, size })
    }

    /// The inputs of the first octave that no number of buckets brings within an error, as first and last.
    pub(crate) fn out_of_reach(&self, wanted: f64, optimism: f64) -> Option<[f32; 2]> {
        let fold = self.fold(wanted);
        self.stored_sides(fold).iter().find_map(|negative| {
            let side = self.regions(fold, *negative, wanted);
            let exponent = side.exponents().find(|exponent| {
                self.plan_octave(&side, *exponent, wanted * optimism)
                    .is_none()
            })?;
            let (_, Stretch { first, last }) = side.reached(exponent, 0).first().copied()?;
            Some([first, last].map(f32::from_bits))
        })
    }

    /// The error of a function for which there is no layout at all.
    pub(crate) fn not_followed(&self) -> FitError {
        let within = step_error(LAST_STEP);
        let [from, to] = self.out_of_reach(within, 1.0).unwrap_or([0.0, f32::MAX]);
        FitError::NotFollowed {
            function: self.request.name.clone(),
            from,
            to,
            within,
        }
    }

    /// A side's regions, without octaves.
    fn regions(&self, fold: Fold, negative: bool, wanted: f64) -> SideLayout {
        let view = self.view(fold, negative);
        let empty = |large| SideLayout {
            negative,
            small: FittedRegion {
                bucket: Bucket::constant(0.0),
                stretch: None,
            },
            large,
            limit: view.limit,
            octaves: Vec::new(),
        };
        if !self.entry.is_table_driven() || view.limit == 0 {
            let bucket = match self.has_no_value(negative) {
                true => Bucket::constant(f32::NAN),
                false => view.without_table().0,
            };
            let sign = u32::from(negative) << 31;
            let stretch = Stretch {
                first: sign | 1,
                last: sign | view.limit.max(1),
            };
            let large = FittedRegion {
                bucket,
                // Where no input matters there is nothing to judge.
                stretch: Some(stretch).filter(|_| view.limit > 0),
            };
            return SideLayout {
                small: large_as_small(&large),
                ..empty(large)
            };
        }
        let large = view.large(wanted);
        let ceiling = large.stretch.map_or(view.limit, |stretch| {
            (stretch.first & 0x7fff_ffff).saturating_sub(1)
        });
        let mut small = view.small(wanted, ceiling);
        if self.small_at_powers {
            small = small.ending_at_power();
        }
        SideLayout {
            small,
            ..empty(large)
        }
    }

    /// Whether a side has no value anywhere, to all appearances: its results are NaN, whether they are asked for or not.
    fn has_no_value(&self, negative: bool) -> bool {
        let sign = if negative { -1.0 } else { 1.0 };
        [1.0e-30, 1.0, 1.0e30].into_iter().all(|magnitude: f32| {
            let truth = self.entry.function().enclose(sign * magnitude, 64);
            matches!(truth, Truth::Undefined)
        })
    }

    /// The largest estimate among the buckets of an octave that inputs reach.
    pub(crate) fn worst_estimate(&self, side: &SideLayout, exponent: i32, size: u8) -> f64 {
        let estimates = self.ladder.estimates(side.negative, exponent, size);
        let reached = side.reached(exponent, size);
        let worst = reached
            .iter()
            .filter_map(|(index, _)| estimates.get(*index as usize))
            .copied()
            .fold(0.0, f32::max);
        f64::from(worst)
    }

    /// The largest estimate among all octaves of a layout, in ulp.
    pub(crate) fn expected(&self, layout: &Layout) -> f64 {
        let octaves = layout
            .sides
            .iter()
            .flat_map(|side| side.octaves.iter().map(move |octave| (side, octave)));
        octaves
            .map(|(side, octave)| self.worst_estimate(side, octave.exponent, octave.size))
            .fold(0.0, f64::max)
    }

    /// The least step whose layout keeps within so many buckets and control words, between `low` and the last.
    pub(crate) fn least_step(&self, low: u32, buckets: usize, words: usize) -> Option<u32> {
        let fits = |step: u32| {
            self.plan_step(step)
                .is_some_and(|plan| plan.buckets() <= buckets && plan.control_words() <= words)
        };
        fits(LAST_STEP).then(|| least_between(low.saturating_sub(1), LAST_STEP, fits))
    }
}

/// The least step that fits, above one that does not and up to one that does.
pub(crate) fn least_between(outside: u32, inside: u32, mut fits: impl FnMut(u32) -> bool) -> u32 {
    let (mut outside, mut inside) = (outside, inside);
    while inside - outside > 1 {
        let middle = outside + (inside - outside) / 2;
        if fits(middle) {
            inside = middle
        } else {
            outside = middle
        }
    }
    inside
}

/// A side without a table is one region; its other region says the same, and is never reached.
fn large_as_small(large: &FittedRegion) -> FittedRegion {
    FittedRegion {
        bucket: large.bucket,
        stretch: None,
    }
}
