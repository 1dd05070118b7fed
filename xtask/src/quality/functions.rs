//! Search quality by functions: the query is the first sentence of a doc comment, and the wanted result is the
//! function.

use super::report::{Figures, Functions};
use super::{IndexedTree, Way, note};
use crate::{disk, output};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use toolpost_workspace::Hasher;

/// Measured languages, each with its file extension.
const LANGUAGES: [(&str, &str); 2] = [("python", "py"), ("rust", "rs")];
/// Maximum number of measured functions per language, evenly spaced; `tools/embedder/reference.py` selects the
/// same functions.
pub(super) const MOST: usize = 1_500;

/// A query, and the code that it describes.
struct Pair {
    question: String,
    code: String,
}

/// Measures the search quality in each language, on at most `most` functions. `reference` has the stored figures of
/// the full MiniLM model.
pub(super) fn measure(
    pairs: &Path,
    target: &Path,
    ways: &[Way],
    most: usize,
    reference: Option<&Value>,
) -> Result<Vec<Functions>> {
    let text = disk::read(pairs).with_context(|| {
        format!("{} cannot be read: create it with tools/embedder/pairs.py", pairs.display())
    })?;
    let all: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    LANGUAGES.iter().map(|language| one(&all, *language, target, ways, most, reference)).collect()
}

fn one(
    all: &[Value],
    (language, ending): (&str, &str),
    target: &Path,
    ways: &[Way],
    most: usize,
    reference: Option<&Value>,
) -> Result<Functions> {
    let own: Vec<&Value> = all.iter().filter(|pair| pair["language"] == language).collect();
    let count = own.len().min(most);
    ensure!(count > 0, "the file of `--pairs` contains no functions of {language}");
    let said = |pair: &Value, key: &str| pair[key].as_str().unwrap_or_default().to_owned();
    let pair = |at: usize| Pair {
        question: said(own[at * own.len() / count], "query"),
        code: said(own[at * own.len() / count], "code"),
    };
    let pairs: Vec<Pair> = (0..count).map(pair).collect();
    let tree = target.join(language);
    disk::remove_folder(&tree)?;
    disk::make_folder(&tree)?;
    for (number, pair) in pairs.iter().enumerate() {
        disk::write(&tree.join(format!("f{number}.{ending}")), dedented(&pair.code).as_bytes())?;
    }
    let searched = IndexedTree::open(&tree)?;
    let mut figures = vec![Figures::default(); ways.len()];
    for (number, pair) in pairs.iter().enumerate() {
        let vector = searched.vector(&pair.question)?;
        let wanted = format!("f{number}.{ending}");
        for (figures, (_, fusion)) in figures.iter_mut().zip(ways) {
            let (files, _) = searched.ask(&pair.question, &vector, *fusion)?;
            note(figures, files.iter().position(|file| *file == wanted));
        }
    }
    Ok(Functions {
        language: language.to_owned(),
        count,
        ways: ways.iter().map(|(way, _)| *way).zip(figures).collect(),
        reference: reference.and_then(|stored| {
            let known = of_reference(&stored[language], &pairs);
            known
                .map_err(|error| {
                    output::complain(&format!("{language}: MiniLM's figures are left out: {error}"));
                })
                .ok()
        }),
        speed: searched.speed,
    })
}

/// Removes the indentation that all lines of a function's code share.
fn dedented(code: &str) -> String {
    // The first line has lost its indentation; the other lines show how far the function was indented.
    let depth = |line: &str| line.len() - line.trim_start().len();
    let rest = || code.lines().skip(1).filter(|line| !line.trim().is_empty());
    let last = code.lines().next_back().map_or(0, depth);
    let least = rest().map(depth).min().unwrap_or(0);
    let by = if code.trim_end().ends_with('}') { last } else { least.saturating_sub(4) };
    let line = |line: &str| line.get(by.min(depth(line))..).unwrap_or_default().to_owned() + "\n";
    let mut lines = code.lines();
    let first = lines.next().unwrap_or_default().to_owned() + "\n";
    first + &lines.map(line).collect::<String>()
}

/// Reads the stored figures of the model MiniLM; fails if they were measured on other functions.
fn of_reference(stored: &Value, pairs: &[Pair]) -> Result<(f64, f64, f64)> {
    let mut hasher = Hasher::default();
    for pair in pairs {
        hasher.update(pair.question.as_bytes());
        hasher.update(&[0]);
        hasher.update(pair.code.as_bytes());
        hasher.update(&[0]);
    }
    ensure!(
        stored["blake3"].as_str() == Some(hasher.finish().to_hex().as_str()),
        "the figures in tools/embedder/minilm.json are for other functions: run tools/embedder/reference.py again"
    );
    let number =
        |key: &str| stored[key].as_f64().with_context(|| format!("tools/embedder/minilm.json lacks {key}"));
    Ok((number("mrr")?, number("recall")?, number("blocks_a_second")?))
}
