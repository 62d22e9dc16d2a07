//! The two tables of a stock set, and whose entries are whose.

use super::super::model::{Map, ProfileMeta, SetFile};
use super::super::profile::profile_of;
use super::super::source::StockSource;
use super::super::write::Names;
use super::{LONGEST_BUCKETS, available};
use crate::bucket::Bucket;
use crate::cam::CamEntry;
use crate::control::ControlWord;
use crate::datapath::Datapath;
use crate::error::all_zero;
use crate::function::FunctionNotes;
use crate::lint::{Findings, Lint};
use crate::profile::RegionKind;
use crate::set::{FunctionEntry, FunctionSet};
use crate::stock::StockNotes;
use crate::target::{Table, Target};

/// The decoded tables of a set.
pub(super) struct Images {
    pub(super) target: Target,
    buckets: Vec<Bucket>,
    control: Vec<ControlWord>,
}

/// The target whose files have this many bytes for so many control words.
fn target_of(bytes: usize, words: usize) -> Option<Target> {
    [Target::StockTrainium, Target::StockWithLn]
        .into_iter()
        .find(|target| words.checked_mul(target.stride(Table::Control)) == Some(bytes))
}

impl Images {
    pub(super) fn read(
        source: &(impl StockSource + ?Sized),
        names: &Names,
        file: &SetFile,
        findings: &mut Findings,
    ) -> Option<Self> {
        let longest = 256 * 32;
        let bkt = &names.bkt_bin;
        let ctrl = &names.ctrl_bin;
        let bucket_bytes = available(source, bkt, LONGEST_BUCKETS, findings, |lint| lint);
        let control_bytes = available(source, ctrl, longest, findings, |lint| lint);
        let (bucket_bytes, control_bytes) = (bucket_bytes?, control_bytes?);
        let words = file.ctl_entry_cnt as usize;
        let target = target_of(control_bytes.len(), words).or_else(|| {
            let expected = format!("16 or 32 bytes for each of {words} control words");
            let found = format!("{} bytes", control_bytes.len());
            findings.add(Lint::ControlCount, ctrl, "length", expected, found);
            None
        });
        let wanted = (file.bkt_entry_cnt as usize).checked_mul(Bucket::BYTES);
        if wanted != Some(bucket_bytes.len()) {
            let expected = format!("32 bytes for each of {} buckets", file.bkt_entry_cnt);
            let found = format!("{} bytes", bucket_bytes.len());
            findings.add(Lint::BucketCount, bkt, "length", expected, found);
            return None;
        }
        let buckets = decode_buckets(bkt, &bucket_bytes, findings);
        let target = target?;
        let control = decode_control(ctrl, target, &control_bytes, findings);
        Some(Self {
            target,
            buckets: buckets?,
            control: control?,
        })
    }
}

fn decode_buckets(file: &str, bytes: &[u8], findings: &mut Findings) -> Option<Vec<Bucket>> {
    let (cells, _) = bytes.as_chunks::<{ Bucket::BYTES }>();
    let entries = cells.iter().enumerate().map(|(index, cell)| {
        Bucket::from_bytes(cell).map_err(|error| {
            let key = format!("bucket {index}");
            findings.add(Lint::BucketReserved, file, key, "zeros", error);
        })
    });
    entries.collect::<Result<_, ()>>().ok()
}

fn decode_control(
    file: &str,
    target: Target,
    bytes: &[u8],
    findings: &mut Findings,
) -> Option<Vec<ControlWord>> {
    let cells = bytes.chunks_exact(target.stride(Table::Control));
    let entries = cells.enumerate().map(|(index, cell)| {
        let decoded = match cell.split_first_chunk::<4>() {
            Some((word, rest)) => all_zero("CONTROL", 32, rest)
                .and_then(|()| ControlWord::decode(u32::from_le_bytes(*word))),
            // No stride is shorter.
            None => return Err(()),
        };
        decoded.map_err(|error| {
            let key = format!("control word {index}");
            findings.add(Lint::ControlReserved, file, key, "zeros", error);
        })
    });
    entries.collect::<Result<_, ()>>().ok()
}

/// The set of these tables. `json` is the name of the set's file.
pub(super) fn set_of(
    name: &str,
    file: &SetFile,
    images: Images,
    json: &str,
    findings: &mut Findings,
) -> Option<FunctionSet> {
    let metas = &file.profile_meta_data.0;
    let target = images.target;
    let slots = target.capacity().profile;
    if metas.is_empty() || metas.len() > slots {
        let expected = format!("1 to {slots} functions");
        let found = metas.len();
        findings.add(
            Lint::FunctionCount,
            json,
            "profile_meta_data",
            expected,
            found,
        );
        return None;
    }
    let mut set = FunctionSet {
        name: name.to_owned(),
        target,
        // The bits do not say; this is the model of the silicon.
        datapath: Datapath::default(),
        cam: Vec::new(),
        profiles: Vec::new(),
        control: images.control,
        buckets: images.buckets,
        functions: Vec::new(),
        spec_hash: None,
        spec: None,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let before = findings.count();
    let mut names = Vec::new();
    for (slot, meta) in metas.iter().enumerate() {
        let key = format!("profile_meta_data[{slot}].func_name");
        match variant(&meta.func_name) {
            Some((name, selector)) if !names.iter().any(|(known, _)| *known == name) => {
                names.push((name, selector));
            }
            Some(_) => {
                let expected = "a function of its own";
                findings.add(Lint::FunctionName, json, key, expected, &meta.func_name);
            }
            None => {
                let expected = "<func>_<N>p";
                findings.add(Lint::FunctionName, json, key, expected, &meta.func_name);
            }
        }
    }
    if findings.count() > before {
        return None;
    }
    for (slot, (meta, (name, selector))) in metas.iter().zip(&names).enumerate() {
        let next = names.get(slot + 1).map(|(name, _)| *name);
        let place = Place {
            file,
            json,
            slot,
            words: set.control.len(),
        };
        let entry = place.entry(meta, name, *selector, next, findings);
        let profile = profile_of(meta).or_else(|| {
            let key = format!("profile_meta_data[{slot}].exp_offset");
            findings.add(
                Lint::ProfileField,
                json,
                key,
                "-127 to 128",
                meta.exp_offset,
            );
            None
        });
        set.functions.push(entry?);
        set.profiles.push(profile?);
        set.cam.push(CamEntry::activate(meta.func_id));
    }
    Some(set)
}

/// Function and N of `<func>_<N>p`.
fn variant(func_name: &str) -> Option<(&str, u32)> {
    let (name, selector) = func_name.strip_suffix('p')?.rsplit_once('_')?;
    // Written the same way again: no sign, no zeros in front.
    let number: u32 = selector.parse().ok()?;
    (number.to_string() == selector).then_some((name, number))
}

/// Where one function stands in the set's file.
struct Place<'a> {
    file: &'a SetFile,
    json: &'a str,
    slot: usize,
    /// Control words of the set.
    words: usize,
}

impl Place<'_> {
    fn start(
        &self,
        starts: &Map<u32>,
        key: &str,
        name: &str,
        findings: &mut Findings,
    ) -> Option<usize> {
        let found = starts.get(name);
        if found.is_none() {
            let key = format!("{key}.{name}");
            findings.add(Lint::StartIndex, self.json, key, "an index", "none");
        }
        found.map(|start| *start as usize)
    }

    fn entry(
        &self,
        meta: &ProfileMeta,
        name: &str,
        selector: u32,
        next: Option<&str>,
        findings: &mut Findings,
    ) -> Option<FunctionEntry> {
        let file = self.file;
        let key = "func_to_ctl_start_idx";
        let words = &file.func_to_ctl_start_idx;
        let first_word = self.start(words, key, name, findings)?;
        let end_word = match next {
            Some(next) => self.start(words, key, next, findings)?,
            None => self.words,
        };
        let key = "func_to_bkt_start_idx";
        let first = self.start(&file.func_to_bkt_start_idx, key, name, findings)?;
        let saturation = RegionKind::ALL.map(|kind| match kind {
            RegionKind::LargePositive => meta.pos_large_signal_pwl_control,
            RegionKind::LargeNegative => meta.neg_large_signal_pwl_control,
            RegionKind::SmallPositive => meta.pos_small_signal_pwl_control,
            RegionKind::SmallNegative => meta.neg_small_signal_pwl_control,
        } as usize);
        let end = saturation.into_iter().min().unwrap_or_default();
        for (key, start, end, most) in [
            ("func_to_ctl_start_idx", first_word, end_word, self.words),
            (
                "func_to_bkt_start_idx",
                first,
                end,
                file.bkt_entry_cnt as usize,
            ),
        ] {
            if start > end || end > most {
                let key = format!("{key}.{name}");
                let expected = format!("a run that ends within {most} entries");
                let found = format!("{start} to {end}");
                findings.add(Lint::StartIndex, self.json, key, expected, found);
                return None;
            }
        }
        let [lower, upper] = [meta.lower_bound, meta.upper_bound].map(f32::from_bits);
        // Bounds that say something are the range in which the function is to be judged.
        let is_range = lower < upper && (lower > f32::MIN || upper < f32::MAX);
        Some(FunctionEntry {
            name: name.to_owned(),
            func_id: meta.func_id,
            profile: self.slot,
            control: first_word..end_word,
            buckets: first..end,
            shared: Vec::new(),
            saturation,
            notes: FunctionNotes {
                range: is_range.then_some([lower, upper]),
                stock: Some(StockNotes {
                    selector,
                    imm_bias: meta.imm_bias,
                    lower_bound: meta.lower_bound,
                    upper_bound: meta.upper_bound,
                    use_multipass: meta.use_multipass,
                    max_diff: 0,
                }),
                ..FunctionNotes::default()
            },
        })
    }
}
