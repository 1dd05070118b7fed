//! Entries that a directory walk passes to its visitor.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use rustix::io::{Errno, retry_on_intr};
use serde::{Deserialize, Serialize};

use crate::access::Kind;
use crate::fault::SystemError;
use crate::openat::open_at;
use crate::path::WorkspacePath;

/// An entry that a walk has found, before any ignore rule is applied.
pub struct Candidate<'a> {
    pub(super) name: &'a [u8],
    pub(super) relative: &'a [u8],
    pub(super) kind: Kind,
}

/// An entry that a walk passes to its visitor, with access to its file.
pub struct Entry<'a> {
    pub(super) candidate: &'a Candidate<'a>,
    pub(super) directory: BorrowedFd<'a>,
    pub(super) base: &'a WorkspacePath,
    pub(super) standing: RuleEffect,
}

/// Effect of ignore rules on a visited entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEffect {
    /// No rule excludes the entry.
    Free,
    /// A rule excludes the entry, but the visitor named it explicitly (`Claim::Named`).
    Overruled,
}

/// Metadata of an entry. Equality ignores the number of hard links.
#[derive(Clone, Copy, Debug)]
pub struct FileStat {
    /// Type of the entry; a link is not followed.
    pub kind: Kind,
    /// Length of the file in bytes.
    pub len: u64,
    /// Modification time of the content, in nanoseconds since 1970.
    pub modified: i64,
    /// Change time of the inode (ctime), in nanoseconds since 1970.
    pub touched: i64,
    /// Inode number.
    pub inode: u64,
    /// Number of hard links; 0 if unknown.
    pub links: u64,
}

impl PartialEq for FileStat {
    fn eq(&self, other: &Self) -> bool {
        let same = |stat: &Self| (stat.kind, stat.len, stat.modified, stat.touched, stat.inode);
        same(self) == same(other)
    }
}

impl Eq for FileStat {}

/// Metadata of a regular file, as the indexes store it on disk. An index whose encoding is positional depends on the
/// order of the fields, so a new order needs a new version of its format.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct StoredStat {
    len: u64,
    modified: i64,
    touched: i64,
    inode: u64,
}

impl From<FileStat> for StoredStat {
    fn from(stat: FileStat) -> Self {
        let FileStat { len, modified, touched, inode, .. } = stat;
        Self { len, modified, touched, inode }
    }
}

impl From<StoredStat> for FileStat {
    fn from(stored: StoredStat) -> Self {
        let StoredStat { len, modified, touched, inode } = stored;
        Self { kind: Kind::File, len, modified, touched, inode, links: 0 }
    }
}

/// A regular file that a walk has found, open for reading.
#[derive(Debug)]
pub struct OpenedFile {
    /// The file, open for reading.
    pub file: File,
    /// Metadata of the file at the time of opening.
    pub stat: FileStat,
}

impl Candidate<'_> {
    /// Returns the name of the entry, without its directory.
    pub fn name(&self) -> &OsStr {
        OsStr::from_bytes(self.name)
    }

    /// Returns the bytes of the name of the entry, without its directory.
    pub fn name_bytes(&self) -> &[u8] {
        self.name
    }

    /// Returns the bytes of the path relative to the start of the walk.
    pub fn relative_bytes(&self) -> &[u8] {
        self.relative
    }

    /// Returns the path relative to the start of the walk.
    pub fn relative(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.relative))
    }

    /// Returns the file type, without following links.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

impl<'a> Entry<'a> {
    /// Returns name, type and relative path of the entry.
    pub fn candidate(&self) -> &'a Candidate<'a> {
        self.candidate
    }

    /// Returns the full path of the entry; allocates memory.
    pub fn path(&self) -> WorkspacePath {
        below(self.base, self.candidate.relative)
    }

    /// Returns the open directory that contains the entry.
    #[cfg(target_os = "linux")]
    pub(crate) fn directory(&self) -> BorrowedFd<'a> {
        self.directory
    }

    /// Returns the effect of ignore rules on this entry.
    pub fn rule_effect(&self) -> RuleEffect {
        self.standing
    }

    /// Returns the metadata of the entry, without following links.
    pub fn stat(&self) -> Result<FileStat, WalkOpenError> {
        let stat = statat(self.directory, self.candidate.name(), AtFlags::SYMLINK_NOFOLLOW).map_err(fault)?;
        Ok(file_stat(&stat))
    }

    /// Opens the entry for reading; fails if it is not a regular file, for example because a link or pipe has
    /// replaced it.
    pub fn open(&self) -> Result<OpenedFile, WalkOpenError> {
        open_regular(self.directory, self.candidate.name())
    }

    /// Reads the target of a symbolic link.
    pub fn target(&self) -> Result<OsString, WalkOpenError> {
        read_link(self.directory, self.candidate.name())
    }
}

/// Returns the path of an entry below `start`, the directory where the walk started. `relative` comes from
/// [`Candidate::relative_bytes`].
///
/// Returns `None` if the path is absolute, starts with `./`, or contains `..` or a NUL byte.
pub fn found_below(start: &WorkspacePath, relative: &[u8]) -> Option<WorkspacePath> {
    let plain = |part| matches!(part, Component::Normal(_));
    let path = Path::new(OsStr::from_bytes(relative));
    (!relative.contains(&0) && path.components().all(plain)).then(|| below(start, relative))
}

/// Returns the path that is `relative` to a base directory.
pub(super) fn below(base: &WorkspacePath, relative: &[u8]) -> WorkspacePath {
    let relative = Path::new(OsStr::from_bytes(relative));
    if base.is_root() {
        return WorkspacePath::beneath(base.root(), relative);
    }
    WorkspacePath::beneath(base.root(), &base.relative().join(relative))
}

/// Flags for opening a file to read it: no links, and no blocking on pipes or terminals.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Opens a regular file by its name in an open directory.
pub(super) fn open_regular(directory: BorrowedFd<'_>, name: &OsStr) -> Result<OpenedFile, WalkOpenError> {
    // A single name, with `O_NOFOLLOW`, cannot lead out of its directory.
    regular(retry_on_intr(|| openat(directory, name, READ, Mode::empty())).map_err(fault)?)
}

/// Opens a regular file by its whole path, without following links.
pub(super) fn open_below(path: &WorkspacePath) -> Result<OpenedFile, WalkOpenError> {
    regular(open_at(path.root(), path.relative(), READ, Mode::empty()).map_err(fault)?)
}

fn regular(descriptor: OwnedFd) -> Result<OpenedFile, WalkOpenError> {
    let stat = file_stat(&fstat(&descriptor).map_err(fault)?);
    if stat.kind != Kind::File {
        return Err(WalkOpenError::NotRegular);
    }
    Ok(OpenedFile { file: File::from(descriptor), stat })
}

pub(super) fn read_link(directory: BorrowedFd<'_>, name: &OsStr) -> Result<OsString, WalkOpenError> {
    let target = readlinkat(directory, name, Vec::new()).map_err(fault)?;
    Ok(OsString::from_vec(target.into_bytes()))
}

/// Returns the type of an entry from its metadata. Used if the directory listing does not contain the type.
pub(super) fn look(directory: BorrowedFd<'_>, name: &[u8]) -> Option<Kind> {
    let stat = statat(directory, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(file_stat(&stat).kind)
}

#[expect(clippy::allow_attributes, reason = "the cast below is needed on some systems only")]
#[allow(clippy::unnecessary_cast, reason = "the width of st_nlink differs between systems")]
pub(crate) fn file_stat(stat: &Stat) -> FileStat {
    let kind = Kind::of(FileType::from_raw_mode(stat.st_mode));
    let at =
        |seconds: i64, nanoseconds: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
    FileStat {
        kind,
        len: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: at(stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or_default()),
        touched: at(stat.st_ctime, i64::try_from(stat.st_ctime_nsec).unwrap_or_default()),
        inode: stat.st_ino,
        links: stat.st_nlink as u64,
    }
}

pub(super) fn fault(errno: Errno) -> WalkOpenError {
    match errno {
        Errno::NOENT | Errno::LOOP | Errno::NOTDIR => WalkOpenError::Gone,
        Errno::NXIO | Errno::NODEV => WalkOpenError::NotRegular,
        other => WalkOpenError::Refused(other.into()),
    }
}

/// Errors of opening a file that a walk has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkOpenError {
    /// The file was removed, or replaced by a link.
    #[error("it was removed or replaced during the walk")]
    Gone,
    /// The entry is not a regular file.
    #[error("it is not a regular file")]
    NotRegular,
    /// Any other system error.
    #[error("{0}")]
    Refused(SystemError),
}
