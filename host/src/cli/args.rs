//! Arguments of the command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let versions = isolane::versions();
    format!(
        "{} (V8 {}, wasmtime {})",
        versions.isolane, versions.v8, versions.wasmtime
    )
});

/// What `--allow-read` and its like mean without a value. A file of this name is `./*`.
pub(crate) const EVERYTHING: &str = "*";

/// Runs ES modules in V8 isolates on threads, with shared WebAssembly memory and lock-free messages.
#[derive(Parser)]
#[command(name = "isolane", version = VERSION.as_str(), arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Run(Run),
}

/// Run a program.
///
/// A program may reach nothing outside itself unless an option grants it. Options stand before FILE; what follows FILE is the program's.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  isolane run hello.mjs\n  isolane run --allow-read=data,config.json --allow-env=HOME report.mjs 2026\n\nExit codes: the program's own; 1 after an uncaught error; 2 for wrong usage."
)]
pub(crate) struct Run {
    /// Allow reading files, or only these files and folders
    #[arg(long, value_name = "PATH,…", num_args = 0..=1, require_equals = true, default_missing_value = EVERYTHING, value_delimiter = ',')]
    pub(crate) allow_read: Option<Vec<PathBuf>>,

    /// Allow writing files, or only these files and folders
    #[arg(long, value_name = "PATH,…", num_args = 0..=1, require_equals = true, default_missing_value = EVERYTHING, value_delimiter = ',')]
    pub(crate) allow_write: Option<Vec<PathBuf>>,

    /// Allow reading environment variables, or only these
    #[arg(long, value_name = "NAME,…", value_parser = NonEmptyStringValueParser::new(), num_args = 0..=1, require_equals = true, default_missing_value = EVERYTHING, value_delimiter = ',')]
    pub(crate) allow_env: Option<Vec<String>>,

    /// Allow everything
    #[arg(short = 'A', long)]
    pub(crate) allow_all: bool,

    /// Workers to keep ready for those that the program starts, once it has started one
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=16))]
    pub(crate) spare_workers: u8,

    /// The program's first module (a path, or a file: or data: URL), and the program's own arguments
    // One list, so that whatever follows FILE is in it, options that look like ours too: those who pass a program its arguments grant it nothing.
    #[arg(value_names = ["FILE", "ARGS"], trailing_var_arg = true, required = true, num_args = 1..)]
    pub(crate) program: Vec<OsString>,
}
