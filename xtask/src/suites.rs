//! `cargo xtask test`: the tests of all crates, then the suites that drive the binary.

mod counts;
pub(crate) mod tools;

use crate::{House, Verdict, disk, programs, say};
use anyhow::{Context, Result, bail};
use counts::Counts;
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Exit status of a suite that cannot run on this machine.
const SKIPPED: i32 = 77;

/// File in the directory of an optional suite, with the name of the environment variable that enables it.
const ASKED_FOR: &str = "only-when-asked";

/// Treatment of tests that cannot run on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skips {
    AreSaid,
    AreFailures,
}

/// Runs all tests, and prints the results.
///
/// # Errors
/// If the binary cannot be built, or a program does not start.
pub(crate) fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    let skips = match arguments {
        [] => Skips::AreSaid,
        [flag] if flag == "--strict" => Skips::AreFailures,
        _ => bail!("test takes --strict or nothing"),
    };
    let mut cargo = programs::cargo();
    programs::output(cargo.args(["build", "--package", "toolpost-cli"]).current_dir(house.root()))?;
    let mut total = Counts::default();
    let mut notes = Vec::new();
    let mut verdict = crates(house, skips, &mut total)?;
    if verdict == Verdict::Bad {
        notes.push("FAILED   the tests of the crates".to_owned());
    }
    for suite in suites(house)? {
        let name = shown(house, &suite);
        if let Some(variable) = waits_for(&suite)? {
            notes.push(format!("not run  {name}: only when {variable}=1 asks for it"));
            continue;
        }
        match outside(house, &suite, skips, &mut total)? {
            Ended::Passed => notes.push(format!("passed   {name}")),
            Ended::Skipped(why) if skips == Skips::AreSaid => notes.push(format!("SKIPPED  {name}: {why}")),
            Ended::Skipped(why) => {
                notes.push(format!("FAILED   {name} was skipped, and --strict allows no skip: {why}"));
                verdict = Verdict::Bad;
            }
            Ended::Failed => {
                notes.push(format!("FAILED   {name}: see above"));
                verdict = Verdict::Bad;
            }
        }
    }
    notes.iter().for_each(|note| say::line(note));
    say::line(&format!("test: {total}: {}", if verdict == Verdict::Good { "passed" } else { "FAILED" }));
    Ok(verdict)
}

/// Runs the tests of all crates.
fn crates(house: &House, skips: Skips, total: &mut Counts) -> Result<Verdict> {
    let mut cargo = programs::cargo();
    cargo.args(["test", "--workspace", "--no-fail-fast"]).current_dir(house.root());
    strict(&mut cargo, skips);
    let code = watch(&mut cargo, total)?.0;
    Ok(if code == Some(0) { Verdict::Good } else { Verdict::Bad })
}

/// Result of a suite.
enum Ended {
    Passed,
    Failed,
    Skipped(String),
}

/// Runs a suite that drives the binary.
fn outside(house: &House, suite: &Path, skips: Skips, total: &mut Counts) -> Result<Ended> {
    say::line(&format!("\n     Running {}", shown(house, suite)));
    let folder = suite.parent().context("a suite stands in a folder")?;
    let tools = match tools::install(house, folder) {
        Ok(tools) => tools,
        Err(error) => return Ok(Ended::Skipped(format!("its tools could not be installed: {error:#}"))),
    };
    let mut command = programs::program(suite);
    command.current_dir(folder).envs(tools);
    command.env("TOOLPOST", house.target().join("debug").join("toolpost"));
    strict(&mut command, skips);
    let before = total.skipped;
    let (code, last) = watch(&mut command, total)?;
    let left_out = total.skipped - before;
    Ok(match code {
        Some(0) if left_out > 0 => Ended::Skipped(format!("{left_out} of its tests could not run here")),
        Some(0) => Ended::Passed,
        Some(SKIPPED) => Ended::Skipped(last),
        _ => Ended::Failed,
    })
}

/// Makes a test fail instead of skip if a prerequisite is missing.
fn strict(command: &mut Command, skips: Skips) {
    if skips == Skips::AreFailures {
        command.env("TOOLPOST_TEST_STRICT", "1");
    }
}

/// Finds the suites: the `run.sh` files in the directories of `tests`.
fn suites(house: &House) -> Result<Vec<PathBuf>> {
    let folders = disk::list(&house.path("tests"))?;
    Ok(folders.into_iter().map(|folder| folder.join("run.sh")).filter(|suite| disk::exists(suite)).collect())
}

/// Returns the environment variable that would enable an optional suite, unless it is set.
fn waits_for(suite: &Path) -> Result<Option<String>> {
    let wish = suite.with_file_name(ASKED_FOR);
    if !disk::exists(&wish) {
        return Ok(None);
    }
    let variable = disk::read(&wish)?.trim().to_owned();
    Ok(std::env::var_os(&variable).is_none_or(|value| value != "1").then_some(variable))
}

/// Runs a program, forwards its output, and counts the test results in it; also returns the last line.
fn watch(command: &mut Command, total: &mut Counts) -> Result<(Option<i32>, String)> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} does not start", programs::shown(command)))?;
    let mut last = String::new();
    let output = child.stdout.take().context("the program has no output")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        say::line(&line);
        total.add(&line);
        if !line.trim().is_empty() {
            last = line;
        }
    }
    Ok((child.wait()?.code(), last))
}

fn shown(house: &House, path: &Path) -> String {
    path.strip_prefix(house.root()).unwrap_or(path).display().to_string()
}
