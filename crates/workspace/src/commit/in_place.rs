//! Rewriting files in place, for files that a rename cannot replace.
//!
//! During the commit, the state directory holds backups of the old and the new content.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, fstat, ftruncate};
use rustix::io::{Errno, Result};

use super::error::{CommitKind, OperationError};
use super::planned_step::RevertOutcome;
use super::stage::sync_file;
use crate::access::Stat;
use crate::dir_entry::{DirEntry, Fingerprint};
use crate::fault::SystemError;
use crate::hash::{ContentHash, hash};
use crate::journal::Step;
use crate::openat::open_at;
use crate::state::{State, Sync};
use crate::workspace::Workspace;

/// Backs up the old and the new content in the state directory before the file is changed. Returns the name
/// of the backups, without their suffixes.
pub(super) fn keep(
    state: &State,
    entry: &DirEntry,
    old: &Fingerprint,
    new: &[u8],
) -> std::result::Result<String, OperationError> {
    let bytes =
        open(entry, old).and_then(|file| content(&file)).map_err(OperationError::when("reading the file"))?;
    if Some(hash(&bytes)) != old.hash {
        return Err(OperationError { errno: Errno::STALE, step: "reading the file" });
    }
    let copies = state.journal_name();
    let kept = state
        .write(&format!("{copies}.old"), &bytes, Sync::Disk)
        .and_then(|()| state.write(&format!("{copies}.bytes"), new, Sync::Disk));
    if kept.is_err() {
        forget(state, &copies);
    }
    kept.map_err(OperationError::when("backing up the file"))?;
    Ok(copies)
}

/// Overwrites the file in place if it still has the device and inode of `old`, and checks afterwards that it has the
/// new content. Fails, and leaves the file unchanged, if its content is not the old one.
///
/// The backups were made earlier, and the journal was written since: another process may have changed the file
/// meanwhile, and no other copy of its text exists. Only a write between this check and the overwrite is lost.
pub(super) fn rewrite(
    entry: &DirEntry,
    old: &Fingerprint,
    new: &[u8],
) -> std::result::Result<(), CommitKind> {
    let file = open(entry, old).map_err(OperationError::when("opening the file to rewrite it"))?;
    let found = hash(&content(&file).map_err(OperationError::when("reading the file"))?);
    if old.hash.is_some_and(|old| old != found) {
        return Err(CommitKind::Changed { found });
    }
    overwrite(&file, new).map_err(OperationError::when("rewriting the file in place"))?;
    Ok(())
}

/// Restores the old content if the file has the new content, or a part of the new and a part of the old
/// content. Leaves any other content unchanged.
pub(super) fn undo(workspace: &Workspace, entry: &DirEntry, step: &Step) -> RevertOutcome {
    let (Some(old), Some(copies), Some(state)) = (&step.old, &step.copies, workspace.state()) else {
        return RevertOutcome::Nothing;
    };
    let copy = format!("{copies}.old");
    let kept = |why: &str, copy: &str| format!("{why}; the former content is in {copy}");
    let left = |why: &str| RevertOutcome::Left(kept(why, &set_aside(state, copies)));
    let refused = |why: &str, errno: Errno| {
        RevertOutcome::Refused(kept(&format!("{why} ({})", SystemError::from(errno)), &state.shown(&copy)))
    };
    let (before, after) = match (state.read(&copy), state.read(&format!("{copies}.bytes"))) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(Errno::NOENT), _) | (_, Err(Errno::NOENT)) => return RevertOutcome::Nothing,
        (Err(errno), _) | (_, Err(errno)) => return refused("the backups of the file cannot be read", errno),
    };
    let file = match open(entry, old) {
        Ok(file) => file,
        Err(Errno::STALE | Errno::NOENT | Errno::LOOP | Errno::ISDIR | Errno::NXIO) => {
            return left("the path no longer leads to this file");
        }
        Err(errno) => return refused("the file cannot be opened", errno),
    };
    let now = match content(&file) {
        Ok(now) => now,
        Err(errno) => return refused("the file cannot be read", errno),
    };
    if now != before && !is_torn(&now, &before, &after) {
        return left("another process has changed the file");
    }
    let outcome = if now == before {
        Ok(RevertOutcome::Nothing)
    } else {
        overwrite(&file, &before).map(|()| RevertOutcome::Restored)
    };
    match outcome {
        Ok(outcome) => {
            forget(state, copies);
            outcome
        }
        Err(errno) => refused("the file could not be restored", errno),
    }
}

/// Renames the backup of the old content so that recovery does not remove the backup as unreferenced. Returns
/// its new path.
fn set_aside(state: &State, copies: &str) -> String {
    let (old, kept) = (format!("{copies}.old"), format!("{copies}.kept"));
    let renamed = state.rename(&old, &kept);
    let _ = state.remove(&format!("{copies}.bytes"));
    state.shown(if renamed.is_ok() { &kept } else { &old })
}

/// Removes the backups of the old and of the new content.
pub(super) fn forget(state: &State, copies: &str) {
    for kind in ["old", "bytes"] {
        let _ = state.remove(&format!("{copies}.{kind}"));
    }
}

/// Returns whether `now` can be the result of a complete or interrupted write of `after` over `before`, or of an
/// interrupted restore of `before`.
fn is_torn(now: &[u8], before: &[u8], after: &[u8]) -> bool {
    let back = common(now, before);
    let written = back + common(&now[back..], after.get(back..).unwrap_or_default());
    let rest_is_old = now[written..] == before[written.min(before.len())..];
    // `overwrite` truncates the file last, so old bytes may follow the new ones.
    rest_is_old || (written == now.len() && written >= after.len())
}

fn common(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

fn open(entry: &DirEntry, fingerprint: &Fingerprint) -> Result<File> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let file = open_at(&entry.directory, Path::new(&entry.name), flags, Mode::empty())?;
    let stat = Stat::of(&fstat(&file)?);
    if fingerprint.is_file(&stat) { Ok(file.into()) } else { Err(Errno::STALE) }
}

fn content(mut file: &File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).map_err(errno)?;
    file.read_to_end(&mut bytes).map_err(errno)?;
    Ok(bytes)
}

fn overwrite(file: &File, bytes: &[u8]) -> Result<()> {
    let wanted: ContentHash = hash(bytes);
    file.write_all_at(bytes, 0).map_err(errno)?;
    ftruncate(file, bytes.len() as u64)?;
    sync_file(file)?;
    if hash(&content(file)?) == wanted { Ok(()) } else { Err(Errno::IO) }
}

fn errno(error: std::io::Error) -> Errno {
    SystemError::from(error).errno()
}
