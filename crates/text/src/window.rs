//! Some lines of a file that is read piece by piece.

use serde::Serialize;

/// Which lines to keep, and how much of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// The first line to keep, counted from 1.
    pub first: u64,
    /// At most so many lines.
    pub count: u64,
    /// At most so many characters of each.
    pub characters: u64,
}

/// A line that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its number, counted from 1.
    pub number: u64,
    /// Its characters without its break; bytes that are not UTF-8 as windows-1252 glyphs or U+FFFD.
    pub text: String,
    /// How many characters more it has.
    pub more: u64,
}

/// What was noticed on the way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// How many lines the file has; an empty file has none, and a final break begins no line.
    pub lines: u64,
    /// How many bytes the file has.
    pub bytes: u64,
    /// How many breaks are a line feed alone.
    pub lf: u64,
    /// How many breaks are CRLF.
    pub crlf: u64,
    /// How many lines begin with a tab.
    pub tabs: u64,
    /// How many lines begin with two spaces.
    pub spaces: u64,
    /// The file begins with the byte order mark of UTF-8, which no line shows.
    pub bom: bool,
    /// The first NUL byte.
    pub nul: Option<u64>,
    /// How many bytes of the kept lines are not UTF-8.
    pub invalid: u64,
}

/// Lines and facts of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The lines that were asked for and exist.
    pub lines: Vec<Line>,
    /// What was noticed in the whole file.
    pub facts: Facts,
}

/// A scanner that takes a file in pieces and keeps only what was asked for.
#[derive(Debug)]
pub struct Window {
    ask: Ask,
    seen: Seen,
}

impl Window {
    /// Starts before the first byte of a file.
    #[must_use]
    pub fn new(ask: Ask) -> Self {
        Self { ask, seen: Seen::default() }
    }

    /// Takes the next piece, cut anywhere.
    pub fn feed(&mut self, piece: &[u8]) {
        self.seen.facts.bytes += piece.len() as u64;
    }

    /// Says whether all lines that were asked for are there, so that only the facts are still missing.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.seen.lines.len() as u64 >= self.ask.count
    }

    /// Ends the file.
    #[must_use]
    pub fn finish(self) -> Seen {
        self.seen
    }
}
