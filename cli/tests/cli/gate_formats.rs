//! The files that other programs read: held against the rules of their formats.

use actforge_reports::budget::{Budgets, Limit, RULE_SCOPE, SCHEMA, WAIVER_KEYS};
use serde_json::{Map, Value};

use crate::release::{BUDGETS, Release};

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn keys(value: &Value) -> Vec<String> {
    let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
    keys.sort();
    keys
}

fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort();
    names
}

/// TOML as JSON, the way checkers of TOML see it: dates and the floats that JSON lacks are strings.
fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::Float(float) if !float.is_finite() => float.to_string().into(),
        toml::Value::Float(float) => (*float).into(),
        toml::Value::Integer(integer) => (*integer).into(),
        toml::Value::Boolean(boolean) => (*boolean).into(),
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(array) => array.iter().map(json).collect(),
        toml::Value::Table(table) => {
            let entries = table.iter().map(|(key, value)| (key.clone(), json(value)));
            Value::Object(entries.collect::<Map<String, Value>>())
        }
    }
}

#[test]
fn the_schema_has_the_keys_of_the_parser() {
    let schema = schema();
    let limits = || Limit::ALL.iter().map(|limit| limit.key());
    let in_rules = limits()
        .filter(|key| *key != "nan_results")
        .chain(RULE_SCOPE);
    assert_eq!(
        keys(&schema["$defs"]["rule"]["properties"]),
        sorted(in_rules)
    );
    assert_eq!(
        keys(&schema["$defs"]["waiver"]["properties"]),
        sorted(WAIVER_KEYS)
    );
    let slack = &schema["properties"]["baseline"]["properties"]["slack"]["properties"];
    assert_eq!(keys(slack), sorted(limits()));
    let waived: Vec<&str> = schema["$defs"]["waiver"]["properties"]["limit"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert_eq!(sorted(waived), sorted(limits()));
    let words = |value: &Value| -> Vec<String> {
        let words = value["enum"].as_array().unwrap().iter();
        sorted(words.map(|word| word.as_str().unwrap()))
    };
    let set = &schema["properties"]["set"]["additionalProperties"]["properties"];
    assert_eq!(
        words(&set["target"]),
        sorted(actforge_tables::Target::ALL.map(|target| target.as_str()))
    );
    assert_eq!(
        words(&set["datapath"]),
        sorted(actforge_tables::Datapath::ALL.map(|datapath| datapath.as_str()))
    );
    assert_eq!(
        words(&schema["$defs"]["format"]),
        sorted(actforge_reference::Format::ALL.map(|format| format.name()))
    );
}

/// What is wrong with it, as the schema alone can tell.
const BROKEN: [&str; 25] = [
    "[[rule]]\nfunction = \"a\\nb\"\nmax_ulp = 1",
    "[[rule]]\nfunction = \" \"\nmax_ulp = 1",
    "",
    "rule = []",
    "[rules]\nx = 1",
    "[[rule]]\nmax_ulp = 1",
    "[[rule]]\nfunction = \"tanh\"",
    "[[rule]]\nfunction = \"tanh\"\nmax_upl = 1",
    "[[rule]]\nfunction = \"tanh\"\nmax_ulp = -1",
    "[[rule]]\nfunction = \"tanh\"\nmax_ulp = \"1\"",
    "[[rule]]\nfunction = \"tanh\"\nmax_steps = 1.5",
    "[[rule]]\nfunction = \"tanh\"\nmin_correctly_rounded = 1.5",
    "[[rule]]\nfunction = \"tanh\"\nsymmetry = \"add\"",
    "[[rule]]\nfunction = \"tanh\"\nsymmetry = \"odd\"\ninput = \"bf16\"",
    "[[rule]]\nfunction = \"tanh\"\nsaturated_above = 9\nrange = [0, 1]",
    "[[rule]]\nfunction = \"tanh\"\nbounds = [1]",
    "[[rule]]\nfunction = \"tanh\"\nbounds = \"own\"",
    "[[rule]]\nfunction = \"tanh\"\nexact = []",
    "[[rule]]\nfunction = \"tanh\"\nexact = [{ result = 1 }]",
    "[[rule]]\nfunction = \"tanh\"\nspecial = { zero = 1 }",
    "[[rule]]\nfunction = \"tanh\"\nspecial = {}",
    "[[rule]]\nfunction = \"tanh\"\nmax_ulp = 1\ndtype = \"fp23\"",
    "[[rule]]\nfunction = \"tanh\"\nmax_ulp = 1\n[gate]\nunlisted = \"ignore\"",
    "[[rule]]\nfunction = \"tanh\"\nmax_ulp = 1\n[set.core]\ntarget = \"caymen\"",
    "[[rule]]\nfunction = \"tanh\"\nmax_ulp = 1\n[[waiver]]\nid = \"T\"\nfunction = \"tanh\"\nlimit = \"max_ulp\"\nceiling = 2\nreason = \" \"\nowner = \"me\"\nexpires = 2030-01-01",
];

#[test]
fn the_schema_and_the_parser_agree_on_what_is_right() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let mut good = vec![BUDGETS.to_owned()];
    for example in [
        "budgets.toml",
        "failing-budgets.toml",
        "release/budgets.toml",
    ] {
        let path = format!("{}/../examples/{example}", env!("CARGO_MANIFEST_DIR"));
        good.push(std::fs::read_to_string(path).unwrap());
    }
    for text in good {
        Budgets::parse("budgets.toml", &text).unwrap();
        let value = json(&toml::Value::Table(text.parse().unwrap()));
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?} in {text}");
    }
    for text in BROKEN {
        assert!(Budgets::parse("budgets.toml", text).is_err(), "{text}");
        let value = json(&toml::Value::Table(text.parse().unwrap()));
        assert!(!validator.is_valid(&value), "{text}");
    }
}

/// A release with findings of every level, and a waiver in use.
fn result(release: &Release) {
    release.add("mean_ulp = 0.5\nmax_ulp = 7.5\n[[rule]]\nfunction = \"silu\"\nmax_ulp = 1");
    for (id, limit, ceiling) in [
        ("T-1", "max_ulp", "7.6"),
        ("T-<2> & \\\"x\\\"", "max_abs", "1.0"),
    ] {
        release.add(&format!(
            "[[waiver]]\nid = \"{id}\"\nfunction = \"tanh\"\nlimit = \"{limit}\"\nceiling = {ceiling}\nreason = \"a | b\"\nowner = \"me\"\nexpires = 2030-12-31"
        ));
    }
    let run = release.gate(&[
        "--as-of",
        "2030-06-01",
        "--json",
        "gate.json",
        "--junit",
        "gate.xml",
        "--sarif",
        "gate.sarif",
    ]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
}

#[test]
fn sarif_has_what_the_format_demands() {
    let release = Release::new();
    result(&release);
    let log: Value = serde_json::from_str(&release.read("gate.sarif")).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let [run] = log["runs"].as_array().unwrap().as_slice() else {
        panic!("one run")
    };
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "rule ids are unique");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    let mut fingerprints = Vec::new();
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(result["ruleId"], ids[index]);
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "budgets.toml");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        fingerprints.push(
            result["partialFingerprints"]["actforgeFinding/v1"]
                .as_str()
                .unwrap(),
        );
    }
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 3);
    let levels: Vec<&Value> = results.iter().map(|result| &result["level"]).collect();
    assert_eq!(levels, ["error", "error", "warning"]);
}

#[test]
fn junit_counts_every_limit_once() {
    let release = Release::new();
    result(&release);
    let text = release.read("gate.xml");
    assert!(text.starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"actforge gate\""
    ));
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("<testsuite "), count("<failure ")), (3, 2));
    let total = format!(
        "tests=\"{}\" failures=\"2\" errors=\"0\"",
        count("<testcase ")
    );
    assert!(text.contains(&total), "{text}");
    // relu, tanh, sigmoid, exp: NaN results, special inputs and max_ulp each; two more of tanh; one of the release.
    assert_eq!(count("<testcase "), 4 * 3 + 2 + 1);
    assert!(text.contains("<failure type=\"rule-unused\""), "{text}");
    assert!(
        text.contains(
            "<system-out>waived by T-1: measured 7.509578, allowed 7.500000</system-out>"
        ),
        "{text}"
    );
    let mut names: Vec<&str> = text
        .split("<testcase ")
        .skip(1)
        .filter_map(|case| case.split('>').next())
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "no two cases have the same name");
}
