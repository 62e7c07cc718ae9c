//! Options that grant: what they reach, and what a refusal says of them.

use super::*;

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
