//! Lines of a text, and their offsets.

use std::borrow::Cow;

use memchr::{memchr_iter, memrchr};
use serde::Serialize;

/// Lines from `first` to `last`, both counted from 1 and both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct LineRange {
    /// The first line, counted from 1.
    pub first: usize,
    /// The last line, included.
    pub last: usize,
}

/// The offsets at which the lines of a text begin.
///
/// Only `\n` ends a line. A text that ends with one has no empty line after it; an empty text has no line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<usize>,
    end: usize,
}

impl LineIndex {
    /// Finds the lines of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        if !text.is_empty() {
            starts.push(0);
        }
        starts
            .extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).filter(|&start| start < text.len()));
        Self { starts, end: text.len() }
    }

    /// Returns the number of lines.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the number, counted from 1, of the line that contains an offset; the end of the text is in the
    /// last line.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).max(1)
    }

    /// Returns the offset of the beginning of a line; `None` if the text has fewer lines.
    #[must_use]
    pub fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line.checked_sub(1)?).copied()
    }

    /// Returns the byte range of a line with its break; `None` if the text has fewer lines.
    #[must_use]
    pub fn range(&self, line: usize) -> Option<std::ops::Range<usize>> {
        let start = self.start(line)?;
        Some(start..self.starts.get(line).copied().unwrap_or(self.end))
    }

    /// Returns the byte range of several lines with their breaks; `None` if a line is missing or the range is reversed.
    #[must_use]
    pub fn span(&self, lines: LineRange) -> Option<std::ops::Range<usize>> {
        let first = self.range(lines.first)?;
        let last = self.range(lines.last)?;
        (first.start <= last.start).then_some(first.start..last.end)
    }
}

/// Converts every CRLF to LF; lone carriage returns stay.
#[must_use]
pub fn lf(text: &str) -> Cow<'_, str> {
    if memchr::memmem::find(text.as_bytes(), b"\r\n").is_some() {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Counts the line breaks of a text.
#[must_use]
pub fn breaks(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
}

/// Returns the line number of an offset like [`LineIndex::line`], but without building an index.
#[must_use]
pub fn number(text: &str, offset: usize) -> usize {
    let begins = memchr_iter(b'\n', &text.as_bytes()[..offset]).count();
    let behind = offset == text.len() && text.ends_with('\n');
    (begins + 1 - usize::from(behind)).max(1)
}

/// Counts the lines of a text as [`LineIndex`] does.
#[must_use]
pub fn count(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Splits a text into lines without their breaks; an empty text has none.
#[must_use]
pub fn bare(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
}

/// Returns the tabs and spaces at the beginning of a line.
#[must_use]
pub fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns whether a line is empty or contains only white space.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Returns the similarity of two lines: how much of the longer one, in thousandths, is equal at the beginning and the
/// end. Surrounding white space is ignored.
pub(crate) fn likeness(one: &str, other: &str) -> usize {
    let (one, other) = (one.trim(), other.trim());
    let longer = one.chars().count().max(other.chars().count());
    let head = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let rest = one.chars().count().min(other.chars().count()) - head;
    let tail = one.chars().rev().zip(other.chars().rev()).take(rest).take_while(|(a, b)| a == b).count();
    (head + tail) * 1000 / longer.max(1)
}

/// Returns the offset where the line that contains `offset` starts.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |at| at + 1)
}

/// Returns the offset where the line that contains `offset` ends, before its line break.
pub(crate) fn line_end(text: &str, offset: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[offset..]).map_or(text.len(), |at| offset + at)
}
