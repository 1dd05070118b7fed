//! Translation of byte offsets in the text on the disk to offsets after the changes so far.

use std::ops::Range;
use toolpost_text::{encoding::Splice, lines::lf};

/// Shifts of byte offsets caused by the changes so far.
#[derive(Default)]
pub(crate) struct OffsetShifts(Vec<Step>);

/// A replacement of text.
struct Step {
    replaced: Range<usize>,
    /// Size of the new text in bytes.
    new: usize,
}

impl OffsetShifts {
    /// Records replacements in a text, which are sorted by their offsets.
    pub(super) fn note(&mut self, splices: &[Splice]) {
        let step = |Splice { range, new }: &Splice| Step { replaced: range.clone(), new: lf(new).len() };
        // Stored from last to first: each step is applied while the text before it is at its old offsets.
        self.0.extend(splices.iter().rev().map(step));
    }

    /// Returns the current offsets of a range of the text on the disk; `None` if a change replaced a part of it. Text
    /// that is inserted where an earlier change inserted some follows the earlier text.
    pub(super) fn now(&self, range: Range<usize>) -> Option<Range<usize>> {
        self.0.iter().try_fold(range, |range, Step { replaced, new }| {
            let shifted = |at: usize| (at + new).saturating_sub(replaced.len());
            if range.start >= replaced.end {
                Some(shifted(range.start)..shifted(range.end))
            } else if range.end <= replaced.start {
                Some(range)
            } else {
                None
            }
        })
    }
}
