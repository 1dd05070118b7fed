//! Refusing drafts that get in each other's way.

use std::collections::HashSet;

use super::error::{CommitError, CommitKind};
use crate::draft::{Action, Draft};
use crate::path::WorkspacePath;

/// Refuses paths that are not held, roots, and drafts that get in each other's way.
pub(super) fn check_paths(held: &[WorkspacePath], drafts: &[Draft]) -> Result<(), CommitError> {
    let held: HashSet<&WorkspacePath> = held.iter().collect();
    let mut brought_back = HashSet::new();
    let mut touched = Vec::new();
    let mut carried_off = Vec::new();
    for (number, draft) in drafts.iter().enumerate() {
        if !fills_what_moved_away(&drafts[..number], draft) {
            touched.push(&draft.path);
        }
        match &draft.action {
            Action::Move { to, .. } => {
                if draft.path != *to {
                    touched.push(to);
                }
                carried_off.push(&draft.path);
            }
            Action::RestoreDirectory { .. } if held.contains(&draft.path) => {
                brought_back.insert(draft.path.raw());
            }
            Action::Delete { .. } | Action::DeleteTree => carried_off.push(&draft.path),
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
        if path.is_root() {
            return Err(CommitKind::Root.at(path));
        }
        // Where a directory comes back that is held, there is nothing yet that another could hold.
        let mut above = path.raw().ancestors().skip(1);
        if !held.contains(path) && !above.any(|above| brought_back.contains(above)) {
            return Err(CommitKind::NotHeld.at(path));
        }
    }
    touched.sort();
    if let Some(pair) = touched.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(CommitKind::Clash.at(pair[0]));
    }
    let inside = |path: &&&WorkspacePath| carried_off.iter().any(|gone| gone != *path && gone.contains(path));
    touched.iter().find(inside).map_or(Ok(()), |path| Err(CommitKind::Clash.at(path)))
}

/// Says whether a draft puts a file where an earlier one has moved something away: that is no clash.
fn fills_what_moved_away(earlier: &[Draft], draft: &Draft) -> bool {
    let moves_away = |other: &Draft| {
        other.path == draft.path && matches!(&other.action, Action::Move { to, .. } if *to != draft.path)
    };
    matches!(draft.action, Action::Restore { .. }) && earlier.iter().any(moves_away)
}
