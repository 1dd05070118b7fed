//! What happens to directories when all files of a commit are in place.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fchmod, unlinkat};
use rustix::io::{Errno, Result};

use super::error::CommitKind;
use crate::access::{AccessKind, Kind};
use crate::beneath::{READ_DIRECTORY, open_at};
use crate::journal::Raw;
use crate::path::WorkspacePath;
use crate::spot::Spot;
use crate::system::mode as mode_bits;
use crate::workspace::Workspace;

/// Gives new directories their permissions, the innermost first; those that could not be given them.
pub(crate) fn set_modes(workspace: &Workspace, modes: &[(Raw, u32)]) -> Vec<WorkspacePath> {
    let known = modes.iter().rev().filter_map(|(place, mode)| Some((workspace.known(place.path())?, *mode)));
    known.filter(|(path, mode)| set_mode(path, *mode).is_err()).map(|(path, _)| path).collect()
}

/// Removes a directory if nothing is in it.
pub(crate) fn remove_empty(path: &WorkspacePath) -> Result<()> {
    let spot = Spot::open(path)?;
    unlinkat(&spot.directory, &spot.name, AtFlags::REMOVEDIR)
}

/// Says whether nothing is in a directory.
pub(super) fn is_empty(from: impl AsFd, path: &Path) -> std::result::Result<bool, CommitKind> {
    let look = || {
        let directory = open_at(from, path, READ_DIRECTORY, Mode::empty())?;
        let mut entries = Dir::read_from(&directory)?;
        let is_own = |name: &[u8]| matches!(name, b"." | b"..");
        entries.try_fold(true, |empty, entry| Ok(empty && is_own(entry?.file_name().to_bytes())))
    };
    look().map_err(|errno: Errno| AccessKind::from(errno).into())
}

/// Removes the directories that are to go if they are empty, the innermost first.
pub(crate) fn remove_all_empty(workspace: &Workspace, emptied: &[Raw]) {
    let mut paths: Vec<WorkspacePath> =
        emptied.iter().filter_map(|place| workspace.known(place.path())).collect();
    paths.sort();
    for path in paths.iter().rev() {
        let _ = remove_empty(path);
    }
}

fn set_mode(path: &WorkspacePath, mode: u32) -> Result<()> {
    let spot = Spot::open(path)?;
    let name = Path::new(&spot.name);
    if crate::read::stat_at(&spot.directory, name)
        .is_ok_and(|stat| (stat.kind, stat.mode) == (Kind::Directory, mode))
    {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    fchmod(open_at(&spot.directory, name, flags, Mode::empty())?, mode_bits(mode))
}
