//! Buckets that several functions use: far from zero, exp, sigmoid and softplus are the same function to a fraction of an
//! ulp, and an octave that serves all of them is stored once.
//!
//! Where two functions differ by so little that one octave is expected to keep both errors, the allocation counts it
//! once. When coefficients are known, each bucket is the candidate with the least error for all of its functions, as the
//! judge measures it for each; an octave that misses an error of one of them is not shared after all.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::bucket::FittedBucket;
use crate::function::{FittedFunction, FittedOctave, FunctionFitter};
use crate::ladder::{LOWEST_EXPONENT, bucket_stretch};
use crate::layout::{Layout, SideLayout};
use crate::request::Method;
use crate::sample::{Stretch, value_at};

/// Side, and unbiased exponent.
type Place = (bool, i32);

/// Functions of a set that may share buckets.
pub(crate) struct Sharing<'a> {
    fitters: Vec<&'a FunctionFitter<'a>>,
    /// How far two functions are apart in an octave, in ulp.
    differences: Mutex<BTreeMap<(usize, usize, Place), f64>>,
}

/// A function's share in the plan: which one, how its octaves are cut, and the error that it is to keep in ulp.
pub(crate) struct Part<'p> {
    pub(crate) function: usize,
    pub(crate) layout: &'p Layout,
    pub(crate) wanted: f64,
}

/// An octave that several functions are to share.
struct Group {
    place: Place,
    size: u8,
    /// The parts, in the order of the set.
    members: Vec<usize>,
    /// Buckets that need not be stored.
    saved: usize,
}

/// Inputs of an octave at which two functions are compared.
const POINTS: u32 = 32;

impl<'a> Sharing<'a> {
    pub(crate) fn new(fitters: Vec<&'a FunctionFitter<'a>>) -> Self {
        Self {
            fitters,
            differences: Mutex::default(),
        }
    }

    /// Buckets that these functions need not store twice.
    pub(crate) fn saved(&self, parts: &[Part<'_>]) -> usize {
        self.groups(parts).iter().map(|group| group.saved).sum()
    }

    /// Gives functions the same buckets where that keeps the error of each.
    pub(crate) fn apply(&self, fitted: &mut [FittedFunction], wanted: &[f64]) {
        let layouts: Vec<Layout> = fitted.iter().map(FittedFunction::layout).collect();
        let parts: Vec<Part<'_>> = layouts
            .iter()
            .zip(wanted)
            .enumerate()
            .map(|(function, (layout, wanted))| Part {
                function,
                layout,
                wanted: *wanted,
            })
            .collect();
        let groups = self.groups(&parts);
        let shared: Vec<Option<Vec<FittedOctave>>> = groups
            .par_iter()
            .map(|group| self.fit(group, &parts))
            .collect();
        for (group, octaves) in groups.iter().zip(shared) {
            for (member, octave) in group.members.iter().zip(octaves.into_iter().flatten()) {
                if let Some(function) = fitted.get_mut(*member) {
                    function.replace(group.place.0, octave);
                }
            }
        }
    }

    /// Which octaves are worth sharing, by what is expected of them.
    fn groups(&self, parts: &[Part<'_>]) -> Vec<Group> {
        let mut places: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
        for (k, part) in parts.iter().enumerate() {
            // Baselines are to be seen as they are.
            let is_free = self
                .fitter(part)
                .is_some_and(|fitter| fitter.request.method == Method::Accurate);
            for side in part.layout.sides.iter().filter(|_| is_free) {
                for octave in &side.octaves {
                    let place = (side.negative, octave.exponent);
                    places.entry(place).or_default().push(k);
                }
            }
        }
        let mut groups = Vec::new();
        for (place, mut rest) in places {
            while rest.len() > 1 {
                let first = rest.remove(0);
                let mut group = Group {
                    place,
                    size: size_at(parts, first, place).unwrap_or_default(),
                    members: vec![first],
                    saved: 0,
                };
                rest.retain(|other| !self.join(&mut group, *other, parts));
                if group.members.len() > 1 {
                    groups.push(group);
                }
            }
        }
        groups
    }

    /// Takes a function into a group, if that saves buckets and is expected to keep every error.
    fn join(&self, group: &mut Group, other: usize, parts: &[Part<'_>]) -> bool {
        let Some(own) = size_at(parts, other, group.place) else {
            return false;
        };
        let mut members = group.members.clone();
        members.push(other);
        let least = group.size.max(own);
        let before = |size: u8, member: usize| {
            side_at(parts, member, group.place)
                .map_or(0, |side| side.reached(group.place.1, size).len())
        };
        let apart =
            before(group.size, group.members[0]).max(union(parts, group)) + before(own, other);
        // One cut more may still be less than two octaves.
        (least..=least.saturating_add(1)).any(|size| {
            let joint = Group {
                size,
                members: members.clone(),
                ..*group
            };
            let together = union(parts, &joint);
            let keeps = together < apart && self.keeps_errors(&joint, parts);
            if keeps {
                group.saved += apart - together;
                group.size = size;
                group.members.clone_from(&members);
            }
            keeps
        })
    }

    /// Whether each function is expected to keep its error: half of what it differs from the others comes on top of what
    /// its own cubics reach.
    fn keeps_errors(&self, group: &Group, parts: &[Part<'_>]) -> bool {
        let (negative, exponent) = group.place;
        group.members.iter().all(|member| {
            let Some((part, side)) = parts.get(*member).zip(side_at(parts, *member, group.place))
            else {
                return false;
            };
            let Some(fitter) = self.fitter(part) else {
                return false;
            };
            let others = group.members.iter().filter(|other| *other != member);
            let difference = others
                .filter_map(|other| parts.get(*other))
                .map(|other| self.difference(part.function, other.function, (negative, exponent)))
                .fold(0.0, f64::max);
            fitter.worst_estimate(side, exponent, group.size) + 0.5 * difference <= part.wanted
        })
    }

    /// How far two functions are apart in an octave, in ulp of the one that is finer there; infinite where they cannot be
    /// compared.
    fn difference(&self, one: usize, other: usize, place: Place) -> f64 {
        let key = (one.min(other), one.max(other), place);
        let lock = || {
            self.differences
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = lock().get(&key) {
            return *known;
        }
        let difference = match (self.fitters.get(one), self.fitters.get(other)) {
            (Some(one), Some(other)) if one.request.dtype == other.request.dtype => {
                apart(one, other, place)
            }
            _ => f64::INFINITY,
        };
        lock().insert(key, difference);
        difference
    }

    fn fitter(&self, part: &Part<'_>) -> Option<&'a FunctionFitter<'a>> {
        self.fitters.get(part.function).copied()
    }

    /// The octave of each member, all with the same buckets; `None` where one of them would miss its error.
    fn fit(&self, group: &Group, parts: &[Part<'_>]) -> Option<Vec<FittedOctave>> {
        let (_, exponent) = group.place;
        let reached: Vec<BTreeMap<u32, Stretch>> = group
            .members
            .iter()
            .map(|member| {
                let side = side_at(parts, *member, group.place)?;
                Some(side.reached(exponent, group.size).into_iter().collect())
            })
            .collect::<Option<_>>()?;
        let first = *reached.iter().filter_map(|map| map.keys().next()).min()?;
        let last = *reached.iter().filter_map(|map| map.keys().last()).max()?;
        let columns: Option<Vec<Vec<FittedBucket>>> = (first..=last)
            .into_par_iter()
            .map(|index| {
                let stretches: Vec<Option<Stretch>> =
                    reached.iter().map(|map| map.get(&index).copied()).collect();
                self.fit_bucket(group, parts, &stretches)
            })
            .collect();
        let columns = columns?;
        let octaves = (0..group.members.len()).map(|place| FittedOctave {
            exponent,
            size: group.size,
            first,
            buckets: columns
                .iter()
                .filter_map(|column| column.get(place).copied())
                .collect(),
            is_shared: true,
            is_borrowed: place > 0,
        });
        Some(octaves.collect())
    }

    /// The candidate that is best for all: the least of the largest share of its error that a member has.
    fn fit_bucket(
        &self,
        group: &Group,
        parts: &[Part<'_>],
        stretches: &[Option<Stretch>],
    ) -> Option<Vec<FittedBucket>> {
        let members: Vec<_> = group
            .members
            .iter()
            .zip(stretches)
            .map(|(member, stretch)| {
                let part = parts.get(*member)?;
                let view = self.fitter(part)?.view(part.layout.fold, group.place.0);
                Some((part, view, *stretch))
            })
            .collect::<Option<_>>()?;
        let own: Vec<FittedBucket> = members
            .iter()
            .filter_map(|(_, view, stretch)| Some(view.fit((*stretch)?, 0.0)))
            .collect();
        let mut best: Option<(f64, Vec<FittedBucket>)> = None;
        for candidate in &own {
            let mut floors = own.iter().map(|fitted| fitted.floor);
            let column: Vec<FittedBucket> = members
                .iter()
                .map(|(_, view, stretch)| match stretch {
                    Some(stretch) => FittedBucket {
                        bucket: candidate.bucket,
                        measured: view
                            .fitter
                            .measure(&candidate.bucket, *stretch, f64::INFINITY),
                        floor: floors.next().unwrap_or_default(),
                    },
                    // Stored for the others.
                    None => FittedBucket {
                        bucket: candidate.bucket,
                        measured: 0.0,
                        floor: 0.0,
                    },
                })
                .collect();
            let share = members
                .iter()
                .zip(&column)
                .map(|((part, _, _), fitted)| fitted.measured / part.wanted)
                .fold(0.0, f64::max);
            if best.as_ref().is_none_or(|(least, _)| share < *least) {
                best = Some((share, column));
            }
        }
        best.filter(|(share, _)| *share <= 1.0)
            .map(|(_, column)| column)
    }
}

/// The side of a part that has an octave.
fn side_at<'p>(parts: &[Part<'p>], part: usize, (negative, _): Place) -> Option<&'p SideLayout> {
    let sides = &parts.get(part)?.layout.sides;
    sides.iter().find(|side| side.negative == negative)
}

/// The size of a part's octave.
fn size_at(parts: &[Part<'_>], part: usize, place: Place) -> Option<u8> {
    let octaves = &side_at(parts, part, place)?.octaves;
    let octave = octaves.iter().find(|octave| octave.exponent == place.1)?;
    Some(octave.size)
}

/// The buckets that the members reach together.
fn union(parts: &[Part<'_>], group: &Group) -> usize {
    let reached = group.members.iter().filter_map(|member| {
        let side = side_at(parts, *member, group.place)?;
        let reached = side.reached(group.place.1, group.size);
        Some((reached.first()?.0, reached.last()?.0))
    });
    let ends = reached.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
    ends.map_or(0, |(first, last)| (last - first) as usize + 1)
}

/// How far two functions are apart in an octave, in ulp.
fn apart(one: &FunctionFitter<'_>, other: &FunctionFitter<'_>, (negative, exponent): Place) -> f64 {
    if !(LOWEST_EXPONENT..=127).contains(&exponent) {
        return f64::INFINITY;
    }
    let octave = bucket_stretch(negative, exponent, 0, 0);
    let span = octave.last - octave.first;
    let at = |fitter: &FunctionFitter<'_>, bits: u32| value_at(fitter.surrogate, bits);
    (0..=POINTS)
        .map(|k| octave.first + (u64::from(span) * u64::from(k) / u64::from(POINTS)) as u32)
        .filter_map(|bits| match (at(one, bits), at(other, bits)) {
            (Some((left, ulp)), Some((right, other_ulp))) => {
                Some((left - right).abs() / ulp.min(other_ulp))
            }
            // Beyond the range of one of them, or overflowed: nothing to compare there.
            _ => None,
        })
        .reduce(f64::max)
        .unwrap_or(f64::INFINITY)
}
