//! What an embedder may set of a worker.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use ::url::Url;

use crate::clone::parcel::Parcel;
use crate::error::SpawnError;
use crate::lane::quota::Quota;
use crate::ops::environment::Environment;
use crate::ops::output::{Output, Sink};
use crate::permissions::Permissions;

/// What a worker runs, and what it may do.
///
/// ```
/// use isolane::{Permissions, WorkerOptions};
/// let options = WorkerOptions::from_source("greeter.mjs", "postMessage('hello')")
///     .name("greeter")
///     .permissions(Permissions::none().allow_read("/srv/data"));
/// # let _ = options;
/// ```
#[derive(Clone)]
pub struct WorkerOptions {
    pub(crate) script: Script,
    pub(crate) name: String,
    pub(crate) permissions: Permissions,
    pub(crate) arguments: Vec<String>,
    pub(crate) output: Output,
    pub(crate) stack_size: usize,
    pub(crate) heap_size: Option<usize>,
    pub(crate) message_bytes: Option<usize>,
    pub(crate) kind: WorkerKind,
}

/// Where a worker's first module comes from.
#[derive(Clone)]
pub(crate) enum Script {
    Url(Url),
    Source {
        name: Url,
        text: Arc<str>,
    },
    /// Not a URL; starting the worker says so.
    Faulty(String),
}

/// Whose globals a worker has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum WorkerKind {
    /// The first of a program: no parent port, `isMainThread`.
    Main,
    /// HTML's dedicated worker: `self.postMessage`, `onmessage`.
    #[default]
    Web,
    /// Node's: `parentPort` of `node:worker_threads`.
    Node,
}

impl WorkerKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Web => "web",
            Self::Node => "node",
        }
    }
}

/// What scripts may use of the thread's stack; the thread has more.
const DEFAULT_STACK: usize = 4 << 20;

impl WorkerOptions {
    /// A worker that runs the module in a file.
    #[must_use]
    pub fn from_file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self::with_script(match Url::from_file_path(&absolute) {
            Ok(url) => Script::Url(url),
            Err(()) => Script::Faulty(path.display().to_string()),
        })
    }

    /// A worker that runs the module at a `file:` or `data:` URL.
    #[must_use]
    pub fn from_url(url: &str) -> Self {
        Self::with_script(match Url::parse(url) {
            Ok(url) => Script::Url(url),
            Err(_) => Script::Faulty(url.to_owned()),
        })
    }

    /// A worker that runs module text which the embedder holds. `name` is a file name: stack traces show it, and relative imports start from it;
    /// what they may reach is for [`Permissions::allow_import`] to say.
    #[must_use]
    pub fn from_source(name: &str, text: impl Into<Arc<str>>) -> Self {
        let url = Url::parse(name)
            .ok()
            .filter(|url| !url.cannot_be_a_base())
            .or_else(|| {
                let absolute =
                    std::path::absolute(if name.is_empty() { "source.mjs" } else { name }).ok()?;
                Url::from_file_path(absolute).ok()
            });
        Self::with_script(match url {
            Some(name) => Script::Source {
                name,
                text: text.into(),
            },
            None => Script::Faulty(name.to_owned()),
        })
    }

    fn with_script(script: Script) -> Self {
        Self {
            script,
            name: String::new(),
            permissions: Permissions::none(),
            arguments: Vec::new(),
            output: Output::default(),
            stack_size: DEFAULT_STACK,
            heap_size: None,
            message_bytes: None,
            kind: WorkerKind::default(),
        }
    }

    /// The worker's `self.name`; also names its thread.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// What the worker may reach. Nothing by default.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// `process.argv`, from its third entry on.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments = arguments
            .into_iter()
            .map(|argument| argument.into().to_string_lossy().into_owned())
            .collect();
        self
    }

    /// Makes the worker a program's main one: `isMainThread` is true, and there is no `self.postMessage`. Its handle's messages have no receiver.
    #[must_use]
    pub fn main(mut self) -> Self {
        self.kind = WorkerKind::Main;
        self
    }

    /// Bytes of the thread's stack that scripts may use, 1 MiB to 1 GiB. 4 MiB by default. Deeper calls throw a `RangeError`. Guests have 512 KiB of
    /// their own.
    #[must_use]
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = bytes.clamp(1 << 20, 1 << 30);
        self
    }

    /// Bytes of V8's heap that scripts may fill, 16 MiB at least; the bytes of ArrayBuffers are not among them. By default V8 chooses, by the memory of the
    /// machine. A worker that comes near its limit ends with [`Outcome::Threw`](crate::Outcome::Threw), and no other is touched; a single allocation that is
    /// far larger than what is left still ends the process.
    #[must_use]
    pub fn heap_size(mut self, bytes: usize) -> Self {
        self.heap_size = Some(bytes.max(16 << 20));
        self
    }

    /// Bytes of messages that may wait for the worker, in all its ports together, and apart from them as many that it may have waiting for whoever made
    /// it. No limit by default. A sender that would exceed it gets a `QuotaExceededError` ([`PostError::QuotaExceeded`](crate::PostError::QuotaExceeded)),
    /// and nothing has been sent or handed over.
    ///
    /// Counted as [`Worker::buffered_amount`](crate::Worker::buffered_amount) does. Messages that still fit the ring of their port are not refused: that may
    /// be an eighth of the limit for each of the others that send at the same time, 4 KiB at least. Messages within one thread are not counted; they are on
    /// its heap, which has a limit of its own. Workers that this one makes have the same limit, unless it sets them a lower one
    /// (`resourceLimits.messageBytes` of `node:worker_threads`).
    #[must_use]
    pub fn message_bytes(mut self, bytes: usize) -> Self {
        self.message_bytes = Some(bytes);
        self
    }

    /// Gets what the worker writes to its standard output, instead of the process's. Called on the worker's thread, which a panic does not leave: what was
    /// written is then lost.
    #[must_use]
    pub fn stdout(mut self, write: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        self.output.stdout = Sink::Function(Arc::new(write));
        self
    }

    /// Gets what the worker writes to its standard error, as [`WorkerOptions::stdout`] does its standard output.
    #[must_use]
    pub fn stderr(mut self, write: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        self.output.stderr = Sink::Function(Arc::new(write));
        self
    }

    /// The first module of a worker that the embedder starts, and the modules beside it, are part of it. Text that the embedder holds is in no folder,
    /// whatever its name.
    pub(crate) fn with_own_folder(mut self) -> Result<Self, SpawnError> {
        if let (Ok(file), Script::Url(_)) = (self.first_url()?.to_file_path(), &self.script) {
            if let Some(folder) = file.parent() {
                self.permissions = self.permissions.allow_import(folder);
            }
            self.permissions = self.permissions.allow_import(file);
        }
        Ok(self)
    }

    pub(crate) fn first_url(&self) -> Result<Url, SpawnError> {
        match &self.script {
            Script::Url(url) | Script::Source { name: url, .. } => Ok(url.clone()),
            Script::Faulty(name) => Err(SpawnError::Url(name.clone())),
        }
    }
}

/// What a worker's thread needs beside the options.
pub(crate) struct Start {
    pub(crate) options: WorkerOptions,
    /// Of what waits for the worker.
    pub(crate) quota: Option<Arc<Quota>>,
    pub(crate) environment: Environment,
    /// `workerData`, or what a script passed its worker.
    pub(crate) data: Option<Parcel>,
}

impl Start {
    pub(crate) fn new(
        options: WorkerOptions,
        environment: Environment,
        data: Option<Parcel>,
    ) -> Self {
        Self {
            quota: options.message_bytes.map(Quota::new),
            options,
            environment,
            data,
        }
    }
}
