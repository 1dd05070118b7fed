//! Shows lines of a text file, without loading a large file as a whole unless it must be decoded.

mod head_tail;
pub(crate) mod stretch;

use crate::files::lookup::{self, FileBytes, OpenedFile};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::Files,
    files::content::{Content, FileContent, Gutter, LinePreference, Request, Text, Total},
    seen_content::SeenRange,
};
use std::{io::Read as _, sync::Arc};
use toolpost_text::budget::ByteBudget;
use toolpost_text::{
    encoding::{self, Encoding, EncodingGuess, Eol, Text as Decoded},
    plural::counted,
    window::{self, Facts, Line, LineSelection, Lines, Window, WindowContent},
};
use toolpost_workspace::{ContentHash, Hasher, WorkspacePath};

/// The size of the pieces in which a long file is read, in bytes.
const PIECE: usize = 256 * 1024;
/// The size reserved for the notice that a line is cut, in bytes.
const NOTICED: usize = 64;
/// The maximum number of bytes after the shown lines in which the lines of a file are still counted.
const COUNTED: u64 = 1024 * 1024 * 1024;
/// The maximum size of a file's content that the session stores to report later changes, in bytes.
const REMEMBERED: u64 = 1024 * 1024;

/// The maximum number of last lines that the failure for a line after the end of the file suggests to request.
const LAST_LINES: u64 = 50;
/// The size of the answer in addition to its lines, in bytes.
const AROUND: usize = 512;

/// The result of one pass over a file.
pub(crate) struct TextScan {
    /// The requested lines that exist.
    pub(crate) lines: Lines,
    pub(crate) total: Total,
    pub(crate) facts: Vec<String>,
    /// The hash of the whole file; `None` if the pass did not read all of it.
    pub(crate) hash: Option<ContentHash>,
    /// The whole content, if it is small enough for the session to store and needs no decoding.
    pub(crate) bytes: Option<Arc<[u8]>>,
    /// The text of the lines in the file: raw, or decoded.
    storage: Storage,
}

/// The relation of the bytes of a file to its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    /// The bytes are UTF-8, or 8-bit text of unknown encoding.
    Raw,
    /// The bytes were decoded from another encoding.
    Decoded,
}

pub(crate) fn show(
    opened: OpenedFile,
    files: &Files,
    request: &Request,
    cx: &CallCtx,
) -> Result<FileContent, Failure> {
    let path = opened.path().clone();
    let looked = look(opened, files, ask(request), cx)?;
    let total = looked.total.count();
    if looked.lines.is_empty() && total > 0 {
        let what = format!(
            "{} has {}; line {} is after its end.",
            path.display(),
            counted(total, "line"),
            request.offset
        );
        let last_lines = request.limit.clamp(1, LAST_LINES);
        return Err(Failure::invalid(what).hint(Hint::Page(total.saturating_sub(last_lines - 1).max(1))));
    }
    let (hash, bytes) = (looked.hash, looked.bytes.clone());
    let (text, part) = match request.keep {
        LinePreference::Ends { head, tail } if hash.is_some() && !head_tail::fits(&looked, request) => {
            let wanted = head_tail::HeadTailLimits { head, tail, last: total.min(last_wanted(request)) };
            head_tail::show(looked, &wanted, files, request, &path, cx)?
        }
        LinePreference::Head | LinePreference::Ends { .. } => {
            let text = fit(looked, request);
            let part = part(request, &text, total);
            (text, part)
        }
    };
    Ok(FileContent { content: Content::Text(text), hash, part, bytes })
}

/// Reads the requested lines of a file. A large file whose bytes need no decoding is not loaded as a whole.
pub(crate) fn look(
    opened: OpenedFile,
    files: &Files,
    ask: LineSelection,
    cx: &CallCtx,
) -> Result<TextScan, Failure> {
    match encoding::sniff(opened.head()) {
        EncodingGuess::Binary { .. } => Err(super::binary(opened.path(), opened.len(), "it has NUL bytes")),
        EncodingGuess::Text(Encoding::Utf8 | Encoding::Utf8Bom) => {
            let path = opened.path().clone();
            let (scan, invalid) = raw(opened, ask, cx)?;
            if invalid == 0 || files.encoding().is_none() {
                return Ok(scan);
            }
            // Only text after the first bytes is not UTF-8.
            let decoded = decodable(decoded(lookup::open(files, &path)?, files, ask))?;
            Ok(decoded.unwrap_or(scan))
        }
        EncodingGuess::Text(Encoding::EightBit) if files.encoding().is_none() => {
            raw(opened, ask, cx).map(|(scan, _)| scan)
        }
        EncodingGuess::Text(_) => decoded(opened, files, ask),
    }
}

/// Reads a file whose bytes need no decoding: UTF-8, or 8-bit text of unknown encoding. Also returns the number of bytes in
/// the requested lines that are not UTF-8.
fn raw(opened: OpenedFile, ask: LineSelection, cx: &CallCtx) -> Result<(TextScan, u64), Failure> {
    if opened.len() > REMEMBERED {
        return stream(opened, ask, cx);
    }
    let (path, len) = (opened.path().clone(), opened.len());
    let FileBytes { bytes, hash } = opened.whole()?;
    let (seen, bytes) = match String::from_utf8(bytes) {
        Ok(text) => {
            let text: Arc<str> = text.into();
            (window::seen(&text, ask), text.into())
        }
        Err(error) => {
            let bytes = error.into_bytes();
            let mut window = Window::eight_bit(ask);
            window.feed(&bytes);
            (window.finish(), bytes.into())
        }
    };
    finish(&path, len, seen, Some(hash), Some(bytes))
}

/// Reads a long file in pieces and keeps only the lines that are shown.
fn stream(mut opened: OpenedFile, ask: LineSelection, cx: &CallCtx) -> Result<(TextScan, u64), Failure> {
    let mut window = match encoding::sniff(opened.head()) {
        EncodingGuess::Text(Encoding::EightBit) => Window::eight_bit(ask),
        _ => Window::new(ask),
    };
    let mut hasher = Hasher::default();
    let mut piece = vec![0; PIECE];
    let (mut read, mut counted_to) = (0_u64, None::<u64>);
    loop {
        cx.check()?;
        let count = opened.read(&mut piece).map_err(|error| opened.failed(&error))?;
        if count == 0 {
            break;
        }
        read += count as u64;
        window.feed(&piece[..count]);
        hasher.update(&piece[..count]);
        if counted_to.is_none() && window.is_full() {
            counted_to = Some(read.saturating_add(COUNTED));
        }
        if counted_to.is_some_and(|stop| read >= stop) {
            return finish(opened.path(), opened.len(), window.finish(), None, None);
        }
    }
    finish(opened.path(), opened.len(), window.finish(), Some(hasher.finish()), None)
}

/// Decodes a whole file; also returns the hash of its bytes.
fn decode(opened: OpenedFile, files: &Files) -> Result<(Decoded, ContentHash), Failure> {
    let path = opened.path().clone();
    let FileBytes { bytes, hash } = opened.whole()?;
    let text = Decoded::open(bytes, files.encoding())
        .map_err(|error| Failure::new(Kind::WrongKind, format!("{}: {error}", path.display())))?;
    Ok((text, hash))
}

/// Returns `None` if a file is too large to be decoded, or cannot be decoded, so that its raw bytes are shown.
fn decodable<T>(decoded: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match decoded {
        Ok(decoded) => Ok(Some(decoded)),
        Err(failure) if matches!(failure.kind, Kind::TooLarge | Kind::WrongKind) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Reads a file whose encoding is known and is not UTF-8.
fn decoded(opened: OpenedFile, files: &Files, ask: LineSelection) -> Result<TextScan, Failure> {
    let (text, hash) = decode(opened, files)?;
    let mut window = Window::new(ask);
    window.feed(text.shown(text.view()).as_bytes());
    let seen = window.finish();
    let mut facts = facts(&Facts { bom: false, ..seen.facts }, &seen.lines);
    facts.insert(0, format!("encoding: {}", text.encoding().name()));
    match text.eol() {
        Eol::CrLf => facts.push("eol: CRLF".to_owned()),
        Eol::Mixed => facts.push("eol: mixed, CRLF and LF".to_owned()),
        Eol::Lf | Eol::None => {}
    }
    let total = Total::Exactly(seen.facts.lines);
    let storage = Storage::Decoded;
    Ok(TextScan { lines: seen.lines, total, facts, hash: Some(hash), bytes: None, storage })
}

/// Converts a request to a range of lines, with no more lines than the answer could hold.
fn ask(request: &Request) -> LineSelection {
    let most = (request.max_bytes as u64).min(request.max_lines).saturating_add(1);
    LineSelection { first: request.offset, count: request.limit.min(most), characters: request.characters }
}

/// Returns the line number of the last requested line.
fn last_wanted(request: &Request) -> u64 {
    request.offset.saturating_add(request.limit).saturating_sub(1)
}

fn finish(
    path: &WorkspacePath,
    len: u64,
    seen: WindowContent,
    hash: Option<ContentHash>,
    bytes: Option<Arc<[u8]>>,
) -> Result<(TextScan, u64), Failure> {
    if let Some(nul) = seen.facts.nul.filter(|nul| *nul < encoding::HEAD as u64) {
        return Err(super::binary(path, len, &format!("byte {nul} is NUL")));
    }
    let count = seen.facts.lines;
    let total = if hash.is_some() { Total::Exactly(count) } else { Total::MoreThan(count) };
    let facts = facts(&seen.facts, &seen.lines);
    let scan = TextScan { lines: seen.lines, total, facts, hash, bytes, storage: Storage::Raw };
    Ok((scan, seen.facts.invalid))
}

/// Drops the lines that do not fit into the answer, and sets the line number to continue from.
fn fit(looked: TextScan, request: &Request) -> Text {
    let TextScan { mut lines, total, facts, .. } = looked;
    let keep = how_many(lines.iter(), room(request), request.gutter).max(1);
    lines.keep_first(keep.min(usize::try_from(request.max_lines).unwrap_or(usize::MAX)));
    if lines.len() == 1 {
        shorten(&mut lines, room(request), request.gutter);
    }
    let last = lines.last().map_or(0, |line| line.number);
    Text { lines, total, next: (last < total.count()).then_some(last + 1), end: None, facts }
}

/// Returns the maximum total size of the lines in the answer, in bytes.
fn room(request: &Request) -> usize {
    request.max_bytes.saturating_sub(AROUND)
}

/// Counts how many of the lines, from the beginning, fit into `room` bytes.
fn how_many<'a>(lines: impl Iterator<Item = Line<'a>>, room: usize, gutter: Gutter) -> usize {
    ByteBudget::new(room).count(lines.map(|line| weight(&line, gutter)))
}

impl Text {
    /// Returns the total size of the lines when they are shown with line numbers, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.lines.iter().map(|line| weight(&line, Gutter::Columns)).sum()
    }

    /// Keeps as many of the first lines as fit into `room` bytes, at least one. If lines are dropped, returns the
    /// range of the lines that are kept.
    pub(crate) fn narrow(&mut self, room: usize) -> Option<std::ops::RangeInclusive<u64>> {
        let keep = how_many(self.lines.iter(), room, Gutter::Columns).max(1);
        let all = self.lines.len();
        self.lines.keep_first(keep);
        if keep == 1 {
            shorten(&mut self.lines, room, Gutter::Columns);
        }
        if keep >= all {
            return None;
        }
        let (first, last) = (self.lines.first()?.number, self.lines.last()?.number);
        self.next = Some(last + 1);
        Some(first..=last)
    }
}

/// Cuts the end of a single line if the line does not fit into `room` bytes.
fn shorten(lines: &mut Lines, room: usize, gutter: Gutter) {
    if how_many(lines.iter(), room, gutter) == 0 {
        lines.shorten(room.saturating_sub(gutter.weight(u64::MAX) + NOTICED));
    }
}

fn weight(line: &Line<'_>, gutter: Gutter) -> usize {
    line.text.len() + gutter.weight(line.number) + if line.more > 0 { NOTICED } else { 0 }
}

/// Returns the part of the file that counts as read. A line that is too long to be shown whole counts as read;
/// the reply states the size of its missing part.
fn part(request: &Request, text: &Text, total: u64) -> SeenRange {
    let shown = text.lines.len() as u64;
    match text.lines.first() {
        _ if request.offset == 1 && shown >= total => SeenRange::Whole,
        Some(first) => SeenRange::Lines(first.number..=first.number + shown - 1),
        None => SeenRange::Some,
    }
}

/// Lists the properties that matter for changing the file: indentation by tabs, line ends, byte order mark,
/// encoding.
fn facts(seen: &Facts, lines: &Lines) -> Vec<String> {
    let mut facts = Vec::new();
    if seen.tabs > 0 {
        facts.push(
            if seen.spaces > seen.tabs { "indent: tabs and spaces" } else { "indent: tabs" }.to_owned(),
        );
    }
    let lone = lines.iter().any(|line| line.text.contains('\r'));
    match (seen.crlf, seen.lf) {
        (0, 0) if lone => {
            facts.push("eol: CR only, which is not a line ending here: the file is one line".to_owned());
        }
        (0, _) => {}
        (_, 0) => facts.push("eol: CRLF".to_owned()),
        (crlf, lf) => facts.push(format!("eol: mixed, {crlf} CRLF and {lf} LF")),
    }
    if lone && seen.crlf + seen.lf > 0 {
        facts.push("lone CR inside lines, which is not a line ending here".to_owned());
    }
    if seen.bom {
        facts.push("BOM".to_owned());
    }
    if seen.invalid > 0 {
        facts.push("encoding: unknown 8-bit, shown as windows-1252; changes must be ASCII".to_owned());
    }
    facts
}
