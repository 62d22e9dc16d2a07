//! `actforge lint`: which invariants of the formats do not hold.

use std::path::{Path, PathBuf};

use actforge_tables::FunctionSet;
use actforge_tables::container::MANIFEST;
use actforge_tables::lint::{Finding, Findings, Lint, Severity, check_set};
use actforge_tables::stock::{ACT_INFO, examine};
use clap::Args;
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::numbers::counted;
use crate::output::{Output, Table};

/// Hold sets or stock files against every invariant of the formats, by name
///
/// A directory with act_info.json is looked at as stock files, one with set.json as a set. Each place where an invariant
/// does not hold is one line: file, key, what was expected and found, and the name of the invariant. Any finding makes
/// the exit code 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge lint --list
  actforge lint pwp_bin_trainium
  actforge lint out --json")]
pub(crate) struct Arguments {
    /// Directories of sets or of stock files
    #[arg(value_name = "DIR", required_unless_present = "list")]
    directories: Vec<PathBuf>,

    /// List the invariants, each with what it means
    #[arg(long)]
    list: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The version of the JSON document.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document {
    schema_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    lints: Option<Vec<LintRow>>,
    directories: Vec<Linted>,
}

#[derive(Serialize)]
struct LintRow {
    name: &'static str,
    severity: &'static str,
    meaning: &'static str,
}

#[derive(Serialize)]
struct Linted {
    path: String,
    /// `stock` or `set`.
    kind: &'static str,
    sets: usize,
    /// All that were found; the list holds at most a thousand.
    count: usize,
    findings: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    lint: &'static str,
    severity: &'static str,
    file: String,
    key: String,
    expected: String,
    found: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let linted = arguments
        .directories
        .iter()
        .map(|path| lint(path))
        .collect::<Result<Vec<Linted>, Failure>>()?;
    let clean = linted.iter().all(|linted| linted.count == 0);
    if arguments.json {
        output.json(&Document {
            schema_version: SCHEMA_VERSION,
            lints: arguments
                .list
                .then(|| Lint::ALL.iter().map(lint_row).collect()),
            directories: linted,
        })?;
    } else {
        if arguments.list {
            list(output)?;
        }
        linted.iter().try_for_each(|linted| show(linted, output))?;
    }
    Ok(if clean { Exit::Success } else { Exit::Failed })
}

fn severity(lint: Lint) -> &'static str {
    match lint.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn lint_row(lint: &Lint) -> LintRow {
    LintRow {
        name: lint.name(),
        severity: severity(*lint),
        meaning: lint.meaning(),
    }
}

fn list(output: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(&["lint", "severity", "what has to hold"]);
    for lint in Lint::ALL {
        table.row([lint.name(), severity(*lint), lint.meaning()].map(str::to_owned));
    }
    output.table(&table, 0)
}

/// What does not hold of a set that could be read.
pub(super) fn findings(set: &FunctionSet) -> Findings {
    let mut findings = Findings::default();
    check_set(set, MANIFEST, &mut findings);
    findings
}

fn lint(path: &Path) -> Result<Linted, Failure> {
    let (kind, sets, findings) = if path.join(ACT_INFO).exists() {
        let examined = examine(path);
        ("stock", examined.sets.len(), examined.findings)
    } else if path.join(MANIFEST).exists() {
        let (sets, findings) = lint_set(path);
        ("set", sets, findings)
    } else {
        let message = format!(
            "{}: expected a set or stock files, found neither {MANIFEST} nor {ACT_INFO}",
            path.display()
        );
        return Err(Failure::invalid(
            message,
            "give a directory with one of them",
        ));
    };
    Ok(Linted {
        path: path.display().to_string(),
        kind,
        sets,
        count: findings.count(),
        findings: findings.all().iter().map(row).collect(),
    })
}

/// A set of register images. Its reader stops at the first fault.
fn lint_set(path: &Path) -> (usize, Findings) {
    match FunctionSet::read_dir(path) {
        Ok(set) => (1, findings(&set)),
        Err(error) => {
            let mut findings = Findings::default();
            findings.add_container_error(&error);
            (0, findings)
        }
    }
}

fn row(finding: &Finding) -> Row {
    Row {
        lint: finding.lint.name(),
        severity: severity(finding.lint),
        file: finding.file.clone(),
        key: finding.key.clone(),
        expected: finding.expected.clone(),
        found: finding.found.clone(),
    }
}

fn show(linted: &Linted, output: &mut Output) -> Result<(), Failure> {
    for row in &linted.findings {
        output.line(format!(
            "{}: {}: {}: {}: expected {}, found {} [{}]",
            row.severity, linted.path, row.file, row.key, row.expected, row.found, row.lint
        ))?;
    }
    let left_off = linted.count - linted.findings.len();
    if left_off > 0 {
        output.line(format!("and {left_off} more"))?;
    }
    output.line(format!(
        "{}: {}, {}",
        linted.path,
        counted(linted.sets, "set"),
        counted(linted.count, "finding")
    ))
}
