//! `actforge completions`: the script that teaches a shell the command line.

use clap::Args;
use clap_complete::{Shell, generate};

use crate::args::CommandLine;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Print a completion script for a shell
///
/// The script goes to standard output; where it belongs depends on the shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge completions bash > ~/.local/share/bash-completion/completions/actforge
  actforge completions zsh > \"${fpath[1]}/_actforge\"
  actforge completions fish > ~/.config/fish/completions/actforge.fish")]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    generate(
        arguments.shell,
        &mut CommandLine::definition(),
        "actforge",
        &mut script,
    );
    output.text(&script)?;
    Ok(Exit::Success)
}
