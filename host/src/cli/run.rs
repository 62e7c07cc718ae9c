//! `isolane run`

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use isolane::{Outcome, Permissions, Runtime, WorkerOptions};

use super::args::{EVERYTHING, Run};

/// Exit code of a program that ended with an uncaught error.
const FAILED: u8 = 1;

pub(crate) fn run(arguments: Run) -> ExitCode {
    let permissions = permissions(&arguments);
    let mut words = arguments.program.iter();
    // The parser asks for one at least.
    let file = words.next().cloned().unwrap_or_default();
    if let Some(hint) = misplaced_value(&arguments, Path::new(&file)) {
        tell(&format!("error: {hint}"));
        return ExitCode::from(super::USAGE);
    }
    let options = program(&file)
        .permissions(permissions)
        .arguments(words)
        .main()
        .name("main");
    let started = Runtime::builder()
        .spare_workers(arguments.spare_workers.into())
        .build()
        .map_err(|error| error.to_string())
        .and_then(|runtime| runtime.spawn(options).map_err(|error| error.to_string()));
    let worker = match started {
        Ok(worker) => worker,
        Err(error) => {
            tell(&format!("isolane: {error}"));
            return ExitCode::from(FAILED);
        }
    };
    match worker.join() {
        // The system keeps the lowest eight bits, as it does for every program.
        Outcome::Finished { code } | Outcome::Exited { code } => ExitCode::from(code as u8),
        Outcome::Threw(error) => {
            tell(&error.to_string());
            ExitCode::from(FAILED)
        }
        outcome => {
            tell(&format!("isolane: the program ended: {outcome:?}"));
            ExitCode::from(FAILED)
        }
    }
}

/// Writes a line to the standard error. If that cannot be written, the exit code has to do.
fn tell(line: &str) {
    let _unheard = writeln!(std::io::stderr(), "{line}");
}

/// What is wrong if FILE looks like the value of an option before it: `--allow-read notes.txt` grants all, and would run the notes.
fn misplaced_value(arguments: &Run, file: &Path) -> Option<String> {
    let is_program = match file.extension() {
        Some(ending) => ["js", "mjs", "cjs"].iter().any(|code| ending == *code),
        None => !file.is_dir(),
    };
    let is_all = |paths: &Option<Vec<std::path::PathBuf>>| {
        paths
            .iter()
            .flatten()
            .any(|path| path.as_os_str() == EVERYTHING)
    };
    let option = if is_all(&arguments.allow_read) {
        "--allow-read"
    } else if is_all(&arguments.allow_write) {
        "--allow-write"
    } else {
        return None;
    };
    let is_url = file.to_str().is_some_and(|file| file.starts_with("data:"));
    (!is_program && !is_url).then(|| {
        let file = file.display();
        format!("\"{file}\" is no JavaScript; if it belongs to the option, write {option}={file}")
    })
}

/// A path, unless it is a URL that a module can be loaded from.
fn program(file: &OsString) -> WorkerOptions {
    match file.to_str() {
        Some(url) if url.starts_with("file:") || url.starts_with("data:") => {
            WorkerOptions::from_url(url)
        }
        _ => WorkerOptions::from_file(Path::new(file)),
    }
}

fn permissions(arguments: &Run) -> Permissions {
    if arguments.allow_all {
        return Permissions::all();
    }
    // A program's modules are its own: it may import them from anywhere.
    let mut permissions = Permissions::none().allow_code_import_all();
    for path in arguments.allow_read.iter().flatten() {
        permissions = if path.as_os_str() == EVERYTHING {
            permissions.allow_read_all()
        } else {
            permissions.allow_read(path)
        };
    }
    for path in arguments.allow_write.iter().flatten() {
        permissions = if path.as_os_str() == EVERYTHING {
            permissions.allow_write_all()
        } else {
            permissions.allow_write(path)
        };
    }
    for name in arguments.allow_env.iter().flatten() {
        permissions = if name == EVERYTHING {
            permissions.allow_env_all()
        } else {
            permissions.allow_env(name)
        };
    }
    permissions
}
