//! Requests, replies and checks that `rename` and `copy` share.

use crate::{
    failure::{Failure, Hint, Kind, convert},
    files::Files,
    files::{lookup, stat::FileKind},
    seen_content::SeenContent,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::{AccessKind, CommitError, CommitKind, Stat, WorkspacePath};

/// A source and a target. Missing parent directories of the target are created; nothing is overwritten.
#[derive(Debug, Clone)]
pub struct Request {
    /// The source; a link at its end is not followed.
    pub from: WorkspacePath,
    /// The source as the caller wrote it, for suggestions if nothing is there.
    pub raw_path: String,
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
    /// The kind of the source: file, link or directory.
    pub kind: FileKind,
    /// Size of the file or of the copied directory's files, in bytes; 0 for a link or a directory that was moved.
    pub bytes: u64,
    /// Number of entries below the directory, at all levels; 0 for a file or a link.
    pub entries: u64,
    /// Notes about the move or copy.
    pub notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) seen: Vec<SeenContent>,
}

/// Returns the metadata of the source; refuses a root or a missing path.
pub(crate) fn source(files: &Files, from: &WorkspacePath, raw_path: &str) -> Result<Stat, Failure> {
    if from.is_root() {
        let what = format!("{} is a root of the workspace, which cannot be moved or copied.", from.display());
        return Err(Failure::new(Kind::WrongKind, what));
    }
    files.workspace().stat(from).map_err(|error| match error.why {
        AccessKind::Missing => lookup::missing(files, from, raw_path),
        _ => convert::access(from, error),
    })
}

/// Refuses a target inside the source. `done` is the participle in the message: `moved` or `copied`.
pub(crate) fn apart(from: &WorkspacePath, to: &WorkspacePath, done: &str) -> Result<(), Failure> {
    if !from.contains(to) {
        return Ok(());
    }
    let what = format!("{} cannot be {done} into itself, to {}.", from.display(), to.display());
    Err(Failure::invalid(what).hint(Hint::Advice("Choose a destination outside it.".to_owned())))
}

/// If the commit failed because the target `to` already exists, replaces the hint to read it by a remedy.
pub(crate) fn taken(error: &CommitError, failure: Failure, to: &WorkspacePath) -> Failure {
    if error.why != CommitKind::Exists {
        return failure;
    }
    let advice = format!(
        "Choose an unused name, or delete {} first if it is not needed; for a destination inside a directory, include \
         the file name.",
        to.display()
    );
    let others = failure.hints.into_iter().filter(|hint| !matches!(hint, Hint::ReadFirst(_)));
    Failure { hints: std::iter::once(Hint::Advice(advice)).chain(others).collect(), ..failure }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;
    use toolpost_workspace::{Options, Workspace};

    #[test]
    fn only_a_target_that_exists_gets_the_advice_to_choose_another_name() {
        let root = tempfile::tempdir().unwrap();
        let roots = vec![root.path().to_path_buf()];
        let (workspace, _) = Workspace::open(Options { roots, ..Options::default() }).unwrap();
        let to = workspace.resolve("to").unwrap();
        let advice = "Choose an unused name, or delete to first if it is not needed; for a destination inside a \
                      directory, include the file name.";
        let advice = Hint::Advice(advice.to_owned());
        let rows = [
            (CommitKind::Exists, vec![advice]),
            (CommitKind::Access(AccessKind::Changed), vec![Hint::TryAgain]),
            (CommitKind::Access(AccessKind::Link), vec![Hint::TryAgain]),
        ];
        each(rows, |(why, hints)| {
            let error = CommitError { path: to.clone(), why, aftermath: Vec::new() };
            let failure = taken(&error, convert::commit(&error), &to);
            assert_eq!((failure.kind, failure.hints), (Kind::Conflict, hints));
        });
    }
}
