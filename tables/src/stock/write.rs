//! From sets to the files of a stock directory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Serialize;

use super::model::{ActFuncSet, ActInfo, List, Map, PWP_FILE_KEYS, Selector, SetFile};
use super::profile::profile_meta;
use super::starts::{Declared, declared};
use super::{ACT_INFO, PWP_DIRECTORY, StockError, pwp};
use crate::set::{FunctionEntry, FunctionSet};
use crate::target::Table;

/// A file of a stock directory in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StockFile {
    /// Its path below the directory, parts separated by `/`.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The names of a set's three files.
pub(super) struct Names {
    pub(super) bkt_bin: String,
    pub(super) ctrl_bin: String,
    pub(super) profile_json: String,
}

impl Names {
    pub(super) fn of(set: &str) -> Self {
        Self {
            bkt_bin: format!("{set}_bkt.bin"),
            ctrl_bin: format!("{set}_ctrl.bin"),
            profile_json: format!("{set}.json"),
        }
    }
}

/// The files of a stock directory that holds these sets in this order.
///
/// # Errors
/// [`StockError::Layout`] if a set is not laid out for a stock target, or if two sets
/// contradict each other: other targets, the same name, or different tables under one
/// `<func>_<N>p`. [`StockError::Set`] if a set is not valid.
pub fn stock_files(sets: &[FunctionSet]) -> Result<Vec<StockFile>, StockError> {
    let mut files = Vec::new();
    let mut act_info = ActInfo {
        act_func_sets: List(Vec::new()),
        pwp_file_keys: List(PWP_FILE_KEYS.map(str::to_owned).to_vec()),
    };
    let mut functions: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (index, set) in sets.iter().enumerate() {
        let before = sets.get(..index).unwrap_or_default();
        check_set(set, before)?;
        let names = Names::of(&set.name);
        let set_file = set_file(set)?;
        let act = set.functions.iter();
        let act = act.map(|entry| (entry.name.clone(), entry.stock_notes().selector));
        act_info.act_func_sets.0.push(listed(&set.name, act));
        files.push(file(names.bkt_bin, buckets(set)));
        files.push(file(names.ctrl_bin, control_words(set)?));
        let text = json(&names.profile_json, &set_file)?;
        files.push(file(names.profile_json, text));
        for (entry, meta) in set.functions.iter().zip(&set_file.profile_meta_data.0) {
            let path = format!("{PWP_DIRECTORY}/{}.json", meta.func_name);
            let text = json(&path, &pwp::function_file(set, entry, meta))?;
            match functions.entry(path) {
                Entry::Vacant(place) => {
                    place.insert(text);
                }
                Entry::Occupied(place) if *place.get() != text => {
                    return Err(StockError::layout(
                        &set.name,
                        format!("{}: {}", entry.name, place.key()),
                        "the same table as in an earlier set, or a selector of its own",
                        "another table",
                    ));
                }
                Entry::Occupied(_) => {}
            }
        }
    }
    files.insert(0, file(ACT_INFO.to_owned(), json(ACT_INFO, &act_info)?));
    files.extend(functions.into_iter().map(|(path, text)| file(path, text)));
    Ok(files)
}

/// The text of an `act_info.json` that lists these sets in this order: the name of each, and its functions with their
/// selectors.
///
/// # Errors
/// [`StockError::Json`] if it cannot be written.
pub fn act_info(sets: &[(String, Vec<(String, u32)>)]) -> Result<Vec<u8>, StockError> {
    let sets = sets.iter();
    let info = ActInfo {
        act_func_sets: List(
            sets.map(|(name, act)| listed(name, act.iter().cloned()))
                .collect(),
        ),
        pwp_file_keys: List(PWP_FILE_KEYS.map(str::to_owned).to_vec()),
    };
    json(ACT_INFO, &info)
}

/// A set as `act_info.json` lists it.
fn listed(name: &str, act: impl Iterator<Item = (String, u32)>) -> ActFuncSet {
    let names = Names::of(name);
    ActFuncSet {
        name: name.to_owned(),
        bkt_bin: names.bkt_bin,
        ctrl_bin: names.ctrl_bin,
        profile_json: names.profile_json,
        act: Map(act
            .map(|(function, selector)| (function, Selector(selector)))
            .collect()),
    }
}

fn file(path: String, bytes: Vec<u8>) -> StockFile {
    StockFile { path, bytes }
}

fn check_set(set: &FunctionSet, before: &[FunctionSet]) -> Result<(), StockError> {
    set.validate().map_err(|source| StockError::Set {
        set: set.name.clone(),
        source,
    })?;
    if !set.target.has_stock_layout() {
        return Err(StockError::layout(
            &set.name,
            "target",
            "stock-trainium or stock-with-ln",
            set.target,
        ));
    }
    for earlier in before {
        if earlier.target != set.target {
            return Err(StockError::layout(
                &set.name,
                "target",
                format!("{}, that of set {}", earlier.target, earlier.name),
                set.target,
            ));
        }
        if earlier.name == set.name {
            let expected = "a name of its own";
            return Err(StockError::layout(
                &set.name,
                "name",
                expected,
                "one used before",
            ));
        }
    }
    Ok(())
}

/// `<set>_bkt.bin`
fn buckets(set: &FunctionSet) -> Vec<u8> {
    set.buckets
        .iter()
        .flat_map(|bucket| bucket.to_bytes())
        .collect()
}

/// `<set>_ctrl.bin`
fn control_words(set: &FunctionSet) -> Result<Vec<u8>, StockError> {
    let stride = set.target.stride(Table::Control);
    let mut bytes = Vec::with_capacity(set.control.len() * stride);
    for (index, word) in set.control.iter().enumerate() {
        let stored = word.encode().map_err(|source| StockError::Set {
            set: set.name.clone(),
            source: crate::set::SetError::Entry {
                table: Table::Control,
                index,
                source,
            },
        })?;
        bytes.extend(stored.to_le_bytes());
        bytes.resize((index + 1) * stride, 0);
    }
    Ok(bytes)
}

/// `<set>.json`
pub(super) fn set_file(set: &FunctionSet) -> Result<SetFile, StockError> {
    let names = Names::of(&set.name);
    let mut file = SetFile {
        bkt_bin: names.bkt_bin,
        bkt_entry_cnt: number(set.buckets.len()),
        ctl_bin: names.ctrl_bin,
        ctl_entry_cnt: number(set.control.len()),
        func_to_bkt_start_idx: Map(Vec::new()),
        func_to_ctl_start_idx: Map(Vec::new()),
        func_exp_to_bkt_start_idx: Map(Vec::new()),
        func_exp_to_ctl_start_idx: Map(Vec::new()),
        profile_meta_data: List(Vec::new()),
    };
    for entry in &set.functions {
        let Some(profile) = set.profile(entry) else {
            continue;
        };
        let meta = profile_meta(set, entry, profile)?;
        let octaves = declared(set, entry, profile);
        let name = || entry.name.clone();
        let starts = &mut file.func_to_bkt_start_idx;
        starts.0.push((name(), number(first_bucket(entry))));
        let starts = &mut file.func_to_ctl_start_idx;
        starts.0.push((name(), number(entry.control.start)));
        let of_bucket = |octave: &Declared| u32::from(octave.word.base);
        let starts = &mut file.func_exp_to_bkt_start_idx;
        starts.0.push((name(), by_exponent(&octaves, of_bucket)));
        let of_word = |octave: &Declared| number(octave.index);
        let starts = &mut file.func_exp_to_ctl_start_idx;
        starts.0.push((name(), by_exponent(&octaves, of_word)));
        file.profile_meta_data.0.push(meta);
    }
    Ok(file)
}

/// The first bucket of a function, be it of an octave or of a region.
fn first_bucket(entry: &FunctionEntry) -> usize {
    let saturation = entry.saturation.into_iter().min().unwrap_or_default();
    match entry.buckets.is_empty() {
        true => saturation,
        false => entry.buckets.start.min(saturation),
    }
}

/// Per exponent the start of the negative and of the positive octave, or of the only one.
fn by_exponent(octaves: &[Declared], start: impl Fn(&Declared) -> u32) -> Map<List<u32>> {
    let mut exponents: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
    // Negative octaves come first in the list, so they do in each pair.
    for octave in octaves {
        let starts = exponents.entry(octave.exponent).or_default();
        starts.push(start(octave));
    }
    let entries = exponents.into_iter();
    Map(entries
        .map(|(exponent, starts)| (exponent.to_string(), List(starts)))
        .collect())
}

/// Indices and counts of a valid set have 11 bits at most.
pub(super) fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Indented JSON that ends in a newline.
pub(super) fn json(file: &str, value: &impl Serialize) -> Result<Vec<u8>, StockError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|source| StockError::Json {
        file: file.to_owned(),
        key: ".".to_owned(),
        source,
    })?;
    text.push(b'\n');
    Ok(text)
}
