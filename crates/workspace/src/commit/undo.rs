//! Reverting the steps of a failed commit, and removing the temporary files of a finished one.
//!
//! Apart from temporary files, only entries that match a recorded fingerprint are changed.

use std::ffi::OsStr;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::{Errno, Result};

use super::in_place;
use super::planned_step::RevertOutcome;
use crate::access::AccessKind;
use crate::dir_entry::{Comparison, DirEntry, gone, move_to};
use crate::fault::SystemError;
use crate::journal::{Journal, Phase, Step, StepKind};
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;
use crate::read::stat_at;
use crate::remove_tree::remove_tree;
use crate::workspace::Workspace;

/// Reverts all steps of a commit, the last one first, and removes the directories that it created, if they are empty.
/// Returns the outcomes in that order, and a journal of the steps and directories to try again after a system error;
/// `None` if there are none.
pub(crate) fn undo_all(
    workspace: &Workspace,
    journal: &Journal,
) -> (Vec<(WorkspacePath, RevertOutcome)>, Option<Journal>) {
    let (mut undone, mut rest) = (Vec::new(), Vec::new());
    for step in journal.steps.iter().rev() {
        let Some(path) = workspace.known(step.place.path()) else { continue };
        let outcome = if journal.phase == Phase::Staging {
            drop_temp(&path, step)
        } else {
            undo(workspace, &path, step)
        };
        if let RevertOutcome::Refused(_) = outcome {
            rest.insert(0, step.clone());
        }
        undone.push((path, outcome));
    }
    let mut is_made = !rest.is_empty();
    for made in journal.made.iter().rev() {
        let Some(path) = workspace.known(made.path()) else { continue };
        // The removal fails if another process has added entries; the directory then stays.
        let removed = DirEntry::open(&path)
            .and_then(|entry| unlinkat(&entry.directory, &entry.name, AtFlags::REMOVEDIR));
        match removed {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR | Errno::LOOP) => {}
            Err(errno) => {
                let why = format!(
                    "the directory was created for the change and could not be removed ({})",
                    SystemError::from(errno)
                );
                undone.push((path, RevertOutcome::Refused(why)));
                is_made = true;
            }
        }
    }
    let made = journal.made.clone();
    let rest = is_made.then(|| Journal { steps: rest, made, ..Journal::empty(journal) });
    (undone, rest)
}

/// Removes the temporary files and backups of a finished step. Returns the paths of those that could not be removed.
pub(crate) fn clear(workspace: &Workspace, step: &Step) -> Vec<String> {
    let mut left = Vec::new();
    let keeper = match step.kind {
        StepKind::Move => step.to.as_ref(),
        _ => Some(&step.place),
    };
    let Some(path) = keeper.and_then(|place| workspace.known(place.path())) else { return left };
    let entry = DirEntry::open(&path);
    if let Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) = entry {
        return left;
    }
    for name in [&step.backup, &step.temp].into_iter().flatten() {
        let removed = entry.as_ref().map_err(|errno| *errno).and_then(|entry| match step.kind {
            StepKind::RemoveEmpty => remove_or_return(entry, name.name()),
            _ => remove_tree(&entry.directory, name.name()),
        });
        if removed.is_err() {
            left.push(beside(&path, name));
        }
    }
    if let (Some(copies), Some(state)) = (&step.copies, workspace.state()) {
        in_place::forget(state, copies);
    }
    left
}

/// Removes an empty directory that a step has renamed to `backup`. If entries were added since, gives the
/// directory its original name again.
fn remove_or_return(entry: &DirEntry, backup: &OsStr) -> Result<()> {
    match gone(unlinkat(&entry.directory, backup, AtFlags::REMOVEDIR)) {
        Err(Errno::NOTEMPTY | Errno::EXIST) => {
            move_to(&entry.directory, backup, &entry.directory, &entry.name)
        }
        answer => answer,
    }
}

fn undo(workspace: &Workspace, path: &WorkspacePath, step: &Step) -> RevertOutcome {
    let entry = match DirEntry::open(path) {
        Ok(entry) => entry,
        Err(errno) => return unreached(errno),
    };
    let undone = match step.kind {
        StepKind::Put => undo_put(path, &entry, step),
        StepKind::InPlace => Ok(in_place::undo(workspace, &entry, step)),
        StepKind::Remove | StepKind::RemoveEmpty => undo_remove(path, &entry, step),
        StepKind::Move => undo_move(workspace, &entry, step),
    };
    undone.unwrap_or_else(|errno| {
        RevertOutcome::Refused(format!("this path could not be read ({})", SystemError::from(errno)))
    })
}

fn drop_temp(path: &WorkspacePath, step: &Step) -> RevertOutcome {
    let Some(temp) = &step.temp else { return RevertOutcome::Nothing };
    let entry = match DirEntry::open(path) {
        Ok(entry) => entry,
        Err(errno) => return unreached(errno),
    };
    // On a read-only file system, removing a missing file also fails, so the file is looked up first.
    if matches!(stat_at(&entry.directory, temp.name().as_ref()), Err(AccessKind::Missing)) {
        return RevertOutcome::Nothing;
    }
    // The temporary entry may be a copied directory, so it is removed recursively.
    match remove_tree(&entry.directory, temp.name()) {
        Ok(()) => RevertOutcome::Nothing,
        Err(errno) => RevertOutcome::Refused(not_removed(&beside(path, temp), errno)),
    }
}

/// Returns the outcome if the directory of a path cannot be opened. In a missing or replaced directory there is
/// nothing to revert; after any other error, there may be something to revert.
fn unreached(errno: Errno) -> RevertOutcome {
    match errno {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => RevertOutcome::Nothing,
        _ => RevertOutcome::Refused(format!(
            "the parent directory could not be opened ({})",
            SystemError::from(errno)
        )),
    }
}

/// Returns the outcome of a failed revert. If another process has added or removed entries, the path is left
/// unchanged; after any other error, the revert is tried again later.
fn stopped(errno: Errno, why: String) -> RevertOutcome {
    match errno {
        Errno::EXIST | Errno::NOENT | Errno::NOTEMPTY | Errno::ISDIR | Errno::NOTDIR => {
            RevertOutcome::Left(why)
        }
        _ => RevertOutcome::Refused(why),
    }
}

fn undo_put(path: &WorkspacePath, entry: &DirEntry, step: &Step) -> Result<RevertOutcome> {
    let Some(new) = &step.new else {
        return Ok(drop_temp(path, step));
    };
    let is_old = |name: &OsStr| step.old.map_or(Ok(Comparison::Absent), |old| entry.find(name, &old));
    let names: Vec<&OsStr> = [&step.backup, &step.temp].into_iter().flatten().map(RawPath::name).collect();
    let mut keeper = None;
    for name in &names {
        if is_old(name)? == Comparison::Same {
            keeper = Some(*name);
        }
    }
    let outcome = match (entry.find(&entry.name, new)?, &step.old, keeper) {
        (Comparison::Same, None, _) => result(entry.unlink(&entry.name), "the new file could not be removed"),
        (Comparison::Same, Some(_), Some(keeper)) => {
            result(entry.replace(keeper, &entry.name), "the former file could not be restored")
        }
        (Comparison::Same, Some(_), None) => RevertOutcome::Left(
            "the former file cannot be restored: its backup is missing or was changed".into(),
        ),
        (Comparison::Altered, _, _) => RevertOutcome::Left("another process has changed the new file".into()),
        (Comparison::Other | Comparison::Absent, _, _) => RevertOutcome::Nothing,
    };
    let old_in_place = step.old.is_none() || is_old(&entry.name)? == Comparison::Same;
    let (mut kept, mut stuck) = (None, None);
    for name in names {
        if !old_in_place && matches!(is_old(name)?, Comparison::Same | Comparison::Altered) {
            kept.get_or_insert_with(|| escape(name));
        } else if let Err(errno) = entry.unlink(name) {
            stuck = Some(not_removed(&escape(name), errno));
        }
    }
    let outcome = match (outcome, kept) {
        (outcome, None) => outcome,
        (RevertOutcome::Left(why), Some(name)) => {
            RevertOutcome::Left(format!("{why}; the former file is kept in the same directory, as {name}"))
        }
        (RevertOutcome::Refused(why), Some(name)) => {
            RevertOutcome::Refused(format!("{why}; the former file is kept in the same directory, as {name}"))
        }
        (RevertOutcome::Nothing | RevertOutcome::Restored, Some(name)) => RevertOutcome::Left(format!(
            "another process has replaced or removed the file; the former file is kept in the same directory, as {name}"
        )),
    };
    Ok(match (outcome, stuck) {
        (outcome, None) => outcome,
        (RevertOutcome::Left(why) | RevertOutcome::Refused(why), Some(stuck)) => {
            RevertOutcome::Refused(format!("{why}; {stuck}"))
        }
        (RevertOutcome::Nothing | RevertOutcome::Restored, Some(stuck)) => RevertOutcome::Refused(stuck),
    })
}

fn undo_remove(path: &WorkspacePath, entry: &DirEntry, step: &Step) -> Result<RevertOutcome> {
    let (Some(old), Some(backup)) = (&step.old, &step.backup) else { return Ok(RevertOutcome::Nothing) };
    match entry.find(backup.name(), old)? {
        Comparison::Same | Comparison::Altered => {}
        Comparison::Other | Comparison::Absent => return Ok(RevertOutcome::Nothing),
    }
    Ok(match move_to(&entry.directory, backup.name(), &entry.directory, &entry.name) {
        Ok(()) => RevertOutcome::Restored,
        Err(errno) => {
            let fault = SystemError::from(errno);
            let kept = beside(path, backup);
            stopped(
                errno,
                format!(
                    "the removed file or directory could not be put back ({fault}) and is kept as {kept}"
                ),
            )
        }
    })
}

fn undo_move(workspace: &Workspace, entry: &DirEntry, step: &Step) -> Result<RevertOutcome> {
    let target = step.to.as_ref().and_then(|to| workspace.known(to.path()));
    let (Some(target), Some(old)) = (target, &step.old) else { return Ok(RevertOutcome::Nothing) };
    let there = match DirEntry::open(&target) {
        Ok(there) => there,
        Err(errno) => return Ok(unreached(errno)),
    };
    let back = match there.find(&there.name, old)? {
        Comparison::Same | Comparison::Altered => {
            move_to(&there.directory, &there.name, &entry.directory, &entry.name)
        }
        Comparison::Other | Comparison::Absent => return bring_back(&there, &target, step),
    };
    if let Err(errno) = back {
        let why = format!("{target} could not be moved back ({})", SystemError::from(errno));
        return Ok(stopped(errno, why));
    }
    Ok(match bring_back(&there, &target, step)? {
        RevertOutcome::Nothing => RevertOutcome::Restored,
        outcome => outcome,
    })
}

/// Restores the file that the move of a step has replaced.
fn bring_back(there: &DirEntry, target: &WorkspacePath, step: &Step) -> Result<RevertOutcome> {
    let (Some(over), Some(backup)) = (&step.over, &step.backup) else { return Ok(RevertOutcome::Nothing) };
    if there.find(&there.name, over)? == Comparison::Same {
        return Ok(match there.unlink(backup.name()) {
            Ok(()) => RevertOutcome::Nothing,
            Err(errno) => RevertOutcome::Refused(not_removed(&beside(target, backup), errno)),
        });
    }
    if matches!(there.find(backup.name(), over)?, Comparison::Absent | Comparison::Other) {
        return Ok(RevertOutcome::Left(format!(
            "the former file {target} cannot be restored: its backup is missing or was replaced"
        )));
    }
    Ok(match move_to(&there.directory, backup.name(), &there.directory, &there.name) {
        Ok(()) => RevertOutcome::Restored,
        Err(errno) => {
            let (fault, kept) = (SystemError::from(errno), beside(target, backup));
            stopped(
                errno,
                format!("the former file {target} could not be restored ({fault}) and is kept as {kept}"),
            )
        }
    })
}

fn result(answer: Result<()>, failed: &str) -> RevertOutcome {
    match answer {
        Ok(()) => RevertOutcome::Restored,
        Err(errno) => stopped(errno, format!("{failed} ({})", SystemError::from(errno))),
    }
}

fn not_removed(name: &str, errno: Errno) -> String {
    format!("the temporary file {name} could not be removed ({})", SystemError::from(errno))
}

/// Returns the path, for messages, of the name `name` in the directory of `path`.
fn beside(path: &WorkspacePath, name: &RawPath) -> String {
    let parent = path.parent().map(|parent| parent.display()).filter(|parent| parent != ".");
    let name = escape(name.name());
    parent.map_or_else(|| name.clone(), |parent| format!("{parent}/{name}"))
}

fn escape(name: &OsStr) -> String {
    toolpost_text::escape::name(name.as_encoded_bytes()).into_owned()
}
