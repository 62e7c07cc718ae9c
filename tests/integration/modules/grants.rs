//! Which files may be imported.

use super::*;

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
    let script =
        "import lib from './lib.mjs'; console.log(lib); console.log(import.meta.filename);";
    let options = || WorkerOptions::from_source(name.to_str().unwrap(), script);
    let refused = run(options());
    assert!(
        refused.error().message.contains("requires"),
        "text lies in no folder: {refused:#?}"
    );
    let ended = run(options().permissions(Permissions::none().allow_import(folder.path())));
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
