//! Unnamed temporary files (`O_TMPFILE`), which get a name after they are complete.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::Mode;
use rustix::io::Result;

/// Creates an unnamed file in a directory; `None` if the file system does not support it.
#[cfg(target_os = "linux")]
pub(crate) fn create(directory: impl AsFd, mode: Mode) -> Result<Option<OwnedFd>> {
    use std::path::Path;

    use rustix::fs::OFlags;
    use rustix::io::Errno;

    match crate::openat::open_at(directory, Path::new("."), OFlags::RDWR | OFlags::TMPFILE, mode) {
        Ok(file) => Ok(Some(file)),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT | Errno::NOSYS) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Links an unnamed file to a name; fails if the name exists.
#[cfg(target_os = "linux")]
pub(crate) fn link(file: impl AsFd, directory: impl AsFd, name: &OsStr) -> Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, linkat};
    // First tries to link the file by its descriptor, which the kernel may forbid, then through /proc.
    let Err(_) = linkat(&file, "", &directory, name, AtFlags::EMPTY_PATH) else { return Ok(()) };
    let own = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    linkat(rustix::fs::CWD, own, &directory, name, AtFlags::SYMLINK_FOLLOW)
}

/// Returns `None`, because only Linux supports unnamed files.
#[cfg(not(target_os = "linux"))]
pub(crate) fn create(_: impl AsFd, _: Mode) -> Result<Option<OwnedFd>> {
    Ok(None)
}

/// Fails, because only Linux supports unnamed files.
#[cfg(not(target_os = "linux"))]
pub(crate) fn link(_: impl AsFd, _: impl AsFd, _: &OsStr) -> Result<()> {
    Err(rustix::io::Errno::NOSYS)
}
