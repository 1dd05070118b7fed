//! Taking a step back, and clearing up behind one; only what is known again by its hash is touched.

use std::ffi::OsStr;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;

use super::in_place;
use crate::fault::Fault;
use crate::journal::{Journal, Phase, Raw, Step, StepKind};
use crate::path::WorkspacePath;
use crate::spot::{Found, Spot, move_to};
use crate::tree::remove_tree;
use crate::workspace::Workspace;

/// What became of a step that was to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undone {
    /// It had not happened.
    Nothing,
    /// All is as it was.
    Restored,
    /// Somebody changed the place since, or the system refused; the sentence says what is where.
    Left(String),
}

/// Takes back all steps of a commit, the last one first; what became of each, in that order.
pub(crate) fn undo_all(workspace: &Workspace, journal: &Journal) -> Vec<(WorkspacePath, Undone)> {
    let mut undone = Vec::new();
    for step in journal.steps.iter().rev() {
        let Some(path) = workspace.known(step.place.path()) else { continue };
        let outcome = if journal.phase == Phase::Staging {
            drop_temp(&path, step)
        } else {
            undo(workspace, &path, step)
        };
        undone.push((path, outcome));
    }
    for made in journal.made.iter().rev() {
        let Some(path) = workspace.known(made.path()) else { continue };
        // Only if it is still empty: what somebody put into it since stays.
        let removed =
            Spot::open(&path).and_then(|spot| unlinkat(&spot.directory, &spot.name, AtFlags::REMOVEDIR));
        match removed {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
            Err(errno) => {
                let why = format!("the directory made for it could not be removed ({})", Fault::from(errno));
                undone.push((path, Undone::Left(why)));
            }
        }
    }
    undone
}

/// Removes what a finished step has left; the name of a file that would not go.
pub(crate) fn clear(workspace: &Workspace, step: &Step) -> Vec<String> {
    let mut left = Vec::new();
    let keeper = match step.kind {
        StepKind::Move => step.to.as_ref(),
        _ => Some(&step.place),
    };
    let Some(path) = keeper.and_then(|place| workspace.known(place.path())) else { return left };
    let Ok(spot) = Spot::open(&path) else { return left };
    for name in [&step.backup, &step.temp].into_iter().flatten() {
        if remove_tree(&spot.directory, name.name()).is_err() {
            left.push(beside(&path, name));
        }
    }
    if let (Some(copies), Some(state)) = (&step.copies, workspace.state()) {
        in_place::forget(state, copies);
    }
    left
}

fn undo(workspace: &Workspace, path: &WorkspacePath, step: &Step) -> Undone {
    let spot = match Spot::open(path) {
        Ok(spot) => spot,
        Err(errno) => return unreached(errno),
    };
    match step.kind {
        StepKind::Put => undo_put(path, &spot, step),
        StepKind::InPlace => in_place::undo(workspace, path, &spot, step),
        StepKind::Remove => undo_remove(path, &spot, step),
        StepKind::Move => undo_move(workspace, &spot, step),
    }
}

fn drop_temp(path: &WorkspacePath, step: &Step) -> Undone {
    let Some(temp) = &step.temp else { return Undone::Nothing };
    let spot = match Spot::open(path) {
        Ok(spot) => spot,
        Err(errno) => return unreached(errno),
    };
    // It may be the copy of a directory.
    match remove_tree(&spot.directory, temp.name()) {
        Ok(()) => Undone::Nothing,
        Err(errno) => {
            let (temp, fault) = (beside(path, temp), Fault::from(errno));
            Undone::Left(format!("the temporary file {temp} could not be removed ({fault})"))
        }
    }
}

/// A directory that is gone holds nothing to take back; one that cannot be opened may.
fn unreached(errno: Errno) -> Undone {
    match errno {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Undone::Nothing,
        _ => Undone::Left(format!("its directory could not be opened ({})", Fault::from(errno))),
    }
}

fn undo_put(path: &WorkspacePath, spot: &Spot, step: &Step) -> Undone {
    let Some(new) = &step.new else {
        return drop_temp(path, step);
    };
    let names: Vec<&OsStr> = [&step.backup, &step.temp].into_iter().flatten().map(Raw::name).collect();
    let keeper = step.old.and_then(|old| names.iter().find(|name| spot.find(name, &old) == Found::Same));
    let outcome = match (spot.find(&spot.name, new), &step.old, keeper) {
        (Found::Same, None, _) => result(spot.unlink(&spot.name), path),
        (Found::Same, Some(_), Some(keeper)) => result(spot.replace(keeper, &spot.name), path),
        (Found::Same, Some(_), None) => Undone::Left("the file that it replaced is gone".into()),
        (Found::Altered, _, _) => Undone::Left("somebody has changed the new file since".into()),
        (Found::Other | Found::Absent, _, _) => Undone::Nothing,
    };
    let old_in_place = step.old.is_none_or(|old| spot.find(&spot.name, &old) == Found::Same);
    let mut kept = Vec::new();
    for name in names {
        let holds_old =
            step.old.is_some_and(|old| matches!(spot.find(name, &old), Found::Same | Found::Altered));
        if holds_old && !old_in_place {
            kept.push(escape(name));
        } else {
            let _ = spot.unlink(name);
        }
    }
    match (outcome, kept.first()) {
        (Undone::Left(why), Some(name)) => {
            Undone::Left(format!("{why}; what it replaced is kept beside it as {name}"))
        }
        (outcome, None) => outcome,
        (_, Some(name)) => Undone::Left(format!(
            "somebody has changed it since; what was there before is kept beside it as {name}"
        )),
    }
}

fn undo_remove(path: &WorkspacePath, spot: &Spot, step: &Step) -> Undone {
    let (Some(old), Some(backup)) = (&step.old, &step.backup) else { return Undone::Nothing };
    match spot.find(backup.name(), old) {
        Found::Same | Found::Altered => {}
        Found::Other | Found::Absent => return Undone::Nothing,
    }
    match move_to(&spot.directory, backup.name(), &spot.directory, &spot.name) {
        Ok(()) => Undone::Restored,
        Err(errno) => {
            let fault = Fault::from(errno);
            let kept = beside(path, backup);
            Undone::Left(format!("it could not be brought back ({fault}); it is kept as {kept}"))
        }
    }
}

fn undo_move(workspace: &Workspace, spot: &Spot, step: &Step) -> Undone {
    let target = step.to.as_ref().and_then(|to| workspace.known(to.path()));
    let Some(target) = target else { return Undone::Nothing };
    let Some(old) = &step.old else { return Undone::Nothing };
    let there = match Spot::open(&target) {
        Ok(there) => there,
        Err(errno) => return unreached(errno),
    };
    let back = match there.find(&there.name, old) {
        Found::Same | Found::Altered => move_to(&there.directory, &there.name, &spot.directory, &spot.name),
        Found::Other | Found::Absent => return bring_back(&there, &target, step),
    };
    if let Err(errno) = back {
        return Undone::Left(format!("{target} could not be moved back ({})", Fault::from(errno)));
    }
    match bring_back(&there, &target, step) {
        Undone::Nothing => Undone::Restored,
        outcome => outcome,
    }
}

/// Gives a place back what a move has pushed, or was about to push, aside.
fn bring_back(there: &Spot, target: &WorkspacePath, step: &Step) -> Undone {
    let (Some(over), Some(backup)) = (&step.over, &step.backup) else { return Undone::Nothing };
    if there.find(&there.name, over) == Found::Same {
        let _ = there.unlink(backup.name());
        return Undone::Nothing;
    }
    if matches!(there.find(backup.name(), over), Found::Absent | Found::Other) {
        return Undone::Left(format!("what {target} held before is gone"));
    }
    match move_to(&there.directory, backup.name(), &there.directory, &there.name) {
        Ok(()) => Undone::Restored,
        Err(_) => Undone::Left(format!("what {target} held before is kept as {}", beside(target, backup))),
    }
}

fn result(answer: rustix::io::Result<()>, path: &WorkspacePath) -> Undone {
    match answer {
        Ok(()) => Undone::Restored,
        Err(errno) => Undone::Left(format!("{path} could not be brought back ({})", Fault::from(errno))),
    }
}

/// Shows a name in the directory of a path.
fn beside(path: &WorkspacePath, name: &Raw) -> String {
    let parent = path.parent().map(|parent| parent.display()).filter(|parent| parent != ".");
    let name = escape(name.name());
    parent.map_or_else(|| name.clone(), |parent| format!("{parent}/{name}"))
}

fn escape(name: &OsStr) -> String {
    toolpost_text::escape::name(name.as_encoded_bytes()).into_owned()
}
