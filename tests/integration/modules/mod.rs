//! ES modules: what an import may name, and what is said of one that fails.

mod errors;
mod grants;
mod imports;

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
