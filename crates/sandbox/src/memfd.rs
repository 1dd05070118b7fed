//! Files without a name (memfd), which pass bytes to another program.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
use rustix::io::Errno;

/// Writes bytes to a file without a name, and returns it positioned at its start.
///
/// # Errors
/// If the system cannot create the file.
pub fn file(bytes: &[u8]) -> Result<OwnedFd, Errno> {
    let file = memfd_create(c"toolpost", MemfdFlags::CLOEXEC)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let written = rustix::io::write(&file, rest)?;
        rest = &rest[written..];
    }
    seek(&file, SeekFrom::Start(0))?;
    Ok(file)
}

/// Reads a file from its position to its end.
///
/// # Errors
/// If the file cannot be read.
pub fn all_of(file: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::new();
    let mut piece = [0; 16 * 1024];
    loop {
        match rustix::io::read(file, &mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Returns the number of a descriptor, as text for the arguments of a program that inherits it.
pub fn number_of(descriptor: &OwnedFd) -> String {
    descriptor.as_raw_fd().to_string()
}
