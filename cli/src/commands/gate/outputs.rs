//! Where the result of a gate goes: all of it is made from the same stored result.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use actforge_reports::gate::GateResult;
use actforge_reports::gate::render::{annotations, junit, markdown, sarif};
use clap::Args;

use super::text;
use crate::atomic::{OutputFile, check_all};
use crate::exit::Failure;
use crate::output::{Output, json_text};

/// The outputs of a gate.
#[derive(Debug, Args)]
pub(crate) struct OutputArguments {
    /// Write the whole result as JSON to FILE; `-` is standard output, without the table. So for the other files
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write JUnit XML: a test case for each limit
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write SARIF 2.1.0 for code scanning
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,

    /// Write a page of Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Print annotations for GitHub Actions, and add the page of Markdown to the summary of the step
    #[arg(long)]
    github: bool,
}

/// The outputs, known to be writable.
pub(super) struct Outputs {
    files: [Option<OutputFile>; 4],
    github: bool,
}

impl Outputs {
    /// Checks the files before the work starts.
    pub(super) fn check(arguments: &OutputArguments) -> Result<Self, Failure> {
        let OutputArguments {
            json,
            junit,
            sarif,
            markdown,
            github,
        } = arguments;
        let files = check_all([json, junit, sarif, markdown].map(|path| path.as_deref()))?;
        let outputs = Self {
            files,
            github: *github,
        };
        if outputs.on_stdout() > 1 {
            return Err(Failure::usage(
                "only one of --json, --junit, --sarif and --markdown can have standard output",
                "write the others to files",
            ));
        }
        Ok(outputs)
    }

    /// Refuses outputs in place of what the gate judges by: the second run would be held against the first.
    pub(super) fn check_apart(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        let mut files = self.files.iter().flatten();
        files.try_for_each(|file| inputs.iter().try_for_each(|input| file.check_apart(input)))
    }

    fn on_stdout(&self) -> usize {
        self.files
            .iter()
            .flatten()
            .filter(|file| file.is_stdout())
            .count()
    }

    /// Writes the files, then shows the result unless standard output is one of them.
    pub(super) fn write(&self, result: &GateResult, output: &mut Output) -> Result<(), Failure> {
        let [json, xml, log, page] = &self.files;
        if let Some(file) = json {
            file.write(json_text(result)?.as_bytes(), output)?;
        }
        if let Some(file) = xml {
            let text =
                junit(result).map_err(|error| Failure::internal(format!("JUnit: {error}")))?;
            file.write(text.as_bytes(), output)?;
        }
        if let Some(file) = log {
            file.write(sarif(result).as_bytes(), output)?;
        }
        if let Some(file) = page {
            file.write(markdown(result).as_bytes(), output)?;
        }
        let is_taken = self.on_stdout() > 0;
        if self.github {
            if let Some(summary) =
                std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty())
            {
                append(Path::new(&summary), &markdown(result))?;
            }
            if !is_taken {
                output.text(annotations(result).as_bytes())?;
            }
        }
        if is_taken {
            // What is said afterwards would be taken for a part of it.
            output.be_quiet();
        }
        text::show(result, output)
    }
}

/// The runner's file belongs to all commands of the step: it is added to, not replaced.
fn append(path: &Path, page: &str) -> Result<(), Failure> {
    let file = File::options().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(page.as_bytes()))
        .map_err(|error| {
            Failure::invalid(
                format!("{}: cannot be written: {error}", path.display()),
                "GITHUB_STEP_SUMMARY names this file; leave out --github where there is none",
            )
        })
}
