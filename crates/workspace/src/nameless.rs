//! Files that get their name when all is written, so that nobody ever sees a part of them.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::Mode;
use rustix::io::Result;

/// Makes a file without a name in a directory; none where the file system has no such files.
#[cfg(target_os = "linux")]
pub(crate) fn make(directory: impl AsFd, mode: Mode) -> Result<Option<OwnedFd>> {
    use std::path::Path;

    use rustix::fs::OFlags;
    use rustix::io::Errno;

    match crate::beneath::open_at(directory, Path::new("."), OFlags::RDWR | OFlags::TMPFILE, mode) {
        Ok(file) => Ok(Some(file)),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT | Errno::NOSYS) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Gives a file its name; what has that name already stays.
#[cfg(target_os = "linux")]
pub(crate) fn name(file: impl AsFd, directory: impl AsFd, name: &OsStr) -> Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, linkat};
    // By its descriptor where the kernel lets us, else through /proc.
    let Err(_) = linkat(&file, "", &directory, name, AtFlags::EMPTY_PATH) else { return Ok(()) };
    let own = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    linkat(rustix::fs::CWD, own, &directory, name, AtFlags::SYMLINK_FOLLOW)
}

/// Makes no file: only Linux has nameless ones.
#[cfg(not(target_os = "linux"))]
pub(crate) fn make(_: impl AsFd, _: Mode) -> Result<Option<OwnedFd>> {
    Ok(None)
}

/// Names no file: only Linux has nameless ones.
#[cfg(not(target_os = "linux"))]
pub(crate) fn name(_: impl AsFd, _: impl AsFd, _: &OsStr) -> Result<()> {
    Err(rustix::io::Errno::NOSYS)
}
