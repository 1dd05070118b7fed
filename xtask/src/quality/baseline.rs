//! Searches that semantic search is compared with: the investigator, word counts by `rg`, and BM25 over whole
//! files.

use crate::{disk, programs};
use anyhow::{Context, Result, anyhow};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};
use toolpost_engine::{
    CallCtx, Engine, MayRead, Permissions, Session,
    operations::investigate::{Investigate, Request},
};
use toolpost_workspace::{Options, Workspace};

/// A source tree, prepared for the investigator, `rg` and BM25.
pub(super) struct BaselineSearch {
    engine: Engine,
    session: Arc<Session>,
    threads: tokio::runtime::Runtime,
    tree: PathBuf,
    files: Vec<Words>,
}

/// Permissions that allow reading every file, for trees that only measurements use.
struct ReadEverything;

impl Permissions for ReadEverything {
    fn read_filter(&self) -> MayRead {
        Arc::new(|_| true)
    }
}

/// Word frequencies of a file, and its length in words.
struct Words {
    path: String,
    counts: HashMap<String, f64>,
    length: f64,
}

/// Usual BM25 parameters: term saturation, and the influence of the file length.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// Words of commit messages that are not searched for.
const EMPTY: [&str; 32] = [
    "the", "and", "for", "with", "that", "this", "from", "not", "are", "was", "but", "when", "which", "have",
    "has", "had", "will", "can", "into", "use", "also", "now", "more", "than", "its", "all", "any", "you",
    "should", "would", "only", "does",
];

impl BaselineSearch {
    /// Opens a source tree, and counts the words of its files.
    pub(super) fn open(tree: &Path) -> Result<Self> {
        let options = Options { roots: vec![tree.to_owned()], ..Options::default() };
        let (workspace, _) = Workspace::open(options).context("the tree cannot be opened")?;
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let (engine, session) = (Engine::new(workspace), Session::new());
        Ok(Self { engine, session, threads, files: words_of(tree)?, tree: tree.to_owned() })
    }

    /// Returns the files that the investigator cites, best first.
    pub(super) fn investigate(&self, question: &str) -> Result<Vec<String>> {
        let base = self.engine.resolve(".").map_err(|failure| anyhow!(failure.what))?;
        let cx = CallCtx { permissions: Arc::new(ReadEverything), ..CallCtx::denied(self.session.clone()) };
        let request = Request::of(question.to_owned(), base);
        let found = self.threads.block_on(self.engine.run::<Investigate>(request, &cx));
        let found = match found {
            Ok(found) => found,
            // A message that consists of stop words finds nothing.
            Err(failure) if failure.kind == toolpost_engine::Kind::Invalid => return Ok(Vec::new()),
            Err(failure) => return Err(anyhow!(failure.what)),
        };
        let mut files: Vec<String> = Vec::new();
        for finding in found.findings {
            if !files.contains(&finding.path) {
                files.push(finding.path);
            }
        }
        Ok(files)
    }

    /// Returns the best files by BM25 over whole files, split into words at every character that is not
    /// alphanumeric.
    pub(super) fn whole_files(&self, question: &str) -> Vec<String> {
        let count = self.files.len() as f64;
        let mean = self.files.iter().map(|file| file.length).sum::<f64>() / count.max(1.0);
        let asked: BTreeSet<String> = words(question).collect();
        let rarity = |word: &String| {
            let holding = self.files.iter().filter(|file| file.counts.contains_key(word)).count() as f64;
            (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln()
        };
        let asked: Vec<(String, f64)> = asked
            .into_iter()
            .map(|word| {
                let rarity = rarity(&word);
                (word, rarity)
            })
            .collect();
        let score = |file: &Words| -> f64 {
            let of = |(word, rarity): &(String, f64)| {
                let often = file.counts.get(word).copied().unwrap_or_default();
                let length = 1.0 - LENGTH + LENGTH * file.length / mean;
                rarity * often * (SATURATION + 1.0) / (often + SATURATION * length)
            };
            asked.iter().map(of).sum()
        };
        let mut found: Vec<(f64, &String)> = self
            .files
            .iter()
            .map(|file| (score(file), &file.path))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        found.into_iter().map(|(_, path)| path.clone()).collect()
    }

    /// Returns the files that contain words of the question, those with the most occurrences first, counted by `rg`.
    pub(super) fn counted(&self, question: &str) -> Result<Vec<String>> {
        let mut seen = HashSet::new();
        let words: Vec<String> = question
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .map(str::to_lowercase)
            .filter(|word| word.len() > 2 && !EMPTY.contains(&word.as_str()) && seen.insert(word.clone()))
            .collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut rg = programs::program("rg");
        rg.args(["--count-matches", "--ignore-case", "--fixed-strings", "--no-messages"]);
        words.iter().for_each(|word| {
            rg.args(["-e", word]);
        });
        let said = rg.arg(".").current_dir(&self.tree).output().context("rg cannot be started")?;
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let line = |line: &str| {
            let (path, count) = line.rsplit_once(':')?;
            Some((count.parse::<u64>().ok()?, path.strip_prefix("./").unwrap_or(path).to_owned()))
        };
        let mut files: Vec<(u64, String)> = text.lines().filter_map(line).collect();
        files.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        Ok(files.into_iter().map(|(_, path)| path).collect())
    }
}

/// Reads the words of all files that `rg` would search.
fn words_of(tree: &Path) -> Result<Vec<Words>> {
    let mut rg = programs::program("rg");
    let said =
        rg.args(["--files", "--no-messages"]).current_dir(tree).output().context("rg cannot be started")?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let one = |path: &str| {
        let content = disk::read(&tree.join(path)).ok()?;
        let mut counts: HashMap<String, f64> = HashMap::new();
        words(&content).for_each(|word| *counts.entry(word).or_default() += 1.0);
        let length = counts.values().sum();
        Some(Words { path: path.to_owned(), counts, length })
    };
    Ok(text.lines().filter_map(one).collect())
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 1).map(str::to_lowercase)
}
