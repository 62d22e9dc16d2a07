//! The specification file, read key by key.

use actforge_reference::{Definition, Format, GivenLimits};
use actforge_reports::document::{
    Document, DocumentError, Item, Problem, Table, ValueError, parse_fp32, quoted,
};
use actforge_tables::{Datapath, Target};

use super::one_line;
use super::{FunctionSpec, Method, SetSpec, Spec, rules};

const SET_KEYS: &[&str] = &["name", "target", "datapath"];
const FUNCTION_KEYS: &[&str] = &[
    "name", "expr", "params", "limits", "dtype", "max_ulp", "buckets", "range", "inputs", "method",
];

pub(super) fn parse(file: &str, text: &str, catalogue: &[&str]) -> Result<Spec, DocumentError> {
    let document = Document::parse(file, text)?;
    let root = document.root();
    root.allow_only(&["set", "function"])?;
    let set = set(&root.require("set", "a [set] with the set's name")?)?;
    let items = root.require("function", rules::EXPECTED_FUNCTIONS)?;
    let items = items.elements("an array of tables, each headed [[function]]")?;
    if items.is_empty() {
        return Err(root.missing("function", rules::EXPECTED_FUNCTIONS));
    }
    let mut functions: Vec<FunctionSpec> = Vec::new();
    let mut lines = Vec::new();
    for item in &items {
        let (function, line) = function(item, &functions, &lines, catalogue)?;
        functions.push(function);
        lines.push(line);
    }
    Ok(Spec { set, functions })
}

fn set(item: &Item<'_>) -> Result<SetSpec, DocumentError> {
    let table = item.table("a table [set]")?;
    table.allow_only(SET_KEYS)?;
    let name = table.require("name", rules::EXPECTED_SET_NAME)?;
    let text = name.string(rules::EXPECTED_SET_NAME)?;
    rules::set_name(text).map_err(|error| name.refuse(error))?;
    let mut set = SetSpec::new(text);
    if let Some(item) = table.get("target") {
        set.target = item.one_of(&Target::ALL.map(|target| (target.as_str(), target)))?;
    }
    if let Some(item) = table.get("datapath") {
        set.datapath = item.one_of(&Datapath::ALL.map(|datapath| (datapath.as_str(), datapath)))?;
    }
    Ok(set)
}

/// One function and the line of its name; `earlier` functions had their names on `lines`.
fn function(
    item: &Item<'_>,
    earlier: &[FunctionSpec],
    lines: &[usize],
    catalogue: &[&str],
) -> Result<(FunctionSpec, usize), DocumentError> {
    let table = item.table("a table headed [[function]]")?;
    // Before the keys are checked, so that messages can name the function; a wrong name is complained of below.
    let shown = table.get("name").and_then(|name| name.string("").ok());
    let table = match shown {
        Some(shown) => table.with_path(format!("function[{}]", label(shown))),
        None => table,
    };
    table.allow_only(FUNCTION_KEYS)?;
    let name = table.require("name", "the name of a function of the catalogue")?;
    let text = name.string("the name of a function of the catalogue")?;
    let definition = definition(&table, text, &name, catalogue)?;
    if definition.is_none() {
        rules::function_name(text, catalogue).map_err(|error| name.refuse(error))?;
    }
    let before = earlier
        .iter()
        .zip(lines)
        .find(|(function, _)| function.name == text);
    if let Some((_, first_line)) = before {
        return Err(name.problem(Problem::Duplicate {
            first_line: *first_line,
        }));
    }
    let mut function = FunctionSpec::new(text);
    function.definition = definition;
    if let Some(item) = table.get("dtype") {
        function.dtype = item.one_of(&rules::DTYPES.map(|dtype: Format| (dtype.name(), dtype)))?;
    }
    if let Some(item) = table.get("max_ulp") {
        let value = item.number(rules::EXPECTED_MAX_ULP)?;
        rules::max_ulp(value).map_err(|error| {
            item.refuse(ValueError {
                found: item.shown(),
                ..error
            })
        })?;
        function.max_ulp = Some(value);
    }
    if let Some(item) = table.get("buckets") {
        let count = item.count(rules::EXPECTED_BUCKETS)?;
        function.buckets = Some(rules::buckets(count).map_err(|error| item.refuse(error))?);
    }
    function.range = range(&table, "range")?;
    function.inputs = range(&table, "inputs")?;
    if let Some(item) = table.get("method") {
        function.method = item.one_of(&Method::ALL.map(|method| (method.as_str(), method)))?;
    }
    Ok((function, name.line()))
}

/// The expression of a function that has one.
fn definition(
    table: &Table<'_>,
    name: &str,
    name_item: &Item<'_>,
    catalogue: &[&str],
) -> Result<Option<Definition>, DocumentError> {
    let Some(expression) = table.get("expr") else {
        // Without an expression there is nothing that these could belong to.
        if let Some(item) = ["params", "limits"].iter().find_map(|key| table.get(key)) {
            let error = ValueError::new("an `expr` beside it", "none");
            return Err(item.refuse(error));
        }
        return Ok(None);
    };
    rules::new_name(name, catalogue).map_err(|error| name_item.refuse(error))?;
    let mut definition = Definition::new(one_line(expression.string(rules::EXPECTED_EXPRESSION)?));
    let params = table.get("params");
    if let Some(item) = &params {
        for (param, value) in item.table(rules::EXPECTED_PARAMS)?.entries() {
            let text = value.number_text("a decimal number")?.trim().to_owned();
            definition.params.insert(param.to_owned(), text);
        }
    }
    if let Some(item) = table.get("limits") {
        let limits = item.table(rules::EXPECTED_LIMITS)?;
        limits.allow_only(&["zero", "pos_inf", "neg_inf"])?;
        let limit = |key: &str| limits.get(key).map(|item| bound(&item)).transpose();
        definition.limits = GivenLimits {
            zero: limit("zero")?,
            pos_inf: limit("pos_inf")?,
            neg_inf: limit("neg_inf")?,
        };
    }
    rules::definition(name, &definition).map_err(|(key, error)| match (key, &params) {
        ("params", Some(params)) => params.refuse(error),
        _ => expression.refuse(error),
    })?;
    Ok(Some(definition))
}

fn range(table: &Table<'_>, key: &str) -> Result<Option<[f32; 2]>, DocumentError> {
    let Some(item) = table.get(key) else {
        return Ok(None);
    };
    let ends = item.elements(rules::EXPECTED_RANGE)?;
    let [lowest, highest] = ends.as_slice() else {
        return Err(item.refuse(ValueError::new(rules::EXPECTED_RANGE, item.shown())));
    };
    let range = [bound(lowest)?, bound(highest)?];
    rules::range(range).map_err(|error| item.refuse(error))?;
    Ok(Some(range))
}

fn bound(item: &Item<'_>) -> Result<f32, DocumentError> {
    // Hexadecimal TOML integers are refused by number_text: as numbers they would be huge, and bits are meant.
    let text = item
        .number_text("a number, or a string for a hexadecimal one (\"0x1.8p3\", \"0x41200000\")")?;
    parse_fp32(text).map_err(|error| item.refuse(error))
}

/// A function's name as a path element.
fn label(name: &str) -> String {
    let plain = name.len() <= 40
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain { name.to_owned() } else { quoted(name) }
}
