//! Parts of a job's output, cut between characters and, if possible, between lines.

use std::io;

use super::OutputTail;
use super::ring::{OutputBuffer, line_breaks};

/// Number of bytes that are read from the stored output at a time.
const STEP: usize = 64 * 1024;

/// A request for a part of a command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputRange {
    /// The side from which the output is read.
    pub from: OutputSide,
    /// Number of characters to omit at the side from which the output is read; with `Split`, at its beginning.
    pub skip: u64,
    /// Maximum number of characters to return.
    pub count: u64,
}

/// The side from which an output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputSide {
    /// The beginning of the output.
    Top,
    /// The end of the output.
    Bottom,
    /// Half of the characters from the beginning of the output, half from its end.
    Split,
}

/// A part of a command's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text: one piece, two if the middle between them is omitted, or none if there is no text.
    pub pieces: Vec<OutputPiece>,
    /// Total number of characters of the output.
    pub total: u64,
    /// Total number of lines of the output.
    pub lines: u64,
}

/// Contiguous characters of a command's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPiece {
    /// Number of characters of the output before the piece.
    pub from: u64,
    /// The text of the piece.
    pub text: String,
}

impl OutputPiece {
    /// Returns the number of characters of the output before the end of the piece.
    pub fn to(&self) -> u64 {
        self.from + self.text.chars().count() as u64
    }
}

/// Returns a part of the output. `pending` is the end of the output that can still change and is not stored
/// yet.
pub(crate) fn show(ring: &OutputBuffer, pending: &str, want: OutputRange) -> io::Result<Excerpt> {
    let text = Text { ring, pending };
    let total = text.characters();
    let pieces = match want.from {
        OutputSide::Top => vec![text.forward(want.skip, want.count)?],
        OutputSide::Bottom => vec![text.backward(want.skip, want.count)?],
        OutputSide::Split => text.split(want.skip, want.count)?,
    };
    let lines = text.lines()?;
    Ok(Excerpt { pieces: pieces.into_iter().filter(|piece| !piece.text.is_empty()).collect(), total, lines })
}

/// Returns the stored output after the byte position `cursor`: at most its last `limit` bytes.
pub(crate) fn follow(
    ring: &OutputBuffer,
    pending: String,
    cursor: u64,
    limit: usize,
) -> io::Result<OutputTail> {
    let total = ring.total();
    let cursor = cursor.min(total);
    let mut from = cursor.max(total.saturating_sub(limit as u64));
    // Do not read across the gap (the dropped middle of the output): the text before it counts as skipped.
    let kept = ring.gap().map_or(0, |(_, kept)| kept);
    from = from.max(kept);
    let bytes = ring.read(from, usize::try_from(total - from).unwrap_or(limit))?;
    let is_cut = from > cursor && (from == kept || ring.read(from - 1, 1)? != b"\n");
    let mut start = if is_cut { next_line(&bytes).unwrap_or(0) } else { 0 };
    start += bytes[start..].iter().take_while(|byte| is_inside(**byte)).count();
    let text = String::from_utf8_lossy(&bytes[start..]).into_owned();
    Ok(OutputTail { text, pending, skipped: from - cursor + start as u64, cursor: total })
}

/// The stored output and the pending text that follows it, read in whole characters.
struct Text<'t> {
    ring: &'t OutputBuffer,
    pending: &'t str,
}

/// Characters of the output that were read, and the byte positions of their start and end.
struct Chunk {
    from: u64,
    text: String,
    to: u64,
}

impl Text<'_> {
    fn characters(&self) -> u64 {
        self.ring.characters() + self.pending.chars().count() as u64
    }

    /// Counts the lines of the output, including a last line without a line break.
    fn lines(&self) -> io::Result<u64> {
        let total = self.ring.total();
        let last = match self.pending.as_bytes().last() {
            Some(last) => Some(*last),
            None if total > 0 => self.ring.read(total - 1, 1)?.last().copied(),
            None => None,
        };
        let open = u64::from(last.is_some_and(|last| last != b'\n'));
        Ok(self.ring.breaks() + line_breaks(self.pending) + open)
    }

    fn bytes(&self) -> u64 {
        self.ring.total() + self.pending.len() as u64
    }

    /// Returns at most `count` contiguous characters after the first `skip`. If the characters there were
    /// dropped, starts at the end of the gap (the dropped middle of the output).
    fn forward(&self, skip: u64, count: u64) -> io::Result<OutputPiece> {
        let (mut at, mut before) = (0, 0);
        let mut piece = OutputPiece { from: skip.min(self.characters()), text: String::new() };
        let mut left = count;
        while left > 0
            && let Some(chunk) = self.after(at)?
        {
            if self.ring.gap().is_some_and(|(_, kept)| at < kept && chunk.from >= kept) {
                if !piece.text.is_empty() {
                    break;
                }
                before = self.characters_before(chunk.from)?;
                piece.from = piece.from.max(before);
            }
            at = chunk.to;
            let length = length_of(&chunk.text);
            let text = without_first(&chunk.text, skip.saturating_sub(before));
            before += length;
            let text = first(text, left);
            left -= length_of(text);
            piece.text.push_str(text);
        }
        if piece.to() < self.characters() {
            to_line_end(&mut piece.text);
        }
        Ok(piece)
    }

    /// Returns at most `count` characters before the last `skip` ones, at most back to the gap (the dropped
    /// middle of the output).
    fn backward(&self, skip: u64, count: u64) -> io::Result<OutputPiece> {
        // Read one more character than requested: if it is a line break, the requested characters start a
        // line.
        let mut piece = self.back(skip, count.saturating_add(1))?;
        let mut is_line_start = piece.from == 0;
        if length_of(&piece.text) > count {
            is_line_start = piece.text.remove(0) == '\n';
            piece.from += 1;
        }
        if !is_line_start {
            from_line_start(&mut piece);
        }
        Ok(piece)
    }

    fn back(&self, skip: u64, count: u64) -> io::Result<OutputPiece> {
        let mut at = self.bytes();
        let (mut after, mut left) = (0, count);
        let mut taken = Vec::new();
        while left > 0
            && let Some(chunk) = self.before(at)?
        {
            at = chunk.from;
            let length = length_of(&chunk.text);
            let text = first(&chunk.text, length.saturating_sub(skip.saturating_sub(after)));
            after += length;
            let text = without_first(text, length_of(text).saturating_sub(left));
            left -= length_of(text);
            taken.push(text.to_owned());
        }
        let text: String = taken.into_iter().rev().collect();
        let from = self.characters().saturating_sub(skip).saturating_sub(length_of(&text));
        Ok(OutputPiece { from, text })
    }

    fn split(&self, skip: u64, count: u64) -> io::Result<Vec<OutputPiece>> {
        let total = self.characters();
        if total.saturating_sub(skip) <= count && self.ring.gap().is_none() {
            return Ok(vec![self.forward(skip, count)?]);
        }
        let top = self.forward(skip, count - count / 2)?;
        let bottom = self.backward(0, (count / 2).min(total.saturating_sub(top.to())))?;
        Ok(vec![top, bottom])
    }

    /// Reads the output after a byte position. If that position is in the gap (the dropped middle), reads
    /// from the end of the gap.
    fn after(&self, at: u64) -> io::Result<Option<Chunk>> {
        let kept = self.ring.total();
        if at >= kept {
            let rest = self.pending.get(usize_of(at - kept)..).unwrap_or_default();
            let chunk = Chunk { from: at, text: rest.to_owned(), to: self.bytes() };
            return Ok(Some(chunk).filter(|chunk| !chunk.text.is_empty()));
        }
        let gap = self.ring.gap().filter(|(_, to)| at < *to);
        let end = gap.map_or(kept, |(from, _)| from);
        let bytes = self.ring.read(at, usize_of(end.saturating_sub(at)).min(STEP))?;
        let text = whole(&bytes);
        match gap {
            Some((_, to)) if text.is_empty() => self.after(self.boundary(to)?),
            _ => Ok(Some(Chunk { from: at, to: at + text.len() as u64, text })),
        }
    }

    /// Reads the output before a byte position, at most back to the gap (the dropped middle).
    fn before(&self, at: u64) -> io::Result<Option<Chunk>> {
        let kept = self.ring.total();
        if at > kept {
            return Ok(Some(Chunk { from: kept, text: self.pending.to_owned(), to: at }));
        }
        let floor = match self.ring.gap() {
            Some((_, to)) => self.boundary(to)?,
            None => 0,
        };
        let from = floor.max(at.saturating_sub(STEP as u64));
        if from >= at {
            return Ok(None);
        }
        let bytes = self.ring.read(from, usize_of(at - from))?;
        let broken = bytes.iter().take_while(|byte| is_inside(**byte)).count();
        let text = whole(&bytes[broken..]);
        Ok(Some(Chunk { from: from + broken as u64, text, to: at }))
    }

    /// Returns the first byte position at or after `at` at which a character begins.
    fn boundary(&self, at: u64) -> io::Result<u64> {
        let start = self.ring.read(at, 4)?;
        Ok(at + start.iter().take_while(|byte| is_inside(**byte)).count() as u64)
    }

    /// Counts the characters before `place`, a byte position after the gap (the dropped middle of the
    /// output). The gap cannot be read, so this subtracts the number of characters that follow `place` from
    /// the total.
    fn characters_before(&self, place: u64) -> io::Result<u64> {
        let (mut at, mut after) = (place, 0);
        while let Some(chunk) = self.after(at)? {
            after += length_of(&chunk.text);
            at = chunk.to;
        }
        Ok(self.characters() - after)
    }
}

fn length_of(text: &str) -> u64 {
    text.chars().count() as u64
}

fn first(text: &str, count: u64) -> &str {
    text.char_indices().nth(usize_of(count)).map_or(text, |(end, _)| &text[..end])
}

fn without_first(text: &str, count: u64) -> &str {
    text.char_indices().nth(usize_of(count)).map_or("", |(start, _)| &text[start..])
}

/// Decodes UTF-8 up to the first incomplete or malformed character.
fn whole(bytes: &[u8]) -> String {
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) => error.valid_up_to(),
    };
    String::from_utf8_lossy(&bytes[..valid]).into_owned()
}

/// Removes an incomplete last line of a text, if at least half of the text remains.
fn to_line_end(text: &mut String) {
    if let Some(end) = text.rfind('\n')
        && end + 1 >= text.len() / 2
    {
        text.truncate(end + 1);
    }
}

/// Removes an incomplete first line of a piece, if at least half of the piece remains.
fn from_line_start(piece: &mut OutputPiece) {
    if let Some(start) = next_line(piece.text.as_bytes())
        && start <= piece.text.len() / 2
    {
        piece.from += length_of(&piece.text[..start]);
        piece.text.drain(..start);
    }
}

fn next_line(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1).filter(|at| *at < bytes.len())
}

/// Returns whether a byte is a continuation byte of UTF-8.
fn is_inside(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn usize_of(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
