//! Conversion of terminal output to the text that is visible at the end.

mod escapes;
mod utf8;

use crate::{cut::NOTICE, escape::remark};
use escapes::{Escapes, Step};
pub use utf8::Utf8;

/// Maximum number of times in a row that a line is shown. If it occurs more often, a notice shows the number
/// instead.
const RUN: u64 = 10;

/// Number of bytes of a line that are buffered in case a carriage return replaces them.
const OPEN_LINE: usize = 64 * 1024;

/// Converts raw terminal output to text, piece by piece, in bounded memory.
///
/// Characters are never split; a malformed sequence becomes one U+FFFD. Escape sequences and control characters
/// are removed. If a line was overwritten (carriage return, erase, backspace), only its last version remains.
/// If a line occurs more than ten times in a row, a notice replaces its copies. A line that begins like a note
/// of Toolpost gets a backslash in front.
#[derive(Debug, Default)]
pub struct Terminal {
    utf8: Utf8,
    escapes: Escapes,
    /// The part of the current line that later output may still overwrite.
    line: String,
    /// Column at which the next character is written.
    column: Column,
    /// The part of the current line that was already appended to the text, because the line was too long for
    /// the buffer.
    given: EmittedPart,
    /// The previous line. `copies` is the number of its repetitions that are not in the text yet.
    last: Option<String>,
    copies: u64,
    decoded: String,
    /// Number of control characters that were left out of the text.
    controls: u64,
}

/// Counts of the control characters and malformed byte sequences of an output that its text does not contain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    /// Number of control characters that were left out, apart from escape sequences, the bell and the editing
    /// of a line.
    pub controls: u64,
    /// Number of malformed byte sequences, each shown as U+FFFD.
    pub malformed: u64,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Column {
    #[default]
    End,
    /// After a carriage return: the next character replaces the line.
    Start,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum EmittedPart {
    #[default]
    Nothing,
    Beginning,
}

impl Terminal {
    /// Processes the next bytes of the output, and appends the lines that can no longer change to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut String) {
        let mut decoded = std::mem::take(&mut self.decoded);
        decoded.clear();
        self.utf8.feed(bytes, &mut decoded);
        self.take(&decoded, out);
        self.decoded = decoded;
    }

    /// Appends the buffered rest of the text to `out`, at the end of the output.
    pub fn finish(&mut self, out: &mut String) {
        let mut decoded = String::new();
        self.utf8.finish(&mut decoded);
        self.take(&decoded, out);
        out.push_str(&self.pending());
        let (utf8, controls) = (std::mem::take(&mut self.utf8), self.controls);
        *self = Self { utf8, controls, ..Self::default() };
    }

    /// Returns the counts for the output so far; [`Self::finish`] does not reset them.
    #[must_use]
    pub fn losses(&self) -> Losses {
        Losses { controls: self.controls, malformed: self.utf8.malformed() }
    }

    /// Returns the visible text after the lines that [`Self::feed`] has appended; later output may still
    /// change it.
    pub fn pending(&self) -> String {
        let mut text = String::new();
        self.say_copies(&mut text);
        match self.given {
            EmittedPart::Nothing => text.push_str(&remark(&self.line)),
            EmittedPart::Beginning => text.push_str(&self.line),
        }
        text
    }

    fn take(&mut self, mut text: &str, out: &mut String) {
        while !text.is_empty() {
            let plain = self.escapes.plain(text);
            if plain > 0 {
                self.write(&text[..plain], out);
                text = &text[plain..];
                continue;
            }
            let mut rest = text.chars();
            let Some(character) = rest.next() else { break };
            text = rest.as_str();
            match self.escapes.step(character) {
                Step::Nothing => {}
                Step::Drop => self.controls += 1,
                Step::LineBreak => self.end_line(out),
                Step::Return => self.column = Column::Start,
                Step::Erase => self.line.clear(),
                Step::Back => self.back(),
                Step::Write => self.write(character.encode_utf8(&mut [0; 4]), out),
            }
        }
    }

    fn write(&mut self, text: &str, out: &mut String) {
        if self.column == Column::Start {
            self.line.clear();
            self.column = Column::End;
        }
        self.line.push_str(text);
        if self.line.len() > OPEN_LINE {
            self.end_run(out);
            if self.given == EmittedPart::Nothing {
                out.push_str(&remark(&self.line));
            } else {
                out.push_str(&self.line);
            }
            self.line.clear();
            self.last = None;
            self.given = EmittedPart::Beginning;
        }
    }

    fn back(&mut self) {
        if self.column == Column::End {
            self.line.pop();
        }
    }

    fn end_line(&mut self, out: &mut String) {
        self.column = Column::End;
        if self.given == EmittedPart::Beginning {
            self.given = EmittedPart::Nothing;
            out.push_str(&self.line);
            out.push('\n');
            self.line.clear();
            return;
        }
        if self.last.as_ref() == Some(&self.line) {
            self.copies += 1;
            self.line.clear();
            return;
        }
        self.end_run(out);
        out.push_str(&remark(&self.line));
        out.push('\n');
        let mut before = self.last.take().unwrap_or_default();
        before.clear();
        self.last = Some(std::mem::replace(&mut self.line, before));
    }

    fn end_run(&mut self, out: &mut String) {
        self.say_copies(out);
        self.copies = 0;
    }

    fn say_copies(&self, out: &mut String) {
        let Some(last) = self.last.as_ref().filter(|_| self.copies > 0) else { return };
        let all = self.copies + 1;
        if all > RUN {
            out.push_str(&format!("{NOTICE}the line above occurs {all} times in a row]\n"));
            return;
        }
        for _ in 0..self.copies {
            out.push_str(last);
            out.push('\n');
        }
    }
}
