//! Hunks: the parts of a patch, each of which changes one location of a file.

/// A part of a patch that changes one location of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the file that precede the hunk, from the outermost to the nearest; they come from `@@` lines.
    pub scope: Vec<String>,
    /// The lines of the hunk, in order.
    pub lines: Vec<Line>,
    /// Required position of the hunk: anywhere, or at the end of the file.
    pub end: HunkPosition,
    /// The line numbers in the header of the hunk, if it has any; only a hint, unless the hunk has no old lines.
    pub numbers: Option<Numbers>,
    /// The format of the patch. It determines whether the last line gets a line break.
    pub format: Format,
    /// The line number in the patch text at which the hunk begins, counted from 1.
    pub at: usize,
}

/// One line of a hunk (a part of a patch).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Kind of the line: kept, removed or added.
    pub sign: LineChange,
    /// The text of the line, without its sign and its line break.
    pub text: String,
    /// The line break at the end of the line, as far as the patch determines it.
    pub ending: LineEnding,
}

/// The change that a patch makes to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineChange {
    /// The line stays.
    Context,
    /// The line is removed.
    Remove,
    /// The line is new.
    Add,
}

/// The line break at the end of a line of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// The patch does not specify the line break.
    Unsaid,
    /// The patch specifies that the line has no line break.
    NoBreak,
}

/// Required position of a hunk in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkPosition {
    /// The hunk may be anywhere in the file.
    Anywhere,
    /// The last line of the hunk must be the last of the file.
    OfFile,
}

/// Line numbers from the header of a hunk in a unified diff. Each pair is the first line and the number of
/// lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// First line in the old file, and number of lines.
    pub old: (usize, usize),
    /// First line in the new file, and number of lines.
    pub new: (usize, usize),
}

/// The format of the patch to which a hunk belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `*** Begin Patch`: if the last line of the file is rewritten, it gets a line break, unless the patch marks the
    /// break as missing.
    Envelope,
    /// A unified diff: the last line of the file gets a line break, unless the diff marks the break as
    /// missing, or the file has none and the diff does not add one.
    Unified,
}

impl Hunk {
    /// Returns the lines that the file must have: context and removed lines.
    pub fn old_lines(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.lines.iter().filter(|line| line.sign != LineChange::Add)
    }

    /// Returns the lines that the file has after the change: context and added lines.
    pub fn new_lines(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.lines.iter().filter(|line| line.sign != LineChange::Remove)
    }

    /// Returns the text of the added lines, without context.
    pub fn added(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.sign == LineChange::Add).map(|line| line.text.as_str())
    }

    /// Returns the inverse hunk, which undoes the change. Tests use it to check that a patch changes nothing
    /// else.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let turned = |line: &Line| {
            let sign = match line.sign {
                LineChange::Context => LineChange::Context,
                LineChange::Remove => LineChange::Add,
                LineChange::Add => LineChange::Remove,
            };
            Line { sign, ..line.clone() }
        };
        let numbers = self.numbers.map(|numbers| Numbers { old: numbers.new, new: numbers.old });
        Self { lines: self.lines.iter().map(turned).collect(), numbers, ..self.clone() }
    }
}
