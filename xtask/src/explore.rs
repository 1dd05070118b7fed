//! `cargo xtask explore`: runs the property tests with a different seed for each commit.

use crate::{Repository, Verdict, disk, output, programs, tree::Tree};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Interval at which a running test is checked for its end.
const PAUSE: Duration = Duration::from_millis(20);

/// A property test: a test binary, and the name of one test in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyTest {
    /// The path of the test binary.
    pub binary: PathBuf,
    /// The directory of the crate, in which the test runs.
    pub folder: PathBuf,
    /// The name of the test, with its modules.
    pub name: String,
}

/// Names of the property tests of a run, by result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExplorationResult {
    /// The tests that passed.
    pub passed: Vec<String>,
    /// The tests that failed, each with its output.
    pub failed: Vec<(String, String)>,
    /// The tests that were stopped at the time limit, before their result.
    pub stopped: Vec<String>,
    /// The tests that did not start before the time limit.
    pub waiting: Vec<String>,
}

/// Runs the property tests with a seed from the current Git commit, or with the seed after `--seed`, for at most the
/// number of seconds after `--seconds`.
///
/// # Errors
/// If the tests cannot be built or started, or there is neither a commit nor a seed.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let (mut seed_argument, mut seconds) = (None, None);
    for pair in arguments.chunks(2) {
        let [flag, number] = pair else { bail!("explore accepts only --seed N and --seconds N") };
        let number: u64 = number.parse().with_context(|| format!("{flag} needs a number, got `{number}`"))?;
        match flag.as_str() {
            "--seed" => seed_argument = Some(number),
            "--seconds" => seconds = Some(number),
            _ => bail!("explore accepts only --seed N and --seconds N"),
        }
    }
    let seed = seed_argument.map_or_else(|| seed(house), Ok)?;
    let tests = tests(house)?;
    output::line(&format!("explore: {} property tests with the seed {seed}", tests.len()));
    let start = Instant::now();
    let is_over = || seconds.is_some_and(|seconds| start.elapsed() >= Duration::from_secs(seconds));
    let logs = house.target().join("explore");
    let explored = explore(&shuffled(tests, seed), seed, &logs, &is_over)?;
    Ok(report(&explored, seed, start.elapsed()))
}

/// Prints the results of a run.
fn report(explored: &ExplorationResult, seed: u64, time: Duration) -> Verdict {
    let ExplorationResult { passed, failed, stopped, waiting } = explored;
    for (name, output) in failed {
        output::line(&format!("explore: {name} failed:\n{}", output.trim_end()));
    }
    for (names, what) in [(stopped, "stopped at the time limit"), (waiting, "not started")] {
        if !names.is_empty() {
            output::line(&format!("explore: {} {what}: {}", names.len(), names.join(", ")));
        }
    }
    let ended = passed.len() + failed.len();
    let all = ended + stopped.len() + waiting.len();
    output::line(&format!(
        "explore: {ended} of {all} property tests ended in {} s, {} with a counterexample",
        time.as_secs(),
        failed.len()
    ));
    if !failed.is_empty() {
        output::line(&format!("explore: repeat this with `cargo xtask explore --seed {seed}`"));
        output::line(
            "explore: proptest wrote the case to proptest-regressions of the crate: fix the code, and commit that file",
        );
    }
    // A run without a result has not explored anything.
    if failed.is_empty() && ended > 0 { Verdict::Good } else { Verdict::Bad }
}

/// Derives the seed from the commit, so that a failure can be repeated and each commit tests new cases.
pub(crate) fn seed(house: &Repository) -> Result<u64> {
    let mut git = programs::program("git");
    git.args(["rev-parse", "HEAD"]).current_dir(house.root());
    let commit = programs::output(&mut git)
        .context("git has no commit from which to take the seed; set a seed with --seed")?;
    let digits = commit.trim().get(..8).context("git printed no commit hash")?;
    u64::from_str_radix(digits, 16).context("git printed no commit hash")
}

/// Builds the test binaries, and finds the property tests in them.
fn tests(house: &Repository) -> Result<Vec<PropertyTest>> {
    let properties = by_crate(&Tree::of_house(house)?);
    let mut cargo = programs::cargo();
    cargo.args(["test", "--quiet", "--workspace", "--locked", "--lib", "--tests", "--no-run"]);
    cargo.args(["--message-format", "json"]).current_dir(house.root());
    let messages = programs::output(&mut cargo)?;
    let mut tests = Vec::new();
    let mut missing: Vec<&String> = properties.values().flatten().collect();
    for (binary, folder) in binaries(&messages) {
        let relative = folder.strip_prefix(house.root()).unwrap_or(&folder);
        let Some(names) = properties.get(&*relative.to_string_lossy()) else { continue };
        let mut list = programs::program(&binary);
        list.args(["--list", "--format", "terse"]).current_dir(&folder);
        for line in programs::output(&mut list)?.lines() {
            let Some(name) = line.strip_suffix(": test") else { continue };
            if names.iter().any(|property| name.rsplit("::").next() == Some(property)) {
                missing.retain(|property| name.rsplit("::").next() != Some(property));
                tests.push(PropertyTest {
                    binary: binary.clone(),
                    folder: folder.clone(),
                    name: name.to_owned(),
                });
            }
        }
    }
    if !missing.is_empty() {
        bail!("no test binary has the property tests {missing:?}");
    }
    Ok(tests)
}

/// Returns the names of the property tests by the directory of their crate, such as `crates/text`.
fn by_crate(tree: &Tree) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in tree.rust() {
        let names = properties(&file.text);
        let folder = ["/src/", "/tests/"].iter().find_map(|part| Some(file.path.split_once(part)?.0));
        if let Some(folder) = folder.filter(|_| !names.is_empty()) {
            found.entry(folder.to_owned()).or_default().extend(names);
        }
    }
    found
}

/// Returns the test binaries in the JSON messages of cargo, each with the directory of its crate.
#[must_use]
pub fn binaries(messages: &str) -> Vec<(PathBuf, PathBuf)> {
    let artifact = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
        let binary = message["executable"].as_str().filter(|_| is_test)?;
        let manifest = Path::new(message["manifest_path"].as_str()?);
        Some((PathBuf::from(binary), manifest.parent()?.to_owned()))
    };
    messages.lines().filter_map(artifact).collect()
}

/// Orders the tests by the seed, so that runs with too little time for all tests start with different ones.
fn shuffled(mut tests: Vec<PropertyTest>, seed: u64) -> Vec<PropertyTest> {
    let key = |test: &PropertyTest| {
        let sum =
            test.name.bytes().fold(seed, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        (sum ^ (sum >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    tests.sort_by_cached_key(key);
    tests
}

/// Runs the tests in their order, one per processor at a time, until `is_over` returns true. The output of a running
/// test is in a file below `logs`.
///
/// # Errors
/// If a test cannot be started.
pub fn explore(
    tests: &[PropertyTest],
    seed: u64,
    logs: &Path,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<ExplorationResult> {
    disk::make_folder(logs)?;
    let explored = Mutex::new(ExplorationResult::default());
    let queue: Mutex<VecDeque<&PropertyTest>> = Mutex::new(tests.iter().collect());
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let lane = |number: usize| -> Result<()> {
        let log = logs.join(number.to_string());
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(test) = next else { return Ok(()) };
            let name = test.name.clone();
            let passed = if is_over() { TestResult::NotStarted } else { one(test, seed, &log, is_over)? };
            let mut explored = explored.lock().unwrap_or_else(PoisonError::into_inner);
            match passed {
                TestResult::Passed => explored.passed.push(name),
                TestResult::Failed(output) => explored.failed.push((name, output)),
                TestResult::Stopped => explored.stopped.push(name),
                TestResult::NotStarted => explored.waiting.push(name),
            }
        }
    };
    let lane = &lane;
    thread::scope(|scope| {
        let running: Vec<_> = (0..lanes).map(|number| scope.spawn(move || lane(number))).collect();
        let mut ended = running.into_iter().map(thread::ScopedJoinHandle::join);
        ended.try_for_each(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(explored.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Result of one property test.
enum TestResult {
    Passed,
    /// The test failed, with this output.
    Failed(String),
    Stopped,
    NotStarted,
}

/// Runs a test until it ends, or until `is_over` returns true.
fn one(test: &PropertyTest, seed: u64, log: &Path, is_over: &dyn Fn() -> bool) -> Result<TestResult> {
    let output = disk::create(log)?;
    let mut command: Command = programs::program(&test.binary);
    command.args(["--exact", &test.name]).env("PROPTEST_RNG_SEED", seed.to_string());
    command.env("CARGO_MANIFEST_DIR", &test.folder).current_dir(&test.folder);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let mut child = command.spawn().with_context(|| format!("{} does not start", test.binary.display()))?;
    loop {
        if let Some(status) = child.try_wait()? {
            let output = || String::from_utf8_lossy(&disk::bytes(log).unwrap_or_default()).into_owned();
            return Ok(if status.success() { TestResult::Passed } else { TestResult::Failed(output()) });
        }
        if is_over() {
            child.kill()?;
            child.wait()?;
            return Ok(TestResult::Stopped);
        }
        thread::sleep(PAUSE);
    }
}

/// Returns the names of the property tests in a file: the functions of its `proptest!` blocks, and the tests that call
/// `seed` of `toolpost-test-rows`.
#[must_use]
pub fn properties(code: &str) -> Vec<String> {
    let mut names = seeded(code);
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

/// Returns the names of the tests outside `proptest!` blocks that generate their cases from a seed.
fn seeded(code: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    // The name and the indentation of the test that the line is in.
    let mut test: Option<(&str, usize)> = None;
    let mut is_marked = false;
    for line in code.lines() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim_start();
        let head = text.strip_prefix("async ").unwrap_or(text).strip_prefix("fn ");
        match (test, head) {
            (Some((_, outer)), _) if indent == outer && text == "}" => test = None,
            (None, Some(head)) if is_marked => {
                test = head.split(['(', '<']).next().map(|name| (name, indent));
            }
            (Some((name, _)), _) if calls_seed(text) && names.last().is_none_or(|last| last != name) => {
                names.push(name.to_owned());
            }
            _ => {}
        }
        let is_attribute = text.starts_with("#[") || text.starts_with("//");
        is_marked =
            text.starts_with("#[test]") || text.starts_with("#[tokio::test") || (is_marked && is_attribute);
    }
    names
}

/// Checks whether a line of code calls the function `seed`, and no function or method whose name ends so.
fn calls_seed(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices("seed(").any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':' | '"'))
    })
}
