//! Invariants of the tables: those of every set, and the layout rules of the stock files.

use super::{Findings, Lint};
use crate::control::ControlWord;
use crate::profile::{Profile, RegionKind};
use crate::set::{FunctionEntry, FunctionSet};
use crate::stock::assumed::{IMM_BIAS, PARAMETRIC_RELU, PARAMETRIC_RELU_EXP_OFFSET};
use crate::stock::{Declared, declared, stock_function};
use crate::target::Target;

/// The greatest `extract_size` of the stock files.
const LARGEST_EXTRACT: u8 = 10;

/// Holds a set against the invariants of its tables. `file` is where what is wrong is said
/// to be; keys name the function.
pub fn check_set(set: &FunctionSet, file: &str, findings: &mut Findings) {
    let mut next_bucket = 0;
    let mut next_word = 0;
    for entry in &set.functions {
        let Some(profile) = set.profile(entry) else {
            continue;
        };
        let mut check = Check {
            set,
            entry,
            profile,
            octaves: declared(set, entry, profile),
            file,
            findings,
        };
        check.coefficients();
        check.control_words();
        if set.target.has_stock_layout() {
            check.blocks(next_bucket);
            check.octave_runs();
            check.words(next_word);
            check.profile();
            check.names();
        }
        next_bucket = entry
            .saturation
            .into_iter()
            .max()
            .map_or(0, |last| last + 1);
        next_word = entry.control.end;
    }
}

/// One function under examination.
struct Check<'a> {
    set: &'a FunctionSet,
    entry: &'a FunctionEntry,
    profile: &'a Profile,
    octaves: Vec<Declared>,
    file: &'a str,
    findings: &'a mut Findings,
}

impl Check<'_> {
    fn add(
        &mut self,
        lint: Lint,
        key: impl AsRef<str>,
        expected: impl ToString,
        found: impl ToString,
    ) {
        let key = format!("{}: {}", self.entry.name, key.as_ref());
        self.findings.add(lint, self.file, key, expected, found);
    }

    fn equal<T: PartialEq + ToString>(&mut self, lint: Lint, key: &str, expected: T, found: T) {
        if expected != found {
            self.add(lint, key, expected, found);
        }
    }

    fn coefficients(&mut self) {
        let buckets = self.set.buckets.get(self.entry.buckets.clone());
        for (place, bucket) in buckets.unwrap_or_default().iter().enumerate() {
            let [d0, d1, d2, d3] = bucket.d;
            let fields = [
                ("x0", bucket.x0),
                ("d0", d0),
                ("d1", d1),
                ("d2", d2),
                ("d3", d3),
            ];
            for (name, value) in fields {
                if !value.is_finite() {
                    let key = format!("bucket {}: {name}", self.entry.buckets.start + place);
                    let bits = value.to_bits();
                    let found = format!("{value} ({bits:#010x})");
                    self.add(Lint::FiniteCoefficients, key, "a finite number", found);
                }
            }
        }
    }

    fn control_words(&mut self) {
        for octave in self.octaves.clone() {
            let ControlWord { lsb, size, .. } = octave.word;
            let key = word_key(&octave);
            if is_populated(octave.word) && lsb + size != 23 {
                let found = format!("lsb {lsb} and size {size}");
                self.add(Lint::ExtractTopBits, &key, "lsb 23 - size", found);
            }
            if size > LARGEST_EXTRACT {
                let expected = format!("extract_size of at most {LARGEST_EXTRACT}");
                self.add(Lint::ExtractSize, &key, expected, size);
            }
        }
    }

    /// Octave buckets, then the four saturation buckets, with nothing in between.
    fn blocks(&mut self, first: usize) {
        let entry = self.entry;
        let [high_pos, high_neg, low_pos, low_neg] = entry.saturation;
        let end = entry.buckets.end;
        self.equal(
            Lint::BucketOrder,
            "first bucket",
            first,
            entry.buckets.start,
        );
        let expected = format!("{:?}", [end, end + 1, end + 2, end + 3]);
        let found = [low_pos, low_neg, high_pos, high_neg];
        let mut sorted = found;
        sorted.sort_unstable();
        let key = "saturation buckets";
        if sorted != [end, end + 1, end + 2, end + 3] {
            self.add(Lint::BucketOrder, key, &expected, format!("{found:?}"));
        } else if sorted != found {
            self.add(Lint::SaturationOrder, key, expected, format!("{found:?}"));
        }
    }

    /// Each octave begins where the one before it ends, and stores what it should.
    fn octave_runs(&mut self) {
        let octaves = self.octaves.clone();
        let mut running = self.entry.buckets.start;
        for (place, octave) in octaves.iter().enumerate() {
            let key = word_key(octave);
            let base = usize::from(octave.word.base);
            // A full pool has no running index that a word can hold.
            let expected = running.min(usize::from(ControlWord::LAST_BASE));
            if !is_populated(octave.word) {
                self.equal(Lint::EmptyOctave, &key, expected, base);
                if octave.word.lsb != 0 || octave.word.size != 0 {
                    let found = format!("lsb {} and size {}", octave.word.lsb, octave.word.size);
                    self.add(Lint::EmptyOctave, &key, "lsb and size 0", found);
                }
                continue;
            }
            self.equal(Lint::OctaveRun, &key, expected, base);
            let next = octaves.get(place + 1);
            let end = next.map_or(self.entry.buckets.end, |next| usize::from(next.word.base));
            let stored = end.saturating_sub(base);
            // Octaves without buckets may be declared beyond it.
            let is_topmost = octaves
                .iter()
                .skip(place + 1)
                .take_while(|later| later.negative == octave.negative)
                .all(|later| !is_populated(later.word));
            let (lint, wanted) = match self.cut(octave) {
                Some(cut) if is_topmost => (Lint::TopmostOctave, cut),
                _ => (Lint::OctaveRun, 1 << octave.word.size.min(31)),
            };
            if stored != wanted {
                let key = format!("buckets of {key}");
                self.add(lint, key, wanted, stored);
            }
            running = end;
        }
        if !octaves.is_empty() || !self.entry.buckets.is_empty() {
            let end = self.entry.buckets.end;
            self.equal(Lint::OctaveRun, "end of the last octave", end, running);
        }
    }

    /// How many buckets the mantissa threshold leaves of an octave that it lies in.
    fn cut(&self, octave: &Declared) -> Option<usize> {
        let kind = RegionKind::large(octave.negative);
        let threshold = i32::from(self.profile.threshold(kind)) - 127;
        let mantissa = self.profile.region(kind).mantissa_threshold;
        (threshold == octave.exponent).then_some((mantissa >> octave.word.lsb.min(31)) as usize + 1)
    }

    fn words(&mut self, first: usize) {
        let start = self.entry.control.start;
        let [positive, negative] = [
            self.profile.pwl_control_base_pos,
            self.profile.pwl_control_base_neg,
        ]
        .map(usize::from);
        self.equal(Lint::ControlBase, "first control word", first, start);
        // A byte cannot say 256, where a function without words may stand.
        let base = start.min(usize::from(u8::MAX));
        self.equal(Lint::ControlBase, "pwl_control_base_neg", base, negative);
        let single = self.profile.is_folded() || self.entry.control.is_empty();
        if single && positive != negative {
            let key = "pwl_control_base_pos";
            self.add(Lint::ControlBase, key, negative, positive);
        }
        if self.entry.buckets.is_empty() {
            let sides = if self.profile.is_folded() { 1 } else { 2 };
            let words = match self.entry.name == PARAMETRIC_RELU {
                true => 0,
                false => sides,
            };
            let found = self.entry.control.len();
            self.equal(Lint::ResidentWords, "control words", words, found);
        }
    }

    fn profile(&mut self) {
        let profile = *self.profile;
        let offset = i16::from(profile.exponent_offset) - 127;
        let reached = profile.reachable_octaves().map(|octave| octave.exponent);
        if self.entry.control.is_empty() {
            let key = "exp_offset";
            self.equal(
                Lint::ExponentOffset,
                key,
                PARAMETRIC_RELU_EXP_OFFSET,
                offset,
            );
        } else if self.entry.buckets.is_empty() {
            self.equal(Lint::ExponentOffset, "exp_offset", -127, offset);
        } else if let Some(lowest) = reached.min().map(|lowest| i16::from(lowest) - 127)
            && lowest < offset
        {
            let expected = format!("at most {lowest}, the lowest octave that inputs reach");
            self.add(Lint::ExponentOffset, "exp_offset", expected, offset);
        }
        for kind in RegionKind::ALL {
            let region = profile.region(kind);
            let small = kind == RegionKind::small(false) || kind == RegionKind::small(true);
            if !region.compare || small && region.mantissa_threshold != 0 {
                let found = match region.compare {
                    true => format!("mantissa {:#x}", region.mantissa_threshold),
                    false => "no comparison".to_owned(),
                };
                let expected = "a comparison, with 0 for a small region";
                self.add(Lint::SmallThreshold, kind.as_str(), expected, found);
            }
        }
        let parametric = self.entry.name == PARAMETRIC_RELU;
        let (constant, selector) = if parametric { (1.0_f32, 2) } else { (0.0, 0) };
        let lint = Lint::ParametricFields;
        let found = profile.fma_const0.to_bits();
        self.equal(lint, "fma_const_0", constant.to_bits(), found);
        let found = profile.fma_indirection_src_sel;
        self.equal(lint, "fma_indirection_src_sel", selector, found);
    }

    fn names(&mut self) {
        let name = self.entry.name.as_str();
        let bias = u32::from(IMM_BIAS.contains(&name));
        let found = self.entry.stock_notes().imm_bias;
        self.equal(Lint::ImmBias, "imm_bias", bias, found);
        if let Some(stock) = stock_function(name) {
            let id = match self.set.target {
                Target::StockWithLn => stock.tonga_id,
                _ => stock.sunda_id,
            };
            // Ids of this project stand for ids that are not known.
            if id < 200 {
                self.equal(Lint::FunctionId, "func_id", id, self.entry.func_id);
            }
        }
    }
}

/// Whether an octave's word points at buckets. One bucket has lsb 23, so an octave without
/// any is told by its zeros.
fn is_populated(word: ControlWord) -> bool {
    word.lsb != 0 || word.size != 0
}

fn word_key(octave: &Declared) -> String {
    let side = match octave.negative {
        true => "negative",
        false => "positive",
    };
    format!(
        "control word {} ({side} octave {})",
        octave.index, octave.exponent
    )
}
