//! Validation of the drafts of a commit (its requested file changes) against each other.

use std::collections::HashSet;
use std::path::Path;

use super::error::{CommitError, CommitKind};
use crate::draft::{Action, Draft};
use crate::path::WorkspacePath;

/// Rejects drafts (requested file changes) for unlocked paths, roots and external roots, and drafts that
/// conflict with each other.
pub(super) fn check_paths(held: &[WorkspacePath], drafts: &[Draft]) -> Result<(), CommitError> {
    let held: HashSet<&WorkspacePath> = held.iter().collect();
    let mut brought_back = HashSet::new();
    let mut touched = Vec::new();
    let (mut carried_off, mut moved_away) = (HashSet::new(), HashSet::new());
    for draft in drafts {
        // Restoring a file at a path from which an earlier change of the same commit moves another file away is not a
        // conflict.
        let fills = matches!(draft.action, Action::Restore { .. }) && moved_away.contains(&draft.path);
        if !fills {
            touched.push(&draft.path);
        }
        match &draft.action {
            Action::Move { to, .. } => {
                if draft.path != *to {
                    touched.push(to);
                    moved_away.insert(&draft.path);
                }
                carried_off.insert(draft.path.raw());
            }
            Action::RestoreDirectory { .. } if held.contains(&draft.path) => {
                brought_back.insert(draft.path.raw());
            }
            Action::Delete { .. } | Action::DeleteTree => {
                carried_off.insert(draft.path.raw());
            }
            Action::Write { .. }
            | Action::WriteLike { .. }
            | Action::Copy { .. }
            | Action::Restore { .. }
            | Action::RestoreLink { .. }
            | Action::RestoreDirectory { .. }
            | Action::MakeDirectory
            | Action::DeleteEmpty => {}
        }
    }
    for path in &touched {
        if path.root().label().is_some() {
            return Err(CommitKind::External.at(path));
        }
        if path.is_root() {
            return Err(CommitKind::Root.at(path));
        }
        // The lock on a directory that this commit restores covers everything below it.
        if !held.contains(path) && !above(path).any(|above| brought_back.contains(above)) {
            return Err(CommitKind::NotHeld.at(path));
        }
    }
    touched.sort();
    if let Some(pair) = touched.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(CommitKind::Clash.at(pair[0]));
    }
    let inside = |path: &&&WorkspacePath| above(path).any(|above| carried_off.contains(above));
    touched.iter().find(inside).map_or(Ok(()), |path| Err(CommitKind::Clash.at(path)))
}

/// Returns the parent directories of a path.
fn above(path: &WorkspacePath) -> impl Iterator<Item = &Path> {
    path.raw().ancestors().skip(1)
}
