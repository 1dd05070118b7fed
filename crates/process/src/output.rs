//! Output of a program: cleaned as it arrives, stored in bounded space, read in slices.

mod ring;
mod slice;
mod spool;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

use ring::{DISK, MEMORY, Ring};
pub use slice::{Excerpt, From, Piece, Want};
use toolpost_text::terminal::Terminal;

/// The output of one job.
#[derive(Debug)]
pub(crate) struct Output {
    terminal: Terminal,
    ring: Ring,
    /// Number of bytes that the program wrote.
    bytes: u64,
    cleaned: String,
}

/// Output after a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputTail {
    /// The text, as much of its end as was asked for, from a line's beginning where it could be.
    pub text: String,
    /// The text after it that can still change: the unfinished line, and the count of copies of the line before.
    pub pending: String,
    /// Number of bytes omitted before it.
    pub skipped: u64,
    /// The place after it.
    pub cursor: u64,
}

impl Output {
    /// Makes an empty one whose overflow goes to a nameless file in that directory.
    pub(crate) fn new(spool: PathBuf) -> Self {
        let ring = Ring::new(spool, MEMORY, DISK);
        Self { terminal: Terminal::default(), ring, bytes: 0, cleaned: String::new() }
    }

    /// Takes what the program wrote.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.cleaned.clear();
        self.terminal.feed(bytes, &mut self.cleaned);
        self.ring.push(&self.cleaned);
    }

    /// Takes the end.
    pub(crate) fn finish(&mut self) {
        self.cleaned.clear();
        self.terminal.finish(&mut self.cleaned);
        self.ring.push(&self.cleaned);
        self.cleaned = String::new();
    }

    /// Returns the number of bytes that the program wrote.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of characters of its text.
    pub(crate) fn characters(&self) -> u64 {
        self.ring.characters() + self.terminal.pending().chars().count() as u64
    }

    /// Returns the number of bytes that lie on the disk.
    pub(crate) fn spooled(&self) -> u64 {
        self.ring.spooled()
    }

    /// Returns why the middle was not kept; `None` if all is there.
    pub(crate) fn lost(&self) -> Option<String> {
        self.ring.lost()
    }

    /// Frees the space on the disk; a beginning and an end stay in memory.
    pub(crate) fn shrink(&mut self) {
        self.ring.shrink("its room on the disk was needed by later commands");
    }

    /// Shows a part.
    pub(crate) fn show(&self, want: Want) -> io::Result<Excerpt> {
        slice::show(&self.ring, &self.terminal.pending(), want)
    }

    /// Returns the output after a position: at most that many bytes, from its end.
    pub(crate) fn follow(&self, cursor: u64, limit: usize) -> io::Result<OutputTail> {
        slice::follow(&self.ring, self.terminal.pending(), cursor, limit)
    }
}
