//! The program: from the command line to the exit code.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Command, CommandLine, protect_negative_inputs, usage_failure};
use crate::colour;
use crate::commands::{
    build, completions, diff, eval, export, functions, gate, import, inspect, lint, merge, pareto,
    plan, plot, release, replay, report, stock, verify,
};
use crate::exit::{Exit, Failure, install_panic_hook};
use crate::level;
use crate::output::Output;
use crate::progress;

/// Runs the command line `arguments`, the program's name first, and says how it ended.
///
/// Never panics: a panic below is reported as an internal error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    install_panic_hook();
    let arguments = protect_negative_inputs(arguments);
    let end = match catch_unwind(AssertUnwindSafe(|| attempt(arguments))) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            let stderr = std::io::stderr();
            failure.print(&mut stderr.lock(), colour::for_stream(&stderr));
            failure.exit
        }
        // The panic hook has said why.
        Err(_) => Exit::Internal,
    };
    end.into()
}

fn attempt(arguments: Vec<OsString>) -> Result<Exit, Failure> {
    let mut output = Output::stdout();
    let named = arguments.get(1).cloned().unwrap_or_default();
    let exit = match CommandLine::try_parse_from(arguments) {
        Ok(line) => {
            if line.quiet {
                output.be_quiet();
                progress::hide();
            }
            level::apply(std::env::var_os(level::VARIABLE).as_deref())?;
            dispatch(&line.command, &mut output)?
        }
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                output.text(error.render().to_string().as_bytes())?;
                Exit::Success
            }
            // No command at all: the help is the answer, but nothing was done.
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                let _ = write!(std::io::stderr().lock(), "{}", error.render());
                Exit::Usage
            }
            _ => return Err(usage_failure(&error, &named)),
        },
    };
    output.flush()?;
    Ok(exit)
}

fn dispatch(command: &Command, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Functions(arguments) => functions::run(arguments, output),
        Command::Build(arguments) => build::run(arguments, output),
        Command::Replay(arguments) => replay::run(arguments, output),
        Command::Plot(arguments) => plot::run(arguments, output),
        Command::Report(arguments) => report::run(arguments, output),
        Command::Gate(arguments) => gate::run(arguments, output),
        Command::Inspect(arguments) => inspect::run(arguments, output),
        Command::Eval(arguments) => eval::run(arguments, output),
        Command::Diff(arguments) => diff::run(arguments, output),
        Command::Merge(arguments) => merge::run(arguments, output),
        Command::Pareto(arguments) => pareto::run(arguments, output),
        Command::Export(arguments) => export::run(arguments, output),
        Command::Import(arguments) => import::run(arguments, output),
        Command::Lint(arguments) => lint::run(arguments, output),
        Command::Verify(arguments) => verify::run(arguments, output),
        Command::Release(arguments) => release::run(arguments, output),
        Command::Stock(arguments) => stock::run(arguments, output),
        Command::Plan(arguments) => plan::run(arguments, output),
        Command::Completions(arguments) => completions::run(arguments, output),
    }
}
