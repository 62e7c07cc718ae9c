//! What an import may name, and what it gets.

use super::*;

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

/// ECMAScript §13.3.10: between the call and the evaluation there are reactions of promises.
#[test]
fn import_evaluates_after_the_code_that_called_it() {
    writes(
        &[(
            "main.mjs",
            "import('data:text/javascript,console.log(\"module\")').then(() => console.log('then'));
             console.log('after'); await null; await null; await null; await null;
             const chain = (n) => 'data:text/javascript,' + encodeURIComponent(`export default ${n}; globalThis.count = (globalThis.count ?? 0) + 1; if (${n} > 0) import(chain(${n} - 1));`);
             globalThis.chain = chain; await import(chain(2000));
             while (globalThis.count < 2001) await new Promise((resolve) => setTimeout(resolve));
             console.log(globalThis.count);",
        )],
        "after\nmodule\nthen\n2001\n",
    );
}

#[test]
fn a_module_in_the_middle_of_its_evaluation_may_be_imported() {
    writes(
        &[
            (
                "main.mjs",
                "import { other } from './other.mjs'; export const own = 'main';
                 import(import.meta.url).then(({ own }) => console.log('self', own)); console.log((await other).own);
                 const worker = new Worker('data:text/javascript,import(import.meta.url).then(() => postMessage(1))', { type: 'module' });
                 console.log(await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); worker.onerror = resolve; }));
                 worker.terminate();",
            ),
            ("other.mjs", "export const other = Promise.resolve().then(() => import('./leaf.mjs')); import('./main.mjs').then(({ own }) => console.log('cycle', own));"),
            ("leaf.mjs", "export const own = 'leaf';"),
        ],
        "leaf\n1\ncycle main\nself main\n",
    );
}
