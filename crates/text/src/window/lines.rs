//! Lines that were kept: thousands of them are parts of one text.

use std::{fmt, sync::Arc};

use crate::cut;

/// Lines that were kept, in order.
#[derive(Clone, Default)]
pub struct Lines {
    whole: Arc<str>,
    kept: Vec<Kept>,
}

/// Offset of a line in the joined text.
#[derive(Clone, Copy)]
struct Kept {
    number: u64,
    from: usize,
    to: usize,
    more: u64,
}

/// A line that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, counted from 1.
    pub number: u64,
    /// Its characters without its break; bytes that are not UTF-8 as windows-1252 glyphs or U+FFFD.
    pub text: &'a str,
    /// Number of further characters.
    pub more: u64,
}

impl Line<'_> {
    /// Returns the number of characters cut from a very long line, if any.
    #[must_use]
    pub fn cut(&self) -> Option<u64> {
        (self.more > 0).then_some(self.more)
    }
}

impl Lines {
    /// Begins with no line of a text.
    pub(super) fn of(whole: Arc<str>) -> Self {
        Self { whole, kept: Vec::new() }
    }

    /// Adds a part of the text as the next line; `from` and `to` are character boundaries.
    pub(super) fn take(&mut self, number: u64, from: usize, to: usize, more: u64) {
        self.kept.push(Kept { number, from, to, more });
    }

    /// Counts the lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns whether there is no line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Counts the bytes of all lines, without their breaks.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.to - kept.from).sum()
    }

    /// Goes through the lines.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Line<'_>> + ExactSizeIterator {
        self.kept.iter().map(|kept| self.line(kept))
    }

    /// Returns the first line.
    #[must_use]
    pub fn first(&self) -> Option<Line<'_>> {
        self.kept.first().map(|kept| self.line(kept))
    }

    /// Returns the last line.
    #[must_use]
    pub fn last(&self) -> Option<Line<'_>> {
        self.kept.last().map(|kept| self.line(kept))
    }

    /// Returns whether lines between the first and the last are missing.
    #[must_use]
    pub fn has_gap(&self) -> bool {
        self.kept.windows(2).any(|two| two[0].number + 1 < two[1].number)
    }

    /// Keeps a number of the first lines.
    pub fn keep_first(&mut self, lines: usize) {
        self.kept.truncate(lines);
    }

    /// Keeps a number of the last lines.
    pub fn keep_last(&mut self, lines: usize) {
        self.kept.drain(..self.kept.len().saturating_sub(lines));
    }

    /// Cuts each line to a number of bytes.
    pub fn shorten(&mut self, bytes: usize) {
        for kept in &mut self.kept {
            let text = &self.whole[kept.from..kept.to];
            let characters = text[..text.floor_char_boundary(bytes)].chars().count();
            let (left, more) = cut::line(text, characters);
            kept.to = kept.from + left.len();
            kept.more += more as u64;
        }
    }

    /// Adds following lines.
    #[must_use]
    pub fn and(&self, behind: &Self) -> Self {
        self.iter().chain(behind.iter()).collect()
    }

    fn line(&self, kept: &Kept) -> Line<'_> {
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
            kept.push(Kept { number: line.number, from, to: whole.len(), more: line.more });
        }
        Self { whole: whole.into(), kept }
    }
}
