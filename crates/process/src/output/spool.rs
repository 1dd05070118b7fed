//! The file for output that is too long for memory, without a name and of bounded size: its beginning stays,
//! and the part after the beginning is a ring buffer.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;

/// The file for the output of one job. It has no name, so it cannot be opened by a path, and its space is freed
/// when it is closed or this process exits.
#[derive(Debug)]
pub(crate) struct Spool {
    file: File,
    head: u64,
    tail: u64,
    total: u64,
}

impl Spool {
    /// Creates an empty file in a directory; `head` is the size of its fixed beginning and `tail` the size of
    /// its ring buffer, in bytes.
    pub(crate) fn new(directory: &Path, head: u64, tail: u64) -> io::Result<Self> {
        Ok(Self { file: nameless(directory)?, head, tail, total: 0 })
    }

    /// Appends bytes of the output. They overwrite the oldest bytes after the fixed beginning when the file
    /// is full.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        let mut total = self.total;
        while !rest.is_empty() {
            let (at, room) = self.place(total);
            let now = usize::try_from(room).unwrap_or(usize::MAX).min(rest.len());
            self.file.write_all_at(&rest[..now], at)?;
            total += now as u64;
            rest = &rest[now..];
        }
        self.total = total;
        Ok(())
    }

    /// Reads the bytes of the output between two positions, on one side of the gap (the overwritten middle).
    pub(crate) fn read(&self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let to = to.min(self.total);
        let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or_default()];
        let mut done = 0;
        while done < bytes.len() {
            let (at, room) = self.place(from + done as u64);
            let now = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len() - done);
            self.file.read_exact_at(&mut bytes[done..done + now], at)?;
            done += now;
        }
        Ok(bytes)
    }

    /// Returns a byte's position in the file, and the number of contiguous bytes from there; `position` is its
    /// position in the output.
    fn place(&self, position: u64) -> (u64, u64) {
        match position.checked_sub(self.head) {
            None => (position, self.head - position),
            Some(after) => {
                let round = after % self.tail;
                (self.head + round, self.tail - round)
            }
        }
    }
}

/// Creates a file without a name, or removes its name immediately.
fn nameless(directory: &Path) -> io::Result<File> {
    let mode = Mode::RUSR | Mode::WUSR;
    #[cfg(target_os = "linux")]
    match openat(CWD, directory, OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC, mode) {
        Ok(file) => return Ok(file.into()),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT | Errno::NOSYS) => {}
        Err(errno) => return Err(errno.into()),
    }
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let path = directory.join(format!("toolpost-output-{:016x}", u64::from_le_bytes(random)));
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(CWD, &path, flags, mode)?;
    match unlinkat(CWD, &path, rustix::fs::AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(file.into()),
        Err(errno) => Err(errno.into()),
    }
}
