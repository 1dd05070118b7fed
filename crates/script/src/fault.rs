//! Failures of scripts, each with its position in the source.

use schemars::JsonSchema;
use serde::Serialize;

/// The reason why a script stopped early or did not start, with its position in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ScriptStop")]
pub struct ScriptError {
    /// The reason for the stop.
    pub why: ScriptErrorKind,
    /// The line of the script, from 1, if known.
    pub line: Option<u32>,
    /// The column in the script's line, from 1, if known.
    pub column: Option<u32>,
    /// The error message.
    // It has no period at the end; `it` in the message is the script.
    pub message: String,
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for ScriptError {}

/// A reason why a script stopped.
// A script that did not start has no result, so its reasons are not in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScriptErrorKind {
    /// The script does not parse or is too long, and nothing ran.
    #[serde(skip)]
    Syntax,
    /// The script threw an error and did not catch it.
    #[serde(rename = "error")]
    Thrown,
    /// The script computed too long without a call.
    Compute,
    /// The script reached its time limit.
    Time,
    /// The script reached its memory limit.
    #[serde(rename = "memory")]
    Heap,
    /// The call stack of the script was too deep.
    Stack,
    /// The script made too many calls.
    Calls,
    /// The script waited for a promise that nothing resolves.
    Waiting,
    /// The caller cancelled the script.
    Cancelled,
    /// The script did not start: no thread could be started, or too many earlier scripts are still running although
    /// they were asked to stop.
    #[serde(skip)]
    Busy,
    /// The script did not start: this build has no interpreter.
    #[serde(skip)]
    Unavailable,
}

impl ScriptError {
    /// Creates a failure without a position.
    pub(crate) fn new(why: ScriptErrorKind, message: impl Into<String>) -> Self {
        Self { why, line: None, column: None, message: message.into() }
    }

    /// Sets the line and the column of the failure.
    pub(crate) fn at(mut self, place: Option<(u32, u32)>) -> Self {
        (self.line, self.column) = (place.map(|place| place.0), place.map(|place| place.1));
        self
    }

    /// Describes where and why the script stopped, for example "stopped at line 3: …".
    #[must_use]
    pub fn words(&self) -> String {
        let colon = if self.line.is_some() || self.why == ScriptErrorKind::Thrown { ":" } else { " because" };
        format!("stopped{}{colon} {}.", self.place(), self.message)
    }

    /// Describes the position in the script, for example " at line 3, column 5"; empty if it is unknown.
    #[must_use]
    pub fn place(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
            (Some(line), None) => format!(" at line {line}"),
            (None, _) => String::new(),
        }
    }
}
