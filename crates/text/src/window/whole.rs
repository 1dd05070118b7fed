//! Selection of some lines of a text in memory.

use memchr::{memchr, memchr_iter};
use std::sync::Arc;

use super::{Facts, LineSelection, Lines, MARK, WindowContent};

/// Selects lines as [`Window`](super::Window) does, but without copying them: each line refers to the text.
#[must_use]
pub fn seen(text: &Arc<str>, ask: LineSelection) -> WindowContent {
    let bytes = text.as_bytes();
    let bom = bytes.starts_with(MARK);
    let nul = memchr(0, bytes).map(|at| at as u64);
    let facts = Facts { bytes: bytes.len() as u64, bom, nul, ..Facts::default() };
    let mut seen = WindowContent { lines: Lines::of(Arc::clone(text)), facts };
    let mut start = if bom { MARK.len() } else { 0 };
    for end in memchr_iter(b'\n', bytes) {
        let line = &bytes[start..end];
        let shown = line.strip_suffix(b"\r").unwrap_or(line);
        if shown.len() < line.len() {
            seen.facts.crlf += 1;
        } else {
            seen.facts.lf += 1;
        }
        take(&mut seen, text, ask, start..start + shown.len());
        start = end + 1;
    }
    if start < bytes.len() {
        take(&mut seen, text, ask, start..bytes.len());
    }
    seen
}

/// Adds the next line of the text, given by its byte range, if it was requested.
fn take(seen: &mut WindowContent, text: &str, ask: LineSelection, line: std::ops::Range<usize>) {
    seen.facts.lines += 1;
    match &text.as_bytes()[line.clone()] {
        [b'\t', ..] => seen.facts.tabs += 1,
        [b' ', b' ', ..] => seen.facts.spaces += 1,
        _ => {}
    }
    let number = seen.facts.lines;
    if number < ask.first || number >= ask.first.max(1).saturating_add(ask.count) {
        return;
    }
    let (mut end, mut more) = (line.end, 0);
    if line.len() as u64 > ask.characters {
        let characters = usize::try_from(ask.characters).unwrap_or(usize::MAX);
        if let Some((at, _)) = text[line.clone()].char_indices().nth(characters) {
            end = line.start + at;
            more = text[end..line.end].chars().count() as u64;
        }
    }
    seen.lines.take(number, line.start, end, more);
}
