//! What is asked and told where something is put elsewhere, moved or copied, and what may not be.

use crate::{
    failure::{Failure, Hint, Kind, convert},
    files::Files,
    files::{lookup, stat::FileKind},
    seen::Seen,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::{AccessKind, Stat, WorkspacePath};

/// What is to be put elsewhere, and where; directories on the way are made, nothing is written over.
#[derive(Debug, Clone)]
pub struct Request {
    /// The place now, with a link at its end not followed.
    pub from: WorkspacePath,
    /// That place as it was said, to find what was meant if nothing is there.
    pub said: String,
    /// The new place, with a link at its end not followed.
    pub to: WorkspacePath,
}

/// What was put elsewhere.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The place that it was taken from, relative to its root.
    pub from: String,
    /// The new place, relative to its root.
    pub to: String,
    /// What it is.
    pub kind: FileKind,
    /// How many bytes the file has, or those in a copied directory; 0 for a directory that was moved.
    pub bytes: u64,
    /// How many entries a directory holds.
    pub entries: u64,
    /// What is odd about it.
    pub notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) seen: Vec<Seen>,
}

/// Finds out what is to be taken elsewhere.
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

/// Refuses a place that lies in what is to be put there.
pub(crate) fn apart(from: &WorkspacePath, to: &WorkspacePath, done: &str) -> Result<(), Failure> {
    if !from.contains(to) {
        return Ok(());
    }
    let what = format!("{} cannot be {done} into itself, to {}.", from.display(), to.display());
    Err(Failure::invalid(what).hint(Hint::Advice("Name a place outside of it.".to_owned())))
}

/// Says how to go on where the new place is taken.
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
