//! Ways to find files for a question that are more, or less, than one search: the investigator, and counting words with `rg`.

use crate::programs;
use anyhow::{Context, Result, anyhow};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};
use toolpost_engine::{
    CallCtx, Engine, Operation, Session,
    operations::investigate::{Investigate, Request},
};
use toolpost_workspace::{Options, Workspace};

/// What asks in these ways.
pub(super) struct Beside {
    engine: Engine,
    session: Arc<Session>,
    threads: tokio::runtime::Runtime,
    tree: PathBuf,
}

/// Words that stand in any message.
const EMPTY: [&str; 32] = [
    "the", "and", "for", "with", "that", "this", "from", "not", "are", "was", "but", "when", "which", "have",
    "has", "had", "will", "can", "into", "use", "also", "now", "more", "than", "its", "all", "any", "you",
    "should", "would", "only", "does",
];

impl Beside {
    /// Opens a tree.
    pub(super) fn open(tree: &Path) -> Result<Self> {
        let options = Options { roots: vec![tree.to_owned()], ..Options::default() };
        let (workspace, _) = Workspace::open(options).context("the tree cannot be opened")?;
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        Ok(Self { engine: Engine::new(workspace), session: Session::new(), threads, tree: tree.to_owned() })
    }

    /// Lists the files that the investigator cites, the best first.
    pub(super) fn investigate(&self, question: &str) -> Result<Vec<String>> {
        let base = self.engine.resolve(".").map_err(|failure| anyhow!(failure.what))?;
        let cx = CallCtx::unlimited(self.session.clone());
        let request = Request::of(question.to_owned(), base);
        let found = self.threads.block_on(Investigate::run(&self.engine, request, &cx));
        let found = match found {
            Ok(found) => found,
            // A message without a word is one to which nothing is found.
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

    /// Lists the files in which the words of a question stand most often, as `rg` counts them.
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
