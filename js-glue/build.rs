//! Lists every glue file below `src/` as `(path, text)`, so that adding a file needs no second edit.
//!
//! The texts are ASCII, so that V8 can use them in place, one byte a character, in all isolates at once. Comments may hold anything: what is not ASCII
//! there becomes a question mark, and every place stays where it was. In code it is an error.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("src");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for (index, file) in files.iter().enumerate() {
        let name = file.strip_prefix(&root).unwrap_or(file);
        let text = ascii(&fs::read_to_string(file)?)
            .map_err(|line| format!("{}:{line}: code that is not ASCII", file.display()))?;
        let copy = out.join(format!("{index}.js"));
        fs::write(&copy, text)?;
        let _ = writeln!(list, "    ({name:?}, include_str!({copy:?})),");
    }
    list.push(']');
    Ok(fs::write(out.join("sources.rs"), list)?)
}

/// The text, its comments made ASCII; or the number of a line that has something else outside its comment.
fn ascii(text: &str) -> Result<String, usize> {
    let mut copy = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        copy.extend(line.chars().map(|c| if c.is_ascii() { c } else { '?' }));
        copy.push('\n');
        let code = match line.trim_start() {
            comment if comment.starts_with('*') || comment.starts_with("/*") => "",
            code => code.split("// ").next().unwrap_or_default(),
        };
        if !code.is_ascii() {
            return Err(index + 1);
        }
    }
    Ok(copy)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "js") {
            files.push(path);
        }
    }
    Ok(())
}
