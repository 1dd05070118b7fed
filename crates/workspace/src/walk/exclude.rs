//! Finding `info/exclude`, the file in a Git directory that contains ignore rules.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;

use super::entry::open_regular;
use crate::openat::{READ_DIRECTORY, open_at};

/// Name of the file with ignore rules in the directory that [`info`] opens.
pub(crate) const EXCLUDE: &str = "exclude";

/// Size limit of a `.git` file, in bytes.
const LONGEST: u64 = 4096;

/// Opens the directory `info` in the Git directory of the repository at `top`; `None` if it cannot be opened. `.git`
/// may be a file that points to the Git directory.
pub(crate) fn info(top: BorrowedFd<'_>) -> Option<OwnedFd> {
    match open_at(top, Path::new(".git/info"), READ_DIRECTORY, Mode::empty()) {
        Ok(info) => Some(info),
        Err(Errno::NOTDIR) => linked(top),
        Err(_) => None,
    }
}

/// Opens the directory `info` to which the `.git` file of a linked work tree or submodule leads; `None` if it leads
/// to none.
fn linked(top: BorrowedFd<'_>) -> Option<OwnedFd> {
    let pointer = first_line(top, ".git")?;
    let directory = below(top, pointer.strip_prefix("gitdir:")?.trim())?;
    let common = first_line(directory.as_fd(), "commondir");
    let common = common.and_then(|said| below(directory.as_fd(), &said)).unwrap_or(directory);
    below(common.as_fd(), "info")
}

fn first_line(directory: BorrowedFd<'_>, name: &str) -> Option<String> {
    let opened = open_regular(directory, OsStr::new(name)).ok()?;
    let mut text = String::new();
    opened.file.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

fn below(directory: BorrowedFd<'_>, said: &str) -> Option<OwnedFd> {
    openat(directory, said, READ_DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Opens a directory by its absolute path, which may be outside the roots; `None` if it cannot be opened.
pub(crate) fn open_directory(path: &Path) -> Option<OwnedFd> {
    open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}
