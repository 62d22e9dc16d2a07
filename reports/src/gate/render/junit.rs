//! JUnit XML: a suite for each set and one for the release as a whole, a test case for each limit.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::super::codes::Level;
use super::super::result::{CheckResult, Finding, GateResult, LimitResult, Outcome, Source};
use super::details;

/// A test case before it is written.
struct Case<'r> {
    class: String,
    name: String,
    failure: Option<&'r Finding>,
    /// What is worth saying of a case that passes.
    remark: Option<String>,
}

/// The result as JUnit XML.
///
/// # Errors
/// Only those of the writer, which writes to memory.
pub fn junit(result: &GateResult) -> io::Result<String> {
    let mut suites = vec![("release".to_owned(), of_release(result))];
    for set in &result.sets {
        let checks = result
            .checks
            .iter()
            .enumerate()
            .filter(|(_, check)| check.set == set.name);
        let cases = checks
            .flat_map(|(place, check)| of_check(result, place, check))
            .collect();
        suites.push((format!("set {}", set.name), cases));
    }
    let all: Vec<&Case<'_>> = suites.iter().flat_map(|(_, cases)| cases).collect();
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer
        .create_element("testsuites")
        .with_attribute(("name", "actforge gate"))
        .with_attribute(("tests", all.len().to_string().as_str()))
        .with_attribute(("failures", failures(all.into_iter()).as_str()))
        .with_attribute(("errors", "0"))
        .write_inner_content(|writer| {
            suites
                .iter()
                .try_for_each(|(name, cases)| suite(writer, name, cases))
        })?;
    let mut text = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

fn failures<'c>(cases: impl Iterator<Item = &'c Case<'c>>) -> String {
    cases
        .filter(|case| case.failure.is_some())
        .count()
        .to_string()
}

/// Findings that are about no limit, and that there is something to judge at all.
fn of_release(result: &GateResult) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = result
        .findings
        .iter()
        .filter(|finding| finding.check.is_none() && finding.level == Level::Error)
        .map(|finding| {
            let names = [&finding.set, &finding.function].into_iter().flatten();
            let about: Vec<&str> = names.map(String::as_str).collect();
            let place = finding
                .location
                .as_ref()
                .map(|place| format!("line {}", place.line));
            let about: Vec<&str> = about.into_iter().chain(place.as_deref()).collect();
            Case {
                class: "release".to_owned(),
                name: format!("{} {}", finding.code.name(), about.join(" "))
                    .trim_end()
                    .to_owned(),
                failure: Some(finding),
                remark: None,
            }
        })
        .collect();
    if cases.is_empty() {
        cases.push(Case {
            class: "release".to_owned(),
            name: "every set, function and rule has its counterpart".to_owned(),
            failure: None,
            remark: None,
        });
    }
    cases
}

fn of_check<'r>(result: &'r GateResult, place: usize, check: &'r CheckResult) -> Vec<Case<'r>> {
    let inputs = match &check.range {
        Some([first, last]) => format!("{} from {first} to {last}", check.input_dtype),
        None => format!("all {}", check.input_dtype),
    };
    let case = |limit: &LimitResult| {
        let from = if limit.source == Source::Baseline {
            " against the last release"
        } else {
            ""
        };
        let findings = result.findings.iter();
        let failure = findings
            .filter(|_| !limit.outcome.passes())
            .find(|finding| {
                finding.check == Some(place)
                    && finding.limit == Some(limit.limit)
                    && finding.source == Some(limit.source)
            });
        let shown = |value: f64| limit.limit.shown(value);
        let remark = limit
            .waiver
            .as_ref()
            .filter(|_| limit.outcome == Outcome::Waived);
        Case {
            class: format!("{}.{}", check.set, check.function),
            name: format!("{} over {inputs}: {}{from}", check.dtype, limit.limit.key()),
            failure,
            remark: remark.map(|id| {
                let measured = limit.measured.map_or_else(|| "nothing".to_owned(), shown);
                format!(
                    "waived by {id}: measured {measured}, allowed {}",
                    shown(limit.allowed)
                )
            }),
        }
    };
    check.limits.iter().map(case).collect()
}

fn suite(writer: &mut Writer<Vec<u8>>, name: &str, cases: &[Case<'_>]) -> io::Result<()> {
    writer
        .create_element("testsuite")
        .with_attribute(("name", legal(name).as_str()))
        .with_attribute(("tests", cases.len().to_string().as_str()))
        .with_attribute(("failures", failures(cases.iter()).as_str()))
        .with_attribute(("errors", "0"))
        .write_inner_content(|writer| cases.iter().try_for_each(|case| test_case(writer, case)))?;
    Ok(())
}

fn test_case(writer: &mut Writer<Vec<u8>>, case: &Case<'_>) -> io::Result<()> {
    let (name, class) = (legal(&case.name), legal(&case.class));
    let element = writer
        .create_element("testcase")
        .with_attribute(("name", name.as_str()))
        .with_attribute(("classname", class.as_str()));
    match (case.failure, &case.remark) {
        (Some(finding), _) => {
            let message = legal(&finding.message);
            let mut text = message.clone();
            for (word, detail) in details(finding) {
                text.push_str(&format!("\n{word}: {}", legal(&detail)));
            }
            element.write_inner_content(|writer| {
                writer
                    .create_element("failure")
                    .with_attribute(("type", finding.code.name()))
                    .with_attribute(("message", message.as_str()))
                    .write_text_content(BytesText::new(&text))?;
                Ok(())
            })?;
        }
        (None, Some(remark)) => {
            element.write_inner_content(|writer| {
                writer
                    .create_element("system-out")
                    .write_text_content(BytesText::new(&legal(remark)))?;
                Ok(())
            })?;
        }
        (None, None) => {
            element.write_empty()?;
        }
    }
    Ok(())
}

/// Text without the characters that XML cannot hold, not even escaped.
fn legal(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' => c,
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => ' ',
            c => c,
        })
        .collect()
}
