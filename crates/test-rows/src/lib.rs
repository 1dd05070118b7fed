//! Table-driven tests, which report every row that fails with its number and its `Debug` text.

#![doc = include_str!("../README.md")]

pub mod table;

use std::{
    any::Any,
    fmt::Debug,
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
};

/// Environment variable with a text: only the rows are checked whose `Debug` text contains it.
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
/// The line is printed past the test harness, which hides the output of tests that pass. `cargo xtask test` counts the
/// lines.
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

/// Reports that a part of a test cannot run in this checkout, for example because other users may not enter its
/// directory. Unlike [`skip`], it does not fail in a strict run: the machine lacks nothing that could be installed.
#[track_caller]
pub fn skip_in_checkout(why: &str) {
    let thread = std::thread::current();
    let line = skipped(thread.name().unwrap_or("a test"), why, Strict::No);
    let _ = std::io::stdout().write_all(line.as_bytes());
}

/// Treatment of tests that cannot run on this machine.
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

/// The number of rows so far, and the messages of the rows that failed.
struct Failed {
    /// The text that the rows to check contain.
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
    use std::task::{Context, Poll, Waker};

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
