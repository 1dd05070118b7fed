//! Tasks of the repository: checks and generators, as a library for their tests.

mod accuracy;
pub mod api;
pub mod bench;
pub mod book;
mod debian;
pub mod disk;
pub mod docs;
pub mod explore;
pub mod features;
mod fuzz;
pub mod licences;
pub mod new;
mod output;
pub mod parity;
mod programs;
pub mod published_dialect;
mod quality;
mod repository;
mod suites;
pub mod tidy;
pub mod tree;

pub use output::complain;
pub use repository::{Repository, Verdict};

use anyhow::{Result, bail};

/// A task: its name, its description, and its function.
type Task = (&'static str, &'static str, fn(&Repository, &[String]) -> Result<Verdict>);

/// All tasks, in the order of the help.
const TASKS: &[Task] = &[
    ("tidy", "checks all tracked files against the rules of this repository", tidy::run),
    ("parity", "compares every dialect with spec/dialects.json", parity::run),
    (
        "api",
        "writes the lists of the public items of the crates for other programs; with --check only compares them",
        api::run,
    ),
    ("docs", "writes the generated references; with --check only compares them", docs::run),
    (
        "book",
        "copies the pages to target/book for mdBook, with docs/SUMMARY.md as the table of contents",
        book::run,
    ),
    (
        "features",
        "compiles the crates for other programs with each of their features; --figures measures build time and size",
        features::run,
    ),
    (
        "explore",
        "runs the property tests with a seed from the commit; --seed N repeats a run, --seconds N limits it",
        explore::run,
    ),
    ("fuzz", "feeds damaged inputs to the code that reads untrusted bytes; see --help", fuzz::run),
    ("test", "runs every test and the client suites; --strict makes a skip a failure", suites::run),
    ("new", "writes the skeleton of a tool, a dialect or an operation", new::run),
    (
        "bench",
        "compares the speed of Toolpost with rg, fd and the npm file server; see benches/README.md",
        bench::run,
    ),
    (
        "accuracy",
        "compares the calls that the index resolves with language servers; see --help",
        accuracy::run,
    ),
    ("quality", "measures the results of keyword, semantic and combined search; see --help", quality::run),
    ("licences", "checks the licences and sources of all dependencies against deny.toml", licences::run),
];

/// Runs the task that the arguments name.
///
/// # Errors
/// If the task is unknown, or cannot run at all.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    let Some((name, rest)) = arguments.split_first() else {
        help();
        return Ok(Verdict::Bad);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        help();
        return Ok(Verdict::Good);
    }
    let Some((.., task)) = TASKS.iter().find(|(known, ..)| known == name) else {
        let names: Vec<&str> = TASKS.iter().map(|(known, ..)| *known).collect();
        bail!("no task is called `{name}`; the tasks are {}", names.join(", "));
    };
    task(&Repository::find()?, rest)
}

fn help() {
    output::line("cargo xtask TASK");
    for (name, does, _) in TASKS {
        output::line(&format!("  {name:<9} {does}"));
    }
}
