//! The same programs on Isolane, Node, Deno and Bun, side by side: `make bench-peers`.
//!
//! Each file of `cells/` is run by each runtime in turn, and that several times over, so that whatever else the machine does befalls all of them. A cell's
//! figure is the median over the rounds. Figures of one run are compared with each other and with nothing else; what native code needs for the same
//! work stands beside them.

mod native;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use report::{Report, Samples};

const CELLS: [&str; 6] = [
    "messages",
    "broadcast",
    "channels",
    "buffers",
    "clones",
    "lifecycle",
];

/// A run of one file that takes longer has hung.
const LIMIT: Duration = Duration::from_secs(180);

struct Runtime {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
}

impl Runtime {
    fn version(&self) -> String {
        let output = Command::new(&self.program).arg("--version").output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let text = text.unwrap_or_default();
        text.lines().next().unwrap_or("?").trim().to_owned()
    }

    /// What the cells of a file told. The error says which file failed, and how.
    fn run(&self, file: &Path) -> Result<Vec<(String, f64)>, String> {
        let failed = |what: String| format!("{} {}: {what}", self.name, file.display());
        let mut child = Command::new(&self.program)
            .args(self.arguments)
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let begin = Instant::now();
        // A pipe holds what the cells of one file tell.
        let status = loop {
            match child
                .try_wait()
                .map_err(|error| failed(error.to_string()))?
            {
                Some(status) => break status,
                None if begin.elapsed() > LIMIT => {
                    let _ended = child.kill();
                    return Err(failed(format!("not done within {LIMIT:?}")));
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let output = child
            .wait_with_output()
            .map_err(|error| failed(error.to_string()))?;
        if !status.success() {
            return Err(failed(status.to_string()));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines()
            .map(|line| figure(line).ok_or_else(|| failed(format!("unexpected output: {line}"))))
            .collect()
    }
}

fn figure(line: &str) -> Option<(String, f64)> {
    let told: serde_json::Value = serde_json::from_str(line).ok()?;
    Some((told["cell"].as_str()?.to_owned(), told["figure"].as_f64()?))
}

fn runtimes(root: &Path) -> Vec<Runtime> {
    let peers = root.join("benches/peers/runtimes/node_modules");
    vec![
        Runtime {
            name: "isolane",
            program: root.join("target/release/isolane"),
            arguments: &["run", "-A"],
        },
        Runtime {
            name: "node",
            program: peers.join(".bin/node"),
            arguments: &[],
        },
        Runtime {
            name: "deno",
            program: peers.join("@deno/linux-x64-glibc/deno"),
            arguments: &["run", "-A", "--quiet"],
        },
        Runtime {
            name: "bun",
            program: peers.join("bun/bin/bun.exe"),
            arguments: &[],
        },
    ]
}

fn main() -> Result<(), String> {
    let mut rounds = 5;
    let mut files: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => {
                let count = arguments
                    .next()
                    .and_then(|count| count.parse().ok())
                    .filter(|count| *count > 0);
                rounds = count.ok_or("--rounds: a number above 0 is needed")?;
            }
            name if CELLS.contains(&name) => files.push(name.to_owned()),
            other => {
                return Err(format!(
                    "{other}: unknown; there are --rounds N and the cells {}",
                    CELLS.join(", ")
                ));
            }
        }
    }
    if files.is_empty() {
        files = CELLS.map(str::to_owned).to_vec();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .ok_or("the workspace has no folder")?;
    let runtimes = runtimes(root);
    for runtime in &runtimes {
        if !runtime.program.exists() {
            return Err(format!(
                "{} is missing: run it by `make bench-peers`, which installs it",
                runtime.program.display()
            ));
        }
    }
    let mut samples: Samples = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for round in 0..rounds {
        for (cell, figure) in native::limits() {
            samples
                .entry(cell)
                .or_default()
                .entry("native".to_owned())
                .or_default()
                .push(figure);
        }
        for file in &files {
            let path = root.join("benches/peers/cells").join(format!("{file}.mjs"));
            for turn in 0..runtimes.len() {
                // Nobody is always first.
                let runtime = &runtimes[(turn + round) % runtimes.len()];
                eprintln!(
                    "round {} of {rounds}: {file} on {}",
                    round + 1,
                    runtime.name
                );
                for (cell, figure) in runtime.run(&path)? {
                    if !order.contains(&cell) {
                        order.push(cell.clone());
                    }
                    samples
                        .entry(cell)
                        .or_default()
                        .entry(runtime.name.to_owned())
                        .or_default()
                        .push(figure);
                }
            }
        }
    }
    let versions = runtimes
        .iter()
        .map(|runtime| (runtime.name.to_owned(), runtime.version()))
        .collect();
    let report = Report::new(&samples, order, versions, rounds);
    println!("{}", report.table());
    let folder = root.join("benches/results");
    report
        .write(&folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    println!("written to {}", folder.display());
    Ok(())
}
