//! Translation between the line numbers that the caller saw and the line numbers after the changes so far.

use toolpost_text::{
    encoding::Splice,
    lines::{self, LineRange},
};

/// Shifts of line numbers that the changes so far have caused.
#[derive(Default)]
pub(crate) struct LineShifts(Vec<Step>);

/// A replacement of lines.
struct Step {
    /// The first line of the replaced text, counted from 1.
    first: usize,
    /// The first line that begins after the replaced text.
    behind: usize,
    /// Number of line breaks in the replaced text.
    before: usize,
    /// Number of line breaks in the new text.
    after: usize,
}

impl LineShifts {
    /// Records replacements in a text, before they are made.
    pub(super) fn note(&mut self, view: &str, splices: &[Splice]) {
        let (mut done, mut line) = (0, 1);
        let mut number = |upto: usize| {
            line += lines::breaks(view.get(done..upto).unwrap_or_default());
            done = upto;
            line
        };
        let steps = splices.iter().map(|Splice { range, new }| {
            let begins = range.end < view.len() && (range.end == 0 || view[..range.end].ends_with('\n'));
            let (first, last) = (number(range.start), number(range.end));
            let behind = last + usize::from(!begins);
            Step { first, behind, before: last - first, after: lines::breaks(new) }
        });
        // Stored from last to first: each step is applied while the lines before it are at their old numbers.
        let known = self.0.len();
        self.0.extend(steps);
        self.0[known..].reverse();
    }

    /// Returns the current position of lines that the caller saw before the first change.
    pub(super) fn now(&self, lines: LineRange) -> LineRange {
        LineRange { first: self.line(lines.first), last: self.line(lines.last) }
    }

    /// Returns the number that a current line had when the caller saw it; for a line of new text, the number of the
    /// first line that it replaced.
    pub(super) fn before(&self, line: usize) -> usize {
        self.0.iter().rev().fold(line, |line, step| {
            if line + step.before >= step.behind + step.after {
                line + step.before - step.after
            } else {
                line.min(step.first)
            }
        })
    }

    fn line(&self, line: usize) -> usize {
        self.0.iter().fold(line, |line, step| {
            if line >= step.behind {
                line - step.before + step.after
            } else {
                line.min(step.first + step.after)
            }
        })
    }
}
