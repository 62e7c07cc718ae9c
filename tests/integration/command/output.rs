//! What becomes of the command when its output is slow, full or gone.

use super::*;

/// Runs a program whose standard output nobody reads.
fn without_reader(script: &str) -> std::process::Output {
    let folder = Folder::new(&[("main.mjs", script)]);
    let mut child = Command::new(isolane())
        .arg("run")
        .arg(folder.at("main.mjs"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
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
    let output = without_reader(
        "import process from 'node:process'; for (let i = 0; i < 100000; i++) process.stdout.write('some text of a line\\n');",
    );
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!told.contains("panicked"), "{told}");
}

#[test]
fn output_that_nobody_reads_any_more_ends_the_program() {
    let output = without_reader("setInterval(() => console.log('x'), 1);");
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
