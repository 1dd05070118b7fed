//! Translation of the line numbers that the caller saw to line numbers after the changes so far.

use toolpost_text::{
    encoding::Splice,
    lines::{self, LineRange},
};

/// Line shifts caused by the changes so far. They translate line numbers that the caller saw to
/// current line numbers.
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
        // Stored from last to first, because a step uses the line numbers from before all of these replacements. Steps
        // for earlier lines, which shift later ones, must therefore be applied after it.
        let steps: Vec<Step> = steps.collect();
        self.0.extend(steps.into_iter().rev());
    }

    /// Returns the current position of lines that the caller saw before the first change.
    pub(super) fn now(&self, lines: LineRange) -> LineRange {
        LineRange { first: self.line(lines.first), last: self.line(lines.last) }
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
