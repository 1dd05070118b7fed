//! `cargo xtask quality`: quality of the results of keyword, semantic and combined search.

mod baseline;
mod commits;
mod functions;
mod names;
mod report;

use crate::{Repository, Verdict, disk, docs::generated_parts, output};
use anyhow::{Context, Result, anyhow, bail};
use report::{Commits, Figures, Functions};
use std::path::{Path, PathBuf};
use toolpost_ranked::embed::{Static, TextRole, Vector};
use toolpost_ranked::{EmbeddingIndex, Fusion, Index, SemanticQuery};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// Page that contains the tables.
const PAGE: &str = "docs/quality.md";

const HELP: &str = "cargo xtask quality --pairs FOLDER [--history REPOSITORY]… [--choose]
cargo xtask quality --investigator --history REPOSITORY… [--commits N]
cargo xtask quality --names TREE…

Functions: the query is the first sentence of a function's doc comment. The search must find the function, without the comment,
among all others of packages that the model was not tuned on. FOLDER is the output of tools/embedder/pairs.py.
Commits: the query is the message of a commit. The search must find the files that the commit changed, in the state before it and
the other commits. REPOSITORY is a git directory. With two of them, the run writes the tables to docs/quality.md.

  --investigator   measures only the commits: by keywords, by the investigator, by BM25 over whole files, and by counting words
                   with rg; with two histories, the run writes the table to docs/quality.md
  --commits N      the number of commits to measure, evenly spaced [all]
  --names          searches for names that the code of a tree defines, and counts how often the definition comes first; writes no file
  --choose         measures many combinations of keywords and embeddings, on the packages that are reserved for choosing the
                   settings, and on histories, which should not be those of the tables";

/// A search method: its name in the tables, and how it combines the rankings by keywords and by embeddings.
/// `None` stands for the combination that the tools use, which depends on the length of the question.
type Way = (&'static str, Option<Fusion>);

/// The search methods that the published tables compare.
const WAYS: [Way; 3] =
    [("words (BM25)", Some(Fusion::Scores(0.0))), ("meaning", Some(Fusion::Scores(1.0))), ("both", None)];
/// The search methods that `--choose` compares, to select the combination that the tools use.
const CHOICE: [Way; 12] = [
    ("words", Some(Fusion::Scores(0.0))),
    ("meaning", Some(Fusion::Scores(1.0))),
    ("scores .4", Some(Fusion::Scores(0.4))),
    ("scores .5", Some(Fusion::Scores(0.5))),
    ("scores .6", Some(Fusion::Scores(0.6))),
    ("scores .7", Some(Fusion::Scores(0.7))),
    ("scores .75", Some(Fusion::Scores(0.75))),
    ("scores .8", Some(Fusion::Scores(0.8))),
    ("ranks .5", Some(Fusion::Ranks(0.5))),
    ("ranks .6", Some(Fusion::Ranks(0.6))),
    ("ranks .7", Some(Fusion::Ranks(0.7))),
    ("by length", None),
];
/// Maximum number of functions per language with `--choose`.
const FEWER: usize = 1_000;
/// Number of code blocks that a search requests, enough for results from ten files.
const BLOCKS: usize = 80;

/// Options of `cargo xtask quality`.
#[derive(Default)]
struct Plan {
    pairs: Option<PathBuf>,
    histories: Vec<PathBuf>,
    choose: bool,
    investigator: bool,
    names: Vec<PathBuf>,
    commits: Option<usize>,
}

/// A source tree with its index and its embeddings.
struct IndexedTree {
    index: Index,
    meaning: EmbeddingIndex,
    root: WorkspacePath,
    /// Speed of embedding in code blocks per second, including the time for reading the files.
    speed: f64,
}

/// Measures the search quality, prints the tables, and inserts them into `PAGE`.
///
/// # Errors
/// If something cannot be read or searched.
pub(crate) fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    if arguments.iter().any(|argument| argument == "--help") {
        output::line(HELP);
        return Ok(Verdict::Good);
    }
    let plan = plan(arguments)?;
    if !plan.names.is_empty() {
        names::measure(&plan.names)?;
        return Ok(Verdict::Good);
    }
    if plan.investigator {
        return investigated(house, &plan);
    }
    let pairs = plan.pairs.as_ref().context("--pairs FOLDER is missing; see --help")?;
    let target = house.target().join("quality");
    if plan.choose {
        let rows = functions::measure(
            &pairs.join("validation.jsonl"),
            &target.join("choose"),
            &CHOICE,
            FEWER,
            None,
        )?;
        let histories = plan.histories.iter().map(|place| commits::measure(place, &target, &CHOICE, None));
        let histories: Vec<Commits> = histories.collect::<Result<_>>()?;
        output::line(&(report::functions(&rows) + &report::commits(&histories)));
        return Ok(Verdict::Good);
    }
    let reference = house.read("tools/embedder/minilm.json")?;
    let reference = serde_json::from_str(&reference).context("tools/embedder/minilm.json cannot be read")?;
    let rows: Vec<Functions> = functions::measure(
        &pairs.join("test.jsonl"),
        &target.join("test"),
        &WAYS,
        functions::MOST,
        Some(&reference),
    )?;
    let mut table = report::functions(&rows);
    let histories = plan.histories.iter().map(|place| commits::measure(place, &target, &WAYS, None));
    let histories: Vec<Commits> = histories.collect::<Result<_>>()?;
    table.push_str(&report::commits(&histories));
    output::line(&table);
    if histories.len() >= 2 {
        house.write(PAGE, &generated_parts::put(&house.read(PAGE)?, "quality", &format!("\n{table}\n"))?)?;
        output::line(&format!("{PAGE}: the tables are written"));
    }
    Ok(Verdict::Good)
}

/// Measures keyword search, the investigator, BM25 over whole files and `rg` on the commits of the histories.
fn investigated(house: &Repository, plan: &Plan) -> Result<Verdict> {
    let target = house.target().join("quality");
    let most = plan.commits.unwrap_or(usize::MAX);
    let rows = plan.histories.iter().map(|place| commits::measure(place, &target, &WAYS[..1], Some(most)));
    let rows: Vec<Commits> = rows.collect::<Result<_>>()?;
    let table = report::commits(&rows);
    output::line(&table);
    if rows.len() >= 2 {
        house
            .write(PAGE, &generated_parts::put(&house.read(PAGE)?, "investigator", &format!("{table}\n"))?)?;
        output::line(&format!("{PAGE}: the table is written"));
    }
    Ok(Verdict::Good)
}

fn plan(arguments: &[String]) -> Result<Plan> {
    let (mut plan, mut rest) = (Plan::default(), arguments);
    loop {
        rest = match rest {
            [] => return Ok(plan),
            [flag, folder, rest @ ..] if flag == "--pairs" => {
                plan.pairs = Some(folder.into());
                rest
            }
            [flag, folder, rest @ ..] if flag == "--history" => {
                plan.histories.push(folder.into());
                rest
            }
            [flag, rest @ ..] if flag == "--investigator" => {
                plan.investigator = true;
                rest
            }
            [flag, count, rest @ ..] if flag == "--commits" => {
                plan.commits = Some(count.parse().context("--commits takes a number")?);
                rest
            }
            [flag, trees @ ..] if flag == "--names" => {
                plan.names = trees.iter().map(PathBuf::from).collect();
                &[]
            }
            [flag, rest @ ..] if flag == "--choose" => {
                plan.choose = true;
                rest
            }
            [other, ..] => bail!("unknown argument `{other}`; see --help"),
        };
    }
}

impl IndexedTree {
    /// Opens a source tree, and computes the embeddings of all its code blocks.
    fn open(place: &Path) -> Result<Self> {
        let options = Options { roots: vec![disk::canonical(place)?], ..Options::default() };
        let (workspace, _) = Workspace::open(options).context("the tree cannot be opened")?;
        let root = workspace.resolve(".").map_err(|error| anyhow!("{error}"))?;
        let index = Index::new(workspace);
        let model = Static::embedded()?;
        let meaning = EmbeddingIndex::new(model, None);
        let lent = index.lend(&|| false)?;
        drop(lent);
        let began = std::time::Instant::now();
        meaning.fill(&index, std::slice::from_ref(&root), &|_| true, &|| false)?;
        let seconds = began.elapsed().as_secs_f64();
        let mut searched = Self { index, meaning, root, speed: 0.0 };
        let vector = searched.vector("all")?;
        searched.speed = searched.ask("all", &vector, None)?.1 as f64 / seconds.max(1e-6);
        Ok(searched)
    }

    fn vector(&self, question: &str) -> Result<Vector> {
        let mut made = self.meaning.model().embed(TextRole::Question, &[question], &|| false)?;
        made.pop().context("the model returned no embedding")
    }

    /// Searches the tree; returns the paths of the files, best first, and the number of code blocks in the
    /// index.
    fn ask(&self, question: &str, vector: &Vector, fusion: Option<Fusion>) -> Result<(Vec<String>, usize)> {
        let lent = self.index.lend(&|| false)?;
        let bases = std::slice::from_ref(&self.root);
        let fusion = fusion.unwrap_or_else(|| Fusion::of_question(question));
        let found = lent.search_meaning(
            &self.meaning,
            &SemanticQuery { question, vector, bases, may: &|_| true, most: BLOCKS, fusion },
        );
        let mut files: Vec<String> = Vec::new();
        for (hit, _) in found.hits {
            if !files.contains(&hit.key.path) {
                files.push(hit.key.path);
            }
        }
        Ok((files, found.blocks))
    }
}

/// Adds the result of a query: the rank of the wanted file, counted from 0, if it is among the first ten.
fn note(figures: &mut Figures, place: Option<usize>) {
    figures.asked += 1;
    if let Some(place) = place.filter(|place| *place < 10) {
        figures.reciprocal += 1.0 / (place + 1) as f64;
        figures.found += 1.0;
    }
}
