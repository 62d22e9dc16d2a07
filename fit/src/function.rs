//! Fitting one function: filling a layout with coefficients.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use actforge_reference::{CatalogueEntry, Parity, Surrogate};
use actforge_tables::{Fold, Symmetry, Target};
use rayon::prelude::*;

use crate::bucket::{BucketFitter, FittedBucket};
use crate::judge::Judge;
use crate::ladder::{LARGEST_SIZE, Ladder};
use crate::layout::{Layout, OctaveLayout, SideLayout};
use crate::region::{SideView, Threshold};
use crate::request::{FunctionRequest, Method, Observer};

/// A function that is being fitted.
pub(crate) struct FunctionFitter<'a> {
    pub(crate) request: &'a FunctionRequest,
    pub(crate) entry: &'a CatalogueEntry,
    pub(crate) surrogate: &'a Surrogate,
    judge: &'a dyn Judge,
    pub(crate) ladder: Ladder<'a>,
    /// The inputs that the table is made for, where that is not all that the function is asked about.
    pub(crate) range: Option<(f32, f32)>,
    /// Per side, positive first: the largest and the least magnitude that matter.
    limits: [(u32, u32); 2],
    pub(crate) plans: Mutex<BTreeMap<u32, Option<Arc<Layout>>>>,
    /// Whether small regions end with a power of two, because the target's files hold no mantissa for them.
    pub(crate) small_at_powers: bool,
}

/// An octave is cut finer as long as that lowers what its error has above one half by this factor: a kink off the binary
/// grid halves it.
const GROWTH_HELPS: f64 = 0.95;

/// So many cuts may pass before one of them helps: where a function falls by many powers of two within a bucket, no cubic
/// is of any use until buckets are narrow.
const PATIENCE: u8 = 6;

/// An octave with its coefficients.
pub(crate) struct FittedOctave {
    pub(crate) exponent: i32,
    pub(crate) size: u8,
    pub(crate) first: u32,
    pub(crate) buckets: Vec<FittedBucket>,
    /// Whether other functions of the set use these buckets as well.
    pub(crate) is_shared: bool,
    /// Whether one of them, before this one in the set, stores them.
    pub(crate) is_borrowed: bool,
}

impl FittedOctave {
    /// The largest error measured, in ulp.
    pub(crate) fn worst(&self) -> f64 {
        largest(&self.buckets)
    }
}

/// The largest error measured among some buckets, in ulp.
pub(crate) fn largest(buckets: &[FittedBucket]) -> f64 {
    buckets
        .iter()
        .map(|bucket| bucket.measured)
        .fold(0.0, f64::max)
}

/// A side with its coefficients.
pub(crate) struct FittedSide {
    pub(crate) layout: SideLayout,
    pub(crate) octaves: Vec<FittedOctave>,
    /// The largest error of its regions, in ulp.
    pub(crate) regions: f64,
}

/// A function with its coefficients.
pub(crate) struct FittedFunction {
    pub(crate) fold: Fold,
    /// Whether it is laid out as in the stock files.
    is_stock: bool,
    pub(crate) sides: Vec<FittedSide>,
}

impl FittedSide {
    fn buckets(&self) -> impl Iterator<Item = &FittedBucket> {
        self.octaves.iter().flat_map(|octave| &octave.buckets)
    }
}

impl FittedFunction {
    /// The largest error measured, in ulp.
    pub(crate) fn measured(&self) -> f64 {
        self.sides
            .iter()
            .flat_map(|side| {
                side.buckets()
                    .map(|bucket| bucket.measured)
                    .chain([side.regions])
            })
            .fold(0.0, f64::max)
    }

    /// The largest error measured in its octaves, in ulp; regions left out.
    pub(crate) fn of_octaves(&self) -> f64 {
        let octaves = self.sides.iter().flat_map(|side| &side.octaves);
        octaves.map(FittedOctave::worst).fold(0.0, f64::max)
    }

    /// The largest floor of a bucket, in ulp; `None` without buckets.
    pub(crate) fn floor(&self) -> Option<f64> {
        self.sides
            .iter()
            .flat_map(FittedSide::buckets)
            .map(|bucket| bucket.floor)
            .reduce(f64::max)
    }

    /// What it takes of a plan: buckets without those that another function stores, and room for four saturation buckets.
    /// Those with the same bits are stored once, so that its table may have fewer.
    pub(crate) fn bucket_count(&self) -> usize {
        let octaves = self.sides.iter().flat_map(|side| &side.octaves);
        octaves
            .filter(|octave| !octave.is_borrowed)
            .map(|octave| octave.buckets.len())
            .sum::<usize>()
            + crate::layout::SATURATION_BUCKETS
    }

    /// The layout, with octaves as they were cut in the end.
    pub(crate) fn layout(&self) -> Layout {
        let sides = self.sides.iter().map(|side| SideLayout {
            octaves: side
                .octaves
                .iter()
                .map(|octave| OctaveLayout {
                    exponent: octave.exponent,
                    size: octave.size,
                })
                .collect(),
            ..side.layout.clone()
        });
        Layout {
            fold: self.fold,
            is_stock: self.is_stock,
            sides: sides.collect(),
        }
    }

    /// Puts an octave in the place of the one with its exponent.
    pub(crate) fn replace(&mut self, negative: bool, octave: FittedOctave) {
        let side = self
            .sides
            .iter_mut()
            .find(|side| side.layout.negative == negative);
        let place = side.and_then(|side| {
            side.octaves
                .iter_mut()
                .find(|known| known.exponent == octave.exponent)
        });
        if let Some(place) = place {
            *place = octave;
        }
    }

    /// Control words.
    pub(crate) fn control_words(&self) -> usize {
        self.layout().control_words()
    }
}

impl<'a> FunctionFitter<'a> {
    pub(crate) fn new(
        request: &'a FunctionRequest,
        entry: &'a CatalogueEntry,
        surrogate: &'a Surrogate,
        judge: &'a dyn Judge,
    ) -> Self {
        let range = request.range.or_else(|| request.table_range(entry));
        // An end of the range is the farthest input of its own side, or the nearest one of the other.
        let limits = match range.or(entry.function().natural_range()) {
            Some((low, high)) => [(high, low), (-low, -high)]
                .map(|(far, near)| (far.max(0.0).to_bits(), near.max(0.0).to_bits().max(1))),
            None => [(f32::MAX.to_bits(), 1); 2],
        };
        let ladder = Ladder::new(surrogate);
        Self {
            request,
            entry,
            surrogate,
            judge,
            ladder,
            range,
            limits,
            plans: Mutex::new(BTreeMap::new()),
            small_at_powers: false,
        }
    }

    /// The fitter with what a target's files cannot hold left out of its plans.
    pub(crate) fn for_target(mut self, target: Target) -> Self {
        self.small_at_powers = target.has_stock_layout();
        self
    }

    /// The fold as the profile states it.
    pub(crate) fn symmetry(&self, fold: Fold) -> Symmetry {
        match (fold, self.entry.function().parity()) {
            (Fold::None, _) | (_, Parity::None) => Symmetry::NONE,
            (_, Parity::Even) => Symmetry::EVEN,
            (_, Parity::Odd) => Symmetry::ODD,
            (fold, Parity::Point { sum }) => Symmetry {
                fold,
                invert_sign: true,
                point: sum,
            },
        }
    }

    pub(crate) fn view(&self, fold: Fold, negative: bool) -> SideView<'_> {
        // An odd or even fold mirrors results bit for bit: there is nothing to judge on the other side.
        let reflected = match (fold, self.entry.function().parity()) {
            (Fold::StoreNegative | Fold::StorePositive, Parity::Point { sum }) => Some((true, sum)),
            _ => None,
        };
        let fitter = BucketFitter {
            surrogate: self.surrogate,
            judge: self.judge,
            method: self.request.method,
            reflected,
        };
        let [positive, negative_side] = self.limits;
        let (limit, least) = match fold {
            Fold::None if negative => negative_side,
            Fold::None => positive,
            // Both sides come here: what matters on either does.
            _ if positive.0 == 0 => negative_side,
            _ if negative_side.0 == 0 => positive,
            _ => (
                positive.0.max(negative_side.0),
                positive.1.min(negative_side.1),
            ),
        };
        SideView {
            fitter,
            negative,
            limit,
            least,
        }
    }

    /// Fills a layout with coefficients. An octave whose measured error is above `limit` is cut finer.
    pub(crate) fn realise(
        &self,
        layout: &Layout,
        limit: f64,
        observer: &dyn Observer,
    ) -> FittedFunction {
        let may_grow = self.request.method == Method::Accurate;
        self.fill(layout, limit, may_grow, observer)
    }

    /// Fills a layout with coefficients and leaves the octaves as they are cut; buckets need not be better than `enough`.
    pub(crate) fn realise_as_is(
        &self,
        layout: &Layout,
        enough: f64,
        observer: &dyn Observer,
    ) -> FittedFunction {
        self.fill(layout, enough, false, observer)
    }

    fn fill(
        &self,
        layout: &Layout,
        limit: f64,
        may_grow: bool,
        observer: &dyn Observer,
    ) -> FittedFunction {
        let total: usize = layout.buckets();
        let done = std::sync::atomic::AtomicUsize::new(0);
        let sides = layout
            .sides
            .par_iter()
            .map(|side| {
                let view = self.view(layout.fold, side.negative);
                let octaves = side
                    .octaves
                    .par_iter()
                    .map(|octave| {
                        let fitted = self.fit_octave(&view, side, octave, limit, may_grow);
                        let count = done
                            .fetch_add(fitted.buckets.len(), std::sync::atomic::Ordering::Relaxed);
                        observer.stage(
                            &self.request.name,
                            "fit",
                            (count + fitted.buckets.len()).min(total),
                            total,
                        );
                        fitted
                    })
                    .collect();
                let small = view.measure(&side.small, Threshold::Last, f64::INFINITY);
                let large = view.measure(&side.large, Threshold::First, f64::INFINITY);
                let regions = small.max(large);
                FittedSide {
                    layout: side.clone(),
                    octaves,
                    regions,
                }
            })
            .collect();
        FittedFunction {
            fold: layout.fold,
            is_stock: layout.is_stock,
            sides,
        }
    }

    /// Judges the regions of a function by expression at every input, where [`SideView::measure`] has but a glance beyond the
    /// octaves next to a threshold. The error of a function of the catalogue is known to fall away there; an expression
    /// may do anything anywhere.
    pub(crate) fn sweep_regions(&self, fitted: &mut FittedFunction) {
        if self.request.definition.is_none() {
            return;
        }
        let fold = fitted.fold;
        fitted.sides.par_iter_mut().for_each(|side| {
            let view = self.view(fold, side.layout.negative);
            let [small, large] = [&side.layout.small, &side.layout.large];
            let swept = view.sweep(small).max(view.sweep(large));
            side.regions = side.regions.max(swept);
        });
    }

    fn fit_octave(
        &self,
        view: &SideView<'_>,
        side: &SideLayout,
        octave: &OctaveLayout,
        limit: f64,
        may_grow: bool,
    ) -> FittedOctave {
        let mut fitted = self.fit_octave_at(view, side, octave.exponent, octave.size, limit);
        let mut size = octave.size;
        // Baselines are to be seen as they are, not to be rescued by more buckets.
        while may_grow
            && fitted.worst() > limit
            && size < LARGEST_SIZE
            && size < fitted.size + PATIENCE
        {
            size += 1;
            let finer = self.fit_octave_at(view, side, octave.exponent, size, limit);
            // A pole is not to be had at any size.
            if finer.worst().is_infinite() {
                break;
            }
            if finer.worst() - 0.5 < GROWTH_HELPS * (fitted.worst() - 0.5) {
                fitted = finer;
            }
        }
        fitted
    }

    /// An octave cut into `2^size`; the search in each bucket ends early within `wanted` ulp.
    pub(crate) fn fit_octave_at(
        &self,
        view: &SideView<'_>,
        side: &SideLayout,
        exponent: i32,
        size: u8,
        wanted: f64,
    ) -> FittedOctave {
        let reached = side.reached(exponent, size);
        let first = reached.first().map_or(0, |(index, _)| *index);
        let buckets = reached
            .par_iter()
            .map(|(_, stretch)| view.fit(*stretch, wanted))
            .collect();
        FittedOctave {
            exponent,
            size,
            first,
            buckets,
            is_shared: false,
            is_borrowed: false,
        }
    }
}
