//! Truncation of long texts, with a notice that counts the omitted lines and bytes.

use std::{borrow::Cow, fmt};

use serde::Serialize;

use crate::budget::fair;
use crate::lines::{line_end, line_start};

/// Beginning of every truncation notice; [`crate::guard`] recognises notices by this text.
pub const NOTICE: &str = "[toolpost: ";

/// Beginning of a truncation notice in dialects (tool sets) whose reference fixes the wording; ` - showing `
/// follows on the same line.
pub const TRUNCATED: &str = "[TRUNCATED: ";

/// Size that is reserved for a truncation notice, including its line break, in bytes.
pub const NOTICED: usize = 120;

/// Maximum size of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Maximum size in bytes.
    pub bytes: usize,
    /// Maximum number of lines.
    pub lines: usize,
}

/// The parts of a long text that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruncatedText<'a> {
    /// The beginning of the text.
    pub head: &'a str,
    /// The end of the text; empty if only the beginning is kept.
    pub tail: &'a str,
    /// The omitted part between beginning and end; displayed as a notice.
    pub omitted: OmittedPart,
}

/// The omitted part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OmittedPart {
    /// Number of omitted bytes.
    pub bytes: usize,
    /// The first line that is missing or incomplete, counted from 1.
    pub first: usize,
    /// The last line that is missing or incomplete, counted from 1.
    pub last: usize,
    /// Number of lines of the whole text.
    pub of_lines: usize,
    /// Size of the whole text in bytes.
    pub of_bytes: usize,
}

impl fmt::Display for OmittedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, first, last, of_lines, of_bytes } = self;
        write!(
            f,
            "{NOTICE}left out lines {first}-{last} of {of_lines}, {bytes} of {}]",
            crate::plural::counted(*of_bytes as u64, "byte")
        )
    }
}

impl fmt::Display for TruncatedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.head)?;
        if !self.head.is_empty() && !self.head.ends_with('\n') {
            f.write_str("\n")?;
        }
        write!(f, "{}", self.omitted)?;
        if self.tail.is_empty() { Ok(()) } else { write!(f, "\n{}", self.tail) }
    }
}

/// Truncates a text to its beginning; `None` if the whole text fits.
#[must_use]
pub fn head(text: &str, limit: Limit) -> Option<TruncatedText<'_>> {
    if fits(text, limit) {
        return None;
    }
    let head = beginning(text, limit);
    Some(cut(text, head, text.len()))
}

/// Truncates a text that exceeds `limit` to at most `head` lines of its beginning and `tail` lines of its end;
/// `None` if nothing has to be omitted.
///
/// The byte limit is split in proportion to `head` and `tail`; each end may use what the other leaves unused.
#[must_use]
pub fn head_and_tail(text: &str, limit: Limit, head: usize, tail: usize) -> Option<TruncatedText<'_>> {
    if fits(text, limit) {
        return None;
    }
    let (head, tail) = (head.min(limit.lines), tail.min(limit.lines.saturating_sub(head)));
    let share = share(limit.bytes, head, tail);
    let mut start = beginning(text, Limit { bytes: limit.bytes - share, lines: head });
    let rest = &text[start..];
    let end = start + ending(rest, Limit { bytes: limit.bytes - start, lines: tail });
    let spare = limit.bytes - (text.len() - end);
    if spare > start {
        start = beginning(&text[..end], Limit { bytes: spare, lines: head }).min(end);
    }
    (start < end).then(|| cut(text, start, end))
}

/// Truncates a text to its beginning and its end, half of the limit each; `None` if the whole text fits.
#[must_use]
pub fn ends(text: &str, limit: Limit) -> Option<TruncatedText<'_>> {
    let tail = limit.lines / 2;
    head_and_tail(text, limit, limit.lines - tail, tail)
}

/// Returns as much of the beginning of a text as the limit allows.
#[must_use]
pub fn first(text: &str, limit: Limit) -> &str {
    if fits(text, limit) { text } else { &text[..beginning(text, limit)] }
}

/// Returns as much of the end of a text as the limit allows.
#[must_use]
pub fn last(text: &str, limit: Limit) -> &str {
    if fits(text, limit) { text } else { &text[ending(text, limit)..] }
}

/// Truncates the longest texts of a list so that all texts together fit the limit `room`, unless the notices alone
/// exceed it. Each text keeps its beginning and its end.
#[must_use]
pub fn shared<'a>(texts: Vec<Cow<'a, str>>, room: Limit) -> Vec<Cow<'a, str>> {
    let sizes = |size: fn(&str) -> usize| texts.iter().map(|text| size(text)).collect::<Vec<_>>();
    let (bytes, lines) = (sizes(str::len), sizes(crate::lines::count));
    let notices = NOTICED * texts.len();
    let limit = Limit { bytes: fair(bytes.clone(), room.bytes), lines: fair(lines.clone(), room.lines) };
    if limit.bytes == usize::MAX && limit.lines == usize::MAX {
        return texts;
    }
    let limit = Limit {
        bytes: fair(bytes, room.bytes.saturating_sub(notices)),
        lines: fair(lines, room.lines.saturating_sub(texts.len())),
    };
    texts
        .into_iter()
        .map(|text| match ends(&text, limit) {
            Some(kept) => Cow::Owned(kept.to_string()),
            None => text,
        })
        .collect()
}

/// Truncates a line to a number of characters; also returns the number of omitted characters.
#[must_use]
pub fn line(line: &str, characters: usize) -> (&str, usize) {
    match line.char_indices().nth(characters) {
        Some((at, _)) => (&line[..at], line[at..].chars().count()),
        None => (line, 0),
    }
}

/// Returns whether a text is within a limit.
fn fits(text: &str, limit: Limit) -> bool {
    text.len() <= limit.bytes && crate::lines::count(text) <= limit.lines
}

/// Returns how many of `bytes` bytes the kept end gets, in proportion to the numbers of lines that beginning
/// and end keep.
fn share(bytes: usize, head: usize, tail: usize) -> usize {
    let all = (head + tail).max(1) as u128;
    usize::try_from(bytes as u128 * tail as u128 / all).unwrap_or(bytes)
}

/// Returns the offset where the kept beginning of a text ends: the end of a line, or an offset inside the
/// first line if that line alone exceeds the limit.
fn beginning(text: &str, limit: Limit) -> usize {
    let by_lines =
        memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).nth(limit.lines.saturating_sub(1));
    let by_lines = if limit.lines == 0 { 0 } else { by_lines.unwrap_or(text.len()) };
    if by_lines <= limit.bytes {
        return by_lines;
    }
    let by_bytes = text.floor_char_boundary(limit.bytes);
    match line_start(text, by_bytes) {
        0 => by_bytes,
        start => start,
    }
}

/// Returns the offset where the kept end of a text starts: the start of a line, or an offset inside the last
/// line if that line alone exceeds the limit.
fn ending(text: &str, limit: Limit) -> usize {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let by_lines =
        memchr::memrchr_iter(b'\n', body.as_bytes()).map(|at| at + 1).nth(limit.lines.saturating_sub(1));
    let by_lines = if limit.lines == 0 { text.len() } else { by_lines.unwrap_or(0) };
    if text.len() - by_lines <= limit.bytes {
        return by_lines;
    }
    let by_bytes = text.ceil_char_boundary(text.len() - limit.bytes);
    if text[..by_bytes].ends_with('\n') {
        return by_bytes;
    }
    match line_end(text, by_bytes) + 1 {
        next if next >= text.len() => by_bytes,
        next => next,
    }
}

/// Returns the kept parts of a text, before `start` and from `end` on, with a description of the omitted
/// part.
fn cut(text: &str, start: usize, end: usize) -> TruncatedText<'_> {
    let (head, tail) = (&text[..start], &text[end..]);
    let breaks = |part: &str| memchr::memchr_iter(b'\n', part.as_bytes()).count();
    let first = 1 + breaks(head);
    let middle = text[start..end].strip_suffix('\n').unwrap_or(&text[start..end]);
    let last = first + breaks(middle);
    let left = OmittedPart {
        bytes: end - start,
        first,
        last,
        of_lines: crate::lines::count(text),
        of_bytes: text.len(),
    };
    TruncatedText { head, tail, omitted: left }
}
