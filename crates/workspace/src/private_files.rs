//! Files that only the current user can read: creating, locking, reading and listing them in an open
//! directory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, flock, fstat, openat, statat};
use rustix::io::{Errno, Result, retry_on_intr};

use crate::read::open_regular;
use crate::root::identity;

pub(crate) const CREATE: OFlags =
    OFlags::RDWR.union(OFlags::CREATE).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
pub(crate) const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);

/// Locks an open file; fails immediately with `EWOULDBLOCK` if another process or thread holds the lock.
pub(crate) fn lock(file: impl AsFd) -> Result<()> {
    retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive))
}

/// Locks an open file or directory, and waits for other holders until the deadline; then it fails with `EWOULDBLOCK`.
pub(crate) fn lock_until(file: impl AsFd, operation: FlockOperation, deadline: Instant) -> Result<()> {
    let mut pause = Duration::from_micros(50);
    loop {
        match retry_on_intr(|| flock(&file, operation)) {
            Err(Errno::WOULDBLOCK) if Instant::now() < deadline => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(5));
            }
            answer => return answer,
        }
    }
}

/// Opens the file `name`, creates it if needed, and locks it.
///
/// Fails with `ESTALE` if the file lost its name before it was locked, and with `EWOULDBLOCK` if another process or
/// thread holds the lock.
pub(crate) fn lock_named(directory: impl AsFd, name: &str) -> Result<OwnedFd> {
    let file = openat(&directory, name, CREATE, PRIVATE)?;
    lock(&file)?;
    if is_named(&directory, name, &file) { Ok(file) } else { Err(Errno::STALE) }
}

/// Returns whether `name` still refers to the open file `file`.
pub(crate) fn is_named(directory: impl AsFd, name: &str, file: &OwnedFd) -> bool {
    let named = statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW);
    named.is_ok_and(|named| fstat(file).is_ok_and(|held| identity(&held) == identity(&named)))
}

/// Reads a whole file by its name in an open directory. Fails with `ESTALE` if it has more than `most` bytes.
pub(crate) fn read_file(directory: impl AsFd, name: &str, most: u64) -> Result<Vec<u8>> {
    let opened = open_regular(directory, Path::new(name)).map_err(|why| why.errno())?;
    opened.snapshot(most).map(|snapshot| snapshot.bytes).map_err(|why| why.errno())
}

/// Returns the names of the entries of a directory, sorted; leaves out names that are not UTF-8.
pub(crate) fn names(directory: BorrowedFd<'_>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        names.extend(entry?.file_name().to_str().ok().map(str::to_owned));
    }
    names.retain(|name| name != "." && name != "..");
    names.sort();
    Ok(names)
}
