//! File system calls of `js-glue/src/node/fs_operations.js`.
//!
//! Every op but `fsExists` takes a last argument `sync`: it then answers (or throws) at once, on the worker's thread; otherwise it
//! returns a promise and the work is done on a thread of the pool. Permissions are checked before the work starts, on
//! the worker's thread, and the work uses the resolved path that was checked. Errors name the path as the script gave it.

mod unix;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::prelude::*;
use crate::file::held::{hold, pin};
use crate::file::resolve::Follow;
use crate::permissions::{Access, Denied};
use crate::worker::control::Control;
use crate::worker::state::WorkerState;
use work::Flags;

/// A path that may be used, and how the script named it.
struct Target {
    resolved: PathBuf,
    given: String,
}

impl Target {
    /// The path of an argument, if the worker may use it so; else an error is thrown.
    fn of(
        scope: &mut v8::PinScope,
        value: v8::Local<v8::Value>,
        access: Access,
        follow: Follow,
        api: &str,
    ) -> Option<Self> {
        let given = text(scope, value);
        let resolved = check_path(scope, access, Path::new(&given), follow, api)?;
        Some(Self { resolved, given })
    }

    /// Asks for more of the very path that was resolved.
    fn may_too(&self, scope: &mut v8::PinScope, access: Access, api: &str) -> bool {
        let allowed = WorkerState::of(scope)
            .is_some_and(|state| state.permissions.may(access, &self.resolved));
        if !allowed {
            throw_denied(scope, &Denied::path(access, Path::new(&self.given), api));
        }
        allowed
    }
}

fn readable(
    scope: &mut v8::PinScope,
    value: v8::Local<v8::Value>,
    follow: Follow,
    api: &str,
) -> Option<Target> {
    Target::of(scope, value, Access::Read, follow, api)
}

fn writable(
    scope: &mut v8::PinScope,
    value: v8::Local<v8::Value>,
    follow: Follow,
    api: &str,
) -> Option<Target> {
    Target::of(scope, value, Access::Write, follow, api)
}

/// Runs `work` here or on the pool.
fn run<W>(scope: &mut v8::PinScope, rv: &mut v8::ReturnValue, sync: bool, work: W)
where
    W: FnOnce(&Arc<Control>) -> Result<Reply, Failure> + Send + 'static,
{
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let control = Arc::clone(&state.control);
    if sync {
        let outcome = work(&control);
        settle_now(scope, rv, outcome);
    } else {
        spawn_blocking(scope, rv, move || work(&control));
    }
}

/// `ops.fsReadFile(path, flags, asText, sync) -> Uint8Array | string`.
pub(crate) fn fs_read_file(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let flags = Flags(uint(scope, args.get(1)));
    let as_text = boolean(scope, args.get(2));
    let sync = boolean(scope, args.get(3));
    let Some(target) = readable(scope, args.get(0), flags.follow(), "fs.readFile()") else {
        return;
    };
    // "w+" and its like empty the file, or make it, before they read.
    if flags.writes() && !target.may_too(scope, Access::Write, "fs.readFile()") {
        return;
    }
    run(scope, &mut rv, sync, move |control| {
        work::read_file(&target.resolved, &target.given, flags, as_text, control)
    });
}

/// `ops.fsWriteFile(path, data: string | Uint8Array, flags, mode, sync)`. The data is copied: the script may change it
/// as soon as the call has returned.
pub(crate) fn fs_write_file(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let data = args.get(1);
    let contents = if data.is_string() {
        Some(text(scope, data).into_bytes())
    } else {
        copy_bytes(data)
    };
    let flags = Flags(uint(scope, args.get(2)));
    let mode = uint(scope, args.get(3));
    let sync = boolean(scope, args.get(4));
    let Some(contents) = contents else {
        throw_type_error(scope, "The data's memory is detached");
        return;
    };
    let Some(target) = writable(scope, args.get(0), flags.follow(), "fs.writeFile()") else {
        return;
    };
    run(scope, &mut rv, sync, move |control| {
        work::write_file(
            &target.resolved,
            &target.given,
            &contents,
            flags,
            mode,
            control,
        )
    });
}

/// `ops.fsMkdir(path, recursive, mode, sync) -> string | undefined`: the first directory made, if `recursive`.
pub(crate) fn fs_mkdir(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let recursive = boolean(scope, args.get(1));
    let mode = uint(scope, args.get(2));
    let sync = boolean(scope, args.get(3));
    let Some(target) = writable(scope, args.get(0), Follow::LinkItself, "fs.mkdir()") else {
        return;
    };
    run(scope, &mut rv, sync, move |_| {
        work::make_directory(&target.resolved, &target.given, recursive, mode)
    });
}

/// `ops.fsMkdtemp(prefix, sync) -> string`. The permission asked for is that of the parent: a flag for a name that is
/// made up anew each time would be of no use.
pub(crate) fn fs_mkdtemp(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let prefix = text(scope, args.get(0));
    let sync = boolean(scope, args.get(1));
    let (parent, name) = match prefix.rfind('/') {
        Some(slash) => prefix.split_at(slash + 1),
        None => (".", prefix.as_str()),
    };
    let name = name.to_owned();
    let Some(parent) = check_path(
        scope,
        Access::Write,
        Path::new(parent),
        Follow::Target,
        "fs.mkdtemp()",
    ) else {
        return;
    };
    run(scope, &mut rv, sync, move |_| {
        work::make_temporary_directory(&parent, &name, &prefix)
    });
}

/// `ops.fsReaddir(path, recursive, sync) -> (string | number)[]`: for each entry its name, relative to `path`, and its
/// type as an `S_IF…` value, 0 if unknown. Sorted by name; symbolic links are not followed.
pub(crate) fn fs_readdir(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let recursive = boolean(scope, args.get(1));
    let sync = boolean(scope, args.get(2));
    let Some(target) = readable(scope, args.get(0), Follow::Target, "fs.readdir()") else {
        return;
    };
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let permissions = state.permissions.clone();
    run(scope, &mut rv, sync, move |_| {
        let may_enter = |folder: &Path| permissions.may(Access::Read, folder);
        work::read_directory(&target.resolved, &target.given, recursive, &may_enter)
    });
}

/// `ops.fsStat(path, followLinks, sync) -> Uint8Array`: the fields of `js-glue/src/node/fs_stats.js`, packed.
pub(crate) fn fs_stat(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let follow_links = boolean(scope, args.get(1));
    let sync = boolean(scope, args.get(2));
    let (follow, api) = if follow_links {
        (Follow::Target, "fs.stat()")
    } else {
        (Follow::LinkItself, "fs.lstat()")
    };
    let Some(target) = readable(scope, args.get(0), follow, api) else {
        return;
    };
    run(scope, &mut rv, sync, move |_| {
        work::stat(&target.resolved, &target.given, follow_links)
    });
}

/// `ops.fsRm(path, recursive, force, retries, delayMs, sync)`.
pub(crate) fn fs_rm(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let recursive = boolean(scope, args.get(1));
    let force = boolean(scope, args.get(2));
    let retries = uint(scope, args.get(3));
    let delay = uint(scope, args.get(4));
    let sync = boolean(scope, args.get(5));
    let Some(target) = writable(scope, args.get(0), Follow::LinkItself, "fs.rm()") else {
        return;
    };
    run(scope, &mut rv, sync, move |control| {
        work::remove(
            &target.resolved,
            &target.given,
            recursive,
            force,
            retries,
            delay,
            control,
        )
    });
}

/// `ops.fsRmdir(path, sync)`: an empty directory.
pub(crate) fn fs_rmdir(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let sync = boolean(scope, args.get(1));
    let Some(target) = writable(scope, args.get(0), Follow::LinkItself, "fs.rmdir()") else {
        return;
    };
    run(scope, &mut rv, sync, move |_| {
        hold(&target.resolved)
            .and_then(|held| std::fs::remove_dir(held.path()))
            .map_err(work::failure("rmdir", &target.given))?;
        Ok(Reply::Undefined)
    });
}

/// `ops.fsUnlink(path, sync)`.
pub(crate) fn fs_unlink(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let sync = boolean(scope, args.get(1));
    let Some(target) = writable(scope, args.get(0), Follow::LinkItself, "fs.unlink()") else {
        return;
    };
    run(scope, &mut rv, sync, move |_| {
        hold(&target.resolved)
            .and_then(|held| std::fs::remove_file(held.path()))
            .map_err(work::failure("unlink", &target.given))?;
        Ok(Reply::Undefined)
    });
}

/// `ops.fsRename(from, to, sync)`. Where the new name, or one below it, may be read or imported and the old one may not, the move would give the worker
/// what is in the file: then reading `from` is asked for too.
pub(crate) fn fs_rename(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let sync = boolean(scope, args.get(2));
    let Some(from) = writable(scope, args.get(0), Follow::LinkItself, "fs.rename()") else {
        return;
    };
    let Some(to) = writable(scope, args.get(1), Follow::LinkItself, "fs.rename()") else {
        return;
    };
    if reveals(scope, &to.resolved) && !from.may_too(scope, Access::Read, "fs.rename()") {
        return;
    }
    run(scope, &mut rv, sync, move |_| {
        let both = work::two_paths(&from.given, &to.given);
        work::rename(&from.resolved, &to.resolved).map_err(work::failure("rename", &both))?;
        Ok(Reply::Undefined)
    });
}

/// `ops.fsCopyFile(from, to, mode, sync)`: `mode` holds the `COPYFILE_…` bits.
pub(crate) fn fs_copy_file(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let mode = uint(scope, args.get(2));
    let sync = boolean(scope, args.get(3));
    let Some(from) = readable(scope, args.get(0), Follow::Target, "fs.copyFile()") else {
        return;
    };
    let Some(to) = writable(scope, args.get(1), Follow::Target, "fs.copyFile()") else {
        return;
    };
    run(scope, &mut rv, sync, move |control| {
        let both = work::two_paths(&from.given, &to.given);
        work::copy_file(&from.resolved, &to.resolved, mode, control)
            .map_err(work::failure("copyfile", &both))?;
        Ok(Reply::Undefined)
    });
}

/// `ops.fsAccess(path, mode, sync)`: `mode` holds the `R_OK`, `W_OK` and `X_OK` bits.
pub(crate) fn fs_access(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let mode = uint(scope, args.get(1));
    let sync = boolean(scope, args.get(2));
    let Some(target) = readable(scope, args.get(0), Follow::Target, "fs.access()") else {
        return;
    };
    run(scope, &mut rv, sync, move |_| {
        pin(&target.resolved)
            .and_then(|held| unix::access_path(held.path(), mode))
            .map_err(work::failure("access", &target.given))?;
        Ok(Reply::Undefined)
    });
}

/// `ops.fsRealpath(path, sync) -> string`.
pub(crate) fn fs_realpath(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let sync = boolean(scope, args.get(1));
    let Some(target) = readable(scope, args.get(0), Follow::Target, "fs.realpath()") else {
        return;
    };
    run(scope, &mut rv, sync, move |_| {
        // It has no links, and it exists.
        pin(&target.resolved).map_err(work::failure("realpath", &target.given))?;
        let path = target.resolved.components().collect::<PathBuf>();
        Ok(Reply::Text(path.to_string_lossy().into_owned()))
    });
}

/// `ops.fsExists(path) -> boolean`, at once; a dangling link does not exist.
pub(crate) fn fs_exists(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    if let Some(target) = readable(scope, args.get(0), Follow::Target, "fs.existsSync()") {
        rv.set_bool(pin(&target.resolved).is_ok());
    }
}
