//! Requests, replies and checks that `rename` and `copy` share.

use crate::{
    failure::{Failure, Hint, Kind, convert},
    files::Files,
    files::{lookup, stat::FileKind},
    seen::Seen,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::{AccessKind, Stat, WorkspacePath};

/// A source and a target. Missing parent directories of the target are created; nothing is overwritten.
#[derive(Debug, Clone)]
pub struct Request {
    /// The source; a link at its end is not followed.
    pub from: WorkspacePath,
    /// The source as the caller wrote it, for suggestions if nothing is there.
    pub said: String,
    /// The target; a link at its end is not followed.
    pub to: WorkspacePath,
}

/// The result of a move or a copy.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The source, relative to its root.
    pub from: String,
    /// The target, relative to its root.
    pub to: String,
    /// The kind of file.
    pub kind: FileKind,
    /// Size of the file or of the copied directory's files, in bytes; 0 for a directory that was moved.
    pub bytes: u64,
    /// Number of entries in a directory.
    pub entries: u64,
    /// Notes about the move or copy.
    pub notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) seen: Vec<Seen>,
}

/// Inspects the source.
pub(crate) fn source(files: &Files, from: &WorkspacePath, said: &str) -> Result<Stat, Failure> {
    if from.is_root() {
        let what = format!("{} is a root of the workspace, which stays where it is.", from.display());
        return Err(Failure::new(Kind::WrongKind, what));
    }
    files.workspace().stat(from).map_err(|error| match error.why {
        AccessKind::Missing => lookup::missing(files, from, said),
        _ => convert::access(from, error),
    })
}

/// Refuses a target inside the source.
pub(crate) fn apart(from: &WorkspacePath, to: &WorkspacePath, done: &str) -> Result<(), Failure> {
    if !from.contains(to) {
        return Ok(());
    }
    let what = format!("{} cannot be {done} into itself, to {}.", from.display(), to.display());
    Err(Failure::invalid(what).hint(Hint::Advice("Name a place outside of it.".to_owned())))
}

/// Adds a remedy if the target exists already.
pub(crate) fn taken(failure: Failure, to: &WorkspacePath) -> Failure {
    if failure.kind != Kind::Conflict {
        return failure;
    }
    let advice = format!(
        "Choose a name that is free, or delete {} first if it is meant to go; for a place inside of a directory, name \
         the file in it.",
        to.display()
    );
    Failure { hints: vec![Hint::Advice(advice)], ..failure }
}
