//! The budgets file, read key by key.

use std::collections::BTreeMap;

use super::{Budgets, FunctionBudget, Limit, Limits};
use crate::document::{Document, DocumentError, Item, Table, ValueError};

const NOT_NEGATIVE: &str = "a finite number that is not negative";
const COUNT: &str = "a whole number from 0 to 4294967295";
const SHARE: &str = "a share from 0 to 1";
const ANY_LIMIT: &str =
    "at least one limit (max_ulp, mean_ulp, max_buckets, min_correctly_rounded)";

pub(super) fn parse(file: &str, text: &str) -> Result<Budgets, DocumentError> {
    let document = Document::parse(file, text)?;
    let root = document.root();
    root.allow_only(&["default", "function"])?;
    let default = root.get("default").map(|item| limits(&item)).transpose()?;
    let mut functions = BTreeMap::new();
    if let Some(item) = root.get("function") {
        for (name, item) in item.table("tables named [function.NAME]")?.entries() {
            let budget = FunctionBudget {
                limits: limits(&item)?,
                line: item.line(),
            };
            functions.insert(name.to_owned(), budget);
        }
    }
    if default.is_none() && functions.is_empty() {
        return Err(root.missing(
            "function",
            "at least one [function.NAME] or a [default]: a gate needs something to check",
        ));
    }
    Ok(Budgets { default, functions })
}

fn limits(item: &Item<'_>) -> Result<Limits, DocumentError> {
    let table = item.table("a table of limits")?;
    table.allow_only(&Limit::ALL.map(Limit::key))?;
    let limits = Limits {
        max_ulp: number(&table, Limit::MaxUlp, NOT_NEGATIVE, f64::MAX)?,
        mean_ulp: number(&table, Limit::MeanUlp, NOT_NEGATIVE, f64::MAX)?,
        max_buckets: count(&table, Limit::MaxBuckets)?,
        min_correctly_rounded: number(&table, Limit::MinCorrectlyRounded, SHARE, 1.0)?,
    };
    if limits.is_empty() {
        return Err(item.refuse(ValueError::new(ANY_LIMIT, "none")));
    }
    Ok(limits)
}

fn number(
    table: &Table<'_>,
    limit: Limit,
    expected: &str,
    largest: f64,
) -> Result<Option<f64>, DocumentError> {
    let Some(item) = table.get(limit.key()) else {
        return Ok(None);
    };
    let value = item.number(expected)?;
    if (0.0..=largest).contains(&value) {
        Ok(Some(value))
    } else {
        Err(item.refuse(ValueError::new(expected, item.shown())))
    }
}

fn count(table: &Table<'_>, limit: Limit) -> Result<Option<u32>, DocumentError> {
    let Some(item) = table.get(limit.key()) else {
        return Ok(None);
    };
    let value = item.count(COUNT)?;
    u32::try_from(value)
        .map(Some)
        .map_err(|_| item.refuse(ValueError::new(COUNT, item.shown())))
}
