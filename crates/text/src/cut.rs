//! Shortening a long text to its ends.

use std::{borrow::Cow, fmt};

use serde::Serialize;

use crate::lines::{line_end, line_start};

/// Beginning of every truncation notice; [`crate::guard`] recognises notices by it.
pub const NOTICE: &str = "[toolpost: ";

/// Beginning of a truncation notice in a dialect with a fixed wording; ` - showing ` follows in its line.
pub const TRUNCATED: &str = "[TRUNCATED: ";

/// Maximum size of a truncation notice with its line break, in bytes.
pub const NOTICED: usize = 120;

/// Size limit for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// At most this many bytes.
    pub bytes: usize,
    /// At most this many lines.
    pub lines: usize,
}

/// The parts of a long text that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The beginning.
    pub head: &'a str,
    /// The end; empty if only the beginning is kept.
    pub tail: &'a str,
    /// The notice between them.
    pub left: Left,
}

/// The omitted part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Number of bytes.
    pub bytes: usize,
    /// The first incomplete line, counted from 1.
    pub first: usize,
    /// The last incomplete line.
    pub last: usize,
    /// Number of lines of the whole text.
    pub of_lines: usize,
    /// Size of the whole text in bytes.
    pub of_bytes: usize,
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, first, last, of_lines, of_bytes } = self;
        write!(
            f,
            "{NOTICE}left out lines {first}-{last} of {of_lines}, {bytes} of {}]",
            crate::counted::counted(*of_bytes as u64, "byte")
        )
    }
}

impl fmt::Display for Cut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.head)?;
        if !self.head.is_empty() && !self.head.ends_with('\n') {
            f.write_str("\n")?;
        }
        write!(f, "{}", self.left)?;
        if self.tail.is_empty() { Ok(()) } else { write!(f, "\n{}", self.tail) }
    }
}

/// Keeps the beginning of a text; none if the whole fits.
#[must_use]
pub fn head(text: &str, limit: Limit) -> Option<Cut<'_>> {
    if fits(text, limit) {
        return None;
    }
    let head = beginning(text, limit);
    Some(cut(text, head, text.len()))
}

/// Keeps a number of lines of the beginning and of the end of a text; none if the whole fits.
///
/// The limit's bytes are shared in proportion; what one end does not use, the other may.
#[must_use]
pub fn head_and_tail(text: &str, limit: Limit, head: usize, tail: usize) -> Option<Cut<'_>> {
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

/// Keeps the beginning and the end of a text, half of the limit each; none if the whole fits.
#[must_use]
pub fn ends(text: &str, limit: Limit) -> Option<Cut<'_>> {
    let tail = limit.lines / 2;
    head_and_tail(text, limit, limit.lines - tail, tail)
}

/// Returns as much of the beginning of a text as fits.
#[must_use]
pub fn first(text: &str, limit: Limit) -> &str {
    if fits(text, limit) { text } else { &text[..beginning(text, limit)] }
}

/// Returns as much of the end of a text as fits.
#[must_use]
pub fn last(text: &str, limit: Limit) -> &str {
    if fits(text, limit) { text } else { &text[ending(text, limit)..] }
}

/// Cuts the longest of several texts so that all of them fit into a room together; both ends of each stay.
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

/// Finds the size up to which every part stays whole when several share a room and longer parts are cut to that size.
#[must_use]
pub fn fair(mut sizes: Vec<usize>, room: usize) -> usize {
    sizes.sort_unstable();
    let mut left = room;
    for (at, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - at);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

/// Keeps at most a number of characters of a line, and counts the omitted ones.
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

/// Returns the end of a share of bytes, rounded to whole lines.
fn share(bytes: usize, head: usize, tail: usize) -> usize {
    let all = (head + tail).max(1) as u128;
    usize::try_from(bytes as u128 * tail as u128 / all).unwrap_or(bytes)
}

/// Returns the end of the kept beginning: a line's end, or an offset in the first line if that exceeds the limit.
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

/// Returns the start of the kept end: a line's start, or an offset in the last line if that exceeds the limit.
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

/// Describes the kept and the omitted parts.
fn cut(text: &str, start: usize, end: usize) -> Cut<'_> {
    let (head, tail) = (&text[..start], &text[end..]);
    let breaks = |part: &str| memchr::memchr_iter(b'\n', part.as_bytes()).count();
    let first = 1 + breaks(head);
    let middle = text[start..end].strip_suffix('\n').unwrap_or(&text[start..end]);
    let last = first + breaks(middle);
    let left =
        Left { bytes: end - start, first, last, of_lines: crate::lines::count(text), of_bytes: text.len() };
    Cut { head, tail, left }
}
