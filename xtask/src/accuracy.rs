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

use crate::{Repository, Verdict, disk, docs::generated_parts, output, suites};
use anyhow::{Context, Result, bail};
use code::Code;
use corpora::{CORPORA, Corpus};
use ours::ToolpostAnswers;
pub(crate) use peer::install as peer_program;
use report::Row;
use std::path::{Path, PathBuf};
use toolpost_symbols::Certainty;

/// The competitor from npm, with its version.
pub(crate) const PEER: [&str; 2] = [peer::PACKAGE, peer::VERSION];

/// Page that contains the table of the figures.
const PAGE: &str = "docs/accuracy.md";

const HELP: &str = "cargo xtask accuracy [NAME…] [--json FILE] [--misses FOLDER] [--without-peer]

Downloads third-party programs in fixed versions below target/accuracy, and asks a language server (ty, TypeScript 7, clangd,
gopls, rust-analyzer) for the definition of every name that is called in them. Compares these answers with the index, at each
level of certainty, with name matching, and with an npm package that builds the same graph. The answers are cached, so a second
run asks nothing again. A run over all programs writes its table to docs/accuracy.md.

Site precision: the share of predicted targets that are right; a prediction for a call to something outside counts as wrong.
Site recall:    the share of calls to definitions of the program whose definition is among the predictions.
Edges:          the same over distinct pairs of the calling and the called definition.
Claims:         definitions whose answer lacks a true call but claims to be complete (goal: none).
The run fails if an answer makes such a claim, or if a unique definition of a name is the right one in less than 95 % of cases.
Calls to variables and parameters, and calls without an answer of the server, are counted but not evaluated.

  --json FILE       writes all figures
  --misses FOLDER   writes missing and wrong targets, one file for each program
  --without-peer    does not measure the npm package";

/// Levels of certainty that are evaluated, from the highest to all.
const LEVELS: [(&str, Certainty); 3] = [
    ("the index: proved", Certainty::Proved),
    ("the index: proved and inferred", Certainty::Inferred),
    ("the index: all", Certainty::Possible),
];

/// Options of `cargo xtask accuracy`.
#[derive(Default)]
struct Plan {
    corpora: Vec<Corpus>,
    json: Option<PathBuf>,
    misses: Option<PathBuf>,
    peer: Peer,
}

/// Measures or skips the competitor.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Peer {
    #[default]
    Measured,
    LeftOut,
}

/// Measures the named corpora, or all, and prints a table.
///
/// # Errors
/// If an argument is invalid, the language servers cannot be installed, or a result cannot be written. A corpus
/// that cannot be measured is skipped with a message, and the run fails.
pub(crate) fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    if arguments.iter().any(|argument| argument == "--help") {
        output::line(HELP);
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
        missing.last().iter().for_each(|why| output::complain(why));
    }
    let table = report::table(&rows);
    output::line(&table);
    if missing.is_empty() && rows.len() == CORPORA.len() && plan.peer == Peer::Measured {
        house.write(PAGE, &generated_parts::put(&house.read(PAGE)?, "accuracy", &format!("\n{table}\n"))?)?;
        output::line(&format!("{PAGE}: the table is written"));
    }
    missing.iter().for_each(|why| output::line(why));
    let short = report::shortfalls(&rows);
    short.iter().for_each(|what| output::complain(what));
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
                    bail!(
                        "no corpus is called `{name}`; the corpora are {}; see also --help",
                        names.join(", ")
                    );
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

/// Installs the language servers as the test suite `tests/servers` does, and returns the directories of their
/// programs.
fn servers(house: &Repository) -> Result<Vec<PathBuf>> {
    let tools = suites::tools::install(house, &house.path("tests/servers"))
        .context("the language servers cannot be installed")?;
    let place = |name: &str| tools.iter().find(|(known, _)| *known == name).map(|(_, place)| place);
    let python = place("PYTHON").context("tests/servers lists no Python packages")?;
    let modules = place("NODE_MODULES").context("tests/servers lists no npm packages")?;
    let python =
        Path::new(python).parent().context("the path of the Python program has no parent directory")?;
    Ok(vec![python.to_owned(), Path::new(modules).join(".bin")])
}

fn measure(plan: &Plan, corpus: Corpus, folder: &Path, path: &[PathBuf]) -> Result<Row> {
    let laid = corpus.lay(folder)?;
    let code = Code::read(&laid.tree, corpus.tongue.languages())?;
    let truths = oracle::truths(&laid, &code, path, folder)?;
    let score = |said: &score::Predictions| score::score(&code, &truths, said, |_| true);
    let mut levels = vec![
        ("name only", score(&score::by_name(&code))),
        ("same file, else unique name", score(&score::near_or_unique(&code))),
    ];
    let ours = ToolpostAnswers::ask(&laid.tree, &code)?;
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
