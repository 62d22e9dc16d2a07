//! From the files of a stock directory to sets, and whatever is wrong on the way.
//!
//! A set is made from as little of the files as it takes; then everything that the files
//! say is held against what that set would be written as. So each fact that they repeat is
//! compared, and a contradiction is found with its file and key.

mod agree;
mod tables;

use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;

use self::agree::agree;
use self::tables::{Images, set_of};
use super::model::{ActFuncSet, ActInfo, PWP_FILE_KEYS, SetFile};
use super::profile::profile_meta;
use super::pwp::{FunctionFile, function_file};
use super::source::{StockSource, Unavailable, read};
use super::write::{Names, set_file};
use super::{ACT_INFO, PWP_DIRECTORY, StockError};
use crate::bucket::Bucket;
use crate::lint::{Findings, Lint, check_set};
use crate::set::{FunctionSet, check_name};
use crate::target::Target;

/// No JSON text of a stock directory is longer. A set's file has a few thousand numbers, a
/// function's has six forms of five numbers for each of up to 2048 buckets.
const LONGEST_TEXT: usize = 8 << 20;

/// What was found in a stock directory.
#[derive(Debug, Default)]
pub struct Examined {
    /// The sets that could be made out, in the order of `act_info.json`.
    pub sets: Vec<FunctionSet>,
    /// Everything that is wrong.
    pub findings: Findings,
}

/// Looks at all files of a stock directory. Whatever they hold, this ends, and uses memory
/// in proportion to what such a directory can hold.
pub fn examine(source: &(impl StockSource + ?Sized)) -> Examined {
    let mut examined = Examined::default();
    let findings = &mut examined.findings;
    let Some(info) = parse::<ActInfo>(source, ACT_INFO, findings) else {
        return examined;
    };
    if info.pwp_file_keys.0 != PWP_FILE_KEYS {
        let expected = format!("{PWP_FILE_KEYS:?}");
        let found = format!("{:?}", info.pwp_file_keys.0);
        findings.add(
            Lint::PwpFileKeys,
            ACT_INFO,
            "pwp_file_keys",
            expected,
            found,
        );
    }
    let mut names = BTreeSet::new();
    let mut target = None;
    for (index, listed) in info.act_func_sets.0.iter().enumerate() {
        let key = format!("act_func_sets[{index}].name");
        if let Err(found) = check_name(&listed.name) {
            let expected = "1 to 64 of a-z A-Z 0-9 _ - .";
            findings.add(Lint::SetName, ACT_INFO, key, expected, found);
            continue;
        }
        if !names.insert(&listed.name) {
            let expected = "a name of its own";
            findings.add(Lint::SetName, ACT_INFO, key, expected, &listed.name);
            continue;
        }
        let set = examine_set(source, index, listed, &mut target, findings);
        examined.sets.extend(set);
    }
    if info.act_func_sets.0.is_empty() {
        let findings = &mut examined.findings;
        findings.add(
            Lint::SetFunctions,
            ACT_INFO,
            "act_func_sets",
            "a set",
            "none",
        );
    }
    examined
}

/// The sets of a stock directory.
///
/// # Errors
/// [`StockError::Finding`] with the first finding that makes the files useless.
pub fn import(source: &(impl StockSource + ?Sized)) -> Result<Examined, StockError> {
    let examined = examine(source);
    match examined.findings.first_error() {
        Some(finding) => Err(StockError::Finding {
            finding: Box::new(finding.clone()),
            count: examined.findings.count(),
        }),
        None => Ok(examined),
    }
}

/// One set. `target` is that of the sets before it.
fn examine_set(
    source: &(impl StockSource + ?Sized),
    index: usize,
    listed: &ActFuncSet,
    target: &mut Option<Target>,
    findings: &mut Findings,
) -> Option<FunctionSet> {
    let names = Names::of(&listed.name);
    for (key, expected, found) in [
        ("bkt_bin", &names.bkt_bin, &listed.bkt_bin),
        ("ctrl_bin", &names.ctrl_bin, &listed.ctrl_bin),
        ("profile_json", &names.profile_json, &listed.profile_json),
    ] {
        if expected != found {
            let key = format!("act_func_sets[{index}].{key}");
            findings.add(Lint::FileName, ACT_INFO, key, expected, found);
        }
    }
    // The names that belong to the set are read, so that no name leads out of the directory.
    let json = &names.profile_json;
    let file: SetFile = parse(source, json, findings)?;
    let images = Images::read(source, &names, &file, findings)?;
    if let Some(before) = *target
        && before != images.target
    {
        let (expected, found) = (before.as_str(), images.target.as_str());
        findings.add(
            Lint::ControlStride,
            &names.ctrl_bin,
            "target",
            expected,
            found,
        );
    }
    target.get_or_insert(images.target);
    let mut set = set_of(&listed.name, &file, images, json, findings)?;
    if let Err(error) = set.validate() {
        findings.add_set_error(json, &error);
        return None;
    }
    match set_file(&set) {
        Ok(written) => agree(json, &written, &file, findings),
        Err(error) => findings.add(Lint::ProfileField, json, "set", "a stock layout", error),
    }
    check_act(index, listed, &set, findings);
    check_set(&set, json, findings);
    function_files(source, &mut set, findings);
    Some(set)
}

/// `act_info.json` and the set's own file must name the same functions.
fn check_act(index: usize, listed: &ActFuncSet, set: &FunctionSet, findings: &mut Findings) {
    let key = format!("act_func_sets[{index}].act");
    for entry in &set.functions {
        let selector = entry.stock_notes().selector;
        match listed.act.get(&entry.name) {
            Some(found) if found.0 == selector => {}
            Some(found) => {
                let key = format!("{key}.{}", entry.name);
                findings.add(Lint::SetFunctions, ACT_INFO, key, selector, found.0);
            }
            None => {
                let expected = format!("function {}", entry.name);
                findings.add(Lint::SetFunctions, ACT_INFO, &key, expected, "none");
            }
        }
    }
    for (name, _) in &listed.act.0 {
        if set.function(name).is_none() {
            let expected = "functions of the set";
            findings.add(Lint::SetFunctions, ACT_INFO, &key, expected, name);
        }
    }
}

/// The functions' own files: what they alone hold goes to the notes, and the rest must say
/// the same as the set.
fn function_files(
    source: &(impl StockSource + ?Sized),
    set: &mut FunctionSet,
    findings: &mut Findings,
) {
    for place in 0..set.functions.len() {
        let Some(entry) = set.functions.get(place) else {
            continue;
        };
        let path = format!("{PWP_DIRECTORY}/{}.json", entry.variant());
        let Some(found) = parse_as::<FunctionFile>(source, &path, findings, Lint::FunctionFile)
        else {
            continue;
        };
        if let Some(notes) = set
            .functions
            .get_mut(place)
            .and_then(|entry| entry.notes.stock.as_mut())
        {
            notes.max_diff = found.max_diff.0;
        }
        let Some((entry, profile)) = set
            .functions
            .get(place)
            .and_then(|entry| Some((entry, set.profile(entry)?)))
        else {
            continue;
        };
        if let Ok(meta) = profile_meta(set, entry, profile) {
            let expected = function_file(set, entry, &meta);
            agree::agree_as(&path, &expected, &found, findings, |_| Lint::FunctionFile);
        }
    }
}

/// A JSON text of the directory.
fn parse<T: DeserializeOwned>(
    source: &(impl StockSource + ?Sized),
    path: &str,
    findings: &mut Findings,
) -> Option<T> {
    parse_as(source, path, findings, Lint::JsonStructure)
}

/// The same; `lint` is what a fault in it counts as.
fn parse_as<T: DeserializeOwned>(
    source: &(impl StockSource + ?Sized),
    path: &str,
    findings: &mut Findings,
    lint: Lint,
) -> Option<T> {
    let bytes = available(source, path, LONGEST_TEXT, findings, |missing| match lint {
        Lint::JsonStructure => missing,
        lint => lint,
    })?;
    let mut unknown = Vec::new();
    let parsed = {
        let mut note = |path: serde_ignored::Path<'_>| {
            if unknown.len() <= Findings::MOST {
                unknown.push(path.to_string());
            }
        };
        let mut text = serde_json::Deserializer::from_slice(&bytes);
        let tracked = serde_ignored::Deserializer::new(&mut text, &mut note);
        T::deserialize(tracked).and_then(|value| text.end().map(|()| value))
    };
    // To follow where a reader is costs more than to read: only where something is wrong is it read again for that.
    let parsed = parsed.map_err(|error| {
        let mut text = serde_json::Deserializer::from_slice(&bytes);
        match serde_path_to_error::deserialize::<_, T>(&mut text) {
            Ok(_) => (".".to_owned(), error),
            Err(located) => (located.path().to_string(), located.into_inner()),
        }
    });
    for key in unknown {
        // A box holds a number in forms that nobody reads.
        findings.add(
            Lint::UnknownKey,
            path,
            key,
            "a key that is known",
            "another one",
        );
    }
    match parsed {
        Ok(value) => Some(value),
        Err((key, error)) => {
            findings.add(lint, path, key, "a value of its type", error);
            None
        }
    }
}

/// A file's bytes, or a finding.
fn available(
    source: &(impl StockSource + ?Sized),
    path: &str,
    longest: usize,
    findings: &mut Findings,
    lint: impl Fn(Lint) -> Lint,
) -> Option<Vec<u8>> {
    let (missing, key, expected, found) = match read(source, path, longest) {
        Ok(bytes) => return Some(bytes),
        Err(Unavailable::Missing) => (
            Lint::FileMissing,
            "file",
            "a file".to_owned(),
            "none".to_owned(),
        ),
        Err(Unavailable::TooLong(longest)) => (
            Lint::FileTooLong,
            "length",
            format!("at most {longest} bytes"),
            "more".to_owned(),
        ),
        Err(Unavailable::Refused(cause)) => (
            Lint::FileMissing,
            "file",
            "one that can be read".to_owned(),
            cause,
        ),
    };
    findings.add(lint(missing), path, key, expected, found);
    None
}

/// The longest file of buckets: as many as a control word can address.
const LONGEST_BUCKETS: usize = 2048 * Bucket::BYTES;

/// What both sides of a comparison are turned into.
fn value(of: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(of).unwrap_or(serde_json::Value::Null)
}
