//! `cargo xtask accuracy`: call targets of the index, compared with language servers, name matching and a
//! competitor.

mod code;
mod corpora;
mod go;
mod misses;
mod oracle;
mod ours;
mod peer;
mod report;
mod score;

use crate::{House, Verdict, disk, docs::marked, say, suites};
use anyhow::{Context, Result, bail};
use code::Code;
use corpora::{CORPORA, Corpus};
use ours::Ours;
pub(crate) use peer::install as peer_program;
use report::Row;
use std::path::{Path, PathBuf};
use toolpost_index::Sure;

/// The competitor from npm, with its version.
pub(crate) const PEER: [&str; 2] = [peer::PACKAGE, peer::VERSION];

/// Page of the figures.
const PAGE: &str = "docs/accuracy.md";

const HELP: &str = "cargo xtask accuracy [NAME…] [--json FILE] [--misses FOLDER] [--without-peer]

Fetches programs of others in fixed versions below target/accuracy, asks a language server (ty, TypeScript 7, clangd, gopls, rust-analyzer) for
the definition of every name that is called in them, and compares its answers with what the index says, at each level of
sureness; beside it, what names alone say, and what an npm package says that makes the same graph. Answers are kept: a
second run asks nothing again. A run over all of them puts its table into docs/accuracy.md.

Site precision: of all predicted targets, the right ones; any prediction for a call to something outside is wrong.
Site recall:    of the calls to definitions of the program, those whose definition is among the predicted.
Edges:          the same over distinct pairs of the definition around the call and the one that is called.
Claims:         of the definitions whose answer lacks a true call, those whose answer says that it is complete (aim: none).
The run fails where an answer claims that, or where the only thing of a name is what is meant in less than 95 of 100 cases.
Calls to variables and parameters, and those for which the server has no answer, are counted and left out.

  --json FILE       writes all figures
  --misses FOLDER   writes what was missed and what was wrong, a file for each corpus
  --without-peer    leaves the npm package out";

/// Levels of certainty that are evaluated, from the highest to all.
const LEVELS: [(&str, Sure); 3] = [
    ("the index: proved", Sure::Proved),
    ("the index: proved and inferred", Sure::Inferred),
    ("the index: all", Sure::Possible),
];

/// Options of a run.
#[derive(Default)]
struct Plan {
    corpora: Vec<Corpus>,
    json: Option<PathBuf>,
    misses: Option<PathBuf>,
    peer: Peer,
}

/// Whether the competitor is measured.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Peer {
    #[default]
    Measured,
    LeftOut,
}

/// Measures the named corpora, or all, and prints a table.
///
/// # Errors
/// If something cannot be downloaded, installed or queried.
pub(crate) fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    if arguments.iter().any(|argument| argument == "--help") {
        say::line(HELP);
        return Ok(Verdict::Good);
    }
    let plan = plan(arguments)?;
    let folder = house.target().join("accuracy");
    let path = servers(house)?;
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for corpus in &plan.corpora {
        match measure(&plan, *corpus, &folder, &path) {
            Ok(row) => rows.push(row),
            Err(error) => missing.push(format!("SKIPPED: {}: {error:#}", corpus.name)),
        }
        missing.last().iter().for_each(|why| say::complain(why));
    }
    let table = report::table(&rows);
    say::line(&table);
    if missing.is_empty() && rows.len() == CORPORA.len() && plan.peer == Peer::Measured {
        house.write(PAGE, &marked::put(&house.read(PAGE)?, "accuracy", &format!("\n{table}\n"))?)?;
        say::line(&format!("{PAGE}: the table is written"));
    }
    missing.iter().for_each(|why| say::line(why));
    let short = report::shortfalls(&rows);
    short.iter().for_each(|what| say::complain(what));
    if let Some(file) = &plan.json {
        disk::write(file, format!("{:#}\n", report::json(&rows)).as_bytes())?;
    }
    Ok(if missing.is_empty() && short.is_empty() { Verdict::Good } else { Verdict::Bad })
}

fn plan(arguments: &[String]) -> Result<Plan> {
    let (mut plan, mut rest) = (Plan::default(), arguments);
    loop {
        rest = match rest {
            [] => break,
            [flag, rest @ ..] if flag == "--without-peer" => {
                plan.peer = Peer::LeftOut;
                rest
            }
            [flag, file, rest @ ..] if flag == "--json" => {
                plan.json = Some(file.into());
                rest
            }
            [flag, folder, rest @ ..] if flag == "--misses" => {
                plan.misses = Some(folder.into());
                rest
            }
            [name, rest @ ..] => {
                let Some(corpus) = CORPORA.iter().find(|corpus| corpus.name == name) else {
                    let names: Vec<&str> = CORPORA.iter().map(|corpus| corpus.name).collect();
                    bail!("no corpus is called `{name}`; there are {}, and --help", names.join(", "));
                };
                plan.corpora.push(*corpus);
                rest
            }
        };
    }
    if plan.corpora.is_empty() {
        plan.corpora = CORPORA.to_vec();
    }
    Ok(plan)
}

/// Installs the language servers as their own suite does, and returns the directories of their programs.
fn servers(house: &House) -> Result<Vec<PathBuf>> {
    let tools = suites::tools::install(house, &house.path("tests/servers"))
        .context("the language servers cannot be installed")?;
    let place = |name: &str| tools.iter().find(|(known, _)| *known == name).map(|(_, place)| place);
    let python = place("PYTHON").context("tests/servers lists no Python packages")?;
    let modules = place("NODE_MODULES").context("tests/servers lists no npm packages")?;
    let python = Path::new(python).parent().context("the Python program stands in no folder")?;
    Ok(vec![python.to_owned(), Path::new(modules).join(".bin")])
}

fn measure(plan: &Plan, corpus: Corpus, folder: &Path, path: &[PathBuf]) -> Result<Row> {
    let laid = corpus.lay(folder)?;
    let code = Code::read(&laid.tree, corpus.tongue.languages())?;
    let truths = oracle::truths(&laid, &code, path, folder)?;
    let score = |said: &score::Said| score::score(&code, &truths, said, |_| true);
    let mut levels = vec![
        ("name only", score(&score::by_name(&code))),
        ("same file, else unique name", score(&score::near_or_unique(&code))),
    ];
    let ours = Ours::ask(&laid.tree, &code)?;
    for (name, most) in LEVELS {
        levels.push((name, score(&ours.up_to(most))));
    }
    if plan.peer == Peer::Measured {
        levels.push((peer::PACKAGE, score(&peer::said(&laid, &code, folder)?)));
    }
    if let Some(folder) = &plan.misses {
        let page = misses::page(corpus, &code, &truths, &ours);
        disk::write(
            &folder.join(format!("misses-{}-{}.md", corpus.tongue.name(), corpus.name)),
            page.as_bytes(),
        )?;
    }
    let how = score::calibration(&truths, &ours.labelled());
    let claims = score::claims(&code, &truths, &ours);
    Ok(Row { corpus, files: code.files.len(), classes: score::classes(&truths), levels, how, claims })
}
