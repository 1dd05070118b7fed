//! `cargo xtask bench`: Toolpost compared with other programs that do the same work, in one run.

mod batched_reads;
mod cases;
mod code;
mod corpus;
mod grams;
pub mod measure;
mod peers;
mod pipe;
mod ranked;
pub mod report;
mod rivals;
mod sources;
mod symbols;

use crate::{Repository, Verdict, docs::generated_parts, output, programs};
use anyhow::{Context, Result, bail, ensure};
use rivals::Competitors;
use std::{num::NonZeroUsize, path::PathBuf};

/// Page that contains the tables.
const PAGE: &str = "docs/performance.md";
/// Number of rounds for published figures.
const ROUNDS: usize = 15;

/// Environment of a benchmark run.
struct Bench {
    /// Directory of all generated files.
    folder: PathBuf,
    toolpost: PathBuf,
    rivals: Competitors,
    rounds: usize,
    threads: usize,
}

/// Selection of cases and rounds.
struct Plan {
    rounds: usize,
    /// Sizes of the searched trees, in files.
    sizes: &'static [usize],
    parts: Parts,
}

/// Selection of the tables to measure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    All,
    /// Comparison with other MCP servers.
    Peers,
    /// The symbol index, which takes longest.
    Symbols,
    /// Ranked search.
    Ranked,
    /// Searches with the trigram index.
    TrigramIndex,
}

/// Measures, prints the tables, and inserts them into the page.
///
/// # Errors
/// If something cannot be built or started, or two programs give different answers.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let plan = plan(arguments)?;
    let mut cargo = programs::cargo();
    cargo.args(["build", "--release", "--package", "toolpost-cli"]);
    if plan.parts == Parts::Symbols {
        // One cargo call builds both packages with one set of features, so no crate is compiled twice.
        cargo.args(["--package", "toolpost-symbols", "--bin", "toolpost", "--example", "ask"]);
    }
    programs::output(cargo.current_dir(house.root()))?;
    let folder = house.target().join("bench");
    let bench = Bench {
        // The tables of the symbol index and of ranked search find the programs for their comparison themselves.
        rivals: match plan.parts {
            Parts::Symbols | Parts::Ranked => Competitors::none(),
            Parts::TrigramIndex => Competitors::rg(),
            Parts::All | Parts::Peers => Competitors::find(&folder)?,
        },
        toolpost: house.target().join("release").join("toolpost"),
        folder,
        rounds: plan.rounds,
        threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    if plan.parts == Parts::Ranked {
        put(house, &bench, "ranked", &ranked::table(&bench)?)?;
        return Ok(Verdict::Good);
    }
    if plan.parts == Parts::TrigramIndex {
        finish(house, &bench, "grams", grams::table(&bench)?)?;
        return Ok(Verdict::Good);
    }
    if plan.parts == Parts::Symbols {
        let ask = house.target().join("release").join("examples").join("ask");
        finish(house, &bench, "symbols", symbols::table(&bench, ask)?)?;
        return Ok(Verdict::Good);
    }
    if plan.parts == Parts::All {
        let mut rows = cases::server(&bench)?;
        rows.extend(batched_reads::rows(&bench)?);
        for files in plan.sizes {
            rows.extend(cases::searches(&bench, *files)?);
        }
        let mut text = report::times(&rows);
        text.push_str(&report::memory(&cases::memory(&bench)?));
        finish(house, &bench, "figures", text)?;
    }
    finish(house, &bench, "peers", report::times(&peers::rows(&bench)?))?;
    bench.rivals.missing().iter().for_each(|name| output::line(&format!("SKIPPED: {name}")));
    Ok(Verdict::Good)
}

fn plan(arguments: &[String]) -> Result<Plan> {
    let (mut plan, mut rest) =
        (Plan { rounds: ROUNDS, sizes: &[1_000, 50_000], parts: Parts::All }, arguments);
    loop {
        rest = match rest {
            [] => break,
            [flag, rest @ ..] if flag == "--quick" => {
                (plan.rounds, plan.sizes) = (3, &[1_000]);
                rest
            }
            [flag, rest @ ..] if flag == "--peers" => {
                plan.parts = Parts::Peers;
                rest
            }
            [flag, rest @ ..] if flag == "--symbols" => {
                plan.parts = Parts::Symbols;
                rest
            }
            [flag, rest @ ..] if flag == "--ranked" => {
                plan.parts = Parts::Ranked;
                rest
            }
            [flag, rest @ ..] if flag == "--grep" => {
                plan.parts = Parts::TrigramIndex;
                rest
            }
            [flag, rounds, rest @ ..] if flag == "--rounds" => {
                plan.rounds = rounds.parse().context("--rounds takes a number")?;
                rest
            }
            _ => bail!("bench takes --quick, --peers, --symbols, --ranked, --grep and --rounds N"),
        };
    }
    ensure!(plan.rounds > 0, "--rounds takes a number of at least 1");
    Ok(plan)
}

/// Adds the rounds, the threads and the versions to a table, prints it, and inserts it between the marks `place` of
/// `PAGE`.
fn finish(house: &Repository, bench: &Bench, place: &str, mut text: String) -> Result<()> {
    let versions = match place {
        "symbols" => symbols::versions(),
        _ => bench.rivals.versions(),
    };
    let versions = versions.join(", ");
    text.push_str(&format!("\n{} rounds, {} threads; {versions}.\n", bench.rounds, bench.threads));
    put(house, bench, place, &text)
}

/// Prints a text, and inserts it between the marks `place` of `PAGE` if the run had enough rounds.
fn put(house: &Repository, bench: &Bench, place: &str, text: &str) -> Result<()> {
    output::line(text);
    if bench.rounds >= ROUNDS {
        house.write(PAGE, &generated_parts::put(&house.read(PAGE)?, place, &format!("\n{text}\n"))?)?;
        output::line(&format!("{PAGE}: the table `{place}` is written"));
    } else {
        output::line(&format!("{PAGE}: left unchanged; {} rounds are too few to publish", bench.rounds));
    }
    Ok(())
}
