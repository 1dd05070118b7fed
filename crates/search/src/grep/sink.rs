//! Collection of the matching lines of a file.

use std::io;
use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};
use toolpost_text::window;

use super::window::MOST_TEXT_OF_FILE;
use super::{Line, LineTruncation, Mode, Role, Show, Span};

/// The settings for the search of each file.
#[derive(Clone, Copy)]
pub(super) struct FileSearchSettings {
    pub(super) mode: Mode,
    pub(super) show: Show,
    pub(super) span: Span,
    pub(super) max_line: usize,
    /// The number of lines of the result, not of the file, to skip before lines are kept.
    pub(super) pass: u64,
    /// The maximum number of lines of one file that the result can need.
    pub(super) most: usize,
}

/// Collects the matches of one file as the searcher finds them.
pub(super) struct MatchSink<'m> {
    pub(super) matcher: &'m RegexMatcher,
    pub(super) wish: FileSearchSettings,
    /// The policy for matching lines.
    pub(super) keep: MatchRetention,
    pub(super) matching_lines: u64,
    pub(super) matches: u64,
    pub(super) entries: u64,
    pub(super) lines: Vec<Line>,
    pub(super) binary: bool,
    /// Set if the search was stopped in the middle of the file.
    pub(super) stopped: bool,
    /// Set if only ASCII text was compared, because the encoding of the file is unknown.
    pub(super) only_ascii: bool,
    pub(super) stops: &'m dyn Fn() -> bool,
    /// The number of lines of the file before the searched part.
    pub(super) before: u64,
    weight: usize,
    gap: bool,
    polls: u32,
}

/// The policy for matching lines: they are kept, or only counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchRetention {
    Lines,
    Nothing,
}

impl<'m> MatchSink<'m> {
    pub(super) fn new(
        matcher: &'m RegexMatcher,
        wish: FileSearchSettings,
        keep: MatchRetention,
        stops: &'m dyn Fn() -> bool,
    ) -> Self {
        Self {
            matcher,
            wish,
            keep,
            matching_lines: 0,
            matches: 0,
            entries: 0,
            lines: Vec::new(),
            binary: false,
            stopped: false,
            only_ascii: false,
            stops,
            before: 0,
            weight: 0,
            gap: false,
            polls: 0,
        }
    }

    fn push(
        &mut self,
        number: u64,
        role: Role,
        shown: impl FnOnce(usize) -> (String, Option<LineTruncation>),
    ) {
        self.entries += 1;
        let after_gap = std::mem::take(&mut self.gap) && self.entries > 1;
        if self.entries <= self.wish.pass {
            return;
        }
        if self.keep == MatchRetention::Nothing
            || self.lines.len() >= self.wish.most
            || self.weight > MOST_TEXT_OF_FILE
        {
            return;
        }
        let (text, cut) = shown(self.wish.max_line);
        self.weight += text.len() + size_of::<Line>();
        self.lines.push(Line { number: self.before + number, text, role, cut, after_gap });
    }

    /// Calls `see` for each match that begins in `part` of the buffer. Returns the number of matches.
    fn each(&self, buffer: &[u8], part: &Range<usize>, mut see: impl FnMut(Range<usize>)) -> u64 {
        // A match may depend on the text after `part`, for example for `$`, so a little more is searched.
        let end = match self.wish.span {
            Span::Line => part.end,
            Span::Lines => (part.end + LOOK_AHEAD).min(buffer.len()),
        };
        let within = buffer.get(..end).unwrap_or(buffer);
        let mut at = part.start;
        let mut count = 0;
        while at <= part.end {
            let Ok(Some(found)) = self.matcher.find_at(within, at) else { break };
            if found.start() >= part.end && (found.start() > part.start || part.end > part.start) {
                break;
            }
            count += 1;
            see(found.start()..found.end());
            at = if found.is_empty() { found.end() + 1 } else { found.end() };
        }
        count
    }

    fn matches_only(&mut self, found: &SinkMatch<'_>) {
        let (buffer, part) = (found.buffer(), found.bytes_range_in_buffer());
        let first = found.line_number().unwrap_or(1);
        let mut ranges = Vec::new();
        self.matches += self.each(buffer, &part, |range| ranges.push(range));
        let (mut number, mut counted) = (first, part.start);
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            number += newlines(buffer.get(counted..range.start));
            counted = range.start;
            let matched = buffer.get(range).unwrap_or_default();
            for (step, piece) in (0..).zip(matched.split_inclusive(|byte| *byte == b'\n')) {
                self.push(number + step, Role::Match, |most| text(without_end(piece), None, most));
            }
        }
    }

    fn whole_lines(&mut self, found: &SinkMatch<'_>) {
        let (buffer, part) = (found.buffer(), found.bytes_range_in_buffer());
        let number = found.line_number().unwrap_or(1);
        let mut first = None;
        self.matches += self.each(buffer, &part, |range| {
            first.get_or_insert(range);
        });
        let mut start = part.start;
        for (step, line) in (0..).zip(found.lines()) {
            let inside = first.as_ref().map(|first| {
                let from = first.start.max(start) - start;
                from.min(line.len())..(first.end.max(start) - start).min(line.len())
            });
            start += line.len();
            self.push(number + step, Role::Match, |most| text(without_end(line), inside, most));
        }
    }
}

/// The number of bytes after the lines of a match that the expression can examine, for example for `$` or
/// `\b`.
const LOOK_AHEAD: usize = 128;

fn newlines(bytes: Option<&[u8]>) -> u64 {
    memchr::memchr_iter(b'\n', bytes.unwrap_or_default()).count() as u64
}

impl Sink for MatchSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.polls += 1;
        if self.polls.is_multiple_of(1024) && (self.stops)() {
            self.stopped = true;
            return Ok(false);
        }
        if self.wish.mode == Mode::Files {
            self.matching_lines = 1;
            return Ok(false);
        }
        let before = self.matches;
        if self.wish.mode == Mode::Count {
            self.matches += self.each(found.buffer(), &found.bytes_range_in_buffer(), |_| {});
        } else if self.wish.show == Show::Matches {
            self.matches_only(found);
        } else {
            self.whole_lines(found);
        }
        // If a match may span lines, `rg --multiline --count` counts matches, and so does this search.
        self.matching_lines += match self.wish.mode {
            _ if !searcher.multi_line_with_matcher(self.matcher) => 1,
            Mode::Count => (self.matches - before).max(1),
            Mode::Content | Mode::Files => found.lines().count() as u64,
        };
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        if matches!(context.kind(), SinkContextKind::Before | SinkContextKind::After) {
            let number = context.line_number().unwrap_or(1);
            self.push(number, Role::Context, |most| text(without_end(context.bytes()), None, most));
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(true)
    }
}

/// Returns the text of a line: all of it, or about `most` characters around the match. Also returns the numbers of
/// bytes that were cut before and after the text; `None` if nothing was cut.
///
/// No character is split. Invalid UTF-8 is converted in the same way as when a file is read.
fn text(line: &[u8], matched: Option<Range<usize>>, most: usize) -> (String, Option<LineTruncation>) {
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
fn without_end(line: &[u8]) -> &[u8] {
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
