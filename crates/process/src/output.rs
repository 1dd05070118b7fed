//! Output of a program: cleaned of control sequences as it arrives, stored in bounded space, read in slices.

mod ring;
mod slice;
mod spool;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

use ring::{DISK, MEMORY, OutputBuffer};
pub use slice::{Excerpt, OutputPiece, OutputRange, OutputSide};
use toolpost_text::terminal::{Losses, Terminal};

/// The output of one job.
#[derive(Debug)]
pub(crate) struct Output {
    terminal: Terminal,
    ring: OutputBuffer,
    /// Number of bytes that the program wrote, before cleaning.
    bytes: u64,
    cleaned: String,
}

/// The part of a job's output after a cursor, which is a byte position in the cleaned output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputTail {
    /// The output after the cursor, or only its end if it is longer than requested; starts at the beginning
    /// of a line if possible.
    pub text: String,
    /// The output that follows `text` and can still change: the unfinished line, and the number of
    /// repetitions of the previous line.
    pub pending: String,
    /// Number of bytes between the requested cursor and `text` that are omitted.
    pub skipped: u64,
    /// The cursor after `text`, for the next call.
    pub cursor: u64,
}

impl Output {
    /// Creates an empty output. Text that is too long for memory goes to a file without a name in the
    /// directory `spool`.
    pub(crate) fn new(spool: PathBuf) -> Self {
        let ring = OutputBuffer::new(spool, MEMORY, DISK);
        Self { terminal: Terminal::default(), ring, bytes: 0, cleaned: String::new() }
    }

    /// Removes control sequences from new output of the program, and appends the cleaned text.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.cleaned.clear();
        self.terminal.feed(bytes, &mut self.cleaned);
        self.ring.push(&self.cleaned);
    }

    /// Ends the output: an unfinished last line becomes final.
    pub(crate) fn finish(&mut self) {
        self.cleaned.clear();
        self.terminal.finish(&mut self.cleaned);
        self.ring.push(&self.cleaned);
        self.cleaned = String::new();
    }

    /// Returns the number of bytes that the program wrote, before cleaning.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of characters of the cleaned output.
    pub(crate) fn characters(&self) -> u64 {
        self.ring.characters() + self.terminal.pending().chars().count() as u64
    }

    /// Returns the number of bytes of the cleaned output.
    pub(crate) fn text_bytes(&self) -> u64 {
        self.ring.total() + self.terminal.pending().len() as u64
    }

    /// Returns the numbers of control characters and malformed bytes that cleaning removed from the output.
    pub(crate) fn losses(&self) -> Losses {
        self.terminal.losses()
    }

    /// Returns the number of bytes that the output occupies on disk.
    pub(crate) fn spooled(&self) -> u64 {
        self.ring.spooled()
    }

    /// Returns a message about the dropped middle of the output; `None` if everything was kept.
    pub(crate) fn lost(&self) -> Option<String> {
        self.ring.lost()
    }

    /// Frees the disk space of the output. Its beginning and its end are kept in memory.
    pub(crate) fn shrink(&mut self) {
        self.ring.shrink("its disk space was needed for later commands");
    }

    /// Returns the requested part of the cleaned output.
    pub(crate) fn show(&self, want: OutputRange) -> io::Result<Excerpt> {
        slice::show(&self.ring, &self.terminal.pending(), want)
    }

    /// Returns the cleaned output after a cursor: at most its last `limit` bytes.
    pub(crate) fn follow(&self, cursor: u64, limit: usize) -> io::Result<OutputTail> {
        slice::follow(&self.ring, self.terminal.pending(), cursor, limit)
    }
}
