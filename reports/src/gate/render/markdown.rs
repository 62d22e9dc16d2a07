//! Markdown: for the summary of a CI step, or a comment on a change.

use super::super::codes::Level;
use super::super::result::{GateResult, LimitResult, Source};
use super::details;

/// The result as a page: the verdict, what was found, waivers, and every limit in a fold.
pub fn markdown(result: &GateResult) -> String {
    let mut page = format!("## actforge gate: {}\n", escaped(&result.summary()));
    for set in &result.sets {
        page.push_str(&format!(
            "\n- set `{}` for {}, datapath {}: SHA-256 `{}`",
            code(&set.name),
            set.target,
            set.datapath,
            set.sha256.as_deref().unwrap_or("unknown")
        ));
    }
    page.push('\n');
    if result.findings_of(Level::Error).next().is_some() {
        page.push_str("\n### What fails\n\n");
    }
    for finding in result.findings_of(Level::Error) {
        page.push_str(&format!(
            "- **{}** {}\n",
            finding.code.name(),
            escaped(&finding.message)
        ));
        for (word, detail) in details(finding) {
            page.push_str(&format!("  - {word}: `{}`\n", code(&detail)));
        }
    }
    let others: Vec<_> = result
        .findings
        .iter()
        .filter(|finding| finding.level != Level::Error)
        .collect();
    if !others.is_empty() {
        page.push_str("\n### Also\n\n");
    }
    for finding in others {
        let word = finding.level.word();
        page.push_str(&format!(
            "- {word} {}: {}\n",
            finding.code.name(),
            escaped(&finding.message)
        ));
    }
    waivers(result, &mut page);
    tighter(result, &mut page);
    limits(result, &mut page);
    page
}

fn waivers(result: &GateResult, page: &mut String) {
    if result.waivers.is_empty() {
        return;
    }
    page.push_str(
        "\n### Waivers\n\n| id | state | function | limit | ceiling | expires | owner | reason |\n",
    );
    page.push_str("|---|---|---|---|---:|---|---|---|\n");
    for waiver in &result.waivers {
        let cells = [
            escaped(&waiver.id),
            waiver.state.word().to_owned(),
            escaped(&waiver.function),
            waiver.limit.key().to_owned(),
            waiver.limit.shown(waiver.ceiling),
            waiver.expires.clone(),
            escaped(&waiver.owner),
            escaped(&waiver.reason),
        ];
        page.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

fn tighter(result: &GateResult, page: &mut String) {
    let mut better = result
        .can_tighten
        .iter()
        .filter(|spare| spare.source == Source::Baseline)
        .peekable();
    if better.peek().is_none() {
        return;
    }
    page.push_str("\n### Better than the last release: can tighten\n\n");
    for spare in better {
        page.push_str(&format!(
            "- {} of {}, {}: {} -> {}\n",
            escaped(&spare.function),
            escaped(&spare.set),
            spare.limit.key(),
            spare.limit.shown(spare.allowed),
            spare.limit.shown(spare.measured)
        ));
    }
}

fn limits(result: &GateResult, page: &mut String) {
    page.push_str("\n<details><summary>Every limit</summary>\n\n");
    page.push_str("| | set | function | type | inputs | limit | from | allowed | measured |\n");
    page.push_str("|---|---|---|---|---:|---|---|---:|---:|\n");
    for check in &result.checks {
        for limit in &check.limits {
            let cells = [
                limit.outcome.word().to_owned(),
                escaped(&check.set),
                escaped(&check.function),
                check.dtype.clone(),
                check.inputs.to_string(),
                limit.limit.key().to_owned(),
                origin(limit),
                limit.limit.shown(limit.allowed),
                limit
                    .measured
                    .map_or_else(|| "none".to_owned(), |value| limit.limit.shown(value)),
            ];
            page.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
    }
    page.push_str("\n</details>\n");
}

fn origin(limit: &LimitResult) -> String {
    match (limit.source, limit.line) {
        (Source::Rule, Some(line)) => format!("line {line}"),
        (Source::Rule | Source::Always, _) => "always".to_owned(),
        (Source::Baseline, _) => "last release".to_owned(),
    }
}

/// Text in which nothing is markup, on one line.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Text between backquotes.
fn code(text: &str) -> String {
    text.chars()
        .map(|c| if c == '`' || c.is_control() { '\'' } else { c })
        .collect()
}
