//! `cargo xtask bench`: Toolpost beside the programs that do the same work, in one run.

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
mod together;

use crate::{House, Verdict, docs::marked, programs, say};
use anyhow::{Context, Result, bail, ensure};
use rivals::Rivals;
use std::{num::NonZeroUsize, path::PathBuf};

/// Where the figures stand.
const PAGE: &str = "docs/performance.md";
/// How often each case is run, for figures that are written down.
const ROUNDS: usize = 15;

/// What a run works with.
struct Bench {
    /// The folder of everything that is made for it.
    folder: PathBuf,
    toolpost: PathBuf,
    rivals: Rivals,
    rounds: usize,
    threads: usize,
}

/// What is measured, and how often.
struct Plan {
    rounds: usize,
    /// The sizes of the trees that are searched.
    sizes: &'static [usize],
    parts: Parts,
}

/// Which tables are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    All,
    /// The one of other MCP servers.
    Peers,
    /// The one of the index of symbols, which takes the longest.
    Symbols,
    /// The one of ranked search.
    Ranked,
    /// The one of searches with the index of trigrams.
    Grams,
}

/// Measures, prints the tables, and puts them into the page.
///
/// # Errors
/// When something cannot be built or started, or two contestants do not give the same answer.
pub fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    let plan = plan(arguments)?;
    let mut cargo = programs::cargo();
    cargo.args(["build", "--release", "--package", "toolpost-cli"]);
    if plan.parts == Parts::Symbols {
        // With one set of features nothing is built twice.
        cargo.args(["--package", "toolpost-index", "--bin", "toolpost", "--example", "ask"]);
    }
    programs::output(cargo.current_dir(house.root()))?;
    let folder = house.target().join("bench");
    let bench = Bench {
        // Neither symbols nor ranked search is measured beside these.
        rivals: match plan.parts {
            Parts::Symbols | Parts::Ranked => Rivals::none(),
            Parts::Grams => Rivals::rg(),
            Parts::All | Parts::Peers => Rivals::find(&folder)?,
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
    if plan.parts == Parts::Grams {
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
        rows.extend(together::rows(&bench)?);
        for files in plan.sizes {
            rows.extend(cases::searches(&bench, *files)?);
        }
        let mut text = report::times(&rows);
        text.push_str(&report::memory(&cases::memory(&bench)?));
        finish(house, &bench, "figures", text)?;
    }
    finish(house, &bench, "peers", report::times(&peers::rows(&bench)?))?;
    bench.rivals.missing().iter().for_each(|name| say::line(&format!("SKIPPED: {name}")));
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
                plan.parts = Parts::Grams;
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

/// Prints a table, and puts it into the page.
fn finish(house: &House, bench: &Bench, place: &str, mut text: String) -> Result<()> {
    let versions = match place {
        "symbols" => symbols::versions(),
        _ => bench.rivals.versions(),
    };
    let versions = versions.join(", ");
    text.push_str(&format!("\n{} rounds, {} threads; {versions}.\n", bench.rounds, bench.threads));
    put(house, bench, place, &text)
}

/// Prints a text, and puts it into the page.
fn put(house: &House, bench: &Bench, place: &str, text: &str) -> Result<()> {
    say::line(text);
    if bench.rounds >= ROUNDS {
        house.write(PAGE, &marked::put(&house.read(PAGE)?, place, &format!("\n{text}\n"))?)?;
        say::line(&format!("{PAGE}: the table `{place}` is written"));
    } else {
        say::line(&format!("{PAGE}: left as it is; {} rounds are too few to be written down", bench.rounds));
    }
    Ok(())
}
