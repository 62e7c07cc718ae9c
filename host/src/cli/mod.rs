//! Command line: what may be asked ([`args`]) and how it is done ([`run`]).

mod args;
mod run;

use std::process::ExitCode;

use clap::Parser;

/// Exit code of wrong usage.
const USAGE: u8 = 2;

pub(crate) fn main() -> ExitCode {
    let arguments = match args::Cli::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and versions are no errors and go to stdout; clap knows which is which.
            let code = if error.use_stderr() { USAGE } else { 0 };
            let _closed_pipe = error.print();
            return ExitCode::from(code);
        }
    };
    match arguments.command {
        args::Command::Run(run) => run::run(run),
    }
}
