//! Why a script did not come to its end, and where it was.

/// Why a script did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The sort of reason.
    pub why: Why,
    /// The line of the source, counted from 1, where it is known.
    pub line: Option<u32>,
    /// The column in that line, counted from 1, where it is known.
    pub column: Option<u32>,
    /// What was wrong, without a full stop at its end.
    pub message: String,
}

/// The sort of reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// It cannot be read; nothing of it ran.
    Syntax,
    /// An error was thrown that nothing caught.
    Thrown,
    /// It computed too long without a call.
    Compute,
    /// Its time is up.
    Time,
    /// It needs more memory than it may have.
    Heap,
    /// Its calls within calls are too deep.
    Stack,
    /// It made more calls than it may.
    Calls,
    /// It waits for a promise that nothing settles.
    Waiting,
    /// The caller gave up.
    Cancelled,
    /// It was not begun: others that cannot be ended are still running.
    Busy,
}

impl Fault {
    /// Makes a fault that no place of the source belongs to.
    pub(crate) fn new(why: Why, message: impl Into<String>) -> Self {
        Self { why, line: None, column: None, message: message.into() }
    }

    /// Adds where it happened.
    pub(crate) fn at(mut self, place: Option<(u32, u32)>) -> Self {
        (self.line, self.column) = (place.map(|place| place.0), place.map(|place| place.1));
        self
    }
}
