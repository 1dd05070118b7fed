//! How many tests ran, read from the lines that sum them up.

use std::fmt;

/// How many tests passed, failed, and were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Counts {
    /// Adds what a line says, such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    pub(super) fn add(&mut self, line: &str) {
        let Some((_, said)) =
            line.trim_start().strip_prefix("test result: ").and_then(|said| said.split_once(". "))
        else {
            return;
        };
        for part in said.split(';') {
            let Some((number, word)) = part.trim().split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} tests passed, {} failed, {} ignored", self.passed, self.failed, self.ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted() {
        let rows = [
            (
                "test result: ok. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.1s",
                (3, 1, 2),
            ),
            ("  test result: FAILED. 0 passed; 4 failed; 0 ignored", (0, 4, 0)),
            ("test a ... ok", (0, 0, 0)),
            ("the test result: ok. 3 passed", (0, 0, 0)),
        ];
        for (line, (passed, failed, ignored)) in rows {
            let mut counts = Counts::default();
            counts.add(line);
            assert_eq!(counts, Counts { passed, failed, ignored }, "{line}");
        }
    }
}
