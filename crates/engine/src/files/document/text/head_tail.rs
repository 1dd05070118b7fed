//! Shows only the first and the last lines of a text that does not fit into the answer.

use super::{NOTICED, PIECE, Storage, TextScan, how_many, room, shorten};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::{
        Files,
        content::{Gutter, Request, Text},
        lookup,
    },
    seen_content::SeenRange,
};
use std::io::Read as _;
use toolpost_text::window::{self, LineSelection, Lines};
use toolpost_workspace::WorkspacePath;

/// The numbers of lines to show at the ends of a text that does not fit into the answer.
pub(super) struct HeadTailLimits {
    /// The number of lines to show at the beginning.
    pub(super) head: u64,
    /// The number of lines to show at the end.
    pub(super) tail: u64,
    /// The line number of the last requested line.
    pub(super) last: u64,
}

/// Returns true if all requested lines are present and fit into the answer.
pub(super) fn fits(looked: &TextScan, request: &Request) -> bool {
    let wanted = looked.total.count().saturating_sub(request.offset.saturating_sub(1)).min(request.limit);
    let count = looked.lines.len() as u64;
    count == wanted
        && count <= request.max_lines
        && how_many(looked.lines.iter(), room(request), request.gutter) == looked.lines.len()
}

/// Shows the first and the last of the requested lines; returns them with the range of lines that counts as read.
pub(super) fn show(
    looked: TextScan,
    wanted: &HeadTailLimits,
    files: &Files,
    request: &Request,
    path: &WorkspacePath,
    cx: &CallCtx,
) -> Result<(Text, SeenRange), Failure> {
    let TextScan { mut lines, total, facts, hash, mut storage, .. } = looked;
    let (head, tail) = (wanted.head, wanted.tail);
    let for_tail = share(room(request), head, tail);
    lines.keep_first(usize::try_from(head).unwrap_or(usize::MAX));
    keep_first(&mut lines, room(request) - for_tail, request.gutter);
    let next = lines.last().map_or(request.offset, |line| line.number + 1);
    let first = next.max((wanted.last + 1).saturating_sub(tail));
    let shown = lines.len() as u64;
    let mut for_end = for_tail;
    if first <= wanted.last {
        let ask = LineSelection { first, count: wanted.last + 1 - first, characters: request.characters };
        let again = super::look(lookup::open(files, path)?, files, ask, cx)?;
        if again.hash != hash {
            let what = format!("{} changed while it was read.", path.display());
            return Err(Failure::new(Kind::Conflict, what).hint(Hint::TryAgain));
        }
        if again.storage == Storage::Decoded {
            storage = Storage::Decoded;
        }
        let mut last = again.lines;
        keep_last(&mut last, for_tail, request.gutter);
        for_end /= 2;
        lines = lines.and(&last);
    }
    let end = match lines.last() {
        Some(line) if line.more > 0 && line.number == total.count() => {
            Some(end_of_file(files, path, storage, (line.more, for_end.saturating_sub(NOTICED)), cx)?)
        }
        _ => None,
    };
    let part = SeenRange::Lines(request.offset..=request.offset + shown.saturating_sub(1));
    let left_out = lines.has_gap();
    Ok((Text { lines, total, next: left_out.then_some(next), end, facts }, part))
}

/// Reads the end of the file's last line, at most `characters` characters and `bytes` bytes.
fn end_of_file(
    files: &Files,
    path: &WorkspacePath,
    storage: Storage,
    (characters, bytes): (u64, usize),
    cx: &CallCtx,
) -> Result<String, Failure> {
    // Keeps two bytes more than requested, because the line break at the end of the file is removed below.
    let most = bytes + 2;
    let decode = || decoded_end(lookup::open(files, path)?, files, most);
    let end = match storage {
        Storage::Raw => {
            let raw = raw_end(lookup::open(files, path)?, most, cx)?;
            if files.encoding().is_none() || is_utf8(&raw) {
                raw
            } else {
                super::decodable(decode())?.unwrap_or(raw)
            }
        }
        Storage::Decoded => decode()?,
    };
    let line = end.strip_suffix(b"\n").unwrap_or(&end);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = window::shown(&line[continued(line)..]);
    let skipped = text.chars().count().saturating_sub(usize::try_from(characters).unwrap_or(usize::MAX));
    Ok(text.chars().skip(skipped).collect())
}

/// Reads at most `most` bytes at the end of a file.
fn raw_end(mut opened: lookup::OpenedFile, most: usize, cx: &CallCtx) -> Result<Vec<u8>, Failure> {
    let (mut piece, mut end) = (vec![0; PIECE], Vec::new());
    loop {
        cx.check()?;
        let count = opened.read(&mut piece).map_err(|error| opened.failed(&error))?;
        if count == 0 {
            return Ok(end);
        }
        end.extend_from_slice(&piece[..count]);
        end.drain(..end.len().saturating_sub(most));
    }
}

/// Decodes a file; returns at most `most` bytes at the end of the text, in UTF-8.
fn decoded_end(opened: lookup::OpenedFile, files: &Files, most: usize) -> Result<Vec<u8>, Failure> {
    let (text, _) = super::decode(opened, files)?;
    let shown = text.shown(text.view());
    let bytes = shown.as_bytes();
    Ok(bytes[bytes.len().saturating_sub(most)..].to_vec())
}

/// Returns the number of bytes at the beginning that continue a character.
fn continued(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count()
}

/// Returns whether bytes are UTF-8, except for a character that is incomplete at the beginning or the end.
fn is_utf8(bytes: &[u8]) -> bool {
    let end = str::from_utf8(&bytes[continued(bytes)..]);
    end.err().is_none_or(|error| error.error_len().is_none())
}

/// Returns how many of the answer's bytes the last lines get, in proportion to the number of first and last lines.
fn share(bytes: usize, head: u64, tail: u64) -> usize {
    let all = u128::from(head + tail).max(1);
    usize::try_from(bytes as u128 * u128::from(tail) / all).unwrap_or(bytes)
}

/// Keeps the first lines that fit; if even the first does not fit, keeps its beginning.
fn keep_first(lines: &mut Lines, room: usize, gutter: Gutter) {
    let keep = how_many(lines.iter(), room, gutter);
    lines.keep_first(keep.max(1));
    shorten(lines, room, gutter);
}

/// Keeps the last lines that fit; if even the last does not fit, keeps its beginning in half of `room`.
fn keep_last(lines: &mut Lines, room: usize, gutter: Gutter) {
    let keep = how_many(lines.iter().rev(), room, gutter);
    lines.keep_last(keep.max(1));
    if keep == 0 {
        shorten(lines, room / 2, gutter);
    }
}
