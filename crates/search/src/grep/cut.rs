//! Truncation of long lines to the text around the match.

use std::ops::Range;

use toolpost_text::window;

use super::LineTruncation;

/// Returns the text of a line: all of it, or about `most` characters around the match. Also returns the numbers of
/// bytes that were cut before and after the text; `None` if nothing was cut.
///
/// No character is split. Invalid UTF-8 is converted in the same way as when a file is read.
pub(super) fn text(
    line: &[u8],
    matched: Option<Range<usize>>,
    most: usize,
) -> (String, Option<LineTruncation>) {
    if line.len() <= most || !longer(line, most) {
        return (window::shown(line), None);
    }
    let matched = matched.unwrap_or(0..0);
    let around = most / 2;
    let from = back(line, matched.start.min(line.len()), around);
    // A match longer than `most` is cut too; around a shorter one, equally long text is shown on both sides.
    let inside = forward(line, matched.start.min(line.len()), most);
    let to = if inside < matched.end { inside } else { forward(line, matched.end.min(line.len()), around) };
    let to = to.max(forward(line, from, most));
    let shown = line.get(from..to).unwrap_or_default();
    let cut = LineTruncation { before: from as u64, after: (line.len() - to) as u64 };
    let cut = (cut.before + cut.after > 0).then_some(cut);
    (window::shown(shown), cut)
}

/// Removes the end of a line: `\n` or `\r\n`.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn longer(line: &[u8], most: usize) -> bool {
    forward(line, 0, most) < line.len()
}

/// Returns the byte offset that is `characters` characters after `at`.
fn forward(line: &[u8], mut at: usize, characters: usize) -> usize {
    for _ in 0..characters {
        if at >= line.len() {
            break;
        }
        at += 1;
        while at < line.len() && inner(line, at) {
            at += 1;
        }
    }
    at
}

/// Returns the byte offset that is `characters` characters before `at`.
fn back(line: &[u8], mut at: usize, characters: usize) -> usize {
    for _ in 0..characters {
        if at == 0 {
            break;
        }
        at -= 1;
        while at > 0 && inner(line, at) {
            at -= 1;
        }
    }
    at
}

/// Returns whether the byte at `at` is inside a UTF-8 character that begins up to three bytes before it.
fn inner(line: &[u8], at: usize) -> bool {
    let byte = |at: usize| line.get(at).copied().unwrap_or_default();
    if byte(at) & 0xC0 != 0x80 {
        return false;
    }
    (1..=3.min(at)).any(|back| {
        let lead = byte(at - back);
        let between = (1..back).all(|step| byte(at - step) & 0xC0 == 0x80);
        let length = match lead {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 0,
        };
        between && back < length
    })
}
