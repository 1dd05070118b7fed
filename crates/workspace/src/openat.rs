//! Opening files beneath a directory descriptor, so that no link leads out of the directory.
//!
//! The crate opens workspace files through this module, except single names in a directory that is open already. On
//! Linux, `openat2` opens a path in one call. If the call is not available (old kernels, strict sandboxes), each
//! component is opened separately without following links, which is equally safe.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::{Errno, Result, retry_on_intr};

use crate::fault::SystemError;
use crate::root::{HANDLE, Root};

/// Opens a directory beneath a root for reading. The empty path means the root itself.
pub fn open_directory_beneath(root: &Root, relative: &Path) -> std::result::Result<OwnedFd, SystemError> {
    Ok(open_at(root, relative, READ_DIRECTORY, Mode::empty())?)
}

/// Returns whether the kernel supports `openat2`.
pub(crate) fn has_openat2() -> bool {
    kernel::available()
}

/// Opens the path `relative` beneath a directory, without following links; `..` cannot lead out of the directory.
///
/// Fails with `ELOOP` if a component is a link. The last component may be a link if the flags contain both
/// `O_PATH` and `O_NOFOLLOW`, which open the link itself.
pub(crate) fn open_at(directory: impl AsFd, relative: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC;
    let relative = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
    match kernel::open(directory.as_fd(), relative, flags, mode) {
        Err(Errno::NOSYS) => walk(directory.as_fd(), relative, flags, mode),
        answer => answer,
    }
}

/// Opens a directory handle, through which entries of the directory can be opened but not listed.
pub(crate) fn open_handle(directory: impl AsFd, relative: &Path) -> Result<OwnedFd> {
    open_at(directory, relative, HANDLE | OFlags::DIRECTORY, Mode::empty())
}

pub(crate) const READ_DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NONBLOCK);

/// Opens a path by opening each component separately, without following links.
fn walk(directory: BorrowedFd<'_>, relative: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    let mut names = Vec::new();
    for component in relative.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    let Some((last, parents)) = names.split_last() else {
        return retry_on_intr(|| openat(directory, ".", flags, mode));
    };
    let mut current: Option<OwnedFd> = None;
    for name in parents {
        let from = current.as_ref().map_or(directory, AsFd::as_fd);
        current = Some(step(from, name, HANDLE | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?);
    }
    let from = current.as_ref().map_or(directory, AsFd::as_fd);
    let opened = step(from, last, flags, mode)?;
    let link_wanted = flags.contains(OFlags::NOFOLLOW);
    if !link_wanted && FileType::from_raw_mode(fstat(&opened)?.st_mode) == FileType::Symlink {
        return Err(Errno::LOOP);
    }
    Ok(opened)
}

fn step(directory: BorrowedFd<'_>, name: &OsStr, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    match retry_on_intr(|| openat(directory, name, flags | OFlags::NOFOLLOW, mode)) {
        // If a directory is required and the entry is a link, the kernel reports `ENOTDIR`. The caller expects
        // `ELOOP` for every link.
        Err(Errno::NOTDIR) if is_link(directory, name) => Err(Errno::LOOP),
        answer => answer,
    }
}

fn is_link(directory: BorrowedFd<'_>, name: &OsStr) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[cfg(target_os = "linux")]
mod kernel {
    //! Opening a path with one call of `openat2`.

    use std::os::fd::{BorrowedFd, OwnedFd};
    use std::path::Path;
    use std::sync::OnceLock;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::{Errno, Result};

    const INSIDE: ResolveFlags =
        ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);

    /// Maximum number of retries after `EAGAIN`, which concurrent renames cause.
    const TRIES: u32 = 128;

    pub(super) fn open(directory: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
        if !available() {
            return Err(Errno::NOSYS);
        }
        let mut tries = 0;
        loop {
            match openat2(directory, path, flags, mode, INSIDE) {
                Err(Errno::AGAIN) if tries < TRIES => tries += 1,
                Err(Errno::INTR) => {}
                answer => return answer,
            }
        }
    }

    /// Returns whether `openat2` is available, which an old kernel or a sandbox may refuse. Tries the call only once.
    pub(super) fn available() -> bool {
        static AVAILABLE: OnceLock<bool> = OnceLock::new();
        *AVAILABLE.get_or_init(|| {
            openat2(CWD, "/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::NO_MAGICLINKS)
                .is_ok()
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    //! Stub for systems without `openat2`: opening fails, and the caller opens each component of the path
    //! separately.

    use std::os::fd::{BorrowedFd, OwnedFd};
    use std::path::Path;

    use rustix::fs::{Mode, OFlags};
    use rustix::io::{Errno, Result};

    pub(super) fn available() -> bool {
        false
    }

    pub(super) fn open(_: BorrowedFd<'_>, _: &Path, _: OFlags, _: Mode) -> Result<OwnedFd> {
        Err(Errno::NOSYS)
    }
}

/// Returns a line that reports how files are kept inside their root on this system.
pub fn confinement() -> Vec<String> {
    let how = if has_openat2() {
        "files are opened beneath their root by the kernel (openat2)"
    } else {
        "the kernel does not support openat2, so files are opened component by component, which is slower but equally safe"
    };
    vec![how.to_owned()]
}
