//! Placing functions in the tables (formats.md, sections 2, 4 and 6).

mod check;
mod stock;

use std::collections::BTreeMap;
use std::ops::Range;

use super::{FunctionEntry, FunctionSet, SetError};
use crate::bucket::Bucket;
use crate::cam::CamEntry;
use crate::control::ControlWord;
use crate::datapath::Datapath;
use crate::function::{Fold, FunctionTable, Octave, Side};
use crate::profile::{Profile, RegionKind, RegionWord};
use crate::target::Target;

/// The order in which the stock layout stores the saturation buckets.
const SATURATION_ORDER: [RegionKind; 4] = [
    RegionKind::SmallPositive,
    RegionKind::SmallNegative,
    RegionKind::LargePositive,
    RegionKind::LargeNegative,
];

impl FunctionSet {
    /// Places `functions` in this order: per function the buckets of the negative octaves,
    /// those of the positive octaves, then the saturation buckets; without those octaves
    /// and saturation buckets that a function before it has already stored.
    ///
    /// For a stock target the layout is that of the stock files: all four saturation buckets
    /// of each function, a control word for each stored side of a function without a table,
    /// and the function ids of those files.
    ///
    /// # Errors
    /// [`SetError::Capacity`] if a table of the target overflows, [`SetError::Function`]
    /// and [`SetError::Set`] if a function cannot be expressed or the set would not be
    /// valid (see [`FunctionSet::validate`]).
    pub fn assemble(
        name: impl Into<String>,
        target: Target,
        datapath: Datapath,
        functions: &[FunctionTable],
    ) -> Result<Self, SetError> {
        let mut tables = Tables {
            has_stock_layout: target.has_stock_layout(),
            ..Tables::default()
        };
        let mut set = Self {
            name: name.into(),
            target,
            datapath,
            cam: Vec::new(),
            profiles: Vec::new(),
            control: Vec::new(),
            buckets: Vec::new(),
            functions: Vec::new(),
            spec_hash: None,
            spec: None,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        for (slot, function) in functions.iter().enumerate() {
            let normal;
            let function = if target.has_stock_layout() {
                normal = stock::normalise(function, target)?;
                &normal
            } else {
                function
            };
            let unplaced = function.unplaced_profile();
            check::octaves_cover_all_inputs(function, &unplaced)?;
            let (profile, entry) = tables.place(slot, function, unplaced);
            set.cam.push(CamEntry::activate(function.func_id));
            set.profiles.push(profile);
            set.functions.push(entry);
        }
        set.control = tables.control;
        set.buckets = tables.buckets;
        set.validate()?;
        Ok(set)
    }
}

/// The tables that functions share, as they fill up.
#[derive(Default)]
struct Tables {
    control: Vec<ControlWord>,
    buckets: Vec<Bucket>,
    /// Where each saturation bucket lies that functions share.
    saturation: BTreeMap<[u32; 5], usize>,
    /// The base of each octave that functions share, by its size, its first bucket and its bits.
    octaves: BTreeMap<(u8, u16, Vec<[u32; 5]>), usize>,
    /// Whether each function stores all of its saturation buckets itself.
    has_stock_layout: bool,
}

/// An index for a field of the entries. One that does not fit is far above every
/// capacity, so the set it belongs to is refused.
fn index<T: TryFrom<usize>>(value: usize, too_large: T) -> T {
    T::try_from(value).unwrap_or(too_large)
}

impl Tables {
    fn place(
        &mut self,
        slot: usize,
        function: &FunctionTable,
        mut profile: Profile,
    ) -> (Profile, FunctionEntry) {
        let first_bucket = self.buckets.len();
        let mut shared = Vec::new();
        let negative = self.place_buckets(&function.negative, &mut shared);
        let positive = self.place_buckets(&function.positive, &mut shared);
        let buckets = first_bucket..self.buckets.len();
        if !self.has_stock_layout {
            let octaves = function.negative.octaves.iter();
            let octaves = octaves.chain(&function.positive.octaves);
            for (octave, word) in octaves.zip(negative.iter().chain(&positive)) {
                if !octave.buckets.is_empty() {
                    self.octaves.entry(key(octave)).or_insert(word.base.into());
                }
            }
        }
        let control = self.place_control(function, negative, positive, &mut profile);
        let mut notes = function.notes.clone();
        notes.bucket_bounds = bounds_in_order(&notes.bucket_bounds, &shared);

        if self.has_stock_layout {
            stock::finish_profile(function, &mut profile, control.start);
        }
        let stored = SATURATION_ORDER
            .map(|kind| (kind, self.place_saturation(function.region(kind).bucket)));
        let saturation = RegionKind::ALL.map(|wanted| {
            let place = stored.iter().find(|(kind, _)| *kind == wanted);
            place.map_or(usize::MAX, |(_, place)| *place)
        });
        for (kind, place) in RegionKind::ALL.into_iter().zip(saturation) {
            // extract_size 0: the word is the bucket's index and nothing else.
            profile.region_mut(kind).control = index(place, u32::MAX);
        }

        let entry = FunctionEntry {
            name: function.name.clone(),
            func_id: function.func_id,
            profile: slot,
            control,
            buckets,
            shared: joined(shared.into_iter().filter_map(|octave| octave.shared)),
            saturation,
            notes,
        };
        (profile, entry)
    }

    /// Where this saturation bucket lies; stores it if it is new or not to be shared.
    fn place_saturation(&mut self, bucket: Bucket) -> usize {
        let next = self.buckets.len();
        if self.has_stock_layout {
            self.buckets.push(bucket);
            return next;
        }
        let place = *self.saturation.entry(bucket.to_words()).or_insert(next);
        if place == next {
            self.buckets.push(bucket);
        }
        place
    }

    /// Stores the buckets of a side, but for octaves that are there already, and returns its control words.
    fn place_buckets(&mut self, side: &Side, placed: &mut Vec<PlacedOctave>) -> Vec<ControlWord> {
        side.octaves
            .iter()
            .map(|octave| {
                let known = self.octaves.get(&key(octave)).copied();
                let first = usize::from(octave.first);
                placed.push(PlacedOctave {
                    buckets: octave.buckets.len(),
                    shared: known.map(|base| base + first..base + first + octave.buckets.len()),
                });
                match known {
                    Some(base) => ControlWord::octave(index(base, u16::MAX), octave.size),
                    None => self.place_octave(octave),
                }
            })
            .collect()
    }

    fn place_octave(&mut self, octave: &Octave) -> ControlWord {
        let Some(lowest) = octave.buckets.first() else {
            // Declared but empty: the running index, which a full pool would push past
            // the last bucket.
            let base = index(self.buckets.len(), u16::MAX).min(2047);
            return ControlWord {
                base,
                lsb: 0,
                size: 0,
            };
        };
        // The base lies `first` buckets below the run. At the start of the pool there is
        // nothing below it, so the gap is filled; no input reaches the filling.
        let first = usize::from(octave.first);
        let missing = first.saturating_sub(self.buckets.len());
        self.buckets.extend(std::iter::repeat_n(*lowest, missing));
        let base = self.buckets.len() - first;
        self.buckets.extend(&octave.buckets);
        ControlWord::octave(index(base, u16::MAX), octave.size)
    }

    /// Stores the control words and sets `exponent_offset` and the two bases. The offset is
    /// one for both sides, so the base of the side that begins higher lies that much below
    /// its words, and must not fall below 0: if need be the positive words come first, and
    /// if that does not help empty words go before them.
    fn place_control(
        &mut self,
        function: &FunctionTable,
        negative: Vec<ControlWord>,
        positive: Vec<ControlWord>,
        profile: &mut Profile,
    ) -> Range<usize> {
        let start = self.control.len();
        let lowest = |negative| {
            let side = function.side(negative);
            (!side.octaves.is_empty()).then_some(side.lowest)
        };
        let Some(offset) = [true, false].into_iter().filter_map(lowest).min() else {
            return start..start;
        };
        profile.exponent_offset = index(usize::from(offset.abs_diff(-127)), u8::MAX);

        let shift = |negative| lowest(negative).map_or(0, |low| usize::from(low.abs_diff(offset)));
        let missing = |first_negative: bool, first_count: usize| {
            let first = shift(first_negative).saturating_sub(start);
            first.max(shift(!first_negative).saturating_sub(start + first_count))
        };
        let negative_first = missing(true, negative.len()) <= missing(false, positive.len());
        let (first, second) = if negative_first {
            (negative, positive)
        } else {
            (positive, negative)
        };
        let empty = ControlWord {
            base: index(self.buckets.len(), u16::MAX).min(2047),
            lsb: 0,
            size: 0,
        };
        let padding = missing(negative_first, first.len());
        self.control.extend(std::iter::repeat_n(empty, padding));

        let base = |words: usize, negative| words.saturating_sub(shift(negative));
        let first_base = base(self.control.len(), negative_first);
        self.control.extend(&first);
        let second_base = base(self.control.len(), !negative_first);
        self.control.extend(&second);
        // A side without octaves has no words; it shares the base of the other.
        let bases = match (first.is_empty(), second.is_empty()) {
            (true, _) => [second_base; 2],
            (_, true) => [first_base; 2],
            _ => [first_base, second_base],
        }
        .map(|base| index(base, u8::MAX));
        let [first_base, second_base] = bases;
        (profile.pwl_control_base_neg, profile.pwl_control_base_pos) = if negative_first {
            (first_base, second_base)
        } else {
            (second_base, first_base)
        };
        start..self.control.len()
    }
}

/// An octave of a function as it was placed.
struct PlacedOctave {
    /// How many buckets it has.
    buckets: usize,
    /// Where they lie, when another function stored them.
    shared: Option<Range<usize>>,
}

fn key(octave: &Octave) -> (u8, u16, Vec<[u32; 5]>) {
    let words = octave.buckets.iter().map(|bucket| bucket.to_words());
    (octave.size, octave.first, words.collect())
}

/// Runs in ascending order, those that touch as one.
fn joined(runs: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = runs.collect();
    runs.sort_by_key(|run| (run.start, run.end));
    let mut all: Vec<Range<usize>> = Vec::new();
    for run in runs {
        match all.last_mut() {
            Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
            _ => all.push(run),
        }
    }
    all
}

/// The bounds of own buckets, then those of shared ones, both in the order of the pool.
fn bounds_in_order(bounds: &[f64], octaves: &[PlacedOctave]) -> Vec<f64> {
    let mut rest = bounds;
    let mut own = Vec::new();
    let mut shared: BTreeMap<usize, f64> = BTreeMap::new();
    for octave in octaves {
        let (these, others) = rest.split_at(octave.buckets.min(rest.len()));
        match &octave.shared {
            None => own.extend_from_slice(these),
            Some(run) => shared.extend(run.clone().zip(these.iter().copied())),
        }
        rest = others;
    }
    own.extend(shared.into_values());
    own
}

impl FunctionTable {
    /// The profile without what depends on its place in the tables: all indices are 0.
    fn unplaced_profile(&self) -> Profile {
        let Self {
            symmetry, specials, ..
        } = self;
        let mut profile = Profile {
            symmetry_opt_en: (symmetry.fold != Fold::None).into(),
            symmetry_opt_use_neg_region: (symmetry.fold == Fold::StoreNegative).into(),
            func_sym_inv_sign: symmetry.invert_sign.into(),
            symmetry_point: symmetry.point,
            small_pos_signal_threshold: self.positive.small.exponent,
            small_neg_signal_threshold: self.negative.small.exponent,
            large_pos_signal_threshold: self.positive.large.exponent,
            large_neg_signal_threshold: self.negative.large.exponent,
            func_rslt_for_zero: specials.zero,
            func_rslt_for_nan: specials.nan,
            func_rslt_for_pos_inf: specials.pos_inf,
            func_rslt_for_neg_inf: specials.neg_inf,
            ..Profile::default()
        };
        for kind in RegionKind::ALL {
            let region = self.region(kind);
            *profile.region_mut(kind) = RegionWord {
                control: 0,
                mantissa_threshold: region.mantissa,
                compare: region.compare,
            };
        }
        profile
    }
}
