//! Medians, ratios, and their table, JSON and picture.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Figures by cell and runtime.
pub(crate) type Samples = BTreeMap<String, BTreeMap<String, Vec<f64>>>;

const ISOLANE: &str = "isolane";
const PEERS: [&str; 3] = ["node", "deno", "bun"];

pub(crate) struct Report {
    rows: Vec<Row>,
    limits: Vec<(String, f64)>,
    versions: BTreeMap<String, String>,
    rounds: usize,
    processor: String,
}

/// One cell.
struct Row {
    cell: String,
    medians: BTreeMap<String, f64>,
}

impl Row {
    /// The peer that needs least, and its figure.
    fn best(&self) -> Option<(&str, f64)> {
        let figures = PEERS
            .iter()
            .filter_map(|peer| Some((*peer, *self.medians.get(*peer)?)));
        figures.min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// How many times Isolane's figure goes into the best peer's.
    fn ratio(&self) -> Option<f64> {
        Some(self.best()?.1 / self.medians.get(ISOLANE)?)
    }
}

fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Report {
    /// `order`: the cells as they were told.
    pub(crate) fn new(
        samples: &Samples,
        order: Vec<String>,
        versions: BTreeMap<String, String>,
        rounds: usize,
    ) -> Self {
        let medians = |cell: &str| -> BTreeMap<String, f64> {
            let of_cell = samples.get(cell).into_iter().flatten();
            of_cell
                .map(|(runtime, figures)| (runtime.clone(), median(figures)))
                .collect()
        };
        let limits = samples
            .iter()
            .filter_map(|(cell, figures)| Some((cell.clone(), median(figures.get("native")?))))
            .collect();
        let rows = order
            .into_iter()
            .map(|cell| Row {
                medians: medians(&cell),
                cell,
            })
            .collect();
        Self {
            rows,
            limits,
            versions,
            rounds,
            processor: processor(),
        }
    }

    /// Ratios alone: absolute times of a machine that others share say nothing.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{}; {} rounds, medians.", self.processor, self.rounds);
        for (runtime, version) in &self.versions {
            let _ = writeln!(text, "- {runtime}: {version}");
        }
        let _ = writeln!(
            text,
            "\nTime (or memory) of each peer over Isolane's: above 1, Isolane needs less.\n"
        );
        let _ = writeln!(
            text,
            "| cell | node | deno | bun | best peer |\n|---|---|---|---|---|"
        );
        for row in &self.rows {
            let own = row.medians.get(ISOLANE).copied().unwrap_or(f64::NAN);
            let _ = write!(text, "| {} |", row.cell);
            for peer in PEERS {
                let ratio = row
                    .medians
                    .get(peer)
                    .map_or(f64::NAN, |figure| figure / own);
                let _ = write!(text, " {ratio:.2} |");
            }
            let _ = writeln!(text, " {:.2} |", row.ratio().unwrap_or(f64::NAN));
        }
        let unit = self
            .limits
            .iter()
            .find(|(name, _)| name.starts_with("a cache line"))
            .map_or(1.0, |(_, figure)| *figure);
        let _ = writeln!(
            text,
            "\nThe machine's own limits, in round trips of a cache line:\n\n| limit | |\n|---|---|"
        );
        for (name, figure) in &self.limits {
            let _ = writeln!(text, "| {name} | {:.2} |", figure / unit);
        }
        for (cell, limit) in [
            ("ping-pong int32", "a cache line there and back"),
            ("ping-pong after sleep", "park and unpark, there and back"),
            ("send a copy 4 MiB", "memcpy 4 MiB"),
        ] {
            let own = self
                .rows
                .iter()
                .find(|row| row.cell == cell)
                .and_then(|row| row.medians.get(ISOLANE));
            let limit_figure = self.limits.iter().find(|(name, _)| name == limit);
            if let (Some(own), Some((_, figure))) = (own, limit_figure) {
                let _ = writeln!(
                    text,
                    "\nIsolane's \"{cell}\" takes {:.2} times \"{limit}\".",
                    own / figure
                );
            }
        }
        text
    }

    /// Writes `peers.json` (all medians, nanoseconds or bytes), `peers.md` and `peers.svg`.
    pub(crate) fn write(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let cells: serde_json::Map<String, serde_json::Value> = self
            .rows
            .iter()
            .map(|row| (row.cell.clone(), serde_json::json!(row.medians)))
            .collect();
        let json = serde_json::json!({
            "processor": self.processor,
            "rounds": self.rounds,
            "versions": self.versions,
            "limits": self.limits.iter().cloned().collect::<BTreeMap<_, _>>(),
            "cells": cells,
        });
        std::fs::write(folder.join("peers.json"), format!("{json:#}\n"))?;
        std::fs::write(folder.join("peers.md"), self.table())?;
        std::fs::write(folder.join("peers.svg"), self.picture())
    }

    /// A bar for each cell on a logarithmic axis: to the right of 1 Isolane is faster than the best peer, to the left slower.
    fn picture(&self) -> String {
        const LINE: f64 = 18.0;
        const LEFT: f64 = 330.0;
        const WIDTH: f64 = 480.0;
        let top = 50.0;
        let height = top + LINE * self.rows.len() as f64 + 20.0;
        // From a hundredth to a hundred times.
        let at = |ratio: f64| LEFT + WIDTH * (ratio.log10().clamp(-2.0, 2.0) + 2.0) / 4.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"20\" font-size=\"14\">Isolane against the best of Node, Deno and Bun: times as fast</text>\n",
            LEFT + WIDTH + 70.0
        );
        for mark in [0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 100.0] {
            let x = at(mark);
            let colour = if mark == 1.0 { "black" } else { "#ddd" };
            let _ = writeln!(
                svg,
                "<line x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{}\" stroke=\"{colour}\"/><text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\" font-size=\"10\">{mark}</text>",
                height - 20.0,
                top - 6.0
            );
        }
        for (index, row) in self.rows.iter().enumerate() {
            let Some(ratio) = row.ratio().filter(|ratio| ratio.is_finite()) else {
                continue;
            };
            let y = top + LINE * index as f64;
            let (from, to) = if ratio < 1.0 {
                (at(ratio), at(1.0))
            } else {
                (at(1.0), at(ratio))
            };
            let colour = if ratio < 1.0 { "#d9713c" } else { "#3c78b4" };
            let name = row.cell.replace('&', "&amp;").replace('<', "&lt;");
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text><rect x=\"{from:.1}\" y=\"{}\" width=\"{:.1}\" height=\"12\" fill=\"{colour}\"/><text x=\"{}\" y=\"{}\" font-size=\"10\">{ratio:.2}</text>",
                LEFT - 8.0,
                y + 13.0,
                y + 3.0,
                (to - from).max(1.0),
                LEFT + WIDTH + 8.0,
                y + 13.0
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// The processor's name and how many of it there are.
fn processor() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = information.lines().find_map(|line| {
        line.strip_prefix("model name")?
            .split_once(": ")
            .map(|(_, name)| name.to_owned())
    });
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{}, {count} cores",
        name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
    )
}
