//! What the tests share: workers with a limit on every wait, scripts whose output is caught, folders of fixtures, and the command.

use std::future::Future;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use isolane::{Message, Outcome, Runtime, UncaughtError, Worker, WorkerOptions};

/// The limit of every wait, against hangs alone.
pub const LIMIT: Duration = Duration::from_secs(30);

/// The runtime of all tests.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().expect("a runtime can be made"))
}

/// How often: `whole` times under `make soak`, else as often as `short` says.
pub fn soak(short: u64, whole: u64) -> u64 {
    if std::env::var_os("ISOLANE_SOAK").is_some() {
        whole
    } else {
        short
    }
}

/// Does something that may hang, on another thread.
pub fn within<T: Send + 'static>(what: &str, run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    let thread = thread::spawn(move || {
        // Nobody listens after the limit.
        let _ = sender.send(run());
    });
    match receiver.recv_timeout(LIMIT) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("{what}: not done within {LIMIT:?}"),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => unreachable!("the thread sends before it ends"),
        },
    }
}

/// Waits until `condition` holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not so within {LIMIT:?}");
        thread::yield_now();
    }
}

/// Starts a web worker that runs `script`.
pub fn spawn(script: &str) -> Worker {
    spawn_with(WorkerOptions::from_source("/test/worker.mjs", script))
}

pub fn spawn_with(options: WorkerOptions) -> Worker {
    runtime().spawn(options).expect("a worker can be started")
}

/// The worker's next message.
pub fn receive(worker: &Worker) -> Message {
    match worker.recv_timeout(LIMIT) {
        Ok(message) => message,
        Err(error) => panic!("a message was expected: {error}"),
    }
}

pub fn join(worker: Worker) -> Outcome {
    within("the worker's end", move || worker.join())
}

/// The exception that ended the worker.
pub fn thrown(worker: Worker) -> UncaughtError {
    match join(worker) {
        Outcome::Threw(error) => error,
        outcome => panic!("an uncaught error was expected, not {outcome:?}"),
    }
}

/// How a program ended, and what it wrote.
#[derive(Debug)]
pub struct Ended {
    pub outcome: Outcome,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// The exception that ended it.
    pub fn error(&self) -> &UncaughtError {
        match &self.outcome {
            Outcome::Threw(error) => error,
            outcome => panic!("an uncaught error was expected, not {outcome:?}; {self:#?}"),
        }
    }
}

/// Runs a program to its end.
pub fn run(options: WorkerOptions) -> Ended {
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let worker = spawn_with(options.main().stdout(stdout.sink()).stderr(stderr.sink()));
    let (sender, receiver) = channel();
    thread::spawn(move || {
        // Nobody listens after the limit.
        let _ = sender.send(worker.join());
    });
    let limit = LIMIT * soak(1, 60) as u32;
    let Ok(outcome) = receiver.recv_timeout(limit) else {
        panic!(
            "the script did not end within {limit:?}; until then it wrote:\n{}{}",
            stdout.text(),
            stderr.text()
        );
    };
    Ended {
        outcome,
        stdout: stdout.text(),
        stderr: stderr.text(),
    }
}

/// Bytes that a worker wrote.
#[derive(Clone, Default)]
pub struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    pub fn sink(&self) -> impl Fn(&[u8]) + Send + Sync + 'static {
        let bytes = Arc::clone(&self.0);
        move |written| bytes.lock().expect("nobody panics").extend(written)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("nobody panics")).into_owned()
    }
}

/// A script with the functions of `prelude.js` before its first line, and a last line that tells that it was reached.
fn with_prelude(script: &str) -> String {
    let prelude: Vec<&str> = include_str!("prelude.js")
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
        .collect();
    format!("{}{script}\n;console.log('{END}');", prelude.join(" "))
}

const END: &str = "the end of the script";

fn run_with_prelude(script: &str) -> Ended {
    run(WorkerOptions::from_source(
        "/test/program.mjs",
        with_prelude(script),
    ))
}

/// Runs a program that checks its own behaviour: it must reach its last line, throw nothing, and write nothing.
#[track_caller]
pub fn passes(script: &str) {
    prints(script, "");
}

/// Runs a program that must reach its last line, throw nothing, and write `expected`. Spaces at the ends of lines do not count.
#[track_caller]
pub fn prints(script: &str, expected: &str) {
    let ended = run_with_prelude(script);
    if let Outcome::Threw(error) = &ended.outcome {
        panic!(
            "{error}\nat line {} of the script; it wrote:\n{}{}",
            error.line, ended.stdout, ended.stderr
        );
    }
    assert_eq!(ended.outcome, Outcome::Finished { code: 0 }, "{ended:#?}");
    assert_eq!(ended.stderr, "", "written to standard error");
    let mut expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    expected.push(END);
    let written: Vec<&str> = ended.stdout.lines().map(str::trim).collect();
    assert_eq!(written, expected);
}

/// A future's value, on this thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "the future is not ready within {LIMIT:?}");
        thread::park_timeout(left);
    }
}

/// A folder of files that goes with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// Each file as its path in the folder and its text.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).expect("a folder in the temporary folder");
        }
        std::fs::write(&path, contents).expect("a file in the temporary folder");
        path
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// With links resolved, as modules' URLs are compared with it.
    pub fn path(&self) -> PathBuf {
        let path = self.0.path().canonicalize();
        path.expect("the temporary folder exists")
    }

    /// The `file:` URL of a file. Names of temporary folders need no escapes.
    pub fn url(&self, name: &str) -> String {
        format!("file://{}", self.at(name).display())
    }

    /// Runs the folder's `main.mjs`.
    pub fn run(&self) -> Ended {
        run(WorkerOptions::from_file(self.at("main.mjs")))
    }
}

/// The `isolane` command of this build.
pub fn isolane() -> &'static Path {
    static COMMAND: OnceLock<PathBuf> = OnceLock::new();
    COMMAND.get_or_init(|| {
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["build", "--package", "isolane", "--bin", "isolane"])
            .args(["--message-format", "json-render-diagnostics"]);
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let built = cargo.output().expect("cargo runs");
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        let found = built.stdout.split(|byte| *byte == b'\n').find_map(|line| {
            let news: serde_json::Value = serde_json::from_slice(line).ok()?;
            (news["target"]["name"] == "isolane").then_some(())?;
            news["executable"].as_str().map(PathBuf::from)
        });
        found.expect("cargo tells where the command is")
    })
}
