//! SARIF 2.1.0, for code scanning: one result for each finding, at its line of the budgets file.

use serde_json::{Map, Value, json};

use super::super::codes::{Code, Level};
use super::super::result::{Finding, GateResult};
use super::details;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The result as SARIF, with a newline at the end.
pub fn sarif(result: &GateResult) -> String {
    let results: Vec<Value> = result
        .findings
        .iter()
        .map(|finding| one(finding, result))
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "actforge",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": Code::ALL.iter().map(|code| rule(*code)).collect::<Vec<Value>>(),
                },
            },
            "invocations": [{
                "executionSuccessful": true,
                "exitCode": if result.passed { 0 } else { 1 },
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "shortDescription": { "text": code.meaning().trim() },
    })
}

fn one(finding: &Finding, result: &GateResult) -> Value {
    let level = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    let mut message = finding.message.clone();
    for (word, detail) in details(finding) {
        message.push_str(&format!("\n{word}: {detail}"));
    }
    // Code scanning shows only what has a place: what no line is to blame for stands at the file's first.
    let (file, line, column) = match &finding.location {
        Some(location) => (location.file.as_str(), location.line, location.column),
        None => (result.budgets.as_str(), 1, 1),
    };
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(file) },
            "region": { "startLine": line, "startColumn": column },
        },
    });
    let names: Vec<&str> = [&finding.set, &finding.function]
        .into_iter()
        .filter_map(|name| name.as_deref())
        .collect();
    if let Some(name) = names.last() {
        let kind = if finding.function.is_some() {
            "function"
        } else {
            "module"
        };
        location["logicalLocations"] = json!([{
            "name": name,
            "fullyQualifiedName": names.join("/"),
            "kind": kind,
        }]);
    }
    let index = Code::ALL.iter().position(|code| *code == finding.code);
    json!({
        "ruleId": finding.code.name(),
        "ruleIndex": index,
        "level": level,
        "message": { "text": message },
        "locations": [location],
        "partialFingerprints": { "actforgeFinding/v1": fingerprint(finding, result) },
        "properties": properties(finding),
    })
}

/// What stays the same from run to run while the same thing is wrong.
fn fingerprint(finding: &Finding, result: &GateResult) -> String {
    let check = finding.check.and_then(|place| result.checks.get(place));
    let inputs = check.map(|check| match &check.range {
        Some([first, last]) => format!("{}:{first}:{last}", check.input_dtype),
        None => check.input_dtype.clone(),
    });
    let limit = finding.limit.map(|limit| limit.key().to_owned());
    let parts = [
        &finding.set,
        &finding.function,
        &finding.dtype,
        &inputs,
        &limit,
    ];
    let parts = parts.map(|part| part.as_deref().unwrap_or("-"));
    format!("{}/{}", finding.code.name(), parts.join("/"))
}

fn properties(finding: &Finding) -> Value {
    let mut properties = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            properties.insert(key.to_owned(), value);
        }
    };
    put("limit", finding.limit.map(|limit| limit.key().into()));
    put("allowed", finding.allowed.map(Value::from));
    put("measured", finding.measured.map(Value::from));
    put(
        "witness",
        finding
            .witness
            .as_ref()
            .and_then(|witness| serde_json::to_value(witness).ok()),
    );
    put("reproduce", finding.reproduce.clone().map(Value::from));
    Value::Object(properties)
}

/// A path as a reference that SARIF takes: relative ones as they are, everything unusual in it percent-encoded.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            uri.push(byte.into());
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
