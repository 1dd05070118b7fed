//! Failures of operations: a message, the findings, and the next steps.

pub(crate) mod convert;

use crate::seen::Seen;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use toolpost_text::cut::Limit;
use toolpost_workspace::WorkspacePath;

/// The limit for the findings that a failure shows.
pub const FOUND: Limit = Limit { bytes: 8 * 1024, lines: 200 };

/// The sort of a failure; clients and logs group by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "a kind of failure may be the wrong kind of file")]
pub enum Kind {
    /// The arguments are invalid.
    Invalid,
    /// The path leads outside every root.
    Outside,
    /// A rule, the user or the operating system forbids it.
    Denied,
    /// Nothing exists at the path.
    NotFound,
    /// The entry is of the wrong type: a directory, a FIFO, a binary file.
    WrongKind,
    /// The file must be read before it can be changed.
    Unread,
    /// The file has changed since it was read.
    Stale,
    /// The text to replace is not in the file.
    NoMatch,
    /// The text to replace is in the file more than once.
    Ambiguous,
    /// It exceeds the size that can be handled at once.
    TooLarge,
    /// A file changed during the call; the same call may succeed now.
    Conflict,
    /// An I/O error.
    Io,
    /// A remote server, service or model refused or did not answer.
    Remote,
    /// The deadline passed.
    Timeout,
    /// The caller cancelled the call.
    Cancelled,
    /// A bug in Toolpost.
    Internal,
}

/// A next step that names no tool: each dialect words it with its own tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Read this file, then repeat the call.
    ReadFirst(WorkspacePath),
    /// Read this file again: it changed.
    ReadAgain(WorkspacePath),
    /// Read these lines and copy the text from them exactly.
    ReadLines(WorkspacePath, u64, u64),
    /// Give more surrounding text, so that the text is unique.
    GiveMoreContext,
    /// Request the replacement of every occurrence.
    ReplaceAll,
    /// Write this file as a whole.
    WriteWhole(WorkspacePath),
    /// Replace a text that this file contains now.
    ReplaceText(WorkspacePath),
    /// Possible meanings of a wrong name.
    DidYouMean(Vec<String>),
    /// Search for the file by its name.
    FindByName(String),
    /// List this directory.
    LookInto(WorkspacePath),
    /// Narrow the search: a smaller directory or a stricter pattern.
    Narrow,
    /// Request the part that begins at this line or entry.
    Page(u64),
    /// Request these pages of a document.
    Pages(u32),
    /// Search for the pattern as literal text, in this notation.
    Literal(String),
    /// Repeat the same call unchanged.
    TryAgain,
    /// The operator alone can allow it, by this rule.
    Operator(String),
    /// Advice that needs no tool.
    Advice(String),
}

/// The reason why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The sort of failure.
    pub kind: Kind,
    /// The problem, in one or two sentences.
    pub what: String,
    /// The findings instead: the closest text, the entries of a directory, a diff.
    pub found: Option<String>,
    /// The next steps, best first.
    pub hints: Vec<Hint>,
    /// The file whose whole current content `found` shows: it counts as seen.
    pub shows: Option<Box<Seen>>,
    /// The data behind the message.
    pub facts: Box<Facts>,
    /// The unmet expectation about the existence of a file, if that was the problem.
    pub unmet: Option<Box<Unmet>>,
}

/// The unmet expectation about a file that was to be written as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// The file.
    pub path: WorkspacePath,
    /// The expectation.
    pub existence: Existence,
}

/// The required existence of a file that is written as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existence {
    /// It must not exist.
    New,
    /// It must exist.
    Existing,
    /// No requirement.
    Any,
}

/// The data behind the message of a failure, for a dialect whose reference fixes the wording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The number of the change that failed, counted from 1; none of the changes was made.
    pub change: Option<u32>,
    /// The problem with a file.
    pub trouble: Option<Trouble>,
    /// The path of that file, as displayed.
    pub path: String,
    /// The number of places where the text occurs.
    pub places: Option<u32>,
    /// The number of characters that were searched for the text.
    pub searched: Option<u32>,
    /// The line at which the new text already occurs.
    pub already_there: Option<u32>,
}

/// A problem with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The text to replace equals the new text.
    Same,
    /// The text to replace is empty, and the file is not.
    EmptyOld,
    /// The text to replace does not occur.
    Absent,
    /// The text to replace occurs more than once.
    Ambiguous,
    /// The file cannot be read, so that no hunk can be applied.
    Unreadable,
    /// The file cannot be deleted.
    NotDeleted,
    /// The file cannot be renamed.
    NotMoved,
}

impl fmt::Display for Failure {
    /// Formats the message alone: the dialect of the call words the hints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

impl Failure {
    /// Creates a failure with a message.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        let facts = Box::default();
        Self { kind, what: what.into(), found: None, hints: Vec::new(), shows: None, facts, unmet: None }
    }

    /// Creates the failure for invalid arguments.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, what)
    }

    /// Adds the findings.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// Adds the problem with a file.
    #[must_use]
    pub fn trouble(mut self, trouble: Trouble, path: &WorkspacePath) -> Self {
        (self.facts.trouble, self.facts.path) = (Some(trouble), path.display());
        self
    }

    /// Adds a next step.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hints.push(hint);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_an_error_that_displays_its_message() {
        let failure = Failure::new(Kind::NotFound, "a.txt does not exist.").hint(Hint::Narrow);
        let error: Box<dyn std::error::Error + Send + Sync> = Box::new(failure);
        assert_eq!(error.to_string(), "a.txt does not exist.");
    }
}
