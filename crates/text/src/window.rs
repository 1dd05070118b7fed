//! Some lines of a file that is read piece by piece.

mod lines;
mod reader;
mod whole;

use memchr::{memchr, memchr_iter};
use serde::Serialize;

use reader::{Decoding, Reader};

pub use lines::{Line, Lines};
pub use whole::seen;

/// The lines to keep, and a limit on their length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// The first line to keep, counted from 1.
    pub first: u64,
    /// Maximum number of lines.
    pub count: u64,
    /// Maximum number of characters of each.
    pub characters: u64,
}

/// Facts about the whole file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Number of lines; an empty file has none, and a final break begins no line.
    pub lines: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of LF breaks.
    pub lf: u64,
    /// Number of CRLF breaks.
    pub crlf: u64,
    /// Number of lines that begin with a tab.
    pub tabs: u64,
    /// Number of lines that begin with two spaces.
    pub spaces: u64,
    /// The file begins with the byte order mark of UTF-8, which no line shows.
    pub bom: bool,
    /// The first NUL byte.
    pub nul: Option<u64>,
    /// Number of bytes in the kept lines that are not UTF-8.
    pub invalid: u64,
}

/// Lines and facts of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The lines that were asked for and exist.
    pub lines: Lines,
    /// The facts about the whole file.
    pub facts: Facts,
}

/// A scanner that takes a file in pieces and keeps only the requested lines.
///
/// Only `\n` ends a line, and a `\r` in front of it belongs to the break. Whatever the length of a line, no more of
/// it is kept than was asked for.
#[derive(Debug)]
pub struct Window {
    ask: Ask,
    facts: Facts,
    /// The text of the kept lines, joined, and the end of each.
    kept: Vec<Kept>,
    reader: Reader,
    /// The number of the line that the next byte belongs to.
    number: u64,
    /// The last byte so far.
    last: Option<u8>,
    /// The bytes that may become the byte order mark; none once that is settled.
    mark: Option<Vec<u8>>,
    /// The line has had no byte yet, or one space only.
    begins: Begins,
}

/// A kept line: its end in the joined text, and the number of further characters.
#[derive(Debug)]
struct Kept {
    end: usize,
    more: u64,
}

/// Length of the scanned beginning of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    Fresh,
    Space,
    Known,
}

/// Writes the bytes of one line as characters. If the line is not UTF-8, each byte above ASCII is a character of
/// windows-1252 or U+FFFD, as in [`crate::encoding::Text::shown`]. A character that is cut off at an end of the line does
/// not count against UTF-8.
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
    /// Starts before the first byte of a file.
    #[must_use]
    pub fn new(ask: Ask) -> Self {
        Self::decoding(ask, Decoding::Utf8)
    }

    /// Starts before the first byte of a file in an unknown 8-bit encoding: each byte above ASCII is shown as a character
    /// of windows-1252.
    #[must_use]
    pub fn eight_bit(ask: Ask) -> Self {
        Self::decoding(ask, Decoding::EightBit)
    }

    fn decoding(ask: Ask, decoding: Decoding) -> Self {
        let reader = Reader::new(ask.characters, decoding);
        let mark = Some(Vec::new());
        let (facts, kept) = (Facts::default(), Vec::new());
        Self { ask, facts, kept, reader, number: 1, last: None, mark, begins: Begins::Fresh }
    }

    /// Takes the next piece, cut anywhere.
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

    /// Returns whether all requested lines are there, so that only the facts are missing.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.number >= self.ask.first.max(1).saturating_add(self.ask.count)
    }

    /// Ends the file.
    #[must_use]
    pub fn finish(mut self) -> Seen {
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
        Seen { lines, facts: self.facts }
    }

    /// Goes through bytes behind the byte order mark.
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
            self.begins = Begins::Fresh;
            start = end + 1;
        }
        self.part(&piece[start..]);
    }

    /// Takes a part of a line.
    fn part(&mut self, part: &[u8]) {
        let Some(&last) = part.last() else { return };
        self.last = Some(last);
        if self.begins != Begins::Known {
            self.beginning(part);
        }
        if self.is_wanted() {
            self.reader.feed(part);
        }
    }

    /// Records the beginning of a line.
    fn beginning(&mut self, part: &[u8]) {
        for &byte in part.iter().take(2) {
            self.begins = match (self.begins, byte) {
                (Begins::Fresh, b' ') => Begins::Space,
                (Begins::Fresh, b'\t') => {
                    self.facts.tabs += 1;
                    Begins::Known
                }
                (Begins::Space, b' ') => {
                    self.facts.spaces += 1;
                    Begins::Known
                }
                _ => Begins::Known,
            };
            if self.begins == Begins::Known {
                break;
            }
        }
    }

    /// Keeps the line that ends here, if it was asked for.
    fn keep(&mut self) {
        if self.is_wanted() {
            let (more, invalid) = self.reader.end();
            self.facts.invalid += invalid;
            self.kept.push(Kept { end: self.reader.text.len(), more });
        }
    }

    fn is_wanted(&self) -> bool {
        self.number >= self.ask.first && !self.is_full()
    }
}
