//! Table-driven tests, which report every row that fails with its number and its `Debug` text.

#![doc = include_str!("../README.md")]

pub mod public;
pub mod table;

use std::{
    any::Any,
    fmt::Debug,
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
};

/// Environment variable with a text; only rows whose `Debug` text contains it are checked.
const ROW: &str = "TOOLPOST_TEST_ROW";
/// The maximum number of characters of a row's `Debug` text in the failure message.
const SHOWN: usize = 120;

/// Calls `check` with every row, and fails at the end if it panicked for any row.
///
/// # Panics
/// If `check` panics for a row, or there are no rows. The message lists the rows that failed, with their messages.
#[track_caller]
pub fn each<R: Debug>(rows: impl IntoIterator<Item = R>, mut check: impl FnMut(R)) {
    let mut failed = Failed::new(std::env::var(ROW).ok());
    for row in rows {
        let Some(name) = failed.next(&row) else { continue };
        failed.add(name, catch_unwind(AssertUnwindSafe(|| check(row))));
    }
    failed.report();
}

/// Calls `check` with one row after the other, and fails at the end if it panicked for any row.
///
/// # Panics
/// If `check` panics for a row, or there are no rows. The message lists the rows that failed, with their messages.
pub async fn each_async<R: Debug>(rows: impl IntoIterator<Item = R>, mut check: impl AsyncFnMut(R)) {
    let mut failed = Failed::new(std::env::var(ROW).ok());
    for row in rows {
        let Some(name) = failed.next(&row) else { continue };
        let mut checked = pin!(check(row));
        let done = std::future::poll_fn(|context| {
            match catch_unwind(AssertUnwindSafe(|| checked.as_mut().poll(context))) {
                Ok(polled) => polled.map(Ok),
                Err(panic) => std::task::Poll::Ready(Err(panic)),
            }
        });
        failed.add(name, done.await);
    }
    failed.report();
}

/// Environment variable that makes a skipped test fail; `cargo xtask test --strict` sets it.
const STRICT: &str = "TOOLPOST_TEST_STRICT";

/// Reports that a test, or a part of it, cannot run on this machine. The caller then returns.
///
/// The line bypasses the test harness, which hides the output of tests that pass. `cargo xtask test` counts the lines.
///
/// # Panics
/// If the environment variable `TOOLPOST_TEST_STRICT` is set.
#[track_caller]
pub fn skip(why: &str) {
    let strict = std::env::var_os(STRICT).map_or(Strict::No, |_| Strict::Yes);
    let thread = std::thread::current();
    let line = skipped(thread.name().unwrap_or("a test"), why, strict);
    let _ = std::io::stdout().write_all(line.as_bytes());
}

/// Reports that a test adds nothing on this machine, because another test checks the same here. The caller then returns.
pub fn covered(by: &str) {
    let thread = std::thread::current();
    let line = format!("\nCOVERED: {}: {by} checks the same here\n", thread.name().unwrap_or("a test"));
    let _ = std::io::stdout().write_all(line.as_bytes());
}

/// Handling of tests that cannot run on this machine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strict {
    Yes,
    No,
}

/// Returns the line that reports a skipped test. It begins with a line break, because the test harness may have printed
/// a part of a line.
#[track_caller]
fn skipped(test: &str, why: &str, strict: Strict) -> String {
    assert!(strict == Strict::No, "{test} cannot run here, and {STRICT} is set: {why}");
    format!("\nSKIPPED: {test}: {why}\n")
}

/// Environment variable with the seed of random cases, which proptest reads, too. `cargo xtask explore` sets a new one.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Returns the seed of a test that generates its random cases itself: `default`, or one from the environment variable
/// `PROPTEST_RNG_SEED`. It is never 0. The test harness prints its origin if the test fails.
///
/// `cargo xtask explore` runs the tests that call this function directly.
///
/// # Panics
/// If the environment variable is not a number.
#[must_use]
#[expect(clippy::print_stdout, reason = "the test harness prints the output of a test that fails")]
pub fn seed(default: u64) -> u64 {
    let given = std::env::var(SEED).ok();
    match &given {
        Some(given) => println!("random cases of {SEED}={given}"),
        None => println!("random cases of {default}, without {SEED}"),
    }
    seed_of(default, given.as_deref())
}

/// Mixes the value of the environment variable into the default, so that tests with different defaults differ.
fn seed_of(default: u64, given: Option<&str>) -> u64 {
    let Some(given) = given else { return default.max(1) };
    let given: u64 = given.parse().unwrap_or_else(|_| panic!("{SEED} needs a number, got `{given}`"));
    let mixed = (default ^ given.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed ^ (mixed >> 31)).max(1)
}

/// The number of rows so far, and the messages of the rows that failed.
struct Failed {
    /// The text that a row must contain to be checked; `None`: all rows are checked.
    only: Option<String>,
    rows: usize,
    messages: Vec<String>,
}

impl Failed {
    fn new(only: Option<String>) -> Self {
        Self { only, rows: 0, messages: Vec::new() }
    }

    /// Returns the name of the next row: its number, and the beginning of its `Debug` text. `None` if the row is not
    /// checked.
    fn next(&mut self, row: &impl Debug) -> Option<String> {
        let text = format!("{row:?}");
        let number = self.rows;
        self.rows += 1;
        if self.only.as_ref().is_some_and(|only| !text.contains(only.as_str())) {
            return None;
        }
        Some(format!("row {number} {}", text.chars().take(SHOWN).collect::<String>()))
    }

    fn add(&mut self, name: String, checked: Result<(), Box<dyn Any + Send>>) {
        if let Err(panic) = checked {
            self.messages.push(format!("{name}: {}", message(&*panic)));
        }
    }

    /// Fails if a row failed, with the messages of all. Also fails without any rows, because the table then checks
    /// nothing.
    #[track_caller]
    fn report(self) {
        let Self { rows, messages, only: _ } = self;
        assert!(rows > 0, "the table has no rows");
        assert!(messages.is_empty(), "{} of {rows} rows failed:\n{}", messages.len(), messages.join("\n"));
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("the check panicked")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        collections::BTreeSet,
        task::{Context, Poll, Waker},
    };

    const ROWS: [(u8, u8); 4] = [(1, 1), (2, 3), (4, 4), (5, 6)];
    const WANTED: &str = "2 of 4 rows failed:\nrow 1 (2, 3): 2 is not 3\nrow 3 (5, 6): 5 is not 6";

    fn failure(run: impl FnOnce()) -> String {
        message(&*catch_unwind(AssertUnwindSafe(run)).expect_err("the table should fail")).to_owned()
    }

    fn compare((one, other): (u8, u8)) {
        assert!(one == other, "{one} is not {other}");
    }

    #[test]
    fn every_failing_row_is_reported() {
        assert_eq!(failure(|| each(ROWS, compare)), WANTED);
        each(ROWS, |(one, other)| assert!(one <= other));
    }

    #[test]
    fn every_failing_row_of_an_async_table_is_reported() {
        let run = || {
            let checked = each_async(ROWS, async |row| {
                let mut waited = false;
                std::future::poll_fn(|_| {
                    if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
                compare(row);
            });
            let mut checked = pin!(checked);
            let mut context = Context::from_waker(Waker::noop());
            while checked.as_mut().poll(&mut context).is_pending() {}
        };
        assert_eq!(failure(run), WANTED);
    }

    #[test]
    fn skipped_tests_are_reported_and_fail_if_strict() {
        let line = "\nSKIPPED: one: no network\n";
        assert_eq!(skipped("one", "no network", Strict::No), line);
        let wanted = "one cannot run here, and TOOLPOST_TEST_STRICT is set: no network";
        assert_eq!(failure(|| drop(skipped("one", "no network", Strict::Yes))), wanted);
    }

    #[test]
    fn seeds_follow_from_the_environment_and_the_test() {
        assert_eq!((seed_of(7, None), seed_of(0, None)), (7, 1));
        let seeds: BTreeSet<u64> = [(7, "1"), (7, "2"), (8, "1"), (0, "0")]
            .iter()
            .map(|(test, given)| seed_of(*test, Some(given)))
            .collect();
        assert!(seeds.len() == 4 && !seeds.contains(&0) && !seeds.contains(&7), "{seeds:?}");
        assert_eq!(seed_of(7, Some("1")), seed_of(7, Some("1")));
        assert_eq!(
            failure(|| assert_eq!(seed_of(7, Some("x")), 0)),
            "PROPTEST_RNG_SEED needs a number, got `x`"
        );
    }

    #[test]
    fn rows_are_selected_by_their_text() {
        let mut failed = Failed::new(Some("4".to_owned()));
        let names: Vec<String> = ROWS.iter().filter_map(|row| failed.next(row)).collect();
        assert_eq!(names, ["row 2 (4, 4)"]);
        assert_eq!(Failed::new(None).next(&"a\nb").as_deref(), Some("row 0 \"a\\nb\""));
    }

    #[test]
    fn a_table_without_rows_fails() {
        assert_eq!(failure(|| each([0_u8; 0], drop)), "the table has no rows");
    }
}
