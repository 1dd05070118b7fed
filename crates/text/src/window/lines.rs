//! Lines selected from a file, stored as ranges of one text.

use std::{fmt, sync::Arc};

use crate::cut;

/// Lines selected from a file, in order.
#[derive(Clone, Default)]
pub struct Lines {
    whole: Arc<str>,
    kept: Vec<LineSpan>,
}

/// The number of a line in the file, its byte range in the stored text, and the number of characters that
/// were cut off its end.
#[derive(Clone, Copy)]
struct LineSpan {
    number: u64,
    from: usize,
    to: usize,
    more: u64,
}

/// A line selected from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// The number of the line in the file, counted from 1.
    pub number: u64,
    /// The characters of the line without its line break; bytes that are not UTF-8 appear as windows-1252
    /// glyphs or U+FFFD.
    pub text: &'a str,
    /// Number of characters at the end of the line that were cut off.
    pub more: u64,
}

impl Line<'_> {
    /// Returns the number of characters that were cut off the end of the line; `None` if the line is complete.
    #[must_use]
    pub fn cut(&self) -> Option<u64> {
        (self.more > 0).then_some(self.more)
    }
}

impl Lines {
    /// Creates an empty list, whose lines will be ranges of the text `whole`.
    pub(super) fn of(whole: Arc<str>) -> Self {
        Self { whole, kept: Vec::new() }
    }

    /// Adds a range of the text as the next line; `from` and `to` are character boundaries.
    pub(super) fn take(&mut self, number: u64, from: usize, to: usize, more: u64) {
        self.kept.push(LineSpan { number, from, to, more });
    }

    /// Returns the number of selected lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns whether no line is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Returns the size of all selected lines together in bytes, without their line breaks.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.to - kept.from).sum()
    }

    /// Iterates over the selected lines.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Line<'_>> + ExactSizeIterator {
        self.kept.iter().map(|kept| self.line(kept))
    }

    /// Returns the first selected line.
    #[must_use]
    pub fn first(&self) -> Option<Line<'_>> {
        self.kept.first().map(|kept| self.line(kept))
    }

    /// Returns the last selected line.
    #[must_use]
    pub fn last(&self) -> Option<Line<'_>> {
        self.kept.last().map(|kept| self.line(kept))
    }

    /// Returns whether lines of the file between the first and the last selected line are missing.
    #[must_use]
    pub fn has_gap(&self) -> bool {
        self.kept.windows(2).any(|two| two[0].number + 1 < two[1].number)
    }

    /// Keeps only the first `lines` lines.
    pub fn keep_first(&mut self, lines: usize) {
        self.kept.truncate(lines);
    }

    /// Keeps only the last `lines` lines.
    pub fn keep_last(&mut self, lines: usize) {
        self.kept.drain(..self.kept.len().saturating_sub(lines));
    }

    /// Shortens each line to at most `bytes` bytes.
    pub fn shorten(&mut self, bytes: usize) {
        for kept in &mut self.kept {
            let text = &self.whole[kept.from..kept.to];
            let characters = text[..text.floor_char_boundary(bytes)].chars().count();
            let (left, more) = cut::line(text, characters);
            kept.to = kept.from + left.len();
            kept.more += more as u64;
        }
    }

    /// Returns these lines, followed by the lines `behind`.
    #[must_use]
    pub fn and(&self, behind: &Self) -> Self {
        self.iter().chain(behind.iter()).collect()
    }

    fn line(&self, kept: &LineSpan) -> Line<'_> {
        Line { number: kept.number, text: &self.whole[kept.from..kept.to], more: kept.more }
    }
}

impl PartialEq for Lines {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Lines {}

impl fmt::Debug for Lines {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> FromIterator<Line<'a>> for Lines {
    fn from_iter<T: IntoIterator<Item = Line<'a>>>(lines: T) -> Self {
        let (mut whole, mut kept) = (String::new(), Vec::new());
        for line in lines {
            let from = whole.len();
            whole.push_str(line.text);
            kept.push(LineSpan { number: line.number, from, to: whole.len(), more: line.more });
        }
        Self { whole: whole.into(), kept }
    }
}
