//! `cargo xtask test`: the tests of all crates, then the test suites that run the built binary.

mod counts;
pub(crate) mod tools;

use crate::{Repository, Verdict, disk, output, programs};
use anyhow::{Context, Result, bail};
use counts::Counts;
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Instant,
};

/// Exit status of a test suite that cannot run on this machine.
const SKIPPED: i32 = 77;

/// File in the directory of a suite that runs only on request. It contains the name of the environment
/// variable that enables the suite.
const ASKED_FOR: &str = "only-when-asked";

/// Handling of tests that cannot run on this machine: reported, or failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skips {
    AreSaid,
    AreFailures,
}

/// Runs all tests, and prints the results.
///
/// # Errors
/// If the binary cannot be built, or a program does not start.
pub(crate) fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let skips = match arguments {
        [] => Skips::AreSaid,
        [flag] if flag == "--strict" => Skips::AreFailures,
        _ => bail!("test accepts only --strict"),
    };
    let mut cargo = programs::cargo();
    programs::output(cargo.args(["build", "--package", "toolpost-cli"]).current_dir(house.root()))?;
    let mut total = Counts::default();
    let mut notes = Vec::new();
    let mut failing = Vec::new();
    let mut verdict = crates(house, skips, &mut total, &mut failing)?;
    if verdict == Verdict::Bad {
        notes.push("FAILED   the tests of the crates".to_owned());
    }
    let mut enabled = Vec::new();
    for suite in suites(house)? {
        match waits_for(&suite)? {
            Some(variable) => {
                let name = shown(house, &suite);
                notes.push(format!("not run  {name}: set {variable}=1 to run it"));
            }
            None => enabled.push(suite),
        }
    }
    for report in all(house, &enabled, skips) {
        let SuiteReport { name, outcome, counts, lines } = report?;
        total.join(counts);
        match outcome {
            SuiteOutcome::Passed => notes.push(format!("passed   {name}")),
            SuiteOutcome::Skipped(why) if skips == Skips::AreSaid => {
                notes.push(format!("SKIPPED  {name}: {why}"));
            }
            SuiteOutcome::Skipped(why) => {
                notes.push(format!("FAILED   {name} was skipped, and --strict allows no skip: {why}"));
                verdict = Verdict::Bad;
            }
            SuiteOutcome::Failed => {
                failing.extend(failures(&lines).into_iter().map(|line| format!("{name}: {line}")));
                notes.push(format!("FAILED   {name}"));
                verdict = Verdict::Bad;
            }
        }
    }
    // The log of a run is often cut to its end, so the failures are repeated there.
    failing.iter().for_each(|line| output::line(line));
    notes.iter().for_each(|note| output::line(note));
    output::line(&format!("test: {total}: {}", if verdict == Verdict::Good { "passed" } else { "FAILED" }));
    Ok(verdict)
}

/// Runs the tests of all crates.
fn crates(
    house: &Repository,
    skips: Skips,
    total: &mut Counts,
    failing: &mut Vec<String>,
) -> Result<Verdict> {
    let mut cargo = programs::cargo();
    cargo.args(["test", "--workspace", "--no-fail-fast"]).current_dir(house.root());
    strict(&mut cargo, skips);
    let mut lines = Vec::new();
    let code = watch(&mut cargo, total, |line| {
        output::line(line);
        lines.push(line.to_owned());
    })?;
    failing.extend(failures(&lines));
    total.skipped += lines.iter().filter(|line| line.starts_with("SKIPPED: ")).count() as u64;
    Ok(if code == Some(0) { Verdict::Good } else { Verdict::Bad })
}

/// Maximum number of lines that repeat the failures of one suite.
const FAILURE_LINES: usize = 40;

/// Returns the lines of a suite's output that report a failure, each with the line after it, which gives the
/// reason, at most `FAILURE_LINES` in all.
fn failures(lines: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut after_failure = false;
    for line in lines {
        let reports = ["failed ", "FAILED", "FAIL ", "not ok", "panicked at", "Traceback", "AssertionError"]
            .iter()
            .any(|word| line.contains(word))
            && !line.ends_with("... ok")
            && !line.contains("failed 0")
            && !line.contains("passed");
        if reports || after_failure {
            found.push(line.trim_end().to_owned());
        }
        after_failure = reports;
    }
    found.truncate(FAILURE_LINES);
    found
}

/// Result of a test suite.
enum SuiteOutcome {
    Passed,
    Failed,
    Skipped(String),
}

/// Name, result, test counts and output of a suite.
struct SuiteReport {
    name: String,
    outcome: SuiteOutcome,
    counts: Counts,
    lines: Vec<String>,
}

/// Runs the suites at the same time, because they mostly wait. The output of a suite is printed in one piece
/// when the suite ends.
fn all(house: &Repository, suites: &[PathBuf], skips: Skips) -> Vec<Result<SuiteReport>> {
    thread::scope(|scope| {
        let running: Vec<_> =
            suites.iter().map(|suite| scope.spawn(move || outside(house, suite, skips))).collect();
        let ended = running.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|report| report.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// Runs a test suite that uses the built binary.
fn outside(house: &Repository, suite: &Path, skips: Skips) -> Result<SuiteReport> {
    let start = Instant::now();
    let name = shown(house, suite);
    let folder = suite.parent().context("the suite has no parent directory")?;
    let mut counts = Counts::default();
    let mut lines = Vec::new();
    let outcome = match tools::install(house, folder) {
        Ok(tools) => {
            let mut command = programs::program(suite);
            command.current_dir(folder).envs(tools);
            // The suites share the processor, so their time limits, which only detect hangs, are longer.
            command.env("SCALE", std::env::var("SCALE").unwrap_or_else(|_| "6".to_owned()));
            command.env("TOOLPOST", house.target().join("debug").join("toolpost"));
            strict(&mut command, skips);
            let code = watch(&mut command, &mut counts, |line| lines.push(line.to_owned()))?;
            match code {
                Some(0) if counts.skipped > 0 => SuiteOutcome::Skipped(format!(
                    "{} of the suite's tests could not run here",
                    counts.skipped
                )),
                Some(0) => SuiteOutcome::Passed,
                Some(SKIPPED) => SuiteOutcome::Skipped(
                    lines.iter().rfind(|line| !line.trim().is_empty()).cloned().unwrap_or_default(),
                ),
                _ => SuiteOutcome::Failed,
            }
        }
        Err(error) => SuiteOutcome::Skipped(format!("the suite's tools could not be installed: {error:#}")),
    };
    let header = format!("\n     Running {name} ({} s)", start.elapsed().as_secs());
    output::line(&std::iter::once(&header).chain(&lines).map(String::as_str).collect::<Vec<_>>().join("\n"));
    Ok(SuiteReport { name, outcome, counts, lines })
}

/// Makes tests fail instead of skipping if a prerequisite is missing.
fn strict(command: &mut Command, skips: Skips) {
    if skips == Skips::AreFailures {
        command.env("TOOLPOST_TEST_STRICT", "1");
    }
}

/// Finds the suites: the `run.sh` files in the directories of `tests`.
fn suites(house: &Repository) -> Result<Vec<PathBuf>> {
    let folders = disk::list(&house.path("tests"))?;
    Ok(folders.into_iter().map(|folder| folder.join("run.sh")).filter(|suite| disk::exists(suite)).collect())
}

/// Returns the environment variable that enables an optional suite; `None` if the variable is `1`, or the suite
/// is not optional.
fn waits_for(suite: &Path) -> Result<Option<String>> {
    let opt_in_file = suite.with_file_name(ASKED_FOR);
    if !disk::exists(&opt_in_file) {
        return Ok(None);
    }
    let variable = disk::read(&opt_in_file)?.trim().to_owned();
    Ok(std::env::var_os(&variable).is_none_or(|value| value != "1").then_some(variable))
}

/// Runs a program, passes each line of its output to `sink`, counts the test results in it, and returns the
/// exit code; `None` if a signal ended the program.
fn watch(command: &mut Command, total: &mut Counts, mut sink: impl FnMut(&str)) -> Result<Option<i32>> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} does not start", programs::shown(command)))?;
    let output = child.stdout.take().context("the program has no output")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        sink(&line);
        total.add(&line);
    }
    Ok(child.wait()?.code())
}

fn shown(house: &Repository, path: &Path) -> String {
    path.strip_prefix(house.root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_repeated_with_their_reasons() {
        let output = [
            "claude    failed         EX-005   output flood",
            "                        must not proc:^yes$",
            "claude    elsewhere      EX-032   fork bomb",
            "claude: passed 539, failed 0, skipped 0",
            "2892 passed, 1 failed, 0 skipped",
        ];
        let lines: Vec<String> = output.map(str::to_owned).to_vec();
        assert_eq!(failures(&lines), lines[..2]);
    }
}
