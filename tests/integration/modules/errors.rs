//! What is said of an import that fails.

use super::*;

#[test]
fn a_missing_module_is_named_with_the_chain_of_imports() {
    fails(
        &[
            ("main.mjs", "console.log('ran');\nimport './a.mjs';"),
            ("a.mjs", "\n\n  import './b.mjs';"),
            (
                "b.mjs",
                "import fine from 'node:path';\nimport { x } from './missing.mjs';",
            ),
        ],
        &[
            "file://FOLDER/missing.mjs",
            "no such file",
            "file://FOLDER/b.mjs:2:19",
            "file://FOLDER/a.mjs:3:10",
            "file://FOLDER/main.mjs:2:8",
        ],
    );
}

#[test]
fn a_missing_module_s_error_has_the_place_of_its_import() {
    let folder = Folder::new(&[
        ("main.mjs", "import './a.mjs';"),
        ("a.mjs", "\nimport './missing.mjs';"),
    ]);
    let ended = folder.run();
    let error = ended.error();
    assert_eq!(
        (&*error.file, error.line, error.column),
        (&*folder.url("a.mjs"), 2, 8)
    );
    assert_eq!(error.source_line, "import './missing.mjs';");
}

#[test]
fn a_folder_is_no_module() {
    fails(
        &[
            ("main.mjs", "import './sub';"),
            ("sub/index.mjs", "console.log('not looked for');"),
        ],
        &["FOLDER/sub", "folder", "main.mjs:1:8"],
    );
}

#[test]
fn a_bare_specifier_is_refused_with_its_place() {
    fails(
        &[("main.mjs", "\nimport lodash from 'lodash';")],
        &["'lodash'", "main.mjs:2:20"],
    );
}

#[test]
fn an_unknown_module_of_node_is_refused_and_the_known_ones_are_listed() {
    fails(
        &[("main.mjs", "import net from 'node:net';")],
        &["node:net", "node:worker_threads", "main.mjs:1:17"],
    );
}

#[test]
fn a_remote_module_is_refused() {
    fails(
        &[("main.mjs", "import 'https://example.org/x.mjs';")],
        &["https", "main.mjs:1:8"],
    );
}

#[test]
fn a_syntax_error_in_an_import_is_told_with_place_line_and_chain() {
    let ended = fails(
        &[
            ("main.mjs", "import './a.mjs';"),
            ("a.mjs", "\nimport './faulty.mjs';"),
            ("faulty.mjs", "const a = 1;\n  let 5 = a;\n"),
        ],
        &[
            "SyntaxError",
            "file://FOLDER/faulty.mjs:2:3",
            "  let 5 = a;",
            "file://FOLDER/a.mjs:2:8",
            "file://FOLDER/main.mjs:1:8",
        ],
    );
    assert_eq!(ended.error().line, 2);
    assert_eq!(ended.error().column, 3);
}

#[test]
fn a_missing_export_is_told_with_its_place_and_both_modules() {
    fails(
        &[
            ("main.mjs", "import './a.mjs';"),
            ("a.mjs", "\nimport { there, missing } from './b.mjs';"),
            ("b.mjs", "export const there = 1;"),
        ],
        &[
            "SyntaxError",
            "missing",
            "./b.mjs",
            "file://FOLDER/a.mjs:2",
            "import { there, missing } from './b.mjs';",
        ],
    );
}

#[test]
fn a_missing_export_is_told_with_the_chain_of_imports() {
    fails(
        &[
            ("main.mjs", "\nimport './a.mjs';"),
            ("a.mjs", "import { missing } from './b.mjs';"),
            ("b.mjs", "export const there = 1;"),
        ],
        &["file://FOLDER/a.mjs:1:10", "file://FOLDER/main.mjs:2:8"],
    );
}

#[test]
fn faulty_json_is_told_with_its_place_and_the_chain() {
    fails(
        &[
            ("main.mjs", "import './a.mjs';"),
            (
                "a.mjs",
                "\nimport data from './bad.json' with { type: 'json' };",
            ),
            ("bad.json", "{\n  \"fine\": 1,\n  \"faulty\": tru\n}"),
        ],
        &[
            "SyntaxError",
            "JSON",
            "file://FOLDER/bad.json:3:",
            "file://FOLDER/a.mjs:2:18",
            "file://FOLDER/main.mjs:1:8",
        ],
    );
}

#[test]
fn empty_json_is_faulty() {
    fails(
        &[
            (
                "main.mjs",
                "import data from './empty.json' with { type: 'json' };",
            ),
            ("empty.json", ""),
        ],
        &["SyntaxError", "empty.json", "main.mjs:1:18"],
    );
}

#[test]
fn unknown_import_attributes_are_refused() {
    fails(
        &[
            ("main.mjs", "import './a.css' with { type: 'css' };"),
            ("a.css", ""),
        ],
        &["css", "main.mjs:1:8"],
    );
    fails(
        &[
            ("main.mjs", "import './a.mjs' with { integrity: 'x' };"),
            ("a.mjs", ""),
        ],
        &["integrity", "main.mjs:1:8"],
    );
}

#[test]
fn an_error_thrown_by_an_import_keeps_its_own_place() {
    let folder = Folder::new(&[
        ("main.mjs", "import './a.mjs';\nconsole.log('not reached');"),
        ("a.mjs", "\n\nthrow new RangeError('from a');"),
    ]);
    let ended = folder.run();
    assert_eq!(ended.stdout, "");
    let error = ended.error();
    assert_eq!((&*error.name, &*error.message), ("RangeError", "from a"));
    assert_eq!((&*error.file, error.line), (&*folder.url("a.mjs"), 3));
}

#[test]
fn a_failed_dynamic_import_can_be_caught_and_tried_again() {
    let folder = Folder::new(&[(
        "main.mjs",
        "import { writeFile } from 'node:fs/promises';
         const attempt = () => import('./later.mjs').then((m) => m.default, (e) => `${e.name}: ${e.message.includes('later.mjs')}`);
         console.log(await attempt());
         await writeFile(new URL('./later.mjs', import.meta.url), 'export default 1; syntax error');
         console.log(await attempt());
         await writeFile(new URL('./later.mjs', import.meta.url), 'export default `there`');
         console.log(await attempt());
         console.log(await import('bare').catch((e) => e.name));
         console.log(await import('./main.mjs', { with: { type: 'css' } }).catch((e) => e.name));",
    )]);
    let options = WorkerOptions::from_file(folder.at("main.mjs"))
        .permissions(Permissions::none().allow_write(folder.path()));
    let ended = run(options);
    assert_eq!(ended.outcome, Outcome::Finished { code: 0 }, "{ended:#?}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[0], "Error: true");
    assert!(lines[1].starts_with("SyntaxError"), "{lines:?}");
    assert_eq!(&lines[2..], ["there", "TypeError", "TypeError"]);
}

#[test]
fn a_failed_dynamic_import_tells_who_asked() {
    fails(
        &[("main.mjs", "\n  await import('./missing.mjs');")],
        &["file://FOLDER/missing.mjs", "file://FOLDER/main.mjs:2"],
    );
}

#[test]
fn a_top_level_await_that_nothing_can_end_is_told_with_its_place() {
    let folder = Folder::new(&[
        ("main.mjs", "import './a.mjs';"),
        (
            "a.mjs",
            "console.log('waits');\nawait new Promise(() => {});",
        ),
    ]);
    let ended = folder.run();
    assert_eq!(ended.stdout, "waits\n");
    let error = ended.error();
    assert!(error.message.contains("await"), "{}", error.message);
    assert_eq!((&*error.file, error.line), (&*folder.url("a.mjs"), 2));
    assert_eq!(error.source_line, "await new Promise(() => {});");
}

#[test]
fn modules_of_the_runtime_are_no_json() {
    for name in ["node:path", "isolane:wasm"] {
        let script =
            format!("import value from '{name}' with {{ type: 'json' }}; console.log(value);");
        fails(&[("main.mjs", &script)], &[name, "no JSON", "main.mjs:1"]);
    }
}

#[test]
fn a_name_of_the_runtime_s_with_a_query_is_no_module() {
    for name in ["node:fs?x", "node:fs#x", "isolane:wasm?y", "node:"] {
        let script = format!("import '{name}'; console.log('ran');");
        fails(
            &[("main.mjs", &script)],
            &["there is no module", "main.mjs:1"],
        );
    }
}

#[test]
fn what_is_no_script_is_told_to_the_maker_of_its_worker() {
    for (url, told) in [
        ("node:fs", "no script"),
        ("http://localhost/x.mjs", "'http:' URLs"),
        ("blob:abc", "'blob:' URLs"),
    ] {
        let script = format!(
            "const worker = new Worker('{url}', {{ type: 'module' }}); worker.onerror = (event) => {{ event.preventDefault(); console.log(event.message); }};"
        );
        let ended = run(WorkerOptions::from_source("/test/main.mjs", script));
        assert!(ended.stdout.contains(told), "{url}: {ended:#?}");
    }
}

#[test]
fn typescript_and_packages_are_told_what_to_do_first() {
    fails(
        &[
            ("main.mjs", "import './types.ts';"),
            ("types.ts", "const a: number = 1;"),
        ],
        &["types.ts", "compile it", "main.mjs:1"],
    );
    fails(
        &[("main.mjs", "import 'lodash';")],
        &["lodash", "bundled", "main.mjs:1"],
    );
}
