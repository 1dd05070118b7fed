//! Tables of the accuracy, in Markdown and JSON.

use super::corpora::Corpus;
use super::score::{Claims, Ratio, Score};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write};

/// Accuracy figures of one corpus.
pub(super) struct Row {
    pub(super) corpus: Corpus,
    pub(super) files: usize,
    /// Number of call sites by the class of their target: definition, external, variable, unknown.
    pub(super) classes: [usize; 4],
    pub(super) levels: Vec<(&'static str, Score)>,
    /// Share of correct targets for each label: certainty and resolution method.
    pub(super) how: BTreeMap<String, Ratio>,
    /// Counts of the definitions for which the index misses the target of a call, and of those that it nevertheless reports
    /// as complete.
    pub(super) claims: Claims,
}

/// Precision that `inferred: unique` must reach in each language, in percent.
const UNIQUE: usize = 95;

/// Formats the accuracy tables of all corpora.
pub(super) fn table(rows: &[Row]) -> String {
    let mut out = String::from(
        "| corpus | oracle | files | calls to its own definitions | to others | to variables | without an answer |\n\
         |---|---|--:|--:|--:|--:|--:|\n",
    );
    for row in rows {
        let Row { corpus, files, classes: [own, other, variable, unknown], .. } = row;
        let (name, version, oracle) = (corpus.name, corpus.version, corpus.tongue.oracle());
        let _ = writeln!(
            out,
            "| {name} {version} ({}) | {oracle} | {files} | {own} | {other} | {variable} | {unknown} |",
            corpus.tongue.name()
        );
    }
    out.push_str("\n| corpus | level | site precision | site recall | edge precision | edge recall |\n");
    out.push_str("|---|---|--:|--:|--:|--:|\n");
    for row in rows {
        for (level, score) in &row.levels {
            let shares = [score.site_precision, score.site_recall, score.edge_precision, score.edge_recall];
            let shares = shares.map(Ratio::shown).join(" | ");
            let _ = writeln!(out, "| {} | {level} | {shares} |", row.corpus.name);
        }
    }
    out.push_str("\n| corpus | definitions with calls | with a missing call | of these, reported as complete |\n|---|--:|--:|--:|\n");
    for row in rows {
        let Claims { definitions, lacking, claiming } = row.claims;
        let _ = writeln!(out, "| {} | {definitions} | {lacking} | {claiming} |", row.corpus.name);
    }
    if rows.iter().any(|row| !row.how.is_empty()) {
        out.push_str(&calibration(rows));
    }
    out
}

/// Lists the failures: incomplete answers that claim completeness, and languages in which `inferred: unique`
/// is too often wrong.
pub(super) fn shortfalls(rows: &[Row]) -> Vec<String> {
    let claiming = rows.iter().filter(|row| row.claims.claiming > 0).map(|row| {
        format!("{}: {} answers lack a call but claim to be complete", row.corpus.name, row.claims.claiming)
    });
    let low = by_language(rows)
        .into_iter()
        .filter(|((_, how), share)| *how == "inferred: unique" && share.part * 100 < share.whole * UNIQUE);
    let low = low.map(|((language, how), share)| {
        format!("{language}: {how} has a precision of {}, which is too low", share.shown())
    });
    claiming.chain(low).collect()
}

fn by_language(rows: &[Row]) -> BTreeMap<(&str, &str), Ratio> {
    let mut all: BTreeMap<(&str, &str), Ratio> = BTreeMap::new();
    for row in rows {
        for (how, share) in &row.how {
            let sum = all.entry((row.corpus.tongue.name(), how)).or_default();
            sum.part += share.part;
            sum.whole += share.whole;
        }
    }
    all
}

/// Formats the share of correct targets for each certainty and resolution method, over all corpora of a
/// language.
fn calibration(rows: &[Row]) -> String {
    let all = by_language(rows);
    let mut out = String::from("\n| language | how | right | of | precision |\n|---|---|--:|--:|--:|\n");
    for ((language, how), share) in all {
        let Ratio { part, whole } = share;
        let _ = writeln!(out, "| {language} | {how} | {part} | {whole} | {} |", share.shown());
    }
    out
}

/// Returns the accuracy figures of all corpora as JSON.
pub(super) fn json(rows: &[Row]) -> Value {
    let share = |share: Ratio| json!([share.part, share.whole]);
    let level = |(name, score): &(&str, Score)| {
        json!({
            "level": name,
            "site_precision": share(score.site_precision),
            "site_recall": share(score.site_recall),
            "edge_precision": share(score.edge_precision),
            "edge_recall": share(score.edge_recall),
        })
    };
    let row = |row: &Row| {
        let [own, other, variable, unknown] = row.classes;
        json!({
            "corpus": row.corpus.name,
            "version": row.corpus.version,
            "language": row.corpus.tongue.name(),
            "oracle": row.corpus.tongue.oracle(),
            "files": row.files,
            "sites": { "own": own, "other": other, "variable": variable, "unknown": unknown },
            "levels": row.levels.iter().map(level).collect::<Vec<_>>(),
            "claims": {
                "definitions": row.claims.definitions,
                "lacking": row.claims.lacking,
                "claiming": row.claims.claiming,
            },
            "how": row.how.iter().map(|(how, one)| (how.clone(), share(*one))).collect::<serde_json::Map<_, _>>(),
        })
    };
    Value::Array(rows.iter().map(row).collect())
}
