//! What `js-glue/src/node/process.js` and its parts ask of the host: environment variables, facts of the process, the
//! clock, memory figures and output.

use std::io::IsTerminal;

use super::environment::{Environment, Lookup};
use super::prelude::*;
use super::terminal;

/// What the permission check takes for "every variable".
const ALL_VARIABLES: &str = "*";

/// The variables of the worker that calls. `None` while the start-up snapshot is built, when there is no worker.
fn environment(scope: &v8::PinScope) -> Option<Environment> {
    scope.get_slot::<Environment>().cloned()
}

/// `ops.envGet(name) -> string | undefined`: throws without the permission to read the host's variable of that name.
pub(crate) fn env_get(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let name = text(scope, args.get(0));
    let Some(environment) = environment(scope) else {
        return;
    };
    let value = match environment.lookup(&name) {
        Lookup::Own(value) => value,
        Lookup::Host if check_env(scope, &name, "process.env") => environment.host_value(&name),
        Lookup::Host => return,
    };
    if let Some(value) = value {
        set_text(scope, &mut rv, &value);
    }
}

/// `ops.envSet(name, value)`: for this worker alone.
pub(crate) fn env_set(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let name = text(scope, args.get(0));
    let value = text(scope, args.get(1));
    if let Some(environment) = environment(scope) {
        environment.set(name, value);
    }
}

/// `ops.envDelete(name)`: for this worker alone.
pub(crate) fn env_delete(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let name = text(scope, args.get(0));
    if let Some(environment) = environment(scope) {
        environment.remove(&name);
    }
}

/// `ops.envKeys() -> string[]`: throws without the permission to read every variable, if there are any of the host's.
pub(crate) fn env_keys(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Some(environment) = environment(scope) else {
        return;
    };
    if environment.inherits() && !check_env(scope, ALL_VARIABLES, "process.env") {
        return;
    }
    let names = environment.names().into_iter().map(Reply::Text).collect();
    settle_now(scope, &mut rv, Ok(Reply::List(names)));
}

/// `ops.cwd() -> string`: throws if the directory is gone.
pub(crate) fn cwd(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let directory = std::env::current_dir()
        .map(|path| Reply::Text(path.to_string_lossy().into_owned()))
        .map_err(|error| Failure::Io {
            error,
            syscall: "uv_cwd",
            path: ".".to_owned(),
        });
    settle_now(scope, &mut rv, directory);
}

/// `ops.pid() -> number`.
pub(crate) fn pid(_: &mut v8::PinScope, _: v8::FunctionCallbackArguments, mut rv: v8::ReturnValue) {
    rv.set_uint32(std::process::id());
}

/// `ops.platform() -> string`, in Node's words.
pub(crate) fn platform(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let name = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        "solaris" | "illumos" => "sunos",
        other => other,
    };
    set_text(scope, &mut rv, name);
}

/// `ops.arch() -> string`, in Node's words.
pub(crate) fn arch(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let name = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "x86" => "ia32",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64",
        "loongarch64" => "loong64",
        other => other,
    };
    set_text(scope, &mut rv, name);
}

/// `ops.versions() -> { isolane, v8, wasmtime }`.
pub(crate) fn versions(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let record = Reply::Record(vec![
        ("isolane", Reply::Text(env!("CARGO_PKG_VERSION").to_owned())),
        ("v8", Reply::Text(v8::V8::get_version().to_owned())),
        (
            "wasmtime",
            Reply::Text(env!("ISOLANE_WASMTIME_VERSION").to_owned()),
        ),
    ]);
    settle_now(scope, &mut rv, Ok(record));
}

/// `ops.hrtime() -> bigint`: nanoseconds of the monotonic clock since the worker's time origin.
pub(crate) fn hrtime(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let now = monotonic_nanos(scope);
    let value = v8::BigInt::new_from_u64(scope, now);
    rv.set(value.into());
}

/// `ops.memoryUsage() -> { rss, heapTotal, heapUsed, external, arrayBuffers }`, in bytes. V8 counts the memory of array
/// buffers as external memory and does not tell it apart, so the last two are one figure.
pub(crate) fn memory_usage(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let heap = scope.get_heap_statistics();
    let external = heap.external_memory() as f64;
    let record = Reply::Record(vec![
        ("rss", Reply::Number(resident_bytes() as f64)),
        ("heapTotal", Reply::Number(heap.total_heap_size() as f64)),
        ("heapUsed", Reply::Number(heap.used_heap_size() as f64)),
        ("external", Reply::Number(external)),
        ("arrayBuffers", Reply::Number(external)),
    ]);
    settle_now(scope, &mut rv, Ok(record));
}

/// Bytes of the process that are in physical memory; 0 where there is no `/proc` to ask.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0).saturating_mul(1024)
}

/// `ops.isTerminal(fd) -> boolean`, for the three standard streams.
pub(crate) fn is_terminal(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let fd = uint(scope, args.get(0));
    rv.set_bool(fd_is_terminal(fd));
}

fn fd_is_terminal(fd: u32) -> bool {
    match fd {
        0 => std::io::stdin().is_terminal(),
        1 => std::io::stdout().is_terminal(),
        2 => std::io::stderr().is_terminal(),
        _ => false,
    }
}

/// `ops.terminalSize(fd) -> [columns, rows] | undefined`.
pub(crate) fn terminal_size(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let fd = uint(scope, args.get(0));
    if let Some((columns, rows)) = terminal::size(fd) {
        let size = vec![
            Reply::Number(f64::from(columns)),
            Reply::Number(f64::from(rows)),
        ];
        settle_now(scope, &mut rv, Ok(Reply::List(size)));
    }
}

/// `ops.colorDepth(fd) -> 1 | 4 | 8 | 24`: bits of colour that an output shall use. The host's own variables decide,
/// whatever the worker may read: only the decision is told.
pub(crate) fn color_depth(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let fd = uint(scope, args.get(0));
    let variable = |name: &str| std::env::var(name).ok();
    rv.set_uint32(terminal::color_depth(fd_is_terminal(fd), &variable));
}

/// `ops.print(text, isError)`: to the worker's output or error output.
pub(crate) fn print(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let line = text(scope, args.get(0));
    let is_error = boolean(scope, args.get(1));
    super::output::write(scope, is_error, &line);
}

/// `ops.writeBytes(view, isError)`: the same for bytes that need not be text.
pub(crate) fn write_bytes_out(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let is_error = boolean(scope, args.get(1));
    match copy_bytes(args.get(0)) {
        Some(bytes) => super::output::write_bytes(scope, is_error, &bytes),
        None => throw_type_error(scope, "The chunk's memory is detached"),
    }
}
