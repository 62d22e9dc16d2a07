//! The budgets file, read key by key.

use std::collections::BTreeMap;

use actforge_reference::Format;
use actforge_tables::{Datapath, Target};

use super::limit::Limit;
use super::rule::{
    Bounds, Demand, Given, Inputs, Point, Rule, SpecialInput, SpecialResult, Symmetry,
};
use super::waiver::Waiver;
use super::{Budgets, RequiredSet};
use crate::document::{
    Document, DocumentError, Item, Problem, Table, ValueError, parse_fp32, quoted,
};

/// The keys that say what a rule is about; the other keys of a rule are those of [`Limit`].
pub const RULE_SCOPE: [&str; 5] = ["function", "set", "dtype", "input", "range"];

/// The keys of a waiver.
pub const WAIVER_KEYS: [&str; 11] = [
    "id", "function", "set", "dtype", "input", "range", "limit", "ceiling", "reason", "owner",
    "expires",
];

const ROOT_KEYS: [&str; 5] = ["gate", "set", "rule", "baseline", "waiver"];

const NOT_NEGATIVE: &str = "a finite number that is not negative";
const COUNT: &str = "a whole number from 0 to 4294967296";
const SHARE: &str = "a share from 0 to 1";
const INPUT: &str = "a number, or a string for a hexadecimal one (\"0x1.8p3\", \"0x41200000\")";
const PAIR: &str = "two numbers, the smaller one first";
const RULES: &str = "an array of rules, [[rule]]";
const WAIVERS: &str = "an array of waivers, [[waiver]]";
const DATE: &str = "a date without quotes, like 2030-12-31";

pub(super) fn budgets(file: &str, text: &str) -> Result<Budgets, DocumentError> {
    let document = Document::parse(file, text)?;
    let root = document.root();
    root.allow_only(&ROOT_KEYS)?;
    let mut budgets = Budgets {
        file: file.to_owned(),
        allows_unlisted: allows_unlisted(&root)?,
        sets: sets(&root)?,
        rules: Vec::new(),
        slack: slack(&root)?,
        waivers: Vec::new(),
    };
    let rules = root
        .get("rule")
        .map(|item| item.elements(RULES))
        .transpose()?;
    for item in rules.unwrap_or_default() {
        let rule = rule(&item)?;
        if let Some(first) = budgets.rules.iter().find(|other| rule.has_scope_of(other)) {
            return Err(item.problem(Problem::Duplicate {
                first_line: first.line,
            }));
        }
        budgets.rules.push(rule);
    }
    if budgets.rules.is_empty() {
        return Err(root.missing(
            "rule",
            "at least one [[rule]]: a gate needs something to check",
        ));
    }
    waivers(file, &root, &mut budgets.waivers)?;
    Ok(budgets)
}

pub(super) fn further_waivers(
    file: &str,
    text: &str,
    known: &mut Vec<Waiver>,
) -> Result<(), DocumentError> {
    let document = Document::parse(file, text)?;
    let root = document.root();
    root.allow_only(&["waiver"])?;
    waivers(file, &root, known)
}

fn allows_unlisted(root: &Table<'_>) -> Result<bool, DocumentError> {
    let Some(item) = root.get("gate") else {
        return Ok(false);
    };
    let table = item.table("a table")?;
    table.allow_only(&["unlisted"])?;
    match table.get("unlisted") {
        None => Ok(false),
        Some(item) => item.one_of(&[("fail", false), ("allow", true)]),
    }
}

fn sets(root: &Table<'_>) -> Result<BTreeMap<String, RequiredSet>, DocumentError> {
    let Some(item) = root.get("set") else {
        return Ok(BTreeMap::new());
    };
    let mut sets = BTreeMap::new();
    for (name, item) in item.table("tables named [set.NAME]")?.entries() {
        let table = item.table("a table")?;
        table.allow_only(&["target", "datapath", "functions"])?;
        if name.chars().any(char::is_control) {
            return Err(item.refuse(ValueError::new("a name on one line", quoted(name))));
        }
        let targets = Target::ALL.map(|target| (target.as_str(), target));
        let datapaths = Datapath::ALL.map(|datapath| (datapath.as_str(), datapath));
        let functions = table.get("functions").map(|item| {
            let names = item.elements("an array of names")?;
            let names = names
                .iter()
                .map(|name| Ok(words(name, "a name")?.to_owned()));
            names.collect::<Result<Vec<String>, DocumentError>>()
        });
        let set = RequiredSet {
            target: table
                .get("target")
                .map(|item| item.one_of(&targets))
                .transpose()?,
            datapath: table
                .get("datapath")
                .map(|item| item.one_of(&datapaths))
                .transpose()?,
            functions: functions.transpose()?,
            line: item.line(),
        };
        sets.insert(name.to_owned(), set);
    }
    Ok(sets)
}

fn slack(root: &Table<'_>) -> Result<BTreeMap<Limit, f64>, DocumentError> {
    let mut slack = BTreeMap::new();
    let Some(item) = root.get("baseline") else {
        return Ok(slack);
    };
    let table = item.table("a table")?;
    table.allow_only(&["slack"])?;
    if let Some(item) = table.get("slack") {
        let table = item.table("a table of limits")?;
        table.allow_only(&Limit::ALL.map(Limit::key))?;
        for limit in Limit::ALL {
            if let Some(item) = table.get(limit.key()) {
                slack.insert(limit, at_most(&item, NOT_NEGATIVE, f64::MAX)?);
            }
        }
    }
    Ok(slack)
}

fn rule(item: &Item<'_>) -> Result<Rule, DocumentError> {
    let table = item.table("a table")?;
    let demands: Vec<Limit> = Limit::ALL
        .into_iter()
        .filter(|limit| *limit != Limit::NanResults)
        .collect();
    let known: Vec<&str> = RULE_SCOPE
        .into_iter()
        .chain(demands.iter().map(|limit| limit.key()))
        .collect();
    table.allow_only(&known)?;
    let function = table.require("function", "the name of a function, or \"*\" for all")?;
    let name = words(&function, "the name of a function, or \"*\" for all")?;
    let inputs = Inputs {
        dtype: format(&table, "input")?.unwrap_or(Format::Fp32),
        range: range(&table)?,
    };
    let mut given = Vec::new();
    for limit in demands {
        if let Some(item) = table.get(limit.key()) {
            answerable(&item, limit, &inputs)?;
            let place = item.place();
            given.push(Given {
                limit,
                demand: demand(&item, limit)?,
                line: place.line,
                column: place.column,
            });
        }
    }
    if given.is_empty() {
        return Err(item.refuse(ValueError::new(
            "at least one limit, such as max_ulp",
            "none",
        )));
    }
    Ok(Rule {
        function: (name != "*").then(|| name.to_owned()),
        set: text(&table, "set")?,
        dtype: format(&table, "dtype")?,
        inputs,
        given,
        line: item.line(),
    })
}

/// Refuses limits that a replay of these inputs says nothing of: they would pass without anything being checked.
fn answerable(item: &Item<'_>, limit: Limit, inputs: &Inputs) -> Result<(), DocumentError> {
    let needs_all = matches!(limit, Limit::SaturatedAbove | Limit::SaturatedBelow);
    let needs_fp32 = needs_all || matches!(limit, Limit::MaxNonMonotone | Limit::Symmetry);
    if needs_fp32 && inputs.dtype != Format::Fp32 {
        let found = format!("input = \"{}\"", inputs.dtype.name());
        return Err(item.refuse(ValueError::new("a rule over fp32 inputs", found)));
    }
    if needs_all && inputs.range.is_some() {
        return Err(item.refuse(ValueError::new("a rule over all inputs", "a range")));
    }
    let is_one_sided = |[low, high]: [f32; 2]| low >= 0.0 || high <= 0.0;
    if limit == Limit::Symmetry && inputs.range.is_some_and(is_one_sided) {
        let expected = "a range on both sides of zero";
        return Err(item.refuse(ValueError::new(expected, "one on a single side")));
    }
    Ok(())
}

fn demand(item: &Item<'_>, limit: Limit) -> Result<Demand, DocumentError> {
    Ok(match limit {
        Limit::Symmetry => Demand::Symmetry(item.one_of(&Symmetry::ALL)?),
        Limit::Bounds => Demand::Bounds(bounds(item)?),
        Limit::Exact => Demand::Exact(points(item)?),
        Limit::Special => Demand::Special(special(item)?),
        _ => Demand::Number(number(item, limit)?),
    })
}

/// A number that the limit allows: of a rule, or as ceiling of a waiver.
fn number(item: &Item<'_>, limit: Limit) -> Result<f64, DocumentError> {
    match limit {
        Limit::MinCorrectlyRounded => at_most(item, SHARE, 1.0),
        Limit::SaturatedAbove | Limit::SaturatedBelow => {
            let input = fp32(item)?;
            if !input.is_finite() {
                return Err(item.refuse(ValueError::new("a finite input", item.shown())));
            }
            Ok(input.into())
        }
        limit if limit.is_count() => {
            let count = item.count(COUNT)?;
            if count > 1 << 32 {
                return Err(item.refuse(ValueError::new(COUNT, item.shown())));
            }
            Ok(count as f64)
        }
        _ => at_most(item, NOT_NEGATIVE, f64::MAX),
    }
}

fn at_most(item: &Item<'_>, expected: &str, largest: f64) -> Result<f64, DocumentError> {
    let value = item.number(expected)?;
    if (0.0..=largest).contains(&value) {
        Ok(value)
    } else {
        Err(item.refuse(ValueError::new(expected, item.shown())))
    }
}

fn bounds(item: &Item<'_>) -> Result<Bounds, DocumentError> {
    const EXPECTED: &str = "two numbers, the smaller one first, or \"function\" for its own bounds";
    match item.string(EXPECTED) {
        Ok("function") => Ok(Bounds::Function),
        Ok(_) => Err(item.refuse(ValueError::new(EXPECTED, item.shown()))),
        Err(_) => pair(item, EXPECTED).map(|[low, high]| Bounds::Stated(low, high)),
    }
}

fn points(item: &Item<'_>) -> Result<Vec<Point>, DocumentError> {
    const EXPECTED: &str = "an array of points, { input = 0.0, result = 0.5 }";
    let mut points = Vec::new();
    for item in item.elements(EXPECTED)? {
        let table = item.table("a point, { input = 0.0, result = 0.5 }")?;
        table.allow_only(&["input", "result"])?;
        points.push(Point {
            input: fp32(&table.require("input", INPUT)?)?,
            result: table.get("result").map(|item| fp32(&item)).transpose()?,
        });
    }
    if points.is_empty() {
        return Err(item.refuse(ValueError::new(EXPECTED, item.shown())));
    }
    Ok(points)
}

fn special(item: &Item<'_>) -> Result<Vec<SpecialResult>, DocumentError> {
    const EXPECTED: &str = "a table of special inputs and their results, { nan = nan }";
    let table = item.table(EXPECTED)?;
    table.allow_only(&SpecialInput::ALL.map(|(name, _)| name))?;
    let mut results = Vec::new();
    for (name, input) in SpecialInput::ALL {
        if let Some(item) = table.get(name) {
            let result = fp32(&item)?;
            results.push(SpecialResult { input, result });
        }
    }
    // A rule that promises nothing would pass as one over all inputs.
    if results.is_empty() {
        return Err(item.refuse(ValueError::new(EXPECTED, "an empty one")));
    }
    Ok(results)
}

/// Adds the waivers of a file to those that are known.
fn waivers(file: &str, root: &Table<'_>, known: &mut Vec<Waiver>) -> Result<(), DocumentError> {
    let Some(item) = root.get("waiver") else {
        return Ok(());
    };
    for item in item.elements(WAIVERS)? {
        let waiver = waiver(file, &item)?;
        if let Some(first) = known.iter().find(|other| other.id == waiver.id) {
            let found = format!("the id of {}:{}", first.file, first.line);
            return Err(item.refuse(ValueError::new("an id of its own", found)));
        }
        known.push(waiver);
    }
    Ok(())
}

fn waiver(file: &str, item: &Item<'_>) -> Result<Waiver, DocumentError> {
    let table = item.table("a table")?;
    table.allow_only(&WAIVER_KEYS)?;
    let required = |key: &str, expected: &str| -> Result<String, DocumentError> {
        Ok(words(&table.require(key, expected)?, expected)?.to_owned())
    };
    let limits = Limit::ALL.map(|limit| (limit.key(), limit));
    let limit = table.require("limit", "the limit it lifts, such as \"max_ulp\"")?;
    let limit = limit.one_of(&limits)?;
    let function = required("function", "the name of one function")?;
    if function == "*" {
        let item = table.require("function", "the name of one function")?;
        return Err(item.refuse(ValueError::new("the name of one function", "\"*\"")));
    }
    Ok(Waiver {
        id: required("id", "a name for the waiver")?,
        function,
        set: text(&table, "set")?,
        dtype: format(&table, "dtype")?,
        input: format(&table, "input")?,
        range: range(&table)?,
        limit,
        ceiling: number(
            &table.require("ceiling", "the limit that holds instead")?,
            limit,
        )?,
        reason: required("reason", "why the limit is lifted")?,
        owner: required("owner", "who answers for it")?,
        expires: table.require("expires", DATE)?.date(DATE)?,
        file: file.to_owned(),
        line: item.line(),
    })
}

fn text(table: &Table<'_>, key: &str) -> Result<Option<String>, DocumentError> {
    let Some(item) = table.get(key) else {
        return Ok(None);
    };
    Ok(Some(words(&item, "a name")?.to_owned()))
}

/// Text on one line: results quote it on lines of their own.
fn words<'d>(item: &Item<'d>, expected: &str) -> Result<&'d str, DocumentError> {
    let text = item.string(expected)?.trim();
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err(item.refuse(ValueError::new(expected, item.shown())));
    }
    Ok(text)
}

fn format(table: &Table<'_>, key: &str) -> Result<Option<Format>, DocumentError> {
    let formats = Format::ALL.map(|format| (format.name(), format));
    table.get(key).map(|item| item.one_of(&formats)).transpose()
}

/// A range of inputs; infinite ends stand for the greatest finite numbers, and a range of all is none.
fn range(table: &Table<'_>) -> Result<Option<[f32; 2]>, DocumentError> {
    let Some(item) = table.get("range") else {
        return Ok(None);
    };
    let ends = pair(&item, PAIR)?.map(|end| end.clamp(f32::MIN, f32::MAX));
    Ok((ends != [f32::MIN, f32::MAX]).then_some(ends))
}

fn pair(item: &Item<'_>, expected: &str) -> Result<[f32; 2], DocumentError> {
    let ends = item.elements(expected)?;
    let [low, high] = ends.as_slice() else {
        return Err(item.refuse(ValueError::new(expected, item.shown())));
    };
    let (low, high) = (fp32(low)?, fp32(high)?);
    if low < high {
        Ok([low, high])
    } else {
        let found = format!("{low:?} and {high:?}");
        Err(item.refuse(ValueError::new(expected, found)))
    }
}

fn fp32(item: &Item<'_>) -> Result<f32, DocumentError> {
    // Hexadecimal TOML integers are refused by number_text: as numbers they would be huge, and bits are meant.
    parse_fp32(item.number_text(INPUT)?).map_err(|error| item.refuse(error))
}
