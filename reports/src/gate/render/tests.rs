use std::collections::BTreeMap;

use super::super::codes::{Code, Level};
use super::super::result::{CheckResult, Location, RESULT_SCHEMA_VERSION, SetResult};
use super::*;
use crate::gate::GateResult;

/// A result whose names hold everything that a format might trip over.
fn awkward() -> GateResult {
    let name = "a<b>&\"c\"|`d`, 100%:\u{1}\n[e](f)";
    let set = SetResult {
        name: name.to_owned(),
        directory: "my sets/ä".to_owned(),
        sha256: None,
        target: "cayman".to_owned(),
        datapath: "fma".to_owned(),
    };
    let finding = Finding {
        location: Some(Location {
            file: "my sets/b,ä%.toml".to_owned(),
            line: 3,
            column: 7,
        }),
        set: Some(name.to_owned()),
        function: Some(name.to_owned()),
        ..Finding::new(Code::RuleUnused, Level::Error, format!("no {name}"))
    };
    GateResult {
        schema_version: RESULT_SCHEMA_VERSION,
        passed: false,
        budgets: "budgets.toml".to_owned(),
        baseline: None,
        as_of: None,
        sets: vec![set],
        checks: vec![CheckResult {
            set: name.to_owned(),
            function: name.to_owned(),
            dtype: "fp32".to_owned(),
            input_dtype: "fp32".to_owned(),
            range: None,
            inputs: 0,
            passed: true,
            figures: BTreeMap::new(),
            limits: Vec::new(),
        }],
        findings: vec![finding],
        waivers: Vec::new(),
        can_tighten: Vec::new(),
    }
}

#[test]
fn names_cannot_break_out_of_xml() {
    let text = junit(&awkward()).unwrap();
    assert!(
        text.contains("message=\"no a&lt;b&gt;&amp;&quot;c&quot;|`d`, 100%: "),
        "{text}"
    );
    assert!(!text.contains('\u{1}'), "{text}");
    let mut reader = quick_xml::Reader::from_str(&text);
    let mut depth = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(_) => depth += 1,
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
}

#[test]
fn names_cannot_break_out_of_an_annotation() {
    let text = annotations(&awkward());
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.starts_with(
            "::error file=my sets/b%2Cä%25.toml,line=3,col=7,title=rule-unused::no a<b>"
        ),
        "{text}"
    );
    assert!(
        text.contains("100%25:\u{1}%0A[e](f)%0Arule: my sets"),
        "{text}"
    );
}

#[test]
fn names_cannot_break_out_of_markdown() {
    let text = markdown(&awkward());
    let line = text
        .lines()
        .find(|line| line.starts_with("- **rule-unused**"))
        .unwrap();
    assert_eq!(
        line,
        "- **rule-unused** no a\\<b\\>&\"c\"\\|\\`d\\`, 100%:  \\[e\\](f)"
    );
    assert!(
        text.contains("- set `a<b>&\"c\"|'d', 100%:''[e](f)` for cayman"),
        "{text}"
    );
}

#[test]
fn files_become_references_that_sarif_takes() {
    let log: serde_json::Value = serde_json::from_str(&sarif(&awkward())).unwrap();
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        place["artifactLocation"]["uri"],
        "my%20sets/b%2C%C3%A4%25.toml"
    );
    assert_eq!(place["region"]["startColumn"], 7);
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 1);
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    assert_eq!(rules.len(), Code::ALL.len());
    assert_eq!(
        rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"],
        "rule-unused"
    );
}

#[test]
fn a_result_reads_back_as_it_was() {
    let result = awkward();
    let text = serde_json::to_string(&result).unwrap();
    assert_eq!(GateResult::from_json(&text).unwrap(), result);
    let other = text.replacen("\"schema_version\":2", "\"schema_version\":3", 1);
    let error = GateResult::from_json(&other).unwrap_err().to_string();
    assert_eq!(error, "schema_version: expected 2, found 3");
    assert!(GateResult::from_json("{}").is_err());
}

#[test]
fn every_code_has_a_name_of_its_own_and_a_sentence() {
    let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for code in Code::ALL {
        assert!(code.meaning().trim().ends_with('.'), "{code:?}");
        assert_eq!(serde_json::to_value(code).unwrap(), code.name());
    }
    let document = include_str!("../../../../docs/gate.md");
    for name in names {
        assert!(
            document.contains(&format!("`{name}`")),
            "docs/gate.md does not explain {name}"
        );
    }
}

#[test]
fn the_document_names_every_limit_and_every_key() {
    let document = include_str!("../../../../docs/gate.md");
    let keys = crate::budget::Limit::ALL.iter().map(|limit| limit.key());
    let scope = crate::budget::RULE_SCOPE
        .into_iter()
        .chain(crate::budget::WAIVER_KEYS);
    for key in keys.chain(scope) {
        assert!(
            document.contains(&format!("`{key}`")),
            "docs/gate.md does not explain {key}"
        );
    }
    let serde_json::Value::Object(fields) = serde_json::to_value(awkward()).unwrap() else {
        panic!("an object")
    };
    for key in fields.keys() {
        assert!(
            document.contains(&format!("`{key}`")),
            "docs/gate.md does not explain {key}"
        );
    }
}

#[test]
fn the_worst_excess_is_the_largest_ratio() {
    let finding = |limit, measured, allowed| Finding {
        limit: Some(limit),
        measured,
        allowed: Some(allowed),
        ..Finding::new(Code::OverBudget, Level::Error, "")
    };
    use crate::budget::Limit;
    assert_eq!(finding(Limit::MaxUlp, Some(3.0), 1.5).excess(), 2.0);
    assert_eq!(
        finding(Limit::MinCorrectlyRounded, Some(0.5), 1.0).excess(),
        2.0
    );
    assert_eq!(
        finding(Limit::SaturatedBelow, Some(-9.0), -4.5).excess(),
        2.0
    );
    for infinite in [
        finding(Limit::MaxUlp, None, 1.0),
        finding(Limit::Bounds, Some(3.0), 0.0),
    ] {
        assert_eq!(infinite.excess(), f64::INFINITY);
    }
}
