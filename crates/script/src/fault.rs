//! Failures of scripts, each with its position in the source.

/// The reason why a script failed, with its position in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// The category of the failure.
    pub why: Why,
    /// The line of the script at which it failed, counted from 1, if known.
    pub line: Option<u32>,
    /// The column at which the script failed, counted from 1, if known.
    pub column: Option<u32>,
    /// The message for the user, without a period at the end. `it` in the message is the script.
    pub message: String,
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for ScriptError {}

/// The category of a script's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The script does not parse or is too long, and nothing ran.
    Syntax,
    /// The script threw an error that it did not catch.
    Thrown,
    /// The script used more CPU time since its start, or since the host's last answer, than its limit allows.
    Compute,
    /// The script ran longer than its time limit.
    Time,
    /// The script exceeded its memory limit.
    Heap,
    /// The script exceeded its stack limit.
    Stack,
    /// The script called the host more often than its limit allows.
    Calls,
    /// The script waits for a promise that nothing can settle.
    Waiting,
    /// The caller cancelled the script.
    Cancelled,
    /// The script did not start: no thread could be started, or too many earlier scripts are still running although
    /// they were asked to stop.
    Busy,
    /// The script did not start: this build has no interpreter.
    Unavailable,
}

impl ScriptError {
    /// Creates a failure without a position.
    pub(crate) fn new(why: Why, message: impl Into<String>) -> Self {
        Self { why, line: None, column: None, message: message.into() }
    }

    /// Sets the line and the column of the failure.
    pub(crate) fn at(mut self, place: Option<(u32, u32)>) -> Self {
        (self.line, self.column) = (place.map(|place| place.0), place.map(|place| place.1));
        self
    }
}
