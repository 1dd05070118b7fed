//! Execution of one step of a commit (a set of file changes that is applied as a whole).

use std::ffi::OsStr;

use rustix::fs::{AtFlags, symlinkat, unlinkat};
use rustix::io::{Errno, Result};

use super::copy::copy;
use super::directories::is_empty;
use super::error::{CommitKind, OperationError};
use super::late_change::{LateChange, ReplacedFile};
use super::planned_step::{PlannedStep, Rename};
use super::stage::{MetadataSource, PERMISSIONS, stage};
use crate::access::AccessKind;
use crate::dir_entry::{DirEntry, Fingerprint, fingerprint_entry, move_to};
use crate::draft::Note;
use crate::hash::hash;
use crate::journal::StepKind;
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;
use crate::read::open_regular;

/// Mode of a commit: one atomic step, or steps that keep backups of the old files for a revert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExecutionMode {
    SingleStep,
    WithBackup,
}

/// Reasons why a step of a commit fails.
pub(super) enum StepFailure {
    /// The file cannot be replaced by a rename, but may be rewritten in place.
    NotReplaceable(OperationError),
    /// The step cannot be executed, so the commit fails.
    For(CommitKind),
}

impl From<OperationError> for StepFailure {
    fn from(failed: OperationError) -> Self {
        Self::For(failed.into())
    }
}

impl From<CommitKind> for StepFailure {
    fn from(why: CommitKind) -> Self {
        Self::For(why)
    }
}

/// Creates the new file, link or copy of a step under a temporary name in the same directory. Returns its permission
/// bits; `None` if the step restores a link or has no new content.
pub(super) fn prepare(
    work: &mut PlannedStep,
    notes: &mut Vec<Note>,
) -> std::result::Result<Option<u32>, StepFailure> {
    let Some(temp) = work.step.temp.clone() else { return Ok(None) };
    let entry = open(work)?;
    if let Some(from) = &work.from {
        let staged = copy(&from.path, &entry, temp.name())?;
        work.step.new = Some(staged.fingerprint);
        work.staged = Some(entry);
        return Ok(Some(staged.mode));
    }
    if let Some(target) = &work.link {
        symlinkat(target.as_os_str(), &entry.directory, temp.name())
            .map_err(OperationError::when("creating the link"))?;
        work.step.new = Some(fingerprint_entry(&entry.directory, temp.name()).map_err(CommitKind::from)?.0);
        work.staged = Some(entry);
        return Ok(None);
    }
    let old = match &work.step.old {
        Some(_) => Some(open_regular(&entry.directory, entry.name.as_ref()).map_err(CommitKind::from)?),
        None => None,
    };
    let other = match &work.like {
        Some(like) => Some(open_regular(like.root(), like.relative()).map_err(CommitKind::from)?),
        None => None,
    };
    let like = other.as_ref().or(old.as_ref()).map_or(MetadataSource::New, MetadataSource::Old);
    let after = work.after.unwrap_or_else(|| hash(&work.bytes));
    let staged = match stage(&entry, temp.name(), &work.bytes, after, &like, work.mode) {
        Ok(staged) => staged,
        Err(failed) if old.is_some() && may_rewrite(&failed) => {
            return Err(StepFailure::NotReplaceable(failed));
        }
        Err(failed) => return Err(failed.into()),
    };
    notes.extend(staged.lost.into_iter().map(|what| Note::NotKept { path: work.path.clone(), what }));
    work.step.new = Some(staged.fingerprint);
    work.staged = Some(entry);
    Ok(Some(staged.mode))
}

/// Checks that the files of a step have the same content as when the commit was planned. Updates their fingerprints.
pub(super) fn check(work: &mut PlannedStep) -> std::result::Result<(), CommitKind> {
    if let Some(old) = &mut work.step.old {
        *old = same(&work.path, old)?;
    }
    if let (Some(to), Some(over)) = (&work.to, &mut work.step.over) {
        *over = same(to, over)?;
    }
    Ok(())
}

/// Executes a step of a commit, which makes the change visible to other processes. Does nothing for a rewrite in
/// place, which the caller executes.
pub(super) fn apply(work: &mut PlannedStep, way: ExecutionMode) -> std::result::Result<(), StepFailure> {
    let entry = open(work)?;
    match work.step.kind {
        StepKind::Put => put(work, &entry, way),
        StepKind::Remove => remove(work, &entry, way),
        StepKind::RemoveEmpty => remove_empty(work, &entry, way),
        StepKind::Move => relocate(work, &entry, way),
        StepKind::InPlace => Ok(()),
    }
}

fn open(work: &PlannedStep) -> std::result::Result<DirEntry, StepFailure> {
    DirEntry::open(&work.path)
        .map_err(OperationError::when("opening its directory"))
        .map_err(StepFailure::from)
}

/// Returns the current fingerprint of an entry. Fails if a regular file's content differs from the content in
/// `fingerprint`, or if another entry that is not a regular file is at the path. The device and inode of a regular
/// file may differ. If another file with the same content is at the path now, a revert must restore that file.
fn same(path: &WorkspacePath, fingerprint: &Fingerprint) -> std::result::Result<Fingerprint, CommitKind> {
    let entry = DirEntry::open(path).map_err(|errno| CommitKind::from(AccessKind::from(errno)))?;
    let (now, stat) = fingerprint_entry(&entry.directory, &entry.name)?;
    match now.hash {
        Some(found) if now.hash != fingerprint.hash => Err(CommitKind::Changed { found }),
        None if !fingerprint.is_file(&stat) => Err(CommitKind::Access(AccessKind::Changed)),
        _ => Ok(now),
    }
}

/// Checks whether another process has changed the replaced file at the last moment. Returns whether it has
/// appended to the file.
///
/// Fails if the content of the file changed in another way. In the mode `SingleStep`, it restores the changed content
/// first; in the mode `WithBackup`, it records the hash of that content in the step, so that the revert recognises
/// the file.
pub(super) fn confirm(work: &mut PlannedStep, way: ExecutionMode) -> std::result::Result<bool, CommitKind> {
    let (Some(former), Some(Fingerprint { hash: Some(old), .. })) = (&mut work.former, work.step.old) else {
        return Ok(false);
    };
    let length = work.old.map_or(0, |stat| stat.len);
    let looking = OperationError::when("reading the replaced file");
    let entry = DirEntry::open(&work.path).map_err(&looking)?;
    let bytes = match former.settle(&entry, old, length).map_err(&looking)? {
        LateChange::Nothing => return Ok(false),
        LateChange::Appended => return Ok(true),
        LateChange::Changed(bytes) => bytes,
    };
    let found = hash(&bytes);
    match (way, &work.step.temp) {
        (ExecutionMode::SingleStep, Some(temp)) => {
            let staged = stage(&entry, temp.name(), &bytes, found, &MetadataSource::Old(former.file()), None);
            staged?;
            entry
                .replace(temp.name(), &entry.name)
                .map_err(OperationError::when("restoring the former content"))?;
        }
        _ => {
            work.step.old = work.step.old.map(|fingerprint| Fingerprint { hash: Some(found), ..fingerprint });
        }
    }
    work.former = None;
    Err(CommitKind::Changed { found })
}

fn put(work: &mut PlannedStep, entry: &DirEntry, way: ExecutionMode) -> std::result::Result<(), StepFailure> {
    let Some(temp) = work.step.temp.as_ref().map(RawPath::name) else { return Ok(()) };
    if work.step.old.is_none() {
        let moved = move_to(&entry.directory, temp, &entry.directory, &entry.name);
        return moved.map_err(OperationError::when("renaming the new file")).map_err(StepFailure::from);
    }
    if work.step.old.is_some_and(|old| old.hash.is_some()) {
        work.former = Some(ReplacedFile::open(entry).map_err(CommitKind::from)?);
    }
    let swapped = match (way, &work.step.backup) {
        (ExecutionMode::WithBackup, Some(backup)) => put_with_backup(entry, temp, backup.name()),
        _ => entry.replace(temp, &entry.name),
    };
    swapped.map_err(OperationError::when("moving the new file into place")).map_err(|failed| {
        if may_rewrite(&failed) { StepFailure::NotReplaceable(failed) } else { failed.into() }
    })
}

/// Replaces the file and keeps the old one as a hard link; if the link cannot be created, exchanges the two
/// names.
///
/// A link is preferred because watchers of the directory see an exchange as a deletion.
fn put_with_backup(entry: &DirEntry, temp: &OsStr, backup: &OsStr) -> Result<()> {
    match entry.link(&entry.name, backup) {
        Ok(()) => entry.replace(temp, &entry.name).inspect_err(|_| {
            let _ = entry.unlink(backup);
        }),
        Err(_) => match entry.exchange(temp, &entry.name) {
            // The file system supports neither links nor exchanges. After `EXDEV`, the caller rewrites the file
            // in place.
            Err(Errno::INVAL | Errno::NOSYS) => Err(Errno::XDEV),
            answer => answer,
        },
    }
}

fn remove(work: &PlannedStep, entry: &DirEntry, way: ExecutionMode) -> std::result::Result<(), StepFailure> {
    let removed = match (way, &work.step.backup) {
        (ExecutionMode::WithBackup, Some(backup)) => {
            move_to(&entry.directory, &entry.name, &entry.directory, backup.name())
        }
        _ => unlinkat(&entry.directory, &entry.name, AtFlags::empty()),
    };
    removed.map_err(OperationError::when("removing it")).map_err(StepFailure::from)
}

/// Removes an empty directory. Fails if an entry was added to it after planning.
fn remove_empty(
    work: &PlannedStep,
    entry: &DirEntry,
    way: ExecutionMode,
) -> std::result::Result<(), StepFailure> {
    let (ExecutionMode::WithBackup, Some(backup)) = (way, &work.step.backup) else {
        let removed = unlinkat(&entry.directory, &entry.name, AtFlags::REMOVEDIR);
        return removed.map_err(OperationError::when("removing it")).map_err(StepFailure::from);
    };
    remove(work, entry, way)?;
    // The directory has its backup name now. If this check fails, a revert gives it its original name again.
    if is_empty(&entry.directory, backup.name().as_ref())? {
        Ok(())
    } else {
        Err(CommitKind::NotEmpty.into())
    }
}

fn relocate(
    work: &PlannedStep,
    entry: &DirEntry,
    way: ExecutionMode,
) -> std::result::Result<(), StepFailure> {
    let Some(to) = &work.to else { return Ok(()) };
    let there = DirEntry::open(to).map_err(OperationError::when("opening the target directory"))?;
    if work.rename == Rename::OfLetterCase {
        let moved = rustix::fs::renameat(&entry.directory, &entry.name, &there.directory, &there.name);
        return moved.map_err(OperationError::when("moving it")).map_err(StepFailure::from);
    }
    let moved = match (&work.step.over, way, &work.step.backup) {
        (Some(_), ExecutionMode::WithBackup, Some(backup)) => push_aside(&there, backup.name())
            .and_then(|()| move_to(&entry.directory, &entry.name, &there.directory, &there.name)),
        (Some(_), ..) => rustix::fs::renameat(&entry.directory, &entry.name, &there.directory, &there.name),
        (None, ..) => move_to(&entry.directory, &entry.name, &there.directory, &there.name),
    };
    moved.map_err(OperationError::when("moving it")).map_err(StepFailure::from)
}

fn push_aside(there: &DirEntry, backup: &OsStr) -> Result<()> {
    move_to(&there.directory, &there.name, &there.directory, backup)
}

/// Returns whether the file may be rewritten in place after its replacement failed. Mount points and files in
/// unwritable directories need this.
fn may_rewrite(failed: &OperationError) -> bool {
    let refused = matches!(failed.errno, Errno::ACCESS | Errno::PERM);
    match failed.step {
        "creating the new file" | PERMISSIONS => refused,
        _ => refused || matches!(failed.errno, Errno::BUSY | Errno::XDEV),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests prepare their own files")]

    use super::*;
    use crate::commit::planned_step::{step, work};
    use crate::{Durability, HistoryLimits, Options, Scope, Workspace};

    #[test]
    fn file_created_in_a_directory_before_its_removal_is_preserved() {
        for (way, name) in [(ExecutionMode::SingleStep, "d"), (ExecutionMode::WithBackup, ".toolpost-tmp")] {
            let base = tempfile::tempdir().unwrap();
            std::fs::create_dir(base.path().join("d")).unwrap();
            let options = Options {
                roots: vec![base.path().into()],
                state: None,
                home: None,
                durability: Durability::Kill,
                scope: Scope::Any,
                history: HistoryLimits::default(),
            };
            let path = Workspace::open(options).unwrap().0.resolve("d").unwrap();
            let entry = DirEntry::open(&path).unwrap();
            let fingerprint = fingerprint_entry(&entry.directory, &entry.name).unwrap().0;
            let mut gone = work(0, path.clone(), step(StepKind::RemoveEmpty, &path, Some(fingerprint)));
            std::fs::write(base.path().join("d/mine"), "mine").unwrap();
            let Err(StepFailure::For(why)) = apply(&mut gone, way) else { panic!("{way:?}: removed") };
            assert_eq!(why, CommitKind::NotEmpty, "{way:?}");
            let there = std::fs::read_dir(base.path()).unwrap().next().unwrap().unwrap();
            assert!(there.file_name().to_string_lossy().ends_with(name), "{way:?}: {there:?}");
            assert_eq!(std::fs::read(there.path().join("mine")).unwrap(), b"mine", "{way:?}");
        }
    }
}
