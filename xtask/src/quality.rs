//! `cargo xtask quality`: retrieval quality of keyword, semantic and combined search.

mod beside;
mod commits;
mod functions;
mod names;
mod report;

use crate::{House, Verdict, disk, docs::marked, say};
use anyhow::{Context, Result, anyhow, bail};
use report::{Commits, Figures, Functions};
use std::path::{Path, PathBuf};
use toolpost_index::embed::{Side, Static, Vector};
use toolpost_index::ranked::{Fusion, Index, Meaning, Meant};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// Page of the figures.
const PAGE: &str = "docs/quality.md";

const HELP: &str = "cargo xtask quality --pairs FOLDER [--history REPOSITORY]… [--choose]
cargo xtask quality --investigator --history REPOSITORY… [--commits N]
cargo xtask quality --names TREE…

Functions: the first sentence of a function's doc comment is asked, and the function without the comment is to be found among
all others of packages that the model was not tuned on. FOLDER is what tools/embedder/pairs.py wrote.
Commits: a commit's message is asked of the files as they were before it and those like it; what is to be found are the files
that it changed. REPOSITORY is a git directory. With two of them, the tables are put into docs/quality.md.

  --investigator   measures the commits alone, by words, by the investigator, by words over whole files and by counting them with rg; with two histories,
             the table is put into docs/quality.md
  --commits  how many of the commits that can be asked are asked, in even distances [all]
  --names    asks for names that the code of a tree defines, and counts how often the definition comes first; nothing is written
  --choose   measures the packages that choose the settings instead, with many ways of putting words and meaning together, and the
             histories as well, which should then be others than those of the tables";

/// Compared methods, with their names in the tables.
const WAYS: [(&str, Fusion); 3] =
    [("words (BM25)", Fusion::Scores(0.0)), ("meaning", Fusion::Scores(1.0)), ("both", Fusion::BEST)];
/// Candidates among which one method was chosen.
const CHOICE: [(&str, Fusion); 11] = [
    ("words", Fusion::Scores(0.0)),
    ("meaning", Fusion::Scores(1.0)),
    ("scores .4", Fusion::Scores(0.4)),
    ("scores .5", Fusion::Scores(0.5)),
    ("scores .6", Fusion::Scores(0.6)),
    ("scores .7", Fusion::Scores(0.7)),
    ("scores .75", Fusion::Scores(0.75)),
    ("scores .8", Fusion::Scores(0.8)),
    ("ranks .5", Fusion::Ranks(0.5)),
    ("ranks .6", Fusion::Ranks(0.6)),
    ("ranks .7", Fusion::Ranks(0.7)),
];
/// Number of functions per language for that choice.
const FEWER: usize = 1_000;
/// Number of blocks requested, so that they come from ten files.
const BLOCKS: usize = 80;

/// Options of a run.
#[derive(Default)]
struct Plan {
    pairs: Option<PathBuf>,
    histories: Vec<PathBuf>,
    choose: bool,
    investigator: bool,
    names: Vec<PathBuf>,
    commits: Option<usize>,
}

/// A tree to search.
struct Searched {
    index: Index,
    meaning: Meaning,
    root: WorkspacePath,
    /// Embedding speed in blocks per second, including reading.
    speed: f64,
}

/// Measures, prints the tables, and inserts them into their page.
///
/// # Errors
/// If something cannot be read or searched.
pub(crate) fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    if arguments.iter().any(|argument| argument == "--help") {
        say::line(HELP);
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
    let pairs = plan.pairs.as_ref().context("--pairs names no folder; see --help")?;
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
        say::line(&(report::functions(&rows) + &report::commits(&histories)));
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
    say::line(&table);
    if histories.len() >= 2 {
        house.write(PAGE, &marked::put(&house.read(PAGE)?, "quality", &format!("\n{table}\n"))?)?;
        say::line(&format!("{PAGE}: the tables are written"));
    }
    Ok(Verdict::Good)
}

/// Compares the investigator with keyword search and `rg`.
fn investigated(house: &House, plan: &Plan) -> Result<Verdict> {
    let target = house.target().join("quality");
    let most = plan.commits.unwrap_or(usize::MAX);
    let rows = plan.histories.iter().map(|place| commits::measure(place, &target, &WAYS[..1], Some(most)));
    let rows: Vec<Commits> = rows.collect::<Result<_>>()?;
    let table = report::commits(&rows);
    say::line(&table);
    if rows.len() >= 2 {
        house.write(PAGE, &marked::put(&house.read(PAGE)?, "investigator", &format!("{table}\n"))?)?;
        say::line(&format!("{PAGE}: the table is written"));
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
            [other, ..] => bail!("`{other}` means nothing here; see --help"),
        };
    }
}

impl Searched {
    /// Opens a tree, and computes all its embeddings.
    fn open(place: &Path) -> Result<Self> {
        let options = Options { roots: vec![disk::canonical(place)?], ..Options::default() };
        let (workspace, _) = Workspace::open(options).context("the tree cannot be opened")?;
        let root = workspace.resolve(".").map_err(|error| anyhow!("{error}"))?;
        let index = Index::new(workspace);
        let model = Static::embedded()?;
        let meaning = Meaning::new(model, None);
        let lent = index.lend(&|| false)?;
        drop(lent);
        let began = std::time::Instant::now();
        meaning.fill(&index, std::slice::from_ref(&root), &|_| true, &|| false)?;
        let seconds = began.elapsed().as_secs_f64();
        let mut searched = Self { index, meaning, root, speed: 0.0 };
        let vector = searched.vector("all")?;
        searched.speed = searched.ask("all", &vector, Fusion::BEST)?.1 as f64 / seconds.max(1e-6);
        Ok(searched)
    }

    fn vector(&self, question: &str) -> Result<Vector> {
        let mut made = self.meaning.model().embed(Side::Question, &[question], &|| false)?;
        made.pop().context("the model made no vector")
    }

    /// Returns the best files, and the total number of blocks.
    fn ask(&self, question: &str, vector: &Vector, fusion: Fusion) -> Result<(Vec<String>, usize)> {
        let lent = self.index.lend(&|| false)?;
        let bases = std::slice::from_ref(&self.root);
        let found = lent.search_meaning(
            &self.meaning,
            &Meant { question, vector, bases, may: &|_| true, most: BLOCKS, fusion },
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

/// Adds a result: the rank of the wanted item among the first ten.
fn note(figures: &mut Figures, place: Option<usize>) {
    figures.asked += 1;
    if let Some(place) = place.filter(|place| *place < 10) {
        figures.reciprocal += 1.0 / (place + 1) as f64;
        figures.found += 1.0;
    }
}
