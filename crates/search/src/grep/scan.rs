//! Search of single files, one after another, on one thread.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use toolpost_trigrams::Lines;

use super::fallback_encoding::{self, FallbackEncoding};
use super::sink::{FileSearchSettings, MatchRetention, MatchSink};
use super::{GrepRequest, Mode, Show, Span};

/// Files up to this size, in bytes, are read whole, into a reused buffer.
const SMALL: u64 = 1024 * 1024;

/// The maximum memory in bytes for one line, or for a whole file if matches may span lines.
const HEAP: usize = 64 * 1024 * 1024;

/// Searches files one after another, with a reused buffer.
pub(super) struct Scanner {
    matcher: RegexMatcher,
    searcher: Searcher,
    wish: FileSearchSettings,
    named: Directly,
    /// Set if context lines are returned.
    around: bool,
    foreign: FallbackEncoding,
    /// The searcher for long files in the encoding that the request gives; `None` if it gives none.
    decoding: Option<Searcher>,
    buffer: Vec<u8>,
}

/// `Yes` if the request names the file itself, and not only a directory. Such a file is searched even if it is binary.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Directly {
    No,
    Yes,
}

/// The result of searching one file.
pub(super) enum Scan<'s> {
    /// The file was searched.
    Searched(MatchSink<'s>),
    /// The file contains NUL bytes, so it was not searched.
    Binary,
    /// A line of the file, or in a multi-line search the whole file, exceeds the memory limit.
    TooLarge,
}

impl Scanner {
    pub(super) fn new(
        request: &GrepRequest,
        matcher: RegexMatcher,
        wish: FileSearchSettings,
        named: Directly,
    ) -> Self {
        let context = request.mode == Mode::Content && request.show == Show::Line;
        let binary = match named {
            Directly::No => BinaryDetection::quit(0),
            Directly::Yes => BinaryDetection::none(),
        };
        let ends = match request.span {
            Span::Line => LineTerminator::crlf(), // must equal the matcher's setting
            Span::Lines => LineTerminator::byte(b'\n'),
        };
        let around = context && (request.before > 0 || request.after > 0);
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(ends)
            .line_number(request.mode == Mode::Content)
            .before_context(if context { request.before } else { 0 })
            .after_context(if context { request.after } else { 0 })
            .multi_line(request.span == Span::Lines)
            .heap_limit(Some(HEAP))
            .binary_detection(binary)
            .bom_sniffing(true);
        let searcher = builder.build();
        let foreign = FallbackEncoding::new(request);
        let decoding = foreign.label().map(|label| builder.encoding(Some(label)).build());
        Self { matcher, searcher, wish, named, around, foreign, decoding, buffer: Vec::new() }
    }

    /// Searches an open file; `length` is its size according to the system.
    pub(super) fn scan<'s>(
        &'s mut self,
        file: &File,
        length: u64,
        keep: &dyn Fn() -> MatchRetention,
        stops: &'s dyn Fn() -> bool,
    ) -> io::Result<Scan<'s>> {
        if length > SMALL {
            return self.large(file, length, keep(), stops);
        }
        let filled = read(file, length, &mut self.buffer)?;
        let stored = self.buffer.get(..filled).unwrap_or_default();
        let decoded = self.foreign.decoded(stored);
        let bytes = decoded.as_ref().map_or(stored, |text| text.view().as_bytes());
        let only_ascii = self.foreign.hides(bytes);
        if decoded.is_some() || !has_mark(bytes) {
            if self.named == Directly::No && memchr::memchr(0, bytes).is_some() {
                return Ok(Scan::Binary);
            }
            // Most files contain no match. That is checked first, without the searcher's bookkeeping.
            if self.wish.span == Span::Line && matches!(self.matcher.shortest_match(bytes), Ok(None)) {
                let mut gather = MatchSink::new(&self.matcher, self.wish, MatchRetention::Nothing, stops);
                gather.only_ascii = only_ascii;
                return Ok(Scan::Searched(gather));
            }
        }
        let mut gather = MatchSink::new(&self.matcher, self.wish, keep(), stops);
        gather.only_ascii = only_ascii;
        let outcome = self.searcher.search_slice(&self.matcher, bytes, &mut gather);
        settle(gather, outcome)
    }

    /// Searches only `parts` of a file: whole UTF-8 lines, outside which nothing can match. Returns `None` if the whole
    /// file must be searched.
    pub(super) fn parts<'s>(
        &'s mut self,
        file: &File,
        parts: &[Lines],
        keep: &dyn Fn() -> MatchRetention,
        stops: &'s dyn Fn() -> bool,
    ) -> io::Result<Option<MatchSink<'s>>> {
        let mut gather = MatchSink::new(&self.matcher, self.wish, MatchRetention::Nothing, stops);
        let mut matched = false;
        for Lines { bytes, before } in parts {
            let len = (bytes.end - bytes.start) as usize;
            if self.buffer.len() < len {
                self.buffer.resize(len, 0);
            }
            let part = self.buffer.get_mut(..len).unwrap_or_default();
            file.read_exact_at(part, u64::from(bytes.start))?;
            if matches!(self.matcher.shortest_match(part), Ok(None)) {
                continue;
            }
            // The whole file must be searched if `before` is `None`, or if context lines are returned. The same
            // applies if the part begins with a byte order mark, which the searcher would interpret although it is in
            // the middle of the file.
            let Some(before) = before.filter(|_| !self.around && !has_mark(part)) else { return Ok(None) };
            if !std::mem::replace(&mut matched, true) {
                gather.keep = keep();
            }
            gather.before = u64::from(before);
            self.searcher.search_slice(&self.matcher, part, &mut gather)?;
            if gather.stopped || self.wish.mode == Mode::Files {
                break;
            }
        }
        Ok(Some(gather))
    }

    fn large<'s>(
        &'s mut self,
        file: &File,
        length: u64,
        keep: MatchRetention,
        stops: &'s dyn Fn() -> bool,
    ) -> io::Result<Scan<'s>> {
        if self.wish.span == Span::Lines && length > HEAP as u64 {
            return Ok(Scan::TooLarge);
        }
        let mut gather = MatchSink::new(&self.matcher, self.wish, keep, stops);
        let known = if self.foreign.is_meant() { fallback_encoding::is_known(file, stops) } else { Ok(true) };
        let foreign = match known {
            Ok(known) => !known,
            Err(error) => return settle(gather, Err(error)),
        };
        gather.only_ascii = foreign && self.decoding.is_none();
        let reader = InterruptibleReader { file, stops };
        let searcher = self.decoding.as_mut().filter(|_| foreign).unwrap_or(&mut self.searcher);
        let outcome = searcher.search_reader(&self.matcher, reader, &mut gather);
        settle(gather, outcome)
    }
}

/// Returns the result for a file from the outcome of the searcher; a stopped search keeps the matches found until then.
fn settle(mut gather: MatchSink<'_>, outcome: io::Result<()>) -> io::Result<Scan<'_>> {
    gather.stopped |= matches!(&outcome, Err(error) if error.kind() == io::ErrorKind::TimedOut);
    match outcome {
        _ if gather.stopped => Ok(Scan::Searched(gather)),
        Ok(()) if gather.binary => Ok(Scan::Binary),
        Ok(()) => Ok(Scan::Searched(gather)),
        Err(error) if exceeds_memory(&error) => Ok(Scan::TooLarge),
        Err(error) => Err(error),
    }
}

/// Returns whether the searcher stopped because a line, or the whole file, exceeds its memory limit.
///
/// The error has no specific type. An error of the system has a number or another kind, and neither the matcher nor
/// [`MatchSink`] returns an error, so no other error of the kind `Other` reaches this function.
fn exceeds_memory(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Other && error.raw_os_error().is_none()
}

/// Reads a file into `buffer`. If the file has grown beyond the known `length`, reads the rest too, up to about
/// [`HEAP`] bytes. Returns the number of bytes.
fn read(mut file: &File, length: u64, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let expected = usize::try_from(length).unwrap_or_default();
    // The buffer has room for one byte more than the known length, so a shorter read shows that the end was reached.
    let room = (expected + 1).max(16 * 1024);
    if buffer.len() < room {
        buffer.resize(room, 0);
    }
    let mut filled = 0;
    loop {
        match file.read(buffer.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => return Ok(filled),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if filled == buffer.len() {
            if filled >= HEAP {
                return Ok(filled);
            }
            buffer.resize(filled * 2, 0);
        } else if filled >= expected && expected > 0 {
            return Ok(filled);
        }
    }
}

/// Returns whether the bytes begin with a BOM of UTF-16 or UTF-8.
pub(super) fn has_mark(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") || bytes.starts_with(b"\xEF\xBB\xBF")
}

/// A reader of a file that returns an error when the search must stop.
struct InterruptibleReader<'f> {
    file: &'f File,
    stops: &'f dyn Fn() -> bool,
}

impl Read for InterruptibleReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.stops)() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.file.read(buffer)
    }
}
