//! `cargo xtask bench`: Toolpost beside the programs that do the same work, in one run.

mod cases;
mod corpus;
pub mod measure;
mod pipe;
pub mod report;
mod rivals;

use crate::{House, Verdict, docs::marked, programs, say};
use anyhow::{Context, Result, bail, ensure};
use measure::Row;
use rivals::Rivals;
use std::{num::NonZeroUsize, path::PathBuf};

/// Where the figures stand.
const PAGE: &str = "docs/performance.md";
/// How often each case is run.
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

/// Measures, prints the table, and puts it into the page.
///
/// # Errors
/// When something cannot be built or started, or two contestants do not give the same answer.
pub fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    let (rounds, sizes) = match arguments {
        [] => (ROUNDS, vec![1_000, 50_000]),
        [flag] if flag == "--quick" => (3, vec![1_000]),
        [flag, rounds] if flag == "--rounds" => {
            (rounds.parse().context("--rounds takes a number")?, vec![1_000, 50_000])
        }
        _ => bail!("bench takes --quick, or --rounds N, or nothing"),
    };
    ensure!(rounds > 0, "--rounds takes a number of at least 1");
    let mut cargo = programs::cargo();
    let built = ["build", "--release", "--package", "toolpost-cli"];
    programs::output(cargo.args(built).current_dir(house.root()))?;
    let folder = house.target().join("bench");
    let bench = Bench {
        rivals: Rivals::find(&folder)?,
        toolpost: house.target().join("release").join("toolpost"),
        folder,
        rounds,
        threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    let mut rows = cases::server(&bench)?;
    for files in sizes {
        rows.extend(cases::searches(&bench, files)?);
    }
    let memory = cases::memory(&bench)?;
    finish(house, &bench, &rows, &memory)
}

fn finish(house: &House, bench: &Bench, rows: &[Row], memory: &[(String, u64)]) -> Result<Verdict> {
    let mut text = report::times(rows);
    text.push_str(&report::memory(memory));
    let versions = bench.rivals.versions().join(", ");
    text.push_str(&format!("\n{} rounds, {} threads; {versions}.\n", bench.rounds, bench.threads));
    say::line(&text);
    bench.rivals.missing().iter().for_each(|name| say::line(&format!("SKIPPED: {name}")));
    if bench.rounds >= ROUNDS {
        house.write(PAGE, &marked::put(&house.read(PAGE)?, "figures", &format!("\n{text}\n"))?)?;
        say::line(&format!("{PAGE}: written"));
    } else {
        say::line(&format!("{PAGE}: left as it is; {} rounds are too few to be written down", bench.rounds));
    }
    Ok(Verdict::Good)
}
