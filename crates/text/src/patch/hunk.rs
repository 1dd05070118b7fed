//! One place of a file that a patch changes.

/// One place of a file that a patch changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Lines somewhere before it, from the outermost to the nearest.
    pub scope: Vec<String>,
    /// Its lines, in order.
    pub lines: Vec<Line>,
    /// The requirement that it is at the end of the file.
    pub end: End,
    /// Its line numbers when the patch was made; only a hint.
    pub numbers: Option<Numbers>,
    /// The format that it came in, which decides about the last line break.
    pub format: Format,
    /// The line of the patch text that it begins on, counted from 1.
    pub at: usize,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The change to it.
    pub sign: Sign,
    /// The line, without its break.
    pub text: String,
    /// The line break behind it, as far as the patch determines it.
    pub ending: Ending,
}

/// The change to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It stays.
    Context,
    /// It goes.
    Remove,
    /// It is new.
    Add,
}

/// The line break behind a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The patch does not specify it.
    Unsaid,
    /// The patch specifies that there is none.
    NoBreak,
}

/// The requirement that a hunk is at the end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It may be anywhere.
    Anywhere,
    /// Its last line is meant to be the last of the file.
    OfFile,
}

/// Old and new line numbers from the header of a unified diff: first line and count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// The lines of the old file.
    pub old: (usize, usize),
    /// The lines of the new file.
    pub new: (usize, usize),
}

/// The format that a hunk came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `*** Begin Patch`: a rewritten last line gets a break.
    Envelope,
    /// A unified diff: the last line has a break unless the diff or the file marks it as missing.
    Unified,
}

impl Hunk {
    /// Returns the lines that must be there.
    pub fn old_lines(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.lines.iter().filter(|line| line.sign != Sign::Add)
    }

    /// Returns the lines after the change.
    pub fn new_lines(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.lines.iter().filter(|line| line.sign != Sign::Remove)
    }

    /// Returns the new lines.
    pub fn added(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.sign == Sign::Add).map(|line| line.text.as_str())
    }

    /// Returns the inverse hunk; with it the tests prove that nothing else changes.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let turned = |line: &Line| {
            let sign = match line.sign {
                Sign::Context => Sign::Context,
                Sign::Remove => Sign::Add,
                Sign::Add => Sign::Remove,
            };
            Line { sign, ..line.clone() }
        };
        let numbers = self.numbers.map(|numbers| Numbers { old: numbers.new, new: numbers.old });
        Self { lines: self.lines.iter().map(turned).collect(), numbers, ..self.clone() }
    }
}
