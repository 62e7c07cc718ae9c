//! What an op answers once it has left V8's types behind: on a thread pool, or as plain Rust data.

use std::io;

use super::prelude::*;
use crate::lane::inbox::Event;
use crate::worker::state::WorkerState;

/// A plain value on its way to a script.
pub(crate) enum Reply {
    Undefined,
    Number(f64),
    Text(String),
    /// Becomes a Uint8Array that owns the bytes.
    Bytes(Vec<u8>),
    List(Vec<Reply>),
    Record(Vec<(&'static str, Reply)>),
    /// Becomes the number of a resource.
    Module(crate::guest::module::GuestModule),
}

/// Why an op failed; becomes an exception.
#[derive(Debug)]
pub(crate) enum Failure {
    Range(String),
    Error(String),
    /// Becomes an error in Node's form, with `code`, `errno`, `syscall` and `path`.
    Io {
        error: io::Error,
        syscall: &'static str,
        path: String,
    },
}

/// The end of an asynchronous op.
pub(crate) struct Completion {
    id: usize,
    outcome: Result<Reply, Failure>,
}

/// Runs `work` on a thread pool. The op returns a promise that the worker's loop settles.
pub(crate) fn spawn_blocking(
    scope: &mut v8::PinScope,
    rv: &mut v8::ReturnValue,
    work: impl FnOnce() -> Result<Reply, Failure> + Send + 'static,
) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let Some(resolver) = v8::PromiseResolver::new(scope) else {
        return;
    };
    rv.set(resolver.get_promise(scope).into());
    let resolver = v8::Global::new(scope, resolver);
    let id = state.pending_ops.borrow_mut().insert(resolver);
    let inbox = state.inbox.clone();
    let job = Box::new(move || {
        let outcome = work();
        inbox.post(Event::Completion(Completion { id, outcome }));
    });
    state.blocking_jobs.borrow_mut().push_back(job);
    start_jobs(&state);
}

/// Work for a thread of the pool.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// Threads of the pool that one worker may have at a time: it is all workers' pool, and waits (for a pipe, say) may be long.
const JOBS_AT_ONCE: usize = 32;

fn start_jobs(state: &WorkerState) {
    while state.running_jobs.get() < JOBS_AT_ONCE {
        let Some(job) = state.blocking_jobs.borrow_mut().pop_front() else {
            return;
        };
        state.running_jobs.set(state.running_jobs.get() + 1);
        blocking::unblock(job).detach();
    }
}

/// Settles the promise of an op that ended. Reactions run at the checkpoint that follows.
pub(crate) fn settle_completion(scope: &mut v8::PinScope, completion: Completion) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    state
        .running_jobs
        .set(state.running_jobs.get().saturating_sub(1));
    start_jobs(&state);
    let Some(resolver) = state.pending_ops.borrow_mut().try_remove(completion.id) else {
        return;
    };
    let resolver = v8::Local::new(scope, resolver);
    match completion.outcome {
        Ok(reply) => match reply_value(scope, reply) {
            Some(value) => {
                resolver.resolve(scope, value);
            }
            None => {
                let exception = too_long(scope);
                resolver.reject(scope, exception);
            }
        },
        Err(failure) => {
            if let Some(exception) = failure_value(scope, failure) {
                resolver.reject(scope, exception);
            }
        }
    }
}

/// Returns the reply, or throws the failure, at once.
pub(crate) fn settle_now(
    scope: &mut v8::PinScope,
    rv: &mut v8::ReturnValue,
    outcome: Result<Reply, Failure>,
) {
    match outcome {
        Ok(reply) => match reply_value(scope, reply) {
            Some(value) => rv.set(value),
            None => {
                let exception = too_long(scope);
                scope.throw_exception(exception);
            }
        },
        Err(failure) => {
            if let Some(exception) = failure_value(scope, failure) {
                scope.throw_exception(exception);
            }
        }
    }
}

/// What a script gets in the place of a reply that V8 has no room for.
fn too_long<'s>(scope: &mut v8::PinScope<'s, '_>) -> v8::Local<'s, v8::Value> {
    let limit = v8::String::MAX_LENGTH;
    let message = format!("Cannot create a string longer than {limit:#x} characters");
    let message = v8::String::new(scope, &message).unwrap_or_else(|| v8::String::empty(scope));
    v8::Exception::range_error(scope, message)
}

/// None: a text is longer than a string of V8's can be (of a text that is not Latin-1 its UTF-8 bytes count).
fn reply_value<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    reply: Reply,
) -> Option<v8::Local<'s, v8::Value>> {
    Some(match reply {
        Reply::Undefined => v8::undefined(scope).into(),
        Reply::Number(value) => v8::Number::new(scope, value).into(),
        Reply::Text(text) => v8::String::new(scope, &text)?.into(),
        Reply::Bytes(bytes) => bytes_value(scope, bytes)?,
        Reply::List(items) => {
            let items = items
                .into_iter()
                .map(|item| reply_value(scope, item))
                .collect::<Option<Vec<_>>>()?;
            v8::Array::new_with_elements(scope, &items).into()
        }
        Reply::Record(fields) => {
            let object = v8::Object::new(scope);
            for (key, field) in fields {
                let key = v8::String::new(scope, key)?;
                let field = reply_value(scope, field)?;
                object.create_data_property(scope, key.into(), field)?;
            }
            object.into()
        }
        Reply::Module(module) => {
            let id = resource_add(scope, Box::new(module));
            v8::Integer::new_from_unsigned(scope, id).into()
        }
    })
}

fn failure_value<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    failure: Failure,
) -> Option<v8::Local<'s, v8::Value>> {
    let text = |scope: &mut v8::PinScope<'s, '_>, message: &str| v8::String::new(scope, message);
    Some(match failure {
        Failure::Range(message) => {
            let message = text(scope, &message)?;
            v8::Exception::range_error(scope, message)
        }
        Failure::Error(message) => {
            let message = text(scope, &message)?;
            v8::Exception::error(scope, message)
        }
        Failure::Io {
            error,
            syscall,
            path,
        } => io_error(scope, &error, syscall, &path)?,
    })
}

/// `ENOENT: no such file or directory, open 'x'`, with the properties that Node's errors have.
fn io_error<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: &io::Error,
    syscall: &str,
    path: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let (code, description) = describe_io_error(error);
    let message = if path.is_empty() {
        format!("{code}: {description}, {syscall}")
    } else {
        format!("{code}: {description}, {syscall} '{path}'")
    };
    let message = v8::String::new(scope, &message)?;
    let exception = v8::Exception::error(scope, message);
    let object = exception.to_object(scope)?;
    let mut fields = vec![
        ("code", Reply::Text(code.to_owned())),
        ("syscall", Reply::Text(syscall.to_owned())),
    ];
    if let Some(number) = error.raw_os_error() {
        fields.insert(0, ("errno", Reply::Number(-f64::from(number))));
    }
    if !path.is_empty() {
        fields.push(("path", Reply::Text(path.to_owned())));
    }
    for (key, field) in fields {
        let key = v8::String::new(scope, key)?;
        let field = reply_value(scope, field)?;
        object.create_data_property(scope, key.into(), field)?;
    }
    Some(exception)
}

/// The name and the words that libuv, and so Node, has for an error of the system.
fn describe_io_error(error: &io::Error) -> (&'static str, String) {
    use io::ErrorKind as Kind;
    let named = |code, words: &str| (code, words.to_owned());
    let errno = error
        .raw_os_error()
        .map(rustix::io::Errno::from_raw_os_error);
    // Those that the standard library has no stable name for.
    match errno {
        Some(rustix::io::Errno::LOOP) => {
            return named("ELOOP", "too many symbolic links encountered");
        }
        Some(rustix::io::Errno::NXIO) => return named("ENXIO", "no such device or address"),
        Some(rustix::io::Errno::NODEV) => return named("ENODEV", "no such device"),
        Some(rustix::io::Errno::MFILE) => return named("EMFILE", "too many open files"),
        Some(rustix::io::Errno::NFILE) => return named("ENFILE", "file table overflow"),
        Some(rustix::io::Errno::TXTBSY) => return named("ETXTBSY", "text file is busy"),
        Some(rustix::io::Errno::BADF) => return named("EBADF", "bad file descriptor"),
        Some(rustix::io::Errno::IO) => return named("EIO", "i/o error"),
        _ => {}
    }
    match error.kind() {
        Kind::NotFound => named("ENOENT", "no such file or directory"),
        Kind::PermissionDenied if error.raw_os_error() == Some(1) => {
            named("EPERM", "operation not permitted")
        }
        Kind::PermissionDenied => named("EACCES", "permission denied"),
        Kind::AlreadyExists => named("EEXIST", "file already exists"),
        Kind::NotADirectory => named("ENOTDIR", "not a directory"),
        Kind::IsADirectory => named("EISDIR", "illegal operation on a directory"),
        Kind::DirectoryNotEmpty => named("ENOTEMPTY", "directory not empty"),
        Kind::ReadOnlyFilesystem => named("EROFS", "read-only file system"),
        Kind::StorageFull => named("ENOSPC", "no space left on device"),
        Kind::FileTooLarge => named("EFBIG", "file too large"),
        Kind::CrossesDevices => named("EXDEV", "cross-device link not permitted"),
        Kind::InvalidFilename => named("ENAMETOOLONG", "name too long"),
        Kind::InvalidInput => named("EINVAL", "invalid argument"),
        Kind::Unsupported => named("ENOTSUP", "operation not supported"),
        Kind::ResourceBusy => named("EBUSY", "resource busy or locked"),
        Kind::BrokenPipe => named("EPIPE", "broken pipe"),
        Kind::Interrupted => named("EINTR", "interrupted system call"),
        Kind::OutOfMemory => named("ENOMEM", "not enough memory"),
        _ => ("EIO", error.to_string()),
    }
}
