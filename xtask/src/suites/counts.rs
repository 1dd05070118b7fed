//! Test counts, read from the summary lines of test runners.

use std::fmt;

/// Numbers of passed, failed, ignored and skipped tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
    pub(super) skipped: u64,
}

impl Counts {
    /// Adds the counts of another run.
    pub(super) fn join(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.skipped += other.skipped;
    }

    /// Adds the counts of a summary line: `test result: ok. 3 passed; 0 failed; 1 ignored; …`, or `3 passed,
    /// 0 failed, 1 skipped`.
    pub(super) fn add(&mut self, line: &str) {
        let line = line.trim();
        let said = match line.strip_prefix("test result: ").and_then(|said| said.split_once(". ")) {
            Some((_, said)) => said,
            None if is_sum(line) => line,
            None => return,
        };
        for (number, word) in said.split([';', ',']).filter_map(number) {
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                "skipped" => self.skipped += number,
                _ => {}
            }
        }
    }
}

fn number(part: &str) -> Option<(u64, &str)> {
    let (number, word) = part.trim().split_once(' ')?;
    Some((number.parse().ok()?, word))
}

/// Returns whether a line consists only of test counts, at least two of them.
fn is_sum(line: &str) -> bool {
    let words = ["passed", "failed", "skipped"];
    let parts: Vec<Option<(u64, &str)>> = line.split(',').map(number).collect();
    parts.len() > 1 && parts.iter().all(|part| part.is_some_and(|(_, word)| words.contains(&word)))
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, ignored, skipped } = self;
        write!(out, "{passed} tests passed, {failed} failed, {ignored} ignored, {skipped} skipped")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn summary_lines_are_parsed_into_test_counts() {
        let rows = [
            (
                "test result: ok. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.1s",
                [3, 1, 2, 0],
            ),
            ("  test result: FAILED. 0 passed; 4 failed; 0 ignored", [0, 4, 0, 0]),
            ("12 passed, 1 failed, 2 skipped", [12, 1, 0, 2]),
            ("test a ... ok", [0, 0, 0, 0]),
            ("the test result: ok. 3 passed", [0, 0, 0, 0]),
            ("3 passed, and the others", [0, 0, 0, 0]),
            ("3 passed", [0, 0, 0, 0]),
        ];
        each(rows, |(line, [passed, failed, ignored, skipped])| {
            let mut counts = Counts::default();
            counts.add(line);
            assert_eq!(counts, Counts { passed, failed, ignored, skipped }, "{line}");
        });
    }
}
