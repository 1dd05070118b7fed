//! What the systems have in common under different names.

use std::os::fd::AsFd;

use rustix::fs::Mode;
use rustix::io::{Result, retry_on_intr};

/// Makes permission bits of a plain number.
#[expect(clippy::allow_attributes, reason = "the conversion is needed on some systems only")]
#[allow(clippy::useless_conversion, reason = "the width of a mode differs between systems")]
pub(crate) fn mode(bits: u32) -> Mode {
    // Twelve bits fit into every system's mode.
    Mode::from_raw_mode((bits & 0o7777).try_into().unwrap_or_default())
}

/// Brings a file's bytes to the disk.
pub(crate) fn sync_bytes(file: impl AsFd) -> Result<()> {
    #[cfg(target_vendor = "apple")]
    return retry_on_intr(|| rustix::fs::fsync(&file));
    #[cfg(not(target_vendor = "apple"))]
    retry_on_intr(|| rustix::fs::fdatasync(&file))
}

/// Brings all that was written to a disk to it, where the system can do that at once; a file has to be synced by itself
/// elsewhere.
pub(crate) fn sync_all(file: impl AsFd) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        // A handle that only names a place cannot be synced.
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY;
        let opened = crate::beneath::open_at(file, std::path::Path::new("."), flags, Mode::empty())?;
        rustix::fs::syncfs(opened)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        Ok(())
    }
}

/// Asks for room for that many bytes, where the system can be asked.
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
