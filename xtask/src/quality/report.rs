//! Markdown tables of the retrieval quality.

use std::fmt::Write;

/// Number of queries, and sums over all of them: reciprocal rank of the wanted result, and share of the wanted
/// results found.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Figures {
    pub(super) asked: usize,
    pub(super) reciprocal: f64,
    pub(super) found: f64,
}

/// Search quality for the functions of one language.
pub(super) struct Functions {
    pub(super) language: String,
    pub(super) count: usize,
    pub(super) ways: Vec<(&'static str, Figures)>,
    /// Figures of the full MiniLM model for the same queries: MRR, recall, blocks per second.
    pub(super) reference: Option<(f64, f64, f64)>,
    pub(super) speed: f64,
}

/// Search quality for the commits of one repository.
pub(super) struct Commits {
    pub(super) name: String,
    pub(super) commits: usize,
    pub(super) blocks: usize,
    pub(super) ways: Vec<(&'static str, Figures)>,
}

impl Figures {
    fn mean(&self, sum: f64) -> f64 {
        sum / self.asked.max(1) as f64
    }
}

pub(super) fn functions(rows: &[Functions]) -> String {
    let mut out = String::from(
        "| functions of | way | MRR@10 | recall@10 | blocks a second |\n|---|---|--:|--:|--:|\n",
    );
    for row in rows {
        for (way, figures) in &row.ways {
            let (mrr, recall) = (figures.mean(figures.reciprocal), figures.mean(figures.found));
            let speed = if *way == "meaning" { format!("{:.0}", row.speed) } else { "–".to_owned() };
            let _ = writeln!(
                out,
                "| {} ({}) | {way} | {mrr:.3} | {recall:.3} | {speed} |",
                row.language, row.count
            );
        }
        if let Some((mrr, recall, speed)) = row.reference {
            let _ = writeln!(
                out,
                "| {} ({}) | full MiniLM, for reference | {mrr:.3} | {recall:.3} | {speed:.0} |",
                row.language, row.count
            );
        }
    }
    out
}

pub(super) fn commits(rows: &[Commits]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "\n| history | commits | blocks | way | recall@10 of the files |\n|---|--:|--:|---|--:|\n",
    );
    for row in rows {
        for (way, figures) in &row.ways {
            let recall = figures.mean(figures.found);
            let _ =
                writeln!(out, "| {} | {} | {} | {way} | {recall:.3} |", row.name, row.commits, row.blocks);
        }
    }
    out
}
