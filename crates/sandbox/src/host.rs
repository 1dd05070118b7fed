//! Inspection of the host's files, for the paths that a sandbox shows.

use std::ffi::{CStr, OsString};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, openat, openat2, readlinkat, statat,
};
use rustix::io::Errno;

/// The kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A regular or special file.
    Other,
}

/// Returns the kind of the entry at a path, without following a link; `None` if it cannot be inspected.
pub fn kind(path: &Path) -> Option<Kind> {
    let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    })
}

/// Resolves the symbolic links of a path; fails if the path does not exist.
pub fn real(path: &Path) -> Result<PathBuf, Errno> {
    match direct(path) {
        OpenOutcome::Here => return Ok(path.to_owned()),
        OpenOutcome::Missing => return Err(Errno::NOENT),
        OpenOutcome::Unknown => {}
    }
    let file = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let name = readlinkat(CWD, format!("/proc/self/fd/{}", file.as_raw_fd()), Vec::new())?;
    Ok(PathBuf::from(OsString::from_vec(name.into_bytes())))
}

/// The result of opening a path without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenOutcome {
    /// The path exists, and no part of it is a link.
    Here,
    /// The path does not exist.
    Missing,
    /// The path leads through a link, or cannot be opened.
    Unknown,
}

/// Looks up an absolute path without following links, in one call. If the result is `Here`, `real` returns the path
/// unchanged.
pub(crate) fn direct(path: &Path) -> OpenOutcome {
    let is_named = path.is_absolute()
        && path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    // The components leave out `.` and repeated slashes, so a path that contains some differs from them.
    if !is_named || path.components().collect::<PathBuf>().as_os_str() != path.as_os_str() {
        return OpenOutcome::Unknown;
    }
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve) {
        Ok(_) => OpenOutcome::Here,
        Err(Errno::NOENT) => OpenOutcome::Missing,
        Err(_) => OpenOutcome::Unknown,
    }
}

/// Returns the target of a symbolic link, unresolved; `None` if it cannot be read.
pub(crate) fn link(path: &Path) -> Option<PathBuf> {
    let target = readlinkat(CWD, path, Vec::new()).ok()?;
    Some(PathBuf::from(OsString::from_vec(target.into_bytes())))
}

/// Lists the names in a directory; empty if it cannot be read.
pub(crate) fn names(path: &Path) -> Vec<OsString> {
    listed(path).unwrap_or_default()
}

/// Lists the names in a directory; `None` if it cannot be read.
pub(crate) fn listed(path: &Path) -> Option<Vec<OsString>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, path, flags, Mode::empty()).ok()?;
    let entries: Result<Vec<_>, Errno> = Dir::new(directory).ok()?.collect();
    let names =
        entries.ok()?.into_iter().map(|entry| OsString::from_vec(entry.file_name().to_bytes().to_vec()));
    Some(names.filter(|name| name != "." && name != "..").collect())
}

/// Reads at most the first 4096 bytes of a file; `None` if it cannot be read.
pub(crate) fn begins(path: &Path) -> Option<Vec<u8>> {
    let file = openat(CWD, path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut bytes = [0; 4096];
    let length = rustix::io::read(&file, &mut bytes).ok()?;
    Some(bytes[..length].to_vec())
}

/// Opens a path below a directory with `O_PATH`, without following links.
pub(crate) fn beneath(directory: impl AsFd, path: &Path) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let file = openat2(directory, path, flags, Mode::empty(), resolve)?;
    // `O_PATH` with `NOFOLLOW` opens a link at the end of the path itself, but this function must refuse
    // links.
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink { Err(Errno::LOOP) } else { Ok(file) }
}

/// Opens a path with `O_PATH`, without following links: a link in the path is refused, and a link at its end is
/// itself opened. Allocates nothing.
pub fn pinned(path: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(CWD, path, flags, Mode::empty(), resolve)
}

/// Returns whether a path can be passed to the kernel: it is absolute and contains no NUL.
pub(crate) fn is_plain(path: &Path) -> bool {
    path.is_absolute() && !path.as_os_str().as_bytes().contains(&0)
}

/// Removes `.` and `..` from a path without looking at the file system.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Returns whether a path is in one of the directories `places`, either literally or after resolving links.
pub fn lies_in(path: &Path, places: &[PathBuf]) -> bool {
    let real = real(path);
    let is_in = |path: &Path| places.iter().any(|place| path.starts_with(place));
    is_in(path) || real.is_ok_and(|real| is_in(&real))
}
