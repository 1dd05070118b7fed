//! Roots: directories to which the file access of tool calls is confined.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, Stat, fstat, open, stat};
use rustix::io::Errno;

use crate::fault::SystemError;

/// A root, held open by its descriptor; cheap to clone.
#[derive(Clone)]
pub struct Root(Arc<OpenRoot>);

struct OpenRoot {
    descriptor: OwnedFd,
    path: PathBuf,
    device: u64,
    inode: u64,
    position: usize,
    /// Label of an external root (a read-only directory outside the workspace); `None` for other roots.
    label: Option<String>,
}

impl Root {
    /// Returns the absolute path that the root had when it was opened, with every link resolved.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the position of the root in the operator's list; `usize::MAX` for a directory that is not in the list.
    /// Relative paths start from the root at position 0.
    pub fn position(&self) -> usize {
        self.0.position
    }

    /// Returns the path of the root, escaped for display.
    pub fn shown(&self) -> String {
        toolpost_text::escape::name(self.0.path.as_os_str().as_encoded_bytes()).into_owned()
    }

    /// Returns the label of an external root, which is read-only; `None` for a root of the workspace.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.0.label.as_deref()
    }

    /// Returns whether the directory that was opened as root has been removed, even if there is a new directory at its
    /// path.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        fstat(&self.0.descriptor).is_ok_and(|stat| stat.st_nlink == 0)
    }

    /// Describes what happened if the opened directory is no longer at its path, as a clause; `None` if it
    /// still is.
    #[must_use]
    pub fn lost(&self) -> Option<&'static str> {
        if self.is_gone() {
            return Some("it was removed");
        }
        match stat(&self.0.path) {
            Ok(stat) if identity(&stat) == (self.0.device, self.0.inode) => None,
            Ok(_) => Some("another directory is at its path"),
            Err(errno) => Some(unreachable(errno)),
        }
    }

    pub(crate) fn open(path: PathBuf, position: usize) -> Result<Self, SystemError> {
        let flags = HANDLE | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = open(&path, flags, Mode::empty())?;
        Self::held(descriptor, path, position, None)
    }

    /// Creates an external root (a read-only directory outside the workspace).
    pub(crate) fn external(descriptor: OwnedFd, path: PathBuf, label: String) -> Result<Self, SystemError> {
        Self::held(descriptor, path, EXTERNAL, Some(label))
    }

    fn held(
        descriptor: OwnedFd,
        path: PathBuf,
        position: usize,
        label: Option<String>,
    ) -> Result<Self, SystemError> {
        let stat = fstat(&descriptor)?;
        let (device, inode) = identity(&stat);
        Ok(Self(Arc::new(OpenRoot { descriptor, path, device, inode, position, label })))
    }

    /// Returns the innermost root that contains a path; `None` if no root does.
    pub(crate) fn nearest<'r>(roots: &'r [Self], absolute: &Path) -> Option<&'r Self> {
        let holders = roots.iter().filter(|root| absolute.starts_with(root.path()));
        // `max_by_key` returns the last of equal roots, so the order is reversed to get the first.
        holders.rev().max_by_key(|root| root.path().as_os_str().len())
    }

    pub(crate) fn is(&self, stat: &Stat) -> bool {
        identity(stat) == (self.0.device, self.0.inode)
    }

    pub(crate) fn identity(&self) -> (u64, u64) {
        (self.0.device, self.0.inode)
    }
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.descriptor.as_fd()
    }
}

impl PartialEq for Root {
    fn eq(&self, other: &Self) -> bool {
        self.0.path == other.0.path && self.identity() == other.identity()
    }
}

impl Eq for Root {}

impl fmt::Debug for Root {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Root({})", self.shown())
    }
}

/// Describes why nothing can be looked up at the path of a root, whose directory still exists.
fn unreachable(errno: Errno) -> &'static str {
    match errno {
        Errno::NOENT | Errno::NOTDIR => "it was moved away",
        Errno::ACCESS | Errno::PERM => "a directory above it may no longer be entered",
        Errno::LOOP => "its path leads through a loop of links",
        _ => "its path can no longer be looked up, because of an I/O error",
    }
}

/// Position of an external root, which is not in the operator's list.
const EXTERNAL: usize = usize::MAX;

/// Open flag for a handle that cannot be read from (`O_PATH`), if the system supports it.
#[cfg(target_os = "linux")]
pub(crate) const HANDLE: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
pub(crate) const HANDLE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK);

/// Returns device and inode numbers, which identify a file.
#[expect(clippy::allow_attributes, reason = "the casts below are needed on some systems only")]
#[allow(clippy::unnecessary_cast, reason = "the width of st_dev and st_ino differs between systems")]
pub(crate) fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests prepare their own files")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use toolpost_test_rows::each;

    #[test]
    fn lost_roots_are_described_by_their_cause() {
        type Change = fn(&Path);
        let rows: [(Change, Option<&str>); 6] = [
            (|_| {}, None),
            (|top| fs::remove_dir(top.join("a/root")).unwrap(), Some("it was removed")),
            (|top| fs::rename(top.join("a"), top.join("b")).unwrap(), Some("it was moved away")),
            (
                |top| {
                    fs::rename(top.join("a/root"), top.join("b")).unwrap();
                    fs::create_dir(top.join("a/root")).unwrap();
                },
                Some("another directory is at its path"),
            ),
            (
                |top| {
                    fs::rename(top.join("a"), top.join("b")).unwrap();
                    fs::write(top.join("a"), "").unwrap();
                },
                Some("it was moved away"),
            ),
            (
                |top| {
                    fs::rename(top.join("a"), top.join("b")).unwrap();
                    symlink("a", top.join("a")).unwrap();
                },
                Some("its path leads through a loop of links"),
            ),
        ];
        each(rows, |(change, wanted)| {
            let top = tempfile::tempdir().unwrap();
            fs::create_dir_all(top.path().join("a/root")).unwrap();
            let root = Root::open(top.path().join("a/root"), 0).unwrap();
            change(top.path());
            assert_eq!(root.lost(), wanted);
        });
        // A test with all rights is denied no directory.
        assert_eq!(unreachable(Errno::ACCESS), "a directory above it may no longer be entered");
    }
}
