//! Line positions in a file after the changes so far.

use toolpost_text::{
    encoding::Splice,
    lines::{self, LineRange},
};

/// The line shifts caused by the changes so far: hints refer to the lines that the caller has seen.
#[derive(Default)]
pub(crate) struct Moved(Vec<Step>);

/// A replacement of lines.
struct Step {
    /// The first line of the replaced text, counted from 1.
    first: usize,
    /// The first line that begins after it.
    behind: usize,
    /// Number of line breaks in the replaced text.
    before: usize,
    /// Number of line breaks in the new text.
    after: usize,
}

impl Moved {
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
        // From the last to the first, so that the earlier lines of each are still at their old positions.
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
