//! `actforge release`: sets, their reports and a manifest as one archive.

mod gated;

use std::path::{Path, PathBuf};

use actforge_reports::page::{SetPart, report_page};
use actforge_reports::report::Report;
use actforge_reports::{ReplayOptions, replay};
use actforge_tables::FunctionSet;
use actforge_tables::container::sha256_hex;
use clap::Args;
use serde_json::json;

use self::gated::{Gate, GateArguments};
use super::report::{courses, page_failure};
use super::reports::{read_report, replay_failure};
use super::sets::read_set;
use super::verify::{VerifiedSet, verify_set};
use crate::archive::{Release, ReleasedSet, check_report, pack};
use crate::atomic::OutputFile;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;

/// Pack sets with their reports and a manifest of every byte as one archive
///
/// Each set is verified first, as by `actforge verify`: one that lint has something to say about, or that its own
/// specification does not give again, is refused with exit code 1. Each is then replayed over every input, unless
/// --report gives the report of an earlier replay of all its functions.
///
/// With --budgets the sets are gated, as by `actforge gate` in CI: unless they pass, nothing is written and the exit
/// code is 1. Budgets, waivers, the last release and the result are packed as well, so that `actforge verify` judges
/// again.
///
/// The archive is the same, byte for byte, wherever and however fast it is made. docs/release.md shows how to sign it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge release out -o out.tar.zst
  actforge release core extra --budgets budgets.toml --baseline last/ -o release.tar.zst
  actforge verify release.tar.zst")]
pub(crate) struct Arguments {
    /// Directories of the sets
    #[arg(value_name = "DIR", required = true)]
    sets: Vec<PathBuf>,

    /// The archive; `-` is standard output, with nothing else there
    #[arg(short = 'o', long = "out", value_name = "NAME.tar.zst")]
    out: PathBuf,

    /// A report that `actforge replay --json FILE` wrote, instead of a replay; may be given once for each set
    #[arg(long = "report", value_name = "FILE")]
    reports: Vec<PathBuf>,

    #[command(flatten)]
    gate: GateArguments,

    /// Take sets as they are, also those without a specification; the manifest says so
    #[arg(long)]
    no_rebuild: bool,

    /// Print the path and the digest of the archive, and the sets, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.json {
        output.be_quiet();
    }
    let sets = read_sets(&arguments.sets)?;
    let file = OutputFile::check(&arguments.out)?;
    arguments
        .gate
        .files()
        .chain(&arguments.reports)
        .try_for_each(|input| file.check_apart(input))?;
    if file.is_stdout() {
        if arguments.json {
            return Err(Failure::usage(
                "only one of --json and -o can have standard output",
                "write the archive to a file",
            ));
        }
        // The archive is all that goes there.
        output.be_quiet();
    }
    let gate = Gate::read(&arguments.gate)?;
    let given = given_reports(&arguments.reports, &sets)?;
    let mut verified = Vec::new();
    for (path, set) in &sets {
        let shown = path.display().to_string();
        let one = verify_set(&shown, set, !arguments.no_rebuild)?;
        one.show(output)?;
        output.flush()?;
        verified.push(one);
    }
    if !verified.iter().all(VerifiedSet::passed) {
        let mut failing = sets.iter().zip(&verified).filter(|(_, one)| !one.passed());
        let path = failing.next().map_or(Path::new(""), |((path, _), _)| path);
        return Err(Failure::failed(
            format!(
                "{}: not released: the set cannot be verified",
                path.display()
            ),
            format!(
                "`actforge verify {}` says why; nothing was written",
                path.display()
            ),
        ));
    }
    let reports = all_reports(&sets, given)?;
    let gated_by = match gate {
        Some(gate) => Some(gate.judge(&sets, &reports, output)?),
        None => None,
    };
    let page = page(&sets, &reports)?;
    let mut released = Vec::new();
    for (((_, set), one), report) in sets.iter().zip(&verified).zip(reports) {
        released.push(ReleasedSet {
            set: set.clone(),
            rebuilt: one.is_rebuilt(),
            report,
        });
    }
    let files = Release::files(released, page, gated_by.as_ref()).map_err(Failure::internal)?;
    let bytes = pack(&files).map_err(|error| Failure::internal(format!("archive: {error}")))?;
    file.write(&bytes, output)?;
    let digest = sha256_hex(&bytes);
    output.line(format!(
        "{} files written to {} ({} bytes, sha256 {digest})",
        files.len(),
        arguments.out.display(),
        bytes.len()
    ))?;
    if arguments.json {
        output.json(&json!({
            "schema_version": 1,
            "path": arguments.out.display().to_string(),
            "size": bytes.len(),
            "sha256": digest,
            "files": files.keys().collect::<Vec<_>>(),
            "gated": gated_by.is_some(),
            "sets": verified,
        }))?;
    }
    Ok(Exit::Success)
}

fn read_sets(paths: &[PathBuf]) -> Result<Vec<(PathBuf, FunctionSet)>, Failure> {
    let mut sets: Vec<(PathBuf, FunctionSet)> = Vec::new();
    for path in paths {
        let set = read_set(path)?;
        if let Some((other, _)) = sets.iter().find(|(_, other)| other.name == set.name) {
            return Err(Failure::usage(
                format!(
                    "{} and {} are both sets of the name {}",
                    other.display(),
                    path.display(),
                    set.name
                ),
                "a release holds a set of one name once",
            ));
        }
        sets.push((path.clone(), set));
    }
    // Nothing depends on the order in which they are named.
    sets.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    Ok(sets)
}

/// The reports that were given, each where its set is.
fn given_reports(
    paths: &[PathBuf],
    sets: &[(PathBuf, FunctionSet)],
) -> Result<Vec<Option<Report>>, Failure> {
    let mut given: Vec<Option<Report>> = sets.iter().map(|_| None).collect();
    for path in paths {
        let report = read_report(path)?;
        let name = &report.set;
        let place = sets.iter().position(|(_, set)| set.name == *name);
        let Some(((_, set), slot)) =
            place.and_then(|place| Some((sets.get(place)?, given.get_mut(place)?)))
        else {
            return Err(Failure::invalid(
                format!(
                    "{}: a report of set {name}, which is not to be released",
                    path.display()
                ),
                "give reports of the sets that are named",
            ));
        };
        if slot.is_some() {
            return Err(Failure::usage(
                format!("{}: a second report of set {name}", path.display()),
                "give one report for each set",
            ));
        }
        *slot = Some(whole_report(path, set, report)?);
    }
    Ok(given)
}

/// A report that says of a set all that a replay without options does.
fn whole_report(path: &Path, set: &FunctionSet, mut report: Report) -> Result<Report, Failure> {
    check_report(&path.display().to_string(), set, &report).map_err(|error| {
        Failure::invalid(
            error,
            "a release holds the replay of every function over all fp32 inputs: `actforge replay DIR --json FILE`",
        )
    })?;
    for function in &mut report.functions {
        // Times are of a machine.
        function.seconds = None;
    }
    Ok(report)
}

fn all_reports(
    sets: &[(PathBuf, FunctionSet)],
    given: Vec<Option<Report>>,
) -> Result<Vec<Report>, Failure> {
    let progress = Progress::new();
    let mut reports = Vec::new();
    for ((path, set), report) in sets.iter().zip(given) {
        reports.push(match report {
            Some(report) => report,
            None => replay(set, &ReplayOptions::default(), &progress.of_replay())
                .map_err(|error| replay_failure(path, &error))?,
        });
    }
    Ok(reports)
}

fn page(sets: &[(PathBuf, FunctionSet)], reports: &[Report]) -> Result<String, Failure> {
    let mut drawn = Vec::new();
    for ((path, set), report) in sets.iter().zip(reports) {
        drawn.push(courses(path, set, report)?);
    }
    let parts: Vec<SetPart<'_>> = sets
        .iter()
        .zip(reports)
        .zip(&drawn)
        .map(|(((_, set), report), courses)| SetPart {
            set,
            report,
            courses,
            budgets: &[],
        })
        .collect();
    report_page(&parts).map_err(page_failure)
}
