//! A name in an open directory, where changes happen.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, OFlags, RenameFlags, linkat, renameat, renameat_with, unlinkat};
use rustix::io::{Errno, Result};

use crate::access::{AccessKind, Kind, Stat};
use crate::beneath::{open_at, open_handle};
use crate::mark::Mark;
use crate::owner::unique;
use crate::path::WorkspacePath;
use crate::read::{open_regular, stat_at};

/// How the names of temporary files end; a name begins with a dot and holds the name of the file it is for.
pub(crate) const SUFFIX: &str = ".toolpost-tmp";

/// A name in a directory that was opened beneath its root.
pub(crate) struct Spot {
    pub(crate) directory: OwnedFd,
    pub(crate) name: OsString,
}

/// What is at a name, compared with what is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// That very file, unchanged.
    Same,
    /// That very file, with other content.
    Altered,
    /// Something else.
    Other,
    /// Nothing.
    Absent,
}

impl Spot {
    /// Opens the directory of a path; a root itself has none.
    pub(crate) fn open(path: &WorkspacePath) -> Result<Self> {
        let name = path.file_name().ok_or(Errno::BUSY)?;
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        Ok(Self { directory: open_handle(path.root(), parent)?, name: name.to_owned() })
    }

    /// Compares what is at a name of this directory with a mark; fails where it cannot be looked at.
    pub(crate) fn find(&self, name: &OsStr, mark: &Mark) -> Result<Found> {
        let stat = match stat_at(&self.directory, Path::new(name)) {
            Ok(stat) => stat,
            Err(AccessKind::Missing | AccessKind::NotADirectory) => return Ok(Found::Absent),
            Err(why) => return Err(why.errno()),
        };
        if !mark.is_file(&stat) {
            return Ok(Found::Other);
        }
        let Some(hash) = mark.hash else { return Ok(Found::Same) };
        match mark_of(&self.directory, name) {
            Ok((now, _)) if now.hash == Some(hash) => Ok(Found::Same),
            Err(why @ (AccessKind::Denied | AccessKind::Io(_))) => Err(why.errno()),
            _ => Ok(Found::Altered),
        }
    }

    /// Removes a name of this directory; one that is gone already is fine.
    pub(crate) fn unlink(&self, name: &OsStr) -> Result<()> {
        gone(unlinkat(&self.directory, name, AtFlags::empty()))
    }

    /// Puts one name in the place of another, whatever is there.
    pub(crate) fn replace(&self, from: &OsStr, to: &OsStr) -> Result<()> {
        renameat(&self.directory, from, &self.directory, to)
    }

    /// Gives a file of this directory a second name.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> Result<()> {
        linkat(&self.directory, from, &self.directory, to, AtFlags::empty())
    }

    /// Exchanges two names of this directory.
    pub(crate) fn exchange(&self, one: &OsStr, other: &OsStr) -> Result<()> {
        renameat_with(&self.directory, one, &self.directory, other, RenameFlags::EXCHANGE)
    }

    /// Makes what was done to the directory survive the loss of power.
    pub(crate) fn sync(&self) -> Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK;
        let directory = match open_at(&self.directory, Path::new("."), flags, rustix::fs::Mode::empty()) {
            // A directory that may not be read cannot be synced either.
            Err(Errno::ACCESS) => return Ok(()),
            opened => opened?,
        };
        match rustix::fs::fsync(&directory) {
            Err(Errno::INVAL) => Ok(()),
            answer => answer,
        }
    }

    /// Returns a fresh hidden name beside this one.
    pub(crate) fn temporary(name: &OsStr) -> OsString {
        const NAME_MAX: usize = 255;
        let tail = format!(".{}{SUFFIX}", unique());
        let mut temporary = OsString::from(".");
        temporary.push(clip(name, NAME_MAX - 1 - tail.len()));
        temporary.push(tail);
        temporary
    }
}

/// Moves a name to where nothing is; never puts an end to anything.
pub(crate) fn move_to(from: impl AsFd, name: &OsStr, to: impl AsFd, new_name: &OsStr) -> Result<()> {
    match renameat_with(&from, name, &to, new_name, RenameFlags::NOREPLACE) {
        Err(errno @ (Errno::INVAL | Errno::NOSYS | Errno::PERM | Errno::BUSY | Errno::XDEV)) => {
            // Some file systems have no such rename, but a second name is never put over anything either.
            let Ok(()) = linkat(&from, name, &to, new_name, AtFlags::empty()) else { return Err(errno) };
            gone(unlinkat(&from, name, AtFlags::empty())).inspect_err(|_| {
                let _ = unlinkat(&to, new_name, AtFlags::empty());
            })
        }
        answer => answer,
    }
}

/// Reads what a regular file is and holds.
pub(crate) fn mark_of(directory: impl AsFd, name: &OsStr) -> std::result::Result<(Mark, Stat), AccessKind> {
    use std::io::Read;
    let mut opened = open_regular(directory, Path::new(name))?;
    let mut hasher = crate::hash::Hasher::default();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match opened.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(AccessKind::Io(error.into())),
        }
    }
    let stat = *opened.stat();
    Ok((Mark::new(&stat, Some(hasher.finish())), stat))
}

/// Reads what is at a name, with its content if it is a regular file.
pub(crate) fn mark_any(directory: impl AsFd, name: &OsStr) -> std::result::Result<(Mark, Stat), AccessKind> {
    let stat = stat_at(&directory, Path::new(name))?;
    match stat.kind {
        Kind::File => mark_of(directory, name),
        _ => Ok((Mark::new(&stat, None), stat)),
    }
}

/// Takes "it is not there" for success.
pub(crate) fn gone(answer: Result<()>) -> Result<()> {
    match answer {
        Err(Errno::NOENT) => Ok(()),
        answer => answer,
    }
}

fn clip(name: &OsStr, most: usize) -> &OsStr {
    use std::os::unix::ffi::OsStrExt;
    let bytes = name.as_bytes();
    let mut end = bytes.len().min(most);
    // Never in the middle of a character, which some file systems would refuse.
    while end > 0 && end < bytes.len() && bytes[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    OsStr::from_bytes(&bytes[..end])
}
