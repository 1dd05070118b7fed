//! Final work on directories and permissions, after all files of a commit are in place.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fchmod, fstat, unlinkat};
use rustix::io::{Errno, Result};

use super::error::CommitKind;
use crate::access::{AccessKind, Kind, Stat};
use crate::dir_entry::{DirEntry, Fingerprint};
use crate::journal::{Journal, StepKind};
use crate::openat::{READ_DIRECTORY, open_at};
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;
use crate::read::stat_at;
use crate::system::mode as mode_bits;
use crate::workspace::Workspace;

/// Sets the permissions of new directories and of files that were rewritten in place, innermost first.
/// Returns the paths whose permissions could not be set.
pub(crate) fn set_modes(workspace: &Workspace, journal: &Journal) -> Vec<WorkspacePath> {
    let in_place = journal.steps.iter().filter(|step| step.kind == StepKind::InPlace);
    let files: HashMap<&Path, &Fingerprint> =
        in_place.filter_map(|step| Some((step.place.path(), step.old.as_ref()?))).collect();
    let set = |(place, mode): &(RawPath, u32)| {
        let path = workspace.known(place.path())?;
        set_mode(&path, *mode, files.get(place.path()).copied()).is_err().then_some(path)
    };
    journal.modes.iter().rev().filter_map(set).collect()
}

/// Removes an empty directory; fails if it has entries.
pub(crate) fn remove_empty(path: &WorkspacePath) -> Result<()> {
    let entry = DirEntry::open(path)?;
    unlinkat(&entry.directory, &entry.name, AtFlags::REMOVEDIR)
}

/// Returns whether a directory is empty.
pub(super) fn is_empty(from: impl AsFd, path: &Path) -> std::result::Result<bool, CommitKind> {
    let look = || {
        let directory = open_at(from, path, READ_DIRECTORY, Mode::empty())?;
        let mut entries = Dir::read_from(&directory)?;
        let is_own = |name: &[u8]| matches!(name, b"." | b"..");
        entries.try_fold(true, |empty, entry| Ok(empty && is_own(entry?.file_name().to_bytes())))
    };
    look().map_err(|errno: Errno| AccessKind::from(errno).into())
}

/// Removes the listed directories that are empty, innermost first.
pub(crate) fn remove_all_empty(workspace: &Workspace, emptied: &[RawPath]) {
    let mut paths: Vec<WorkspacePath> =
        emptied.iter().filter_map(|place| workspace.known(place.path())).collect();
    paths.sort();
    for path in paths.iter().rev() {
        let _ = remove_empty(path);
    }
}

fn set_mode(path: &WorkspacePath, mode: u32, file: Option<&Fingerprint>) -> Result<()> {
    let entry = DirEntry::open(path)?;
    let sort = if file.is_some() { OFlags::empty() } else { OFlags::DIRECTORY };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | sort;
    let stat = stat_at(&entry.directory, Path::new(&entry.name)).map_err(|why| why.errno())?;
    if file.is_none() && (stat.kind, stat.mode) == (Kind::Directory, mode) {
        return Ok(());
    }
    let opened = open_at(&entry.directory, Path::new(&entry.name), flags, Mode::empty())?;
    if file.is_some_and(|fingerprint| fstat(&opened).is_ok_and(|stat| !fingerprint.is_file(&Stat::of(&stat))))
    {
        return Err(Errno::STALE);
    }
    fchmod(opened, mode_bits(mode))
}
