//! Functions that hide differences between operating systems.

use std::os::fd::AsFd;

use rustix::fs::Mode;
use rustix::io::{Result, retry_on_intr};

/// Converts permission bits to the type that the operating system uses for them.
#[expect(clippy::allow_attributes, reason = "the conversion is needed on some systems only")]
#[allow(clippy::useless_conversion, reason = "the width of a mode differs between systems")]
pub(crate) fn mode(bits: u32) -> Mode {
    // The lower twelve bits fit into the mode type of every operating system.
    Mode::from_raw_mode((bits & 0o7777).try_into().unwrap_or_default())
}

/// Syncs the content of a file to the disk.
pub(crate) fn sync_bytes(file: impl AsFd) -> Result<()> {
    #[cfg(target_vendor = "apple")]
    return retry_on_intr(|| rustix::fs::fsync(&file));
    #[cfg(not(target_vendor = "apple"))]
    retry_on_intr(|| rustix::fs::fdatasync(&file))
}

/// Syncs the whole file system that contains a directory, if the operating system supports it. On other
/// systems, each file is synced separately.
pub(crate) fn sync_all(file: impl AsFd) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        // An `O_PATH` handle cannot be synced, so the directory is opened again.
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY;
        let opened = crate::openat::open_at(file, std::path::Path::new("."), flags, Mode::empty())?;
        rustix::fs::syncfs(opened)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        Ok(())
    }
}

/// Reserves disk space for a file, if the operating system supports it.
pub(crate) fn reserve(file: impl AsFd, bytes: u64) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INTR | Errno::INVAL) => Ok(()),
            answer => answer,
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (file, bytes);
        Ok(())
    }
}
