//! Annotations of GitHub Actions: lines on standard output that the runner turns into marks beside the budgets file.

use super::super::codes::Level;
use super::super::result::GateResult;
use super::details;

/// One line for each finding, the worst first: GitHub shows only the first ten of a step.
pub fn annotations(result: &GateResult) -> String {
    let mut text = String::new();
    for finding in &result.findings {
        let command = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let mut properties = Vec::new();
        if let Some(location) = &finding.location {
            properties.push(format!("file={}", property(&location.file)));
            properties.push(format!("line={},col={}", location.line, location.column));
        }
        properties.push(format!("title={}", property(finding.code.name())));
        let mut message = finding.message.clone();
        for (word, detail) in details(finding) {
            message.push_str(&format!("\n{word}: {detail}"));
        }
        text.push_str(&format!(
            "::{command} {}::{}\n",
            properties.join(","),
            data(&message)
        ));
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
