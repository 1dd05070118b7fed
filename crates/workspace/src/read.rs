//! Reading files and directories through descriptors.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, statat};
use rustix::io::Errno;

use crate::access::{AccessKind, Kind, Stat};
use crate::hash::{ContentHash, hash};
use crate::openat::{open_at, open_handle};

/// Growth of the read buffer, in bytes, for a file that became longer after it was opened.
const GROWTH: usize = 64 * 1024;

/// A regular file, open for reading.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    stat: Stat,
}

/// Content of a file, with its metadata at the time of opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Whole content of the file.
    pub bytes: Vec<u8>,
    /// Metadata of the file at the time of opening.
    pub stat: Stat,
    /// The hash of `bytes`.
    pub hash: ContentHash,
}

/// A directory entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name of the entry, which need not be UTF-8.
    pub name: std::ffi::OsString,
    /// Type of the entry; a link is not followed.
    pub kind: Kind,
}

impl OpenFile {
    /// Returns the metadata of the file at the time of opening.
    pub fn stat(&self) -> &Stat {
        &self.stat
    }

    /// Returns the underlying file, positioned after the bytes that were read.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Appends the rest of the file to `bytes`; stops once `bytes` has more than `limit` bytes.
    pub fn read_rest(&self, bytes: &mut Vec<u8>, limit: u64) -> io::Result<()> {
        while bytes.len() as u64 <= limit {
            if bytes.len() == bytes.capacity() {
                bytes.try_reserve(GROWTH)?;
            }
            match rustix::io::read(&self.file, spare_capacity(bytes)) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    /// Reads the rest of the file. Fails with [`AccessKind::TooLarge`] if the file has more than `limit` bytes, or if
    /// the memory for it cannot be reserved.
    pub fn snapshot(self, limit: u64) -> Result<Snapshot, AccessKind> {
        if self.stat.len > limit {
            return Err(AccessKind::TooLarge { len: self.stat.len, limit });
        }
        let mut bytes = Vec::new();
        let room = usize::try_from(self.stat.len).unwrap_or(0).saturating_add(1);
        let reserved = bytes.try_reserve_exact(room);
        reserved.map_err(|_| AccessKind::TooLarge { len: self.stat.len, limit })?;
        self.read_rest(&mut bytes, limit).map_err(|error| AccessKind::Io(error.into()))?;
        let len = bytes.len() as u64;
        if len > limit {
            return Err(AccessKind::TooLarge { len, limit });
        }
        let hash = hash(&bytes);
        Ok(Snapshot { bytes, stat: self.stat, hash })
    }
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// Opens a regular file beneath a directory.
///
/// The file type is checked before opening, because opening a pipe affects the writer of the pipe. It is checked
/// again afterwards, because the file may have been replaced in between.
pub fn open_regular(directory: impl AsFd, relative: &Path) -> Result<OpenFile, AccessKind> {
    let directory = directory.as_fd();
    require_regular(&stat_at(directory, relative)?)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let opened = open_at(directory, relative, flags, Mode::empty())?;
    let stat = Stat::of(&fstat(&opened)?);
    require_regular(&stat)?;
    Ok(OpenFile { file: opened.into(), stat })
}

/// Returns the metadata of the entry at a path beneath a directory, without following links; of the directory itself
/// for an empty path.
pub fn stat_at(directory: impl AsFd, relative: &Path) -> Result<Stat, AccessKind> {
    let Some(name) = relative.file_name() else {
        return Ok(Stat::of(&fstat(directory)?));
    };
    let parent = match relative.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => Some(open_handle(&directory, parent)?),
        _ => None,
    };
    let parent = parent.as_ref().map_or(directory.as_fd(), AsFd::as_fd);
    Ok(Stat::of(&statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

fn require_regular(stat: &Stat) -> Result<(), AccessKind> {
    match stat.kind {
        Kind::File => Ok(()),
        Kind::Directory => Err(AccessKind::IsDirectory),
        Kind::Link => Err(AccessKind::Link),
        other => Err(AccessKind::NotRegular(other)),
    }
}

/// Lists the entries of an open directory, sorted by the bytes of their names.
pub(crate) fn entries(directory: &OwnedFd) -> Result<Vec<Entry>, AccessKind> {
    use std::os::unix::ffi::OsStringExt;
    let mut entries = Vec::new();
    for entry in rustix::fs::Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let name = std::ffi::OsString::from_vec(name.to_vec());
        let kind = match entry.file_type() {
            FileType::Unknown => stat_at(directory, Path::new(&name)).map_or(Kind::Other, |stat| stat.kind),
            known => Kind::of(known),
        };
        entries.push(Entry { name, kind });
    }
    entries.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(entries)
}
