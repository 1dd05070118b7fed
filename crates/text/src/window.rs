//! Selection of some lines of a file that is read in pieces.

mod lines;
mod reader;
mod whole;

use memchr::{memchr, memchr_iter};
use serde::Serialize;

use reader::{Decoding, Reader};

pub use lines::{Line, Lines};
pub use whole::seen;

/// The lines of a file to select, and a limit on their length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSelection {
    /// The first line to select, counted from 1.
    pub first: u64,
    /// Maximum number of lines to select.
    pub count: u64,
    /// Maximum number of characters to keep of each line.
    pub characters: u64,
}

/// Facts about the whole file from which lines are selected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Number of lines of the file: 0 for an empty file; a line break at the end does not begin another line.
    pub lines: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of line breaks in the file that are LF.
    pub lf: u64,
    /// Number of line breaks in the file that are CRLF.
    pub crlf: u64,
    /// Number of lines that begin with a tab.
    pub tabs: u64,
    /// Number of lines that begin with two spaces.
    pub spaces: u64,
    /// True if the file begins with the byte order mark of UTF-8, which no line shows.
    pub bom: bool,
    /// Offset of the first NUL byte in the file; `None` if it contains none.
    pub nul: Option<u64>,
    /// Number of bytes in the selected lines that are not UTF-8; with [`Window::eight_bit`], those above ASCII.
    pub invalid: u64,
}

/// The selected lines of a file, and facts about the whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WindowContent {
    /// The requested lines that the file has.
    pub lines: Lines,
    /// The facts about the whole file.
    pub facts: Facts,
}

/// A scanner that takes a file in pieces and keeps only the requested lines.
///
/// Only a line feed ends a line, and a carriage return in front of it belongs to the line break. Memory use
/// is bounded, because no more of a line is kept than requested.
#[derive(Debug)]
pub struct Window {
    ask: LineSelection,
    facts: Facts,
    /// The selected lines so far; their text is in `reader`.
    kept: Vec<KeptLine>,
    reader: Reader,
    /// The number of the line to which the next byte of the file belongs.
    number: u64,
    /// The last byte that was scanned.
    last: Option<u8>,
    /// The first bytes of the file, while they may be the beginning of a byte order mark; `None` after that
    /// is decided.
    mark: Option<Vec<u8>>,
    /// Knowledge about the beginning of the current line.
    begins: IndentState,
}

/// A selected line: where it ends in the stored text, and the number of characters that were cut off.
#[derive(Debug)]
struct KeptLine {
    end: usize,
    more: u64,
}

/// Knowledge about the beginning of the current line: nothing yet, one space, or enough to determine the
/// indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndentState {
    Fresh,
    Space,
    Known,
}

/// Decodes the bytes of one line for display. If the line is not UTF-8, each byte above ASCII is a character
/// of windows-1252 or U+FFFD, as in [`crate::encoding::Text::shown`]. A character that is incomplete at an
/// end of the line does not rule out UTF-8.
#[must_use]
pub fn shown(line: &[u8]) -> String {
    let cut = line.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    let decoding = match std::str::from_utf8(&line[cut..]) {
        Err(error) if error.error_len().is_some() => Decoding::EightBit,
        _ => Decoding::Utf8,
    };
    let mut reader = Reader::new(u64::MAX, decoding);
    reader.feed(line);
    reader.end();
    reader.text
}

const MARK: &[u8] = b"\xEF\xBB\xBF";

impl Window {
    /// Prepares to scan a file from its first byte.
    #[must_use]
    pub fn new(ask: LineSelection) -> Self {
        Self::decoding(ask, Decoding::Utf8)
    }

    /// Prepares to scan a file in an unknown 8-bit encoding from its first byte. Each byte above ASCII is
    /// shown as a character of windows-1252.
    #[must_use]
    pub fn eight_bit(ask: LineSelection) -> Self {
        Self::decoding(ask, Decoding::EightBit)
    }

    fn decoding(ask: LineSelection, decoding: Decoding) -> Self {
        let reader = Reader::new(ask.characters, decoding);
        let mark = Some(Vec::new());
        let (facts, kept) = (Facts::default(), Vec::new());
        Self { ask, facts, kept, reader, number: 1, last: None, mark, begins: IndentState::Fresh }
    }

    /// Scans the next piece of the file, which may end inside a line or a character.
    pub fn feed(&mut self, piece: &[u8]) {
        let mut piece = piece;
        if let Some(nul) = memchr(0, piece).filter(|_| self.facts.nul.is_none()) {
            self.facts.nul = Some(self.facts.bytes + nul as u64);
        }
        self.facts.bytes += piece.len() as u64;
        while let (Some(mark), Some((&byte, rest))) = (&mut self.mark, piece.split_first()) {
            if MARK.get(mark.len()) != Some(&byte) {
                let held = self.mark.take().unwrap_or_default();
                self.scan(&held);
                break;
            }
            mark.push(byte);
            piece = rest;
            if mark == MARK {
                self.facts.bom = true;
                self.mark = None;
            }
        }
        self.scan(piece);
    }

    /// Returns whether all requested lines have been read, so that the rest of the file is needed for the
    /// facts only.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.number >= self.ask.first.max(1).saturating_add(self.ask.count)
    }

    /// Ends the scan. Returns the selected lines and the facts about the file.
    #[must_use]
    pub fn finish(mut self) -> WindowContent {
        if let Some(held) = self.mark.take() {
            self.scan(&held);
        }
        if self.last.is_some_and(|last| last != b'\n') {
            self.facts.lines = self.number;
            self.keep();
        } else {
            self.facts.lines = self.number - 1;
        }
        let mut lines = Lines::of(self.reader.text.into());
        let mut from = 0;
        for (kept, number) in self.kept.iter().zip(self.ask.first.max(1)..) {
            lines.take(number, std::mem::replace(&mut from, kept.end), kept.end, kept.more);
        }
        WindowContent { lines, facts: self.facts }
    }

    /// Scans bytes of the file after the byte order mark.
    fn scan(&mut self, piece: &[u8]) {
        let mut start = 0;
        for end in memchr_iter(b'\n', piece) {
            let line = &piece[start..end];
            self.part(line);
            match line.last().copied().or(self.last) {
                Some(b'\r') => self.facts.crlf += 1,
                _ => self.facts.lf += 1,
            }
            self.last = Some(b'\n');
            self.reader.broken();
            self.keep();
            self.number += 1;
            self.begins = IndentState::Fresh;
            start = end + 1;
        }
        self.part(&piece[start..]);
    }

    /// Processes bytes that belong to one line.
    fn part(&mut self, part: &[u8]) {
        let Some(&last) = part.last() else { return };
        self.last = Some(last);
        if self.begins != IndentState::Known {
            self.beginning(part);
        }
        if self.is_wanted() {
            self.reader.feed(part);
        }
    }

    /// Updates `begins` and the counts of indented lines from the first bytes of the current line.
    fn beginning(&mut self, part: &[u8]) {
        for &byte in part.iter().take(2) {
            self.begins = match (self.begins, byte) {
                (IndentState::Fresh, b' ') => IndentState::Space,
                (IndentState::Fresh, b'\t') => {
                    self.facts.tabs += 1;
                    IndentState::Known
                }
                (IndentState::Space, b' ') => {
                    self.facts.spaces += 1;
                    IndentState::Known
                }
                _ => IndentState::Known,
            };
            if self.begins == IndentState::Known {
                break;
            }
        }
    }

    /// Stores the line that ends here, if it was requested.
    fn keep(&mut self) {
        if self.is_wanted() {
            let (more, invalid) = self.reader.end();
            self.facts.invalid += invalid;
            self.kept.push(KeptLine { end: self.reader.text.len(), more });
        }
    }

    fn is_wanted(&self) -> bool {
        self.number >= self.ask.first && !self.is_full()
    }
}
