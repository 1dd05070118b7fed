//! Failures of operations: the problem, what was found instead, and the next steps.

pub(crate) mod convert;

use crate::seen_content::SeenContent;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use toolpost_text::cut::Limit;
use toolpost_workspace::WorkspacePath;

/// Maximum size of the findings in a failure, such as the text that matches best or the entries of a directory.
pub const FOUND: Limit = Limit { bytes: 8 * 1024, lines: 200 };

/// The kind of a failure, by which clients and logs group failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::enum_variant_names,
    reason = "the variant for a file of the wrong type is named `WrongKind`"
)]
pub enum Kind {
    /// The arguments are invalid.
    Invalid,
    /// The path leads outside every root.
    Outside,
    /// A rule, the user or the operating system denies the access.
    Denied,
    /// Nothing exists at the path or under the name.
    NotFound,
    /// The file has the wrong type for the operation: for example, it is a directory, a FIFO or binary.
    WrongKind,
    /// The file must be read before it can be changed.
    Unread,
    /// The file, or the state of the editor, has changed since it was read.
    Stale,
    /// The text to replace, or the name or symbol to find, is not in the file.
    NoMatch,
    /// The text or name to find matches more than once.
    Ambiguous,
    /// The request, a file or the result is too large for one call.
    TooLarge,
    /// The call conflicts with the current state: for example, a file changed during the call, or the target
    /// already exists.
    Conflict,
    /// An I/O error.
    Io,
    /// A remote server, service or model refused or did not answer.
    Remote,
    /// The call's deadline passed.
    Timeout,
    /// The caller cancelled the call, or the server is shutting down.
    Cancelled,
    /// A bug in Toolpost.
    Internal,
}

/// A next step, without the name of a tool: each dialect phrases it with its tool names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Read this file, then repeat the call.
    ReadFirst(WorkspacePath),
    /// Read this file again: it changed.
    ReadAgain(WorkspacePath),
    /// Read these lines and copy the text from them exactly.
    ReadLines(WorkspacePath, u64, u64),
    /// Give more surrounding text, so that the text to replace is unique.
    GiveMoreContext,
    /// Request that every occurrence of the text is replaced.
    ReplaceAll,
    /// Write this file as a whole.
    WriteWhole(WorkspacePath),
    /// Replace a text that this file contains now.
    ReplaceText(WorkspacePath),
    /// Use one of these existing names, which resemble the wrong name.
    DidYouMean(Vec<String>),
    /// Search for the file by its name.
    FindByName(String),
    /// List this directory.
    LookInto(WorkspacePath),
    /// Narrow the search: a smaller directory or a stricter pattern.
    Narrow,
    /// Request the part of a long output that begins at this line, entry or offset.
    Page(u64),
    /// Request pages of this document by number, for example pages from 1 to this number.
    Pages(String, u32),
    /// Search for the pattern as literal text, in this notation.
    Literal(String),
    /// Repeat the same call unchanged.
    TryAgain,
    /// Ask the operator, who alone can add a root that contains the path. [`Failure::completed`] appends this hint
    /// to the message.
    AddRoot,
    /// Ask the operator, who alone can allow the access, to add this rule.
    Operator(String),
    /// Advice in a sentence, the same in all dialects.
    Advice(String),
}

/// The reason why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of the failure, by which clients and logs group failures.
    pub kind: Kind,
    /// The problem that made the operation fail.
    pub what: String,
    /// Findings that help to correct the call: the closest text, the entries of a directory, a diff. `None` if there
    /// are none.
    pub found: Option<String>,
    /// The next steps that can help, best first.
    pub hints: Vec<Hint>,
    /// The part of a file's current content that the caller has seen after this failure. `None` if the failure does not
    /// show enough to count as a read.
    pub shows: Option<Box<SeenContent>>,
    /// The numbers and names in the message, for dialects that phrase the message differently.
    pub facts: Box<Facts>,
    /// Set if a file exists although it must be new, or is missing although it must exist.
    pub unmet: Option<Box<ExistenceMismatch>>,
}

/// A file that a call would have written as a whole, but that exists although it must be new, or is missing
/// although it must exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistenceMismatch {
    /// The file that the call would have written.
    pub path: WorkspacePath,
    /// The requirement on the file's existence that was not met.
    pub existence: Existence,
}

/// The required existence of a file that is written as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existence {
    /// The file must not exist.
    New,
    /// The file must exist.
    Existing,
    /// The file may exist, but does not have to.
    Any,
}

/// The numbers and names in the message of a failure, for dialects that must reproduce the wording of another
/// product.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The position of the failed change in the call's list of changes, counted from 1; `None` if the call has no
    /// list or only one change. No change of the list was made.
    pub change: Option<u32>,
    /// The problem with the file at `path`; `None` if no such problem made the call fail.
    pub trouble: Option<ChangeProblem>,
    /// The path of the file with the problem, as displayed.
    pub path: String,
    /// The number of times that the text to replace occurs in the file, if it occurs more than once.
    pub places: Option<u32>,
    /// The number of characters that were searched for the text to replace.
    pub searched: Option<u32>,
    /// The line of the file at which the new text already occurs, if the text to replace does not occur.
    pub already_there: Option<u32>,
    /// The first sentence of the message, if it reports that the file has changed since the caller saw it.
    pub changed: Option<String>,
}

/// A problem with a file that a call would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeProblem {
    /// The text to replace equals the new text.
    Same,
    /// The text to replace is empty, but the file is not.
    EmptyOld,
    /// The text to replace does not occur in the file.
    Absent,
    /// The text to replace occurs more than once in the file.
    Ambiguous,
    /// The file to patch cannot be read, so that no hunk can be applied.
    Unreadable,
    /// The file cannot be deleted.
    NotDeleted,
    /// The file cannot be renamed.
    NotMoved,
}

impl fmt::Display for Failure {
    /// Formats the message without the hints, which the dialect of the call adds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

impl Failure {
    /// Creates a failure with a kind and a message, without hints or findings.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        let facts = Box::default();
        Self { kind, what: what.into(), found: None, hints: Vec::new(), shows: None, facts, unmet: None }
    }

    /// Creates the failure for invalid arguments.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, what)
    }

    /// Adds findings that help to correct the call, such as the closest text or the entries of a directory.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// Records which problem a file has, for dialects that phrase the message differently.
    #[must_use]
    pub fn trouble(mut self, trouble: ChangeProblem, path: &WorkspacePath) -> Self {
        (self.facts.trouble, self.facts.path) = (Some(trouble), path.display());
        self
    }

    /// Adds a next step, after those that were added before.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hints.push(hint);
        self
    }

    /// Appends the hints that belong in the message ([`Hint::AddRoot`]) to it, as `say` words them, and removes
    /// them from `hints`.
    #[must_use]
    pub fn completed(mut self, say: impl Fn(&Hint) -> String) -> Self {
        for hint in self.hints.extract_if(.., |hint| matches!(hint, Hint::AddRoot)) {
            let words = say(&hint);
            if !words.is_empty() {
                self.what.push(' ');
                self.what.push_str(&words);
            }
        }
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

    #[test]
    fn completed_failure_keeps_the_hints_that_are_lines() {
        let failure = Failure::new(Kind::Outside, "/b is outside.").hint(Hint::Narrow).hint(Hint::AddRoot);
        let completed = failure.clone().completed(|hint| format!("Do {hint:?}."));
        assert_eq!(
            (completed.what.as_str(), completed.hints.as_slice()),
            ("/b is outside. Do AddRoot.", &[Hint::Narrow][..])
        );
        let silent = failure.completed(|_| String::new());
        assert_eq!((silent.what.as_str(), silent.hints.len()), ("/b is outside.", 1));
    }
}
