//! The `isolane` command, as a person at a terminal meets it.

mod grants;
mod output;

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::support::{Folder, LIMIT, isolane};

/// What a run of the command left.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the command to its end. Its environment has nothing but `VISIBLE`.
pub fn command(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Ran {
    let mut child = Command::new(isolane())
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("VISIBLE", "the value")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let stdout = read_aside(child.stdout.take().expect("a pipe"));
    let stderr = read_aside(child.stderr.take().expect("a pipe"));
    let deadline = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait().expect("the command can be waited for") {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().expect("the command can be stopped");
            panic!("the command did not end within {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ran {
        code: status.code(),
        stdout: stdout.join().expect("the reader does not panic"),
        stderr: stderr.join().expect("the reader does not panic"),
    }
}

/// Reads a pipe to its end, so that the command never waits for a reader.
fn read_aside(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("the pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs a script that stands alone, with these options before it.
fn run_script(script: &str, options: &[&str]) -> Ran {
    let folder = Folder::new(&[("main.mjs", script)]);
    let arguments: Vec<&str> = ["run"]
        .into_iter()
        .chain(options.iter().copied())
        .chain(["main.mjs"])
        .collect();
    command(&folder.path(), &arguments)
}

#[track_caller]
fn exits(ran: &Ran, code: i32) {
    assert_eq!(ran.code, Some(code), "exit code; {ran:#?}");
}

#[test]
fn version_names_both_engines() {
    let ran = command(Path::new("/"), &["--version"]);
    exits(&ran, 0);
    let versions = isolane::versions();
    for version in [versions.isolane, versions.v8, versions.wasmtime] {
        assert!(
            ran.stdout.contains(version),
            "{version} in {:?}",
            ran.stdout
        );
    }
    assert_eq!(ran.stdout.lines().count(), 1, "{:?}", ran.stdout);
    assert_eq!(ran.stderr, "");
}

#[test]
fn wrong_usage_exits_with_2() {
    let cases: &[&[&str]] = &[
        &[],
        &["run"],
        &["walk"],
        &["run", "--allow-everything", "main.mjs"],
        &["--allow-read", "main.mjs"],
        &["run", "--allow-all=yes", "main.mjs"],
    ];
    for arguments in cases {
        let ran = command(Path::new("/"), arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:#?}");
        assert!(
            ran.stderr.contains("Usage"),
            "{arguments:?} shows the usage on standard error: {ran:#?}"
        );
    }
}

#[test]
fn a_script_that_ends_well_exits_with_0() {
    let ran = run_script("console.log('hello'); console.error('there');", &[]);
    exits(&ran, 0);
    assert_eq!(ran.stdout, "hello\n");
    assert_eq!(ran.stderr, "there\n");
}

#[test]
fn an_uncaught_error_exits_with_1_and_shows_the_source_line_and_the_stack() {
    let ran = run_script(
        "console.log('before');\nfunction f() {\n  throw new TypeError('wrong', { cause: new Error('deeper') });\n}\nf();",
        &[],
    );
    exits(&ran, 1);
    assert_eq!(ran.stdout, "before\n");
    for part in [
        "main.mjs:3",
        "  throw new TypeError('wrong', { cause: new Error('deeper') });\n        ^",
        "TypeError: wrong",
        "at f (",
        "main.mjs:5:1",
        "[cause]: Error: deeper",
    ] {
        assert!(ran.stderr.contains(part), "{part:?} in:\n{}", ran.stderr);
    }
}

#[test]
fn unhandled_rejections_and_errors_of_workers_exit_with_1() {
    let scripts = [
        "Promise.reject(new Error('found'));",
        "setTimeout(() => { throw new Error('found'); });",
        "new Worker('data:text/javascript,throw new Error(`found`)', { type: 'module' });",
        "import { Worker } from 'node:worker_threads'; new Worker('throw new Error(`found`)', { eval: true });",
        "import { EventEmitter } from 'node:events'; new EventEmitter().emit('error', new Error('found'));",
    ];
    for script in scripts {
        let ran = run_script(script, &[]);
        assert_eq!(ran.code, Some(1), "{script}: {ran:#?}");
        assert!(ran.stderr.contains("found"), "{script}: {ran:#?}");
    }
}

#[test]
fn a_missing_file_exits_with_1_and_is_named() {
    let folder = Folder::new(&[]);
    let ran = command(&folder.path(), &["run", "nothing.mjs"]);
    exits(&ran, 1);
    assert!(ran.stderr.contains("nothing.mjs"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn a_broken_import_exits_with_1_and_shows_the_chain() {
    let folder = Folder::new(&[
        ("main.mjs", "import './a.mjs';"),
        ("a.mjs", "import './missing.mjs';"),
    ]);
    let ran = command(&folder.path(), &["run", "main.mjs"]);
    exits(&ran, 1);
    for part in ["missing.mjs", "a.mjs:1:8", "main.mjs:1:8"] {
        assert!(ran.stderr.contains(part), "{part} in:\n{}", ran.stderr);
    }
}

#[test]
fn a_stalled_top_level_await_is_told_and_exits_with_1() {
    let ran = run_script("\nawait new Promise(() => {});", &[]);
    exits(&ran, 1);
    assert!(ran.stderr.contains("main.mjs:2"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("await new Promise(() => {});"),
        "{}",
        ran.stderr
    );
}

#[test]
fn exit_codes_are_the_script_s() {
    let cases = [
        ("process.exit(3);", 3),
        ("process.exit();", 0),
        ("process.exitCode = 4;", 4),
        ("process.exitCode = 5; process.exit();", 5),
        ("process.exitCode = 5; process.exit(6);", 6),
        (
            "setTimeout(() => process.exit(7)); setInterval(() => {}, 1000);",
            7,
        ),
        ("process.exitCode = 8; setTimeout(() => {}, 1);", 8),
        ("process.exit(256 + 9);", 9),
    ];
    for (script, code) in cases {
        let ran = run_script(
            &format!("import process from 'node:process'; {script}"),
            &[],
        );
        assert_eq!(ran.code, Some(code), "{script}: {ran:#?}");
        assert_eq!(ran.stderr, "", "{script}");
    }
}

#[test]
fn arguments_after_the_file_are_the_script_s() {
    let folder = Folder::new(&[(
        "main.mjs",
        "import process from 'node:process'; console.log(JSON.stringify(process.argv));",
    )]);
    let arguments = [
        "run",
        "main.mjs",
        "a",
        "--allow-read",
        "-A",
        "--",
        "",
        "ü b",
    ];
    let ran = command(&folder.path(), &arguments);
    exits(&ran, 0);
    let argv: Vec<String> = serde_json::from_str(&ran.stdout).unwrap();
    assert!(Path::new(&argv[0]).is_absolute(), "{argv:?}");
    assert_eq!(argv[1], folder.at("main.mjs").display().to_string());
    assert_eq!(&argv[2..], ["a", "--allow-read", "-A", "--", "", "ü b"]);
}

#[test]
fn a_program_imports_its_modules_from_anywhere() {
    let folder = Folder::new(&[
        ("app/main.mjs", "import '../lib/lib.mjs';"),
        ("lib/lib.mjs", "console.log('lib');"),
    ]);
    let ran = command(&folder.path(), &["run", "app/main.mjs"]);
    exits(&ran, 0);
    assert_eq!(ran.stdout, "lib\n");
}

#[test]
fn urls_are_programs_too() {
    let folder = Folder::new(&[("main.mjs", "console.log('by URL');")]);
    let ran = command(&folder.path(), &["run", &folder.url("main.mjs")]);
    assert_eq!(ran.stdout, "by URL\n");
    let ran = command(
        &folder.path(),
        &["run", "data:text/javascript,console.log(6*7)"],
    );
    assert_eq!(ran.stdout, "42\n");
}

#[test]
fn the_readme_s_script_prints_the_sum() {
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md"))
            .expect("the README is there");
    let script = readme
        .split("```js\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("the README has a script");
    let ran = run_script(script, &[]);
    exits(&ran, 0);
    assert_eq!(ran.stdout, "the sum is 499999500000\n");
    assert!(
        readme.contains(ran.stdout.trim()),
        "the README tells the output"
    );
}

#[test]
fn the_standard_input_may_be_a_program_and_its_data() {
    use std::io::{Seek as _, Write as _};
    let folder = Folder::new(&[(
        "main.mjs",
        "import { readFileSync } from 'node:fs'; console.log(readFileSync('/dev/stdin', 'utf8').length);",
    )]);
    // As a shell does with a long here-document.
    let mut removed = tempfile::tempfile().unwrap();
    removed.write_all(&[b'x'; 70_000]).unwrap();
    removed.rewind().unwrap();
    let output = Command::new(isolane())
        .args(["run", "--allow-read"])
        .arg(folder.at("main.mjs"))
        .stdin(removed)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "70000\n");
    let mut child = Command::new(isolane())
        .args(["run", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"console.log(5)")
        .unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"5\n");
}

#[test]
fn help_goes_to_standard_output_and_lists_what_there_is() {
    let ran = command(Path::new("/"), &["--help"]);
    exits(&ran, 0);
    assert!(ran.stdout.contains("run"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
    let ran = command(Path::new("/"), &["run", "--help"]);
    exits(&ran, 0);
    for option in [
        "--allow-read",
        "--allow-write",
        "--allow-env",
        "--allow-all",
        "-A",
        "FILE",
    ] {
        assert!(ran.stdout.contains(option), "{option} in:\n{}", ran.stdout);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn as_many_workers_are_kept_ready_as_is_asked_and_the_program_ends_with_them() {
    const SCRIPT: &str = "
        import { readdirSync, readFileSync } from 'node:fs';
        const names = () => readdirSync('/proc/self/task').map((thread) => { try { return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim(); } catch { return ''; } });
        const spare = () => names().filter((name) => name === 'isolane-spare').length;
        const before = spare();
        let named = true;
        for (let i = 0; i < 6; i++) {
          const worker = new Worker('data:text/javascript,postMessage(1);onmessage=()=>{}', { type: 'module', name: `w${i}` });
          await new Promise((resolve) => { worker.onmessage = resolve; });
          named &&= names().includes(`w${i}`);
          worker.terminate();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        console.log(before, spare(), named);";
    for (options, expected) in [
        (&["-A"][..], "0 1 true\n"),
        (&["-A", "--spare-workers=0"], "0 0 true\n"),
        (&["-A", "--spare-workers=3"], "0 3 true\n"),
    ] {
        let ran = run_script(SCRIPT, options);
        exits(&ran, 0);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (expected, ""));
    }
    exits(&run_script("", &["--spare-workers=17"]), 2);
}
