//! The `actforge` command; everything it does is in the library beside it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    actforge_cli::run(std::env::args_os())
}
