//! Names in open directories, and the file operations on them: compare, rename, link, remove.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, OFlags, RenameFlags, linkat, renameat, renameat_with, unlinkat};
use rustix::io::{Errno, Result};
use serde::{Deserialize, Serialize};

use crate::access::{AccessKind, Kind, Stat};
use crate::hash::ContentHash;
use crate::openat::{open_at, open_handle};
use crate::path::WorkspacePath;
use crate::process_id::unique;
use crate::read::{open_regular, stat_at};

/// Suffix of temporary files. Their names start with a dot and contain the name of the target file.
pub(crate) const SUFFIX: &str = ".toolpost-tmp";

/// A name in a directory that was opened beneath its root.
pub(crate) struct DirEntry {
    pub(crate) directory: OwnedFd,
    pub(crate) name: OsString,
}

/// Result of comparing the file that has a given name with a recorded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// The recorded file has the name, and its content is the recorded content, if one is recorded.
    Same,
    /// The recorded file has the name, but its content has changed.
    Altered,
    /// Another file has the name.
    Other,
    /// No file has the name.
    Absent,
}

impl DirEntry {
    /// Opens the parent directory of a path; fails for a root.
    pub(crate) fn open(path: &WorkspacePath) -> Result<Self> {
        let name = path.file_name().ok_or(Errno::BUSY)?;
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        Ok(Self { directory: open_handle(path.root(), parent)?, name: name.to_owned() })
    }

    /// Compares the file at a name with a recorded file; fails if the file at the name cannot be read.
    pub(crate) fn find(&self, name: &OsStr, fingerprint: &Fingerprint) -> Result<Comparison> {
        let stat = match stat_at(&self.directory, Path::new(name)) {
            Ok(stat) => stat,
            Err(AccessKind::Missing | AccessKind::NotADirectory) => return Ok(Comparison::Absent),
            Err(why) => return Err(why.errno()),
        };
        if !fingerprint.is_file(&stat) {
            return Ok(Comparison::Other);
        }
        let Some(hash) = fingerprint.hash else { return Ok(Comparison::Same) };
        match fingerprint_file(&self.directory, name) {
            Ok((now, _)) if now.hash == Some(hash) => Ok(Comparison::Same),
            Err(why @ (AccessKind::Denied | AccessKind::Io(_))) => Err(why.errno()),
            _ => Ok(Comparison::Altered),
        }
    }

    /// Removes a name; a missing name is not an error.
    pub(crate) fn unlink(&self, name: &OsStr) -> Result<()> {
        gone(unlinkat(&self.directory, name, AtFlags::empty()))
    }

    /// Renames the file `from` to `to`, and replaces any file that has this name.
    pub(crate) fn replace(&self, from: &OsStr, to: &OsStr) -> Result<()> {
        renameat(&self.directory, from, &self.directory, to)
    }

    /// Creates the hard link `to` to the file `from`, in the same directory.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> Result<()> {
        linkat(&self.directory, from, &self.directory, to, AtFlags::empty())
    }

    /// Exchanges the names of two files of the directory.
    pub(crate) fn exchange(&self, one: &OsStr, other: &OsStr) -> Result<()> {
        renameat_with(&self.directory, one, &self.directory, other, RenameFlags::EXCHANGE)
    }

    /// Syncs the directory to the disk, so that its changed names survive a power loss.
    pub(crate) fn sync(&self) -> Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK;
        let directory = match open_at(&self.directory, Path::new("."), flags, rustix::fs::Mode::empty()) {
            // A directory that cannot be read cannot be synced, and this is not an error.
            Err(Errno::ACCESS) => return Ok(()),
            opened => opened?,
        };
        match rustix::fs::fsync(&directory) {
            Err(Errno::INVAL) => Ok(()),
            answer => answer,
        }
    }

    /// Returns a new, unique hidden name for a temporary file.
    pub(crate) fn temporary(name: &OsStr) -> OsString {
        const NAME_MAX: usize = 255;
        let tail = format!(".{}{SUFFIX}", unique());
        let mut temporary = OsString::from(".");
        temporary.push(clip(name, NAME_MAX - 1 - tail.len()));
        temporary.push(tail);
        temporary
    }
}

/// Renames an entry to a free name; never overwrites anything.
pub(crate) fn move_to(from: impl AsFd, name: &OsStr, to: impl AsFd, new_name: &OsStr) -> Result<()> {
    match renameat_with(&from, name, &to, new_name, RenameFlags::NOREPLACE) {
        Err(errno @ (Errno::INVAL | Errno::NOSYS | Errno::PERM | Errno::BUSY | Errno::XDEV)) => {
            // Some file systems do not support `NOREPLACE`. Creating a hard link never overwrites anything
            // either.
            let Ok(()) = linkat(&from, name, &to, new_name, AtFlags::empty()) else { return Err(errno) };
            gone(unlinkat(&from, name, AtFlags::empty())).inspect_err(|_| {
                let _ = unlinkat(&to, new_name, AtFlags::empty());
            })
        }
        answer => answer,
    }
}

/// Returns the fingerprint (device, inode and hash) and the metadata of a regular file.
pub(crate) fn fingerprint_file(
    directory: impl AsFd,
    name: &OsStr,
) -> std::result::Result<(Fingerprint, Stat), AccessKind> {
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
    Ok((Fingerprint::new(&stat, Some(hasher.finish())), stat))
}

/// Returns the fingerprint and the metadata of any entry. The fingerprint has a hash if the entry is a
/// regular file.
pub(crate) fn fingerprint_entry(
    directory: impl AsFd,
    name: &OsStr,
) -> std::result::Result<(Fingerprint, Stat), AccessKind> {
    let stat = stat_at(&directory, Path::new(name))?;
    match stat.kind {
        Kind::File => fingerprint_file(directory, name),
        _ => Ok((Fingerprint::new(&stat, None), stat)),
    }
}

/// Replaces the error "missing file" with success.
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
    // The name is not cut inside a UTF-8 sequence, because some file systems reject invalid names.
    while end > 0 && end < bytes.len() && bytes[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    OsStr::from_bytes(&bytes[..end])
}

/// Device, inode and content hash of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Content hash, for regular files.
    pub(crate) hash: Option<ContentHash>,
}

impl Fingerprint {
    pub(crate) fn new(stat: &Stat, hash: Option<ContentHash>) -> Self {
        Self { device: stat.device, inode: stat.inode, hash }
    }

    /// Returns whether `stat` belongs to the same file; the content may differ.
    pub(crate) fn is_file(&self, stat: &Stat) -> bool {
        (self.device, self.inode) == (stat.device, stat.inode)
    }
}
