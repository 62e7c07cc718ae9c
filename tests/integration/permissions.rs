//! What a script reaches only with a grant, by whatever way it tries.

use std::os::unix::fs::symlink;

use isolane::{Permissions, WorkerOptions};

use crate::support::{Folder, run};

/// What the folder's `app/main.mjs` writes.
fn writes(folder: &Folder, permissions: Permissions) -> String {
    let ended = run(WorkerOptions::from_file(folder.at("app/main.mjs")).permissions(permissions));
    assert!(ended.stderr.is_empty(), "{ended:#?}");
    ended.stdout
}

const TRIES: &str = "const tries = async (run) => { try { return await run(); } catch (error) { return error.code ?? error.message.includes('requires'); } };";

#[test]
fn a_worker_that_a_script_makes_gets_no_more_than_its_maker() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            "import { Worker as NodeWorker } from 'node:worker_threads';
             const json = new URL('../other/secret.json', import.meta.url).href;
             const code = `import('${json}', { with: { type: 'json' } }).then(() => 'read', (error) => String(error.message.includes('requires'))).then((news) => postMessage(news))`;
             const news = (worker) => new Promise((resolve) => {
               worker.onmessage = ({ data }) => resolve(data);
               worker.onerror = (event) => { event.preventDefault(); resolve('error ' + event.message.includes('requires')); };
             });
             console.log(await news(new Worker(new URL('../other/worker.mjs', import.meta.url), { type: 'module' })));
             console.log(await news(new Worker('data:text/javascript,' + encodeURIComponent(code), { type: 'module' })));
             const node = new NodeWorker(`import { parentPort } from 'node:worker_threads'; ${code.replace('postMessage', 'parentPort.postMessage')}`, { eval: true });
             console.log(await new Promise((resolve) => node.on('message', resolve).on('error', resolve)));",
        ),
        ("other/secret.json", "\"secret\""),
        ("other/worker.mjs", "postMessage('ran');"),
    ]);
    assert_eq!(
        writes(&folder, Permissions::none()),
        "error true\ntrue\ntrue\n"
    );
    let code = Permissions::none().allow_code_import_all();
    assert_eq!(writes(&folder, code), "ran\ntrue\ntrue\n");
    let both = Permissions::none().allow_import(folder.at("other"));
    assert_eq!(writes(&folder, both), "ran\nread\nread\n");
}

#[test]
fn no_file_is_made_where_a_dangling_link_leads() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            &format!(
                "{TRIES} import {{ writeFile, mkdir }} from 'node:fs/promises';
                 const granted = new URL('../granted/', import.meta.url).pathname;
                 console.log(await tries(() => writeFile(granted + 'dangling', 'x')));
                 console.log(await tries(() => writeFile(granted + 'hop', 'x')));
                 console.log(await tries(() => writeFile(granted + 'folder/new', 'x')));
                 console.log(await tries(() => writeFile(granted + 'dangling', 'x', {{ flag: 'wx' }})));
                 console.log(await tries(() => mkdir(granted + 'dangling')));
                 console.log(await tries(() => writeFile(granted + 'loop', 'x')));"
            ),
        ),
        ("granted/file", ""),
        ("outside/file", ""),
    ]);
    let link = |target: &str, name: &str| symlink(target, folder.at(name)).expect("a link");
    link("../outside/new", "granted/dangling");
    link("dangling", "granted/hop");
    link("../outside", "granted/folder");
    link("loop", "granted/loop");
    let permissions = Permissions::none().allow_write(folder.at("granted"));
    let denied = "ERR_ACCESS_DENIED\n";
    let expected = format!("{denied}{denied}{denied}EEXIST\nEEXIST\n{denied}");
    assert_eq!(writes(&folder, permissions), expected);
    assert!(!folder.at("outside/new").exists());
}

#[test]
fn calls_that_take_a_link_itself_are_checked_by_its_own_place() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            &format!(
                "{TRIES} import {{ rename, unlink, rm, lstat }} from 'node:fs/promises';
                 const at = (name) => new URL('../' + name, import.meta.url).pathname;
                 console.log(await tries(() => rename(at('granted/mine'), at('outside/in'))));
                 console.log(await tries(() => unlink(at('outside/in'))));
                 console.log(await tries(() => rm(at('outside/in'), {{ force: true }})));
                 console.log(await tries(() => lstat(at('outside/in'))));
                 console.log(await tries(() => unlink(at('granted/out'))));"
            ),
        ),
        ("granted/mine", "mine"),
        ("granted/x", "x"),
        ("outside/file", ""),
    ]);
    symlink("../granted/x", folder.at("outside/in")).expect("a link");
    symlink("../outside/file", folder.at("granted/out")).expect("a link");
    let granted = folder.at("granted");
    let permissions = Permissions::none()
        .allow_write(&granted)
        .allow_read(&granted);
    let expected = format!("{}undefined\n", "ERR_ACCESS_DENIED\n".repeat(4));
    assert_eq!(writes(&folder, permissions), expected);
    assert!(folder.at("outside/in").is_symlink() && !folder.at("granted/out").is_symlink());
}

#[test]
fn a_file_is_not_moved_to_where_it_could_be_read() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            &format!(
                "{TRIES} import {{ rename }} from 'node:fs/promises';
                 const at = (name) => new URL('../' + name, import.meta.url).pathname;
                 console.log(await tries(() => rename(at('w/secret'), at('w/r'))));
                 console.log(await tries(() => rename(at('w/secret.json'), at('app/secret.json'))));
                 console.log(await tries(() => rename(at('w/secret.json'), at('w/moved.json'))));"
            ),
        ),
        ("w/secret/sub/s.txt", "secret"),
        ("w/secret.json", "1"),
    ]);
    let permissions = Permissions::none()
        .allow_write(folder.at("w"))
        .allow_write(folder.at("app"))
        .allow_read(folder.at("w/r/sub"));
    let denied = "ERR_ACCESS_DENIED\n";
    assert_eq!(
        writes(&folder, permissions),
        format!("{denied}{denied}undefined\n")
    );
}

#[test]
fn a_file_that_is_no_javascript_is_not_run_as_such_from_everywhere() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            "for (const name of ['data.env', 'link.mjs', 'code.mjs']) {
               console.log(await import('../lib/' + name).then(({ default: value }) => value, (error) => error.message.includes('requires')));
             }",
        ),
        ("lib/data.env", "DB_PASSWORD=hunter2"),
        ("lib/code.mjs", "export default 'code';"),
    ]);
    symlink("data.env", folder.at("lib/link.mjs")).expect("a link");
    let permissions = Permissions::none().allow_code_import_all();
    assert_eq!(writes(&folder, permissions), "true\ntrue\ncode\n");
}

#[test]
fn what_follows_a_missing_folder_may_be_a_link() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            &format!(
                "{TRIES} import {{ readFile, writeFile }} from 'node:fs/promises';
                 const at = (name) => new URL('../granted/', import.meta.url).pathname + name;
                 console.log(await tries(() => readFile(at('nodir/../out/secret'))));
                 console.log(await tries(() => writeFile(at('nodir/../out/new'), 'x')));
                 console.log(await tries(() => import('../granted/nodir/..%2Fout/s.json', {{ with: {{ type: 'json' }} }})));"
            ),
        ),
        ("granted/file", ""),
        ("outside/secret", "secret"),
        ("outside/s.json", "1"),
    ]);
    symlink("../outside", folder.at("granted/out")).expect("a link");
    let granted = folder.at("granted");
    let permissions = Permissions::none()
        .allow_read(&granted)
        .allow_write(&granted);
    let shown = writes(&folder, permissions);
    assert!(
        !shown.contains("secret") && !folder.at("outside/new").exists(),
        "{shown}"
    );
    let lines: Vec<_> = shown.lines().collect();
    assert!(
        lines
            .iter()
            .all(|line| ["ENOENT", "ERR_MODULE_NOT_FOUND"].contains(line)),
        "{shown}"
    );
}

#[test]
fn all_files_are_not_all_of_the_process() {
    let folder = Folder::new(&[(
        "app/main.mjs",
        &format!(
            "{TRIES} import {{ readFile, writeFile }} from 'node:fs/promises';
             for (const name of ['self/environ', 'self/mem', 'self/../self/environ', 'thread-self/environ', '1/environ', 'self/maps']) console.log(await tries(() => readFile('/proc/' + name)));
             console.log(await tries(() => writeFile('/proc/self/mem', 'x')), (await readFile('/proc/meminfo', 'utf8')).includes('MemTotal'));"
        ),
    )]);
    let permissions = Permissions::none().allow_read_all().allow_write_all();
    let denied = "ERR_ACCESS_DENIED\n".repeat(6);
    assert_eq!(
        writes(&folder, permissions),
        format!("{denied}ERR_ACCESS_DENIED true\n")
    );
}

/// While one thread swaps a link, another uses a path through it: what is used is what was asked for.
#[test]
fn a_link_that_changes_between_check_and_use_leads_nowhere_else() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            "import * as fs from 'node:fs'; import * as promises from 'node:fs/promises';
             const at = (name) => new URL('../', import.meta.url).pathname + name;
             const nothing = () => {};
             const swap = new Worker(new URL('./swap.mjs', import.meta.url), { type: 'module' });
             await new Promise((resolve) => { swap.onmessage = resolve; });
             let leaked = 0;
             const tries = (run) => { try { return run(); } catch {} };
             for (let i = 0; i < 1500; i++) {
               tries(() => fs.renameSync(at('w/now/secret'), at('r/x')));
               const text = tries(() => fs.readFileSync(at('r/x'), 'utf8'));
               if (text === 'SECRET') leaked++;
               tries(() => fs.renameSync(at('r/x'), at('r/secret')));
               tries(() => fs.readFileSync(at('w/now/secret'), { flag: 'w+' }));
               promises.mkdir(at(`w/now/a${i}/b`), { recursive: true }).catch(nothing);
               promises.mkdtemp(at('w/now/t')).catch(nothing);
               if (i % 50 === 0) await promises.access(at('w/now')).catch(nothing);
             }
             swap.terminate();
             console.log(leaked);",
        ),
        (
            "app/swap.mjs",
            "import * as fs from 'node:fs';
             const at = (name) => new URL('../w/', import.meta.url).pathname + name;
             postMessage('on');
             for (;;) for (const name of ['one', 'two', 'out']) try { fs.renameSync(at(name), at('now')); fs.renameSync(at('now'), at(name)); } catch {}",
        ),
        ("w/real/secret", "SECRET"),
        ("r/secret", "open"),
        ("outside/secret", "OUTSIDE"),
    ]);
    symlink("real", folder.at("w/one")).expect("a link");
    symlink("../r", folder.at("w/two")).expect("a link");
    symlink("../outside", folder.at("w/out")).expect("a link");
    let permissions = Permissions::none()
        .allow_write(folder.at("w"))
        .allow_write(folder.at("r"))
        .allow_read(folder.at("r"));
    assert_eq!(writes(&folder, permissions), "0\n");
    let outside: Vec<_> = std::fs::read_dir(folder.at("outside"))
        .expect("the folder")
        .collect();
    assert_eq!(outside.len(), 1, "{outside:?}");
    assert_eq!(
        std::fs::read_to_string(folder.at("outside/secret")).expect("the file"),
        "OUTSIDE"
    );
}
