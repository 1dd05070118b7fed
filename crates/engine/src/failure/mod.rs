//! Failures of operations: a message, what was found, and the next steps.

pub(crate) mod convert;

use crate::seen::Seen;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use toolpost_text::cut::Limit;
use toolpost_workspace::WorkspacePath;

/// How much of what was found instead a failure shows.
pub const FOUND: Limit = Limit { bytes: 8 * 1024, lines: 200 };

/// The sort of thing that went wrong; clients and logs group by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "a kind of failure may be the wrong kind of file")]
pub enum Kind {
    /// The arguments cannot be understood.
    Invalid,
    /// The path leads outside of every root.
    Outside,
    /// A rule, a person or the operating system forbids it.
    Denied,
    /// Nothing is there.
    NotFound,
    /// Something is there that is not what was asked for: a directory, a FIFO, a binary file.
    WrongKind,
    /// The file must be read before it may be changed.
    Unread,
    /// The file is not what it was when it was read.
    Stale,
    /// The text to replace is not in the file.
    NoMatch,
    /// The text to replace is in the file more than once.
    Ambiguous,
    /// It is larger than what can be handled at once.
    TooLarge,
    /// The world moved while the call ran; the same call may succeed now.
    Conflict,
    /// The disk said no.
    Io,
    /// A server, a service or a model elsewhere said no, or gave no answer.
    Remote,
    /// The deadline passed.
    Timeout,
    /// The caller gave up.
    Cancelled,
    /// Toolpost itself is wrong.
    Internal,
}

/// A next step that names no tool: each dialect words it with its own tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Read this file, then do the same again.
    ReadFirst(WorkspacePath),
    /// Read this file again: it changed.
    ReadAgain(WorkspacePath),
    /// Read these lines and copy the text from them exactly.
    ReadLines(WorkspacePath, u64, u64),
    /// Give more surrounding text, so that one place is meant.
    GiveMoreContext,
    /// Ask for every occurrence to be replaced.
    ReplaceAll,
    /// Write this file as a whole.
    WriteWhole(WorkspacePath),
    /// Replace a text in this file that is there now.
    ReplaceText(WorkspacePath),
    /// One of these may be meant.
    DidYouMean(Vec<String>),
    /// Look for the file by its name.
    FindByName(String),
    /// Look into this directory.
    LookInto(WorkspacePath),
    /// Search less: a narrower place or pattern.
    Narrow,
    /// Ask for the part that begins at this line or entry.
    Page(u64),
    /// Ask for these pages of a document.
    Pages(u32),
    /// Search for the pattern as plain text, which is written so.
    Literal(String),
    /// The same call may be made again as it is.
    TryAgain,
    /// Only the operator can allow it, by a rule.
    Operator(String),
    /// A sentence that needs no tool.
    Advice(String),
}

/// Why an operation did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The sort of failure.
    pub kind: Kind,
    /// What was wrong, in one or two sentences.
    pub what: String,
    /// What was found instead: the closest text, the entries of a directory, a diff.
    pub found: Option<String>,
    /// What to do next, best first.
    pub hints: Vec<Hint>,
    /// The file of which `found` shows all that stands there now: it counts as seen.
    pub shows: Option<Box<Seen>>,
    /// What lies behind the words.
    pub facts: Box<Facts>,
    /// Where it was the matter: what should have held of a file's existence.
    pub unmet: Option<Box<Unmet>>,
}

/// What should have held of a file that was to be written whole, and did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// The file.
    pub path: WorkspacePath,
    /// What should have held.
    pub existence: Existence,
}

/// What must hold of a file that is written whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existence {
    /// It must not exist.
    New,
    /// It must exist.
    Existing,
    /// Either.
    Any,
}

/// What lies behind the words of a failure, for a dialect whose reference fixes the words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Which of several changes failed, counted from 1; none of them was made.
    pub change: Option<u32>,
    /// What could not be done with a file.
    pub trouble: Option<Trouble>,
    /// That file, as it is shown.
    pub path: String,
    /// In how many places the text stands.
    pub places: Option<u32>,
    /// How many characters were searched for the text.
    pub searched: Option<u32>,
    /// The line at which the new text stands already.
    pub already_there: Option<u32>,
}

/// What could not be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The text to replace and the new one are the same.
    Same,
    /// The text to replace is empty, and the file is not.
    EmptyOld,
    /// The text to replace is not there.
    Absent,
    /// The text to replace is there more than once.
    Ambiguous,
    /// The file cannot be read, so that no hunk can be put in.
    Unreadable,
    /// The file cannot be deleted.
    NotDeleted,
    /// The file cannot get another name.
    NotMoved,
}

impl fmt::Display for Failure {
    /// Formats the message alone: hints are worded by the dialect of the call.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

impl Failure {
    /// Makes a failure that says what was wrong.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        let facts = Box::default();
        Self { kind, what: what.into(), found: None, hints: Vec::new(), shows: None, facts, unmet: None }
    }

    /// Makes the failure for arguments that cannot be understood.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, what)
    }

    /// Adds what was found instead.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// Adds what could not be done with a file.
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
