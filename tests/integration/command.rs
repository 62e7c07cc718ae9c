//! The `isolane` command, as a person at a terminal meets it.

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
fn output_before_an_exit_is_not_lost() {
    let ran = run_script(
        "import process from 'node:process';
         for (let i = 0; i < 20000; i++) process.stdout.write(`line ${i}\\n`);
         process.exit(0);",
        &[],
    );
    exits(&ran, 0);
    assert_eq!(ran.stdout.lines().count(), 20_000);
    assert!(ran.stdout.ends_with("line 19999\n"));
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
fn nothing_is_granted_by_default_and_a_refusal_names_the_option() {
    let cases = [
        ("await fs.readFile('file.txt');", "--allow-read"),
        ("await fs.readdir('.');", "--allow-read"),
        ("await fs.stat('file.txt');", "--allow-read"),
        ("await fs.writeFile('new.txt', 'x');", "--allow-write"),
        (
            "await fs.mkdir('folder', { recursive: true });",
            "--allow-write",
        ),
        ("process.env.VISIBLE;", "--allow-env"),
        ("Object.keys(process.env);", "--allow-env"),
    ];
    for (call, option) in cases {
        let folder = Folder::new(&[
            ("file.txt", "text"),
            (
                "main.mjs",
                &format!(
                    "import fs from 'node:fs/promises'; import process from 'node:process';\n{call}\nconsole.log('done');"
                ),
            ),
        ]);
        let ran = command(&folder.path(), &["run", "main.mjs"]);
        assert_eq!(ran.code, Some(1), "{call} is refused: {ran:#?}");
        assert!(
            ran.stderr.contains(option),
            "{call} names {option}: {ran:#?}"
        );
        assert!(
            ran.stderr.contains("main.mjs:2"),
            "{call} is told with its place: {ran:#?}"
        );
        assert!(!folder.at("new.txt").exists() && !folder.at("folder").exists());
        let ran = command(&folder.path(), &["run", option, "main.mjs"]);
        exits(&ran, 0);
        assert_eq!(ran.stdout, "done\n", "{call} with {option}");
        let ran = command(&folder.path(), &["run", "-A", "main.mjs"]);
        exits(&ran, 0);
    }
}

#[test]
fn the_option_that_a_refusal_names_is_the_one_that_helps() {
    let folder = Folder::new(&[
        ("data/file.txt", "text"),
        (
            "main.mjs",
            "import { readFile } from 'node:fs/promises'; console.log(await readFile('data/file.txt', 'utf8'));",
        ),
    ]);
    let refused = command(&folder.path(), &["run", "main.mjs"]);
    let option = refused
        .stderr
        .split_whitespace()
        .find(|word| word.starts_with("--allow-read="))
        .unwrap_or_else(|| panic!("an option in: {}", refused.stderr));
    let ran = command(&folder.path(), &["run", option, "main.mjs"]);
    exits(&ran, 0);
    assert_eq!(ran.stdout, "text\n");
}

#[test]
fn grants_reach_no_further_than_their_paths() {
    let folder = Folder::new(&[
        ("data/in.txt", "in"),
        ("data2/out.txt", "out"),
        ("single.txt", "single"),
        (
            "main.mjs",
            "import { readFile, writeFile } from 'node:fs/promises';
             for (const path of ['data/in.txt', 'single.txt', 'data2/out.txt', 'data/../data2/out.txt', '/etc/hostname', './data/./in.txt']) {
               console.log(path, await readFile(path, 'utf8').catch((error) => error.message.includes('--allow-read') ? 'refused' : error.message));
             }
             console.log('write', await writeFile('data/in.txt', '').catch((error) => error.message.includes('--allow-write') ? 'refused' : error.message));",
        ),
    ]);
    let ran = command(
        &folder.path(),
        &["run", "--allow-read=data,single.txt", "main.mjs"],
    );
    exits(&ran, 0);
    assert_eq!(
        ran.stdout.lines().collect::<Vec<_>>(),
        [
            "data/in.txt in",
            "single.txt single",
            "data2/out.txt refused",
            "data/../data2/out.txt refused",
            "/etc/hostname refused",
            "./data/./in.txt in",
            "write refused",
        ]
    );
}

#[test]
fn environment_variables_are_granted_by_name() {
    let ran = run_script(
        "import process from 'node:process';
         console.log(process.env.VISIBLE, process.env.UNSET);
         try { process.env.PATH; } catch (error) { console.log(error.message.includes('--allow-env=PATH')); }
         process.env.OWN = 'own'; console.log(process.env.OWN);",
        &["--allow-env=VISIBLE,UNSET"],
    );
    exits(&ran, 0);
    assert_eq!(ran.stdout, "the value undefined\ntrue\nown\n");
}

#[test]
fn workers_have_the_permissions_of_their_maker() {
    let folder = Folder::new(&[
        ("file.txt", "text"),
        (
            "main.mjs",
            "const worker = new Worker(new URL('worker.mjs', import.meta.url), { type: 'module' });
             worker.onmessage = ({ data }) => { console.log(data); worker.terminate(); };",
        ),
        (
            "worker.mjs",
            "import { readFile } from 'node:fs/promises';
             postMessage(await readFile('file.txt', 'utf8').catch((error) => error.message));",
        ),
    ]);
    let ran = command(&folder.path(), &["run", "main.mjs"]);
    exits(&ran, 0);
    assert!(ran.stdout.contains("--allow-read"), "{ran:#?}");
    let ran = command(
        &folder.path(),
        &["run", "--allow-read=file.txt", "main.mjs"],
    );
    exits(&ran, 0);
    assert_eq!(ran.stdout, "text\n");
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
fn output_that_is_not_a_terminal_has_no_colours() {
    let ran = run_script(
        "import process from 'node:process';
         console.log({ a: 1, b: 'text', c: null }); console.error(new Error('x')); console.log(process.stdout.isTTY);",
        &[],
    );
    exits(&ran, 0);
    assert!(!ran.stdout.contains('\u{1b}'), "{:?}", ran.stdout);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
    assert!(!ran.stdout.contains("true"), "{:?}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let folder = Folder::new(&[(
        "main.mjs",
        "import process from 'node:process'; for (let i = 0; i < 100000; i++) process.stdout.write('some text of a line\\n');",
    )]);
    let mut child = Command::new(isolane())
        .arg("run")
        .arg(folder.at("main.mjs"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    child.wait().unwrap();
    assert!(!stderr.contains("panicked"), "{stderr}");
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
fn output_that_nobody_reads_any_more_ends_the_program() {
    let folder = Folder::new(&[("main.mjs", "setInterval(() => console.log('x'), 1);")]);
    let mut child = Command::new(isolane())
        .arg("run")
        .arg(folder.at("main.mjs"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("standard output") && !told.contains("panicked"),
        "{told}"
    );
}

#[test]
fn output_to_a_slow_reader_is_whole() {
    let folder = Folder::new(&[(
        "main.mjs",
        "for (let i = 0; i < 20_000; i++) console.log('line ' + i + ' ' + 'x'.repeat(80));",
    )]);
    let (mut reader, writer) = std::io::pipe().unwrap();
    // As a shell or a parent may have left it.
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    let mut child = Command::new(isolane())
        .arg("run")
        .arg(folder.at("main.mjs"))
        .stdout(writer)
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(200));
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(text.lines().count(), 20_000);
    assert!(text.ends_with(&format!("line 19999 {}\n", "x".repeat(80))));
}

#[test]
fn an_error_that_cannot_be_told_still_has_its_exit_code() {
    let folder = Folder::new(&[("main.mjs", "throw new Error('b');")]);
    for file in ["main.mjs", "missing.mjs"] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let status = Command::new(isolane())
            .arg("run")
            .arg(folder.at(file))
            .stderr(full)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(1), "{file}");
    }
}

#[test]
fn what_follows_the_file_is_the_program_s() {
    let folder = Folder::new(&[(
        "main.mjs",
        "import process from 'node:process'; let home; try { home = process.env.HOME; } catch (error) { home = error.code; } console.log(home, process.argv.slice(2).join(' '));",
    )]);
    for arguments in [
        vec!["-A"],
        vec!["--allow-env"],
        vec!["--allow-read=/x"],
        vec!["--help"],
        vec!["-h"],
        vec!["--version"],
        vec!["x", "-A"],
        vec!["--", "-A"],
        vec!["--nonsense"],
    ] {
        let output = Command::new(isolane())
            .arg("run")
            .arg(folder.at("main.mjs"))
            .args(&arguments)
            .output()
            .unwrap();
        let expected = format!("ERR_ACCESS_DENIED {}\n", arguments.join(" "));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected,
            "{arguments:?}"
        );
    }
}

#[test]
fn a_value_without_its_equals_sign_is_told() {
    let folder = Folder::new(&[("notes.txt", "1 + 1")]);
    for option in ["--allow-read", "--allow-write"] {
        let output = Command::new(isolane())
            .args(["run", option])
            .arg(folder.at("notes.txt"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(&format!("{option}=")), "{told}");
    }
}

#[test]
fn a_worker_ends_although_nobody_reads_what_it_writes() {
    let folder = Folder::new(&[(
        "main.mjs",
        "import process from 'node:process';
         const code = (text) => 'data:text/javascript,' + encodeURIComponent(text);
         const [one, two] = [1, 2].map(() => new Worker(code(`postMessage(0); for (;;) console.log('x'.repeat(10000));`), { type: 'module' }));
         let on = 0;
         one.onmessage = two.onmessage = () => { if (++on === 2) setTimeout(() => { one.terminate(); one.addEventListener('close', () => process.exit(7)); }, 100); };",
    )]);
    let (reader, writer) = std::io::pipe().unwrap();
    let status = Command::new(isolane())
        .arg("run")
        .arg(folder.at("main.mjs"))
        .stdout(writer)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(7));
    drop(reader);
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
