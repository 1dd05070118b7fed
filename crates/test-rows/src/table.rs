//! Table tests in which each row is a test with a name, for test binaries without the standard harness.
//!
//! The output and the options are those of the standard harness, so that `cargo test` and its readers need no other
//! rules. The crate `libtest-mimic` offers the same, but it turns on default features of `clap`, and the tests of this
//! workspace would then build a program with another help text than the one that ships.

use crate::message;
use std::{
    any::Any,
    collections::{BTreeSet, VecDeque},
    io::{self, Write},
    num::NonZero,
    process::ExitCode,
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Instant,
};

/// The maximum number of characters of a row's label in the name of its test.
const SHOWN: usize = 100;
/// Environment variable with the number of rows that run at the same time, as for the standard harness.
const THREADS: &str = "RUST_TEST_THREADS";
/// Exit codes for failed tests and for wrong arguments.
const FAILED: u8 = 101;
const MISUSED: u8 = 2;

/// Options of the standard harness that select the action, or the comparison with filters.
const SELECTING: [&str; 3] = ["--exact", "--ignored", "--list"];
/// Options of the standard harness that take a value.
const WITH_VALUE: [&str; 6] = ["--color", "--format", "--logfile", "--skip", "--test-threads", "-Z"];
/// Options of the standard harness that change nothing here: no output is captured, and no row is ignored.
const WITHOUT_EFFECT: [&str; 8] = [
    "--include-ignored",
    "--no-capture",
    "--nocapture",
    "--quiet",
    "-q",
    "--report-time",
    "--show-output",
    "--test",
];

/// A table of rows, each of which is a test.
pub struct Table {
    tests: Vec<RowTest>,
}

/// A test of one row.
struct RowTest {
    name: String,
    check: Box<dyn FnOnce() + Send>,
}

impl Table {
    /// Creates a table. A row's test has the name `NAME::NUMBER LABEL`, and fails if `check` panics.
    ///
    /// Rows are checked in parallel and in any order. If they share a setup, create it before, or at the first use.
    ///
    /// # Panics
    /// If there are no rows, because the table then checks nothing.
    pub fn new<R: Send + 'static>(
        name: &str,
        rows: impl IntoIterator<Item = R>,
        label: impl Fn(&R) -> String,
        check: impl Fn(R) + Send + Sync + 'static,
    ) -> Self {
        let check = std::sync::Arc::new(check);
        let test = |(number, row): (usize, R)| {
            let check = check.clone();
            let name = format!("{name}::{number} {}", one_line(&label(&row)));
            RowTest { name, check: Box::new(move || check(row)) }
        };
        let tests: Vec<RowTest> = rows.into_iter().enumerate().map(test).collect();
        assert!(!tests.is_empty(), "the table {name} has no rows");
        Self { tests }
    }
}

/// Returns a label without line breaks, tabs and other control characters, cut to the maximum length.
fn one_line(label: &str) -> String {
    let escaped = label.chars().flat_map(|letter| {
        let is_control = letter.is_control();
        let escaped = is_control.then(|| letter.escape_default());
        (!is_control).then_some(letter).into_iter().chain(escaped.into_iter().flatten())
    });
    escaped.take(SHOWN).collect::<String>().trim_end().to_owned()
}

/// Runs the rows that the arguments of the program select, as the `main` of a test binary with `harness = false`.
///
/// # Panics
/// If two tables have the same name.
pub fn main(tables: impl IntoIterator<Item = Table>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = Options::read(&arguments, std::env::var(THREADS).ok().as_deref())
        .map(|options| run(tables, &options, &mut io::stdout()));
    match done {
        Ok(Ok(Verdict::Passed)) => ExitCode::SUCCESS,
        Ok(Ok(Verdict::Failed)) => ExitCode::from(FAILED),
        Ok(Err(error)) => misused(&format!("the results cannot be printed: {error}")),
        Err(message) => misused(&message),
    }
}

fn misused(message: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(MISUSED)
}

/// The arguments of a test binary.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    /// Texts, one of which the name of a selected test contains.
    filters: Vec<String>,
    /// Texts that the name of a selected test does not contain.
    skips: Vec<String>,
    matching: Matching,
    action: Action,
    threads: usize,
}

/// Comparison of names with filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Matching {
    Contained,
    Exact,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Run,
    List,
    /// Only ignored tests are asked for, and no row is ignored.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
}

impl Options {
    /// Reads the arguments of the program; `threads` is the value of the environment variable.
    fn read(arguments: &[String], threads: Option<&str>) -> Result<Self, String> {
        let mut options = Self {
            filters: Vec::new(),
            skips: Vec::new(),
            matching: Matching::Contained,
            action: Action::Run,
            threads: thread::available_parallelism().map_or(1, NonZero::get),
        };
        if let Some(threads) = threads {
            options.threads = number(THREADS, threads)?;
        }
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if !argument.starts_with('-') {
                options.filters.push(argument.clone());
                continue;
            }
            let (name, given) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (argument.as_str(), None),
            };
            if WITH_VALUE.contains(&name) {
                let value = given.or_else(|| rest.next().map(String::as_str));
                let value = value.ok_or_else(|| format!("the option {name} needs a value"))?;
                match name {
                    "--skip" => options.skips.push(value.to_owned()),
                    "--test-threads" => options.threads = number(name, value)?,
                    _ => {}
                }
                continue;
            }
            match name {
                "--exact" => options.matching = Matching::Exact,
                "--list" => options.action = Action::List,
                "--ignored" => options.action = Action::Nothing,
                _ if WITHOUT_EFFECT.contains(&name) => {}
                _ => return Err(unknown(argument)),
            }
        }
        Ok(options)
    }

    fn selects(&self, name: &str) -> bool {
        let fits = |text: &String| match self.matching {
            Matching::Contained => name.contains(text.as_str()),
            Matching::Exact => name == text,
        };
        let is_wanted = self.filters.is_empty() || self.filters.iter().any(fits);
        is_wanted && !self.skips.iter().any(fits) && self.action != Action::Nothing
    }
}

/// Returns the error for an option that this harness does not have. The standard harness has more options.
fn unknown(argument: &str) -> String {
    let mut options = [&SELECTING[..], &WITH_VALUE[..], &WITHOUT_EFFECT[..]].concat();
    options.sort_unstable();
    format!("unknown option `{argument}`; the options are {}", options.join(", "))
}

fn number(name: &str, value: &str) -> Result<usize, String> {
    let number: Option<NonZero<usize>> = value.parse().ok();
    number.map(NonZero::get).ok_or_else(|| format!("{name} needs a number above 0, got `{value}`"))
}

/// Lists or runs the selected rows, and prints the results.
fn run(
    tables: impl IntoIterator<Item = Table>,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<Verdict> {
    let all: Vec<RowTest> = tables.into_iter().flat_map(|table| table.tests).collect();
    let names: BTreeSet<&str> = all.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "two tables have the same name");
    let total = all.len();
    let selected: VecDeque<RowTest> = all.into_iter().filter(|test| options.selects(&test.name)).collect();
    if options.action == Action::List {
        selected.iter().try_for_each(|test| writeln!(out, "{}: test", test.name))?;
        return Ok(Verdict::Passed);
    }
    let (count, start) = (selected.len(), Instant::now());
    writeln!(out, "\nrunning {count} test{}", if count == 1 { "" } else { "s" })?;
    let failed = run_all(selected, options.threads, out)?;
    if !failed.is_empty() {
        writeln!(out, "\nfailures:")?;
        failed.iter().try_for_each(|name| writeln!(out, "    {name}"))?;
    }
    let verdict = if failed.is_empty() { Verdict::Passed } else { Verdict::Failed };
    writeln!(
        out,
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
        if verdict == Verdict::Passed { "ok" } else { "FAILED" },
        count - failed.len(),
        failed.len(),
        total - count,
        start.elapsed().as_secs_f64()
    )?;
    Ok(verdict)
}

/// Runs tests, as many at the same time as there are threads; prints each result, and returns the names of the failed
/// tests.
fn run_all(tests: VecDeque<RowTest>, threads: usize, out: &mut dyn Write) -> io::Result<Vec<String>> {
    let (queue, (results, ended)) = (Mutex::new(tests), mpsc::channel());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let mut failed = Vec::new();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (results, next) = (results.clone(), &next);
            scope.spawn(move || {
                while let Some(RowTest { name, check }) = next() {
                    let result = checked(&name, check);
                    if results.send((name, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(results);
        for (name, result) in ended {
            match result {
                Ok(()) => writeln!(out, "test {name} ... ok")?,
                // The message follows immediately, because other results come between a test and its panic's output.
                Err(panic) => {
                    writeln!(out, "test {name} ... FAILED\n{}", indented(message(&*panic)))?;
                    failed.push(name);
                }
            }
        }
        Ok(failed)
    })
}

/// Runs a check in a thread with the name of the test, which the messages of panics and `skip` show.
fn checked(name: &str, check: Box<dyn FnOnce() + Send>) -> thread::Result<()> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(check);
    let started = started.map_err(|error| -> Box<dyn Any + Send> {
        Box::new(format!("the thread of the test does not start: {error}"))
    });
    started.and_then(thread::JoinHandle::join)
}

fn indented(message: &str) -> String {
    message.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::each;

    fn arguments(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    /// Runs the program with arguments, and returns its output without the elapsed time.
    fn output(line: &str) -> (Verdict, String) {
        let sum = |(one, other, sum): (u8, u8, u8)| {
            let thread = thread::current();
            assert!(thread.name().is_some_and(|name| name.starts_with("sums::")), "{thread:?}");
            assert!(one + other == sum, "{one} + {other} is {}\nand not {sum}", one + other);
        };
        let label = |row: &(u8, u8, u8)| format!("{}\n+ {}", row.0, row.1);
        let sums = Table::new("sums", [(1, 1, 2), (1, 2, 4), (2, 2, 4)], label, sum);
        let words = Table::new("words", ["a", "ab"], ToString::to_string, |word| assert!(word.len() < 3));
        let mut out = Vec::new();
        let options = Options::read(&arguments(line), Some("1")).unwrap();
        let verdict = run([sums, words], &options, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let text = text.split("; finished in ").next().unwrap_or_default().trim().to_owned();
        (verdict, text)
    }

    #[test]
    fn every_row_is_a_test_with_a_name() {
        let failed = "running 3 tests\ntest sums::0 1\\n+ 1 ... ok\ntest sums::1 1\\n+ 2 ... FAILED\n    1 + 2 is 3\n    \
                      and not 4\ntest sums::2 2\\n+ 2 ... ok\n\nfailures:\n    sums::1 1\\n+ 2\n\ntest result: FAILED. 2 \
                      passed; 1 failed; 0 ignored; 0 measured; 2 filtered out";
        assert_eq!(output("sums"), (Verdict::Failed, failed.to_owned()));
        let rows = [
            ("words::", "2 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out"),
            ("--exact words::0", "0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out"),
            ("--skip sums::1 --nocapture", "4 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out"),
            ("--skip=sums --test-threads 4", "2 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out"),
            ("sums::0 words::1", "2 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out"),
            ("--ignored", "0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out"),
        ];
        each(rows, |(line, wanted)| {
            let (verdict, text) = output(line);
            assert_eq!(verdict, Verdict::Passed);
            assert!(text.ends_with(&format!("test result: ok. {wanted}")), "{text}");
        });
    }

    #[test]
    fn tests_are_listed_as_the_standard_harness_lists_them() {
        let wanted = "sums::0 1\\n+ 1: test\nsums::1 1\\n+ 2: test\nsums::2 2\\n+ 2: test";
        assert_eq!(output("--list --format terse sums"), (Verdict::Passed, wanted.to_owned()));
    }

    #[test]
    fn exact_names_select_one_row() {
        let name = "words::1 ab".to_owned();
        let options = Options::read(&["--exact".to_owned(), name.clone()], None).unwrap();
        assert_eq!(options.matching, Matching::Exact);
        assert!(options.selects(&name) && !options.selects("words::1 abc"));
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let options = "--color, --exact, --format, --ignored, --include-ignored, --list, --logfile, --no-capture, \
                       --nocapture, --quiet, --report-time, --show-output, --skip, --test, --test-threads, -Z, -q";
        let rows = [
            ("--exakt", None, format!("unknown option `--exakt`; the options are {options}")),
            ("--help", None, format!("unknown option `--help`; the options are {options}")),
            ("--skip", None, "the option --skip needs a value".to_owned()),
            ("--test-threads 0", None, "--test-threads needs a number above 0, got `0`".to_owned()),
            ("", Some("many"), "RUST_TEST_THREADS needs a number above 0, got `many`".to_owned()),
        ];
        each(rows, |(line, threads, wanted)| {
            assert_eq!(Options::read(&arguments(line), threads), Err(wanted));
        });
    }

    #[test]
    fn a_table_without_rows_and_a_repeated_name_fail() {
        let empty = || Table::new("a", [0_u8; 0], ToString::to_string, drop);
        let panic = std::panic::catch_unwind(empty).err().expect("the table should fail");
        assert_eq!(message(&*panic), "the table a has no rows");
        let twice = || {
            let table = || Table::new("a", [1_u8], ToString::to_string, drop);
            let options = Options::read(&[], None).unwrap();
            run([table(), table()], &options, &mut Vec::new()).unwrap()
        };
        let panic = std::panic::catch_unwind(twice).expect_err("the tables should fail");
        assert!(message(&*panic).contains("two tables have the same name"));
    }

    #[test]
    fn labels_are_one_short_line() {
        assert_eq!(one_line("a\tb\nc\u{1b}"), "a\\tb\\nc\\u{1b}");
        assert_eq!(one_line(&"é".repeat(200)).chars().count(), SHOWN);
    }
}
