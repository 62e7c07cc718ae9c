//! ES modules: what an import may name, and what is said of one that fails.

use isolane::{Outcome, Permissions, WorkerOptions};

use crate::support::{Ended, Folder, run};

/// Runs `main.mjs` of these files, which must end well and write `expected`.
#[track_caller]
fn writes(files: &[(&str, &str)], expected: &str) {
    let folder = Folder::new(files);
    let ended = folder.run();
    if let Outcome::Threw(error) = &ended.outcome {
        panic!("{error}\nit wrote:\n{}", ended.stdout);
    }
    assert_eq!(ended.outcome, Outcome::Finished { code: 0 });
    assert_eq!(ended.stderr, "");
    let expected = expected.replace("FOLDER", &folder.path().display().to_string());
    assert_eq!(ended.stdout, expected);
}

/// Runs `main.mjs` of these files, which must end with an uncaught error that says all of `parts`.
#[track_caller]
fn fails(files: &[(&str, &str)], parts: &[&str]) -> Ended {
    let folder = Folder::new(files);
    let ended = folder.run();
    let shown = ended.error().to_string();
    for part in parts {
        let part = part.replace("FOLDER", &folder.path().display().to_string());
        assert!(
            shown.contains(&part),
            "{part:?} is not told; what is:\n{shown}"
        );
    }
    assert_eq!(ended.stdout, "", "nothing of a faulty graph runs");
    ended
}

#[test]
fn relative_absolute_and_file_url_specifiers_name_files() {
    let folder = Folder::new(&[
        (
            "sub/b.mjs",
            "import { c } from '../c.mjs'; export const b = `b${c}`;",
        ),
        ("c.mjs", "export const c = 'c';"),
    ]);
    let absolute = folder.at("c.mjs").display().to_string();
    let url = folder.url("c.mjs");
    folder.write(
        "main.mjs",
        format!(
            "import {{ b }} from './sub/b.mjs';
             import {{ c as c1 }} from './sub/../c.mjs';
             import * as c2 from '{absolute}';
             import * as c3 from '{url}';
             console.log(b, c1, c2 === c3);"
        ),
    );
    let ended = folder.run();
    assert_eq!(ended.outcome, Outcome::Finished { code: 0 });
    assert_eq!(ended.stdout, "bc c true\n");
}

#[test]
fn data_urls_are_modules() {
    writes(
        &[(
            "main.mjs",
            "import a from 'data:text/javascript,export default 1';
             import b from 'data:text/javascript;base64,ZXhwb3J0IGRlZmF1bHQgMg==';
             import c from 'data:application/json,{\"c\":3}' with { type: 'json' };
             import d from 'data:text/javascript;charset=utf-8,export default \"%C3%A4\"';
             console.log(a, b, c, d);",
        )],
        "1 2 { c: 3 } ä\n",
    );
}

#[test]
fn json_modules_are_their_value() {
    writes(
        &[
            (
                "main.mjs",
                "import value from './data.json' with { type: 'json' };
                 const again = await import('./data.json', { with: { type: 'json' } });
                 console.log(value.list[1], again.default === value, Object.keys(again));",
            ),
            ("data.json", "\u{feff}{ \"list\": [1, \"two\"] }"),
        ],
        "two true [ 'default' ]\n",
    );
}

#[test]
fn json_without_the_attribute_is_not_run_as_json() {
    fails(
        &[
            (
                "main.mjs",
                "import value from './data.json';\nconsole.log(value);",
            ),
            ("data.json", "{ \"a\": 1 }"),
        ],
        &["data.json", "main.mjs"],
    );
}

#[test]
fn a_module_runs_once_however_it_is_reached() {
    writes(
        &[
            (
                "main.mjs",
                "import './a.mjs'; import './b.mjs'; import './sub/../once.mjs';
                 const dynamic = await import('./once.mjs');
                 console.log(dynamic.count);
                 await import('./once.mjs?query');",
            ),
            ("a.mjs", "import './once.mjs'; console.log('a');"),
            ("b.mjs", "import './once.mjs'; console.log('b');"),
            ("once.mjs", "export let count = 1; console.log('once');"),
        ],
        "once\na\nb\n1\nonce\n",
    );
}

#[test]
fn dynamic_imports_work_from_every_place() {
    writes(
        &[
            (
                "main.mjs",
                "const { name } = await import('./sub/a.mjs');
                 console.log(name);
                 setTimeout(async () => {
                   console.log((await import('./late.mjs')).default);
                   const { caught } = await import(new URL('./sub/a.mjs', import.meta.url)).then(() => ({ caught: false }));
                   console.log(caught);
                 });",
            ),
            (
                "sub/a.mjs",
                "export const name = (await import('./b.mjs')).default;",
            ),
            ("sub/b.mjs", "export default 'b';"),
            ("late.mjs", "export default 'late';"),
        ],
        "b\nlate\nfalse\n",
    );
}

#[test]
fn top_level_await_holds_back_what_imports_it_and_nothing_else() {
    writes(
        &[
            (
                "main.mjs",
                "import { a } from './a.mjs'; import './b.mjs'; console.log('main', a);",
            ),
            (
                "a.mjs",
                "console.log('a begins'); export const a = await new Promise((r) => setTimeout(r, 1, 'waited')); console.log('a ends');",
            ),
            ("b.mjs", "console.log('b');"),
        ],
        "a begins\nb\na ends\nmain waited\n",
    );
}

#[test]
fn cycles_are_live_bindings() {
    writes(
        &[
            (
                "main.mjs",
                "import { fromA } from './a.mjs'; console.log(fromA());",
            ),
            (
                "a.mjs",
                "import { b } from './b.mjs'; export const a = 'a'; export function fromA() { return b(); }",
            ),
            (
                "b.mjs",
                "import { a } from './a.mjs'; import * as self from './b.mjs'; export function b() { return `${a} through ${typeof self.b}`; }",
            ),
        ],
        "a through function\n",
    );
}

#[test]
fn a_cycle_read_too_early_is_a_reference_error() {
    let folder = Folder::new(&[
        ("main.mjs", "import './a.mjs';"),
        ("a.mjs", "import './b.mjs'; export const a = 1;"),
        ("b.mjs", "import { a } from './a.mjs';\nconsole.log(a);"),
    ]);
    let ended = folder.run();
    let error = ended.error();
    assert_eq!(error.name, "ReferenceError");
    assert_eq!((&*error.file, error.line), (&*folder.url("b.mjs"), 2));
}

#[test]
fn import_meta_tells_of_the_module() {
    writes(
        &[
            (
                "main.mjs",
                "import './sub/inner.mjs'; console.log('main', import.meta.main);",
            ),
            (
                "sub/inner.mjs",
                "const { url, filename, dirname, main } = import.meta;
                 console.log(url); console.log(filename); console.log(dirname); console.log(main);
                 console.log(import.meta.resolve('./x.mjs'));
                 console.log(import.meta.resolve('../y.mjs?a#b'));
                 console.log(import.meta.resolve('node:path'));
                 try { import.meta.resolve('bare'); } catch (error) { console.log(error.name); }",
            ),
        ],
        "file://FOLDER/sub/inner.mjs\nFOLDER/sub/inner.mjs\nFOLDER/sub\nfalse\n\
         file://FOLDER/sub/x.mjs\nfile://FOLDER/y.mjs?a#b\nnode:path\nTypeError\nmain true\n",
    );
}

#[test]
fn import_meta_of_a_data_url_has_no_path() {
    writes(
        &[(
            "main.mjs",
            "import { meta } from 'data:text/javascript,export const meta = import.meta';
             console.log(meta.url.slice(0, 5), meta.filename, meta.dirname, meta.main);",
        )],
        "data: undefined undefined false\n",
    );
}

#[test]
fn names_of_files_may_need_escapes() {
    writes(
        &[
            (
                "main.mjs",
                "import a from './with%20space.mjs'; import b from './ä.mjs'; console.log(a, b);",
            ),
            (
                "with space.mjs",
                "export default import.meta.filename.endsWith('/with space.mjs');",
            ),
            (
                "ä.mjs",
                "export default import.meta.url.endsWith('/%C3%A4.mjs');",
            ),
        ],
        "true true\n",
    );
}

#[test]
fn node_s_modules_have_two_names_and_one_object() {
    writes(
        &[(
            "main.mjs",
            "import path, { join } from 'node:path'; import other from 'path';
             const names = ['events', 'fs', 'fs/promises', 'process', 'url', 'worker_threads'];
             for (const name of names) if ((await import(name)).default !== (await import(`node:${name}`)).default) console.log(name);
             console.log(path === other, path.join === join);",
        )],
        "true true\n",
    );
}

#[test]
fn a_module_may_be_as_large_as_a_bundle() {
    let mut text: String = (0..60_000)
        .map(|index| {
            format!("export function f{index}() {{ return {index}; }} // some text to read\n")
        })
        .collect();
    text.push_str("export default 'large';");
    writes(
        &[
            (
                "main.mjs",
                "import value, { f59999 } from './large.mjs'; console.log(value, f59999());",
            ),
            ("large.mjs", &text),
        ],
        "large 59999\n",
    );
}

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
fn modules_outside_the_first_one_s_folder_need_a_permission() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            "import value from '../lib/value.mjs'; console.log(value);",
        ),
        ("lib/value.mjs", "export default 'from lib';"),
    ]);
    let main = || WorkerOptions::from_file(folder.at("app/main.mjs"));
    let refused = run(main());
    let shown = refused.error().to_string();
    assert!(
        shown.contains("--allow-read")
            && shown.contains("value.mjs")
            && shown.contains("main.mjs:1:19"),
        "the refusal tells the option, the module and the place:\n{shown}"
    );
    for permissions in [
        Permissions::none().allow_import(folder.at("lib")),
        Permissions::none().allow_code_import_all(),
        Permissions::none().allow_read(folder.at("lib")),
        Permissions::all(),
    ] {
        let ended = run(main().permissions(permissions.clone()));
        assert_eq!(ended.stdout, "from lib\n", "{permissions:?}: {ended:#?}");
    }
}

#[test]
fn code_from_everywhere_is_code_alone() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            "console.log((await import('../lib/code.mjs')).default);
             console.log(await import('../lib/data.json', { with: { type: 'json' } }).then(() => 'read', (error) => error.message.includes('--allow-read')));",
        ),
        ("lib/code.mjs", "export default 'code';"),
        ("lib/data.json", "{}"),
    ]);
    let ended = run(WorkerOptions::from_file(folder.at("app/main.mjs"))
        .permissions(Permissions::none().allow_code_import_all()));
    assert_eq!(ended.stdout, "code\ntrue\n", "{ended:#?}");
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_imports_out_of_the_folder() {
    let folder = Folder::new(&[
        (
            "app/main.mjs",
            "import value from './link.mjs'; console.log(value);",
        ),
        ("secret.mjs", "export default 'secret';"),
    ]);
    std::os::unix::fs::symlink(folder.at("secret.mjs"), folder.at("app/link.mjs")).unwrap();
    let ended = run(WorkerOptions::from_file(folder.at("app/main.mjs")));
    assert!(matches!(ended.outcome, Outcome::Threw(_)), "{ended:#?}");
}

#[test]
fn source_that_the_embedder_holds_imports_from_its_name() {
    let folder = Folder::new(&[("lib.mjs", "export default import.meta.url;")]);
    let name = folder.at("not-on-disk.mjs");
    let ended = run(WorkerOptions::from_source(
        name.to_str().unwrap(),
        "import lib from './lib.mjs'; console.log(lib); console.log(import.meta.filename);",
    ));
    assert_eq!(
        ended.stdout,
        format!("{}\n{}\n", folder.url("lib.mjs"), name.display())
    );
}

#[test]
fn a_chain_of_many_modules_loads() {
    let files: Vec<(String, String)> = (0..1_000)
        .map(|index| {
            let text = format!(
                "import {{ v }} from './m{}.mjs'; const w = v + 1; export {{ w as v }};",
                index + 1
            );
            (format!("m{index}.mjs"), text)
        })
        .chain([
            ("m1000.mjs".to_owned(), "export const v = 0;".to_owned()),
            (
                "main.mjs".to_owned(),
                "import { v } from './m0.mjs'; console.log(v);".to_owned(),
            ),
        ])
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    writes(&files, "1000\n");
}
