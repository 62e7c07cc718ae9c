//! The `isolane` command. Uses only the library's public API.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
