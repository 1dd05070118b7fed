//! Failures of scripts, with their position.

/// The failure of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of failure.
    pub why: Why,
    /// The line of the source, counted from 1, if known.
    pub line: Option<u32>,
    /// The column, counted from 1, if known.
    pub column: Option<u32>,
    /// The message, without a final full stop.
    pub message: String,
}

/// The kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The script does not parse; nothing ran.
    Syntax,
    /// An uncaught error.
    Thrown,
    /// Too much CPU time between calls.
    Compute,
    /// The time limit passed.
    Time,
    /// The memory limit was exceeded.
    Heap,
    /// The stack limit was exceeded.
    Stack,
    /// The limit of calls was exceeded.
    Calls,
    /// It waits for a promise that is never settled.
    Waiting,
    /// The caller cancelled it.
    Cancelled,
    /// It did not start: too many scripts that cannot be stopped are still running.
    Busy,
    /// It did not start: this build has no interpreter.
    Unavailable,
}

impl Fault {
    /// Builds a fault without a position.
    pub(crate) fn new(why: Why, message: impl Into<String>) -> Self {
        Self { why, line: None, column: None, message: message.into() }
    }

    /// Adds the position.
    pub(crate) fn at(mut self, place: Option<(u32, u32)>) -> Self {
        (self.line, self.column) = (place.map(|place| place.0), place.map(|place| place.1));
        self
    }
}
