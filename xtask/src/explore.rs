//! `cargo xtask explore`: runs the property tests with a different seed for each commit.

use crate::{House, Verdict, programs, say, tree::Tree};
use anyhow::{Context, Result, bail};

/// Runs the property tests with a seed from the current Git commit, or with the seed after `--seed`.
///
/// # Errors
/// If cargo cannot be started, or there is neither a commit nor a seed.
pub fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    let seed = match arguments {
        [] => seed(house)?,
        [flag, seed] if flag == "--seed" => seed.parse().context("--seed needs a number")?,
        _ => bail!("explore accepts only --seed N"),
    };
    let tree = Tree::of_house(house)?;
    let mut names: Vec<String> = tree.rust().flat_map(|file| properties(&file.text)).collect();
    names.sort();
    names.dedup();
    say::line(&format!("explore: {} property tests with the seed {seed}", names.len()));
    let mut cargo = programs::cargo();
    cargo.args(["test", "--quiet", "--workspace", "--locked", "--lib", "--tests", "--no-fail-fast", "--"]);
    cargo.args(&names).env("PROPTEST_RNG_SEED", seed.to_string()).current_dir(house.root());
    match programs::output(&mut cargo) {
        Ok(_) => {
            say::line("explore: no counterexample");
            Ok(Verdict::Good)
        }
        Err(error) => {
            say::line(&format!("explore: {error}"));
            say::line(&format!("explore: repeat this with `cargo xtask explore --seed {seed}`"));
            say::line(
                "explore: proptest wrote the case to proptest-regressions of the crate: fix the code, and commit that file",
            );
            Ok(Verdict::Bad)
        }
    }
}

/// Derives the seed from the commit, so that a failure can be repeated and each commit tests new cases.
pub(crate) fn seed(house: &House) -> Result<u64> {
    let mut git = programs::program("git");
    git.args(["rev-parse", "HEAD"]).current_dir(house.root());
    let commit = programs::output(&mut git)
        .context("git has no commit from which to take the seed; set a seed with --seed")?;
    let digits = commit.trim().get(..8).context("git printed no commit hash")?;
    u64::from_str_radix(digits, 16).context("git printed no commit hash")
}

/// Returns the names of the property tests in a file: the functions of its `proptest!` blocks.
#[must_use]
pub fn properties(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_inside = None;
    for line in code.lines() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim_start();
        match is_inside {
            None if text.ends_with("proptest! {") => is_inside = Some(indent),
            Some(outer) if indent == outer && text == "}" => is_inside = None,
            Some(outer) if indent == outer + 4 => {
                let name = text.strip_prefix("fn ").and_then(|rest| rest.split(['(', '<']).next());
                names.extend(name.map(str::to_owned));
            }
            _ => {}
        }
    }
    names
}
