//! Collection of the matching lines of a file.

use std::io;
use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};

use super::cut::{text, without_end};
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
