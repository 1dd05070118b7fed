//! Locks on the names of files, within this process and between processes.

use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::{Errno, fcntl_dupfd_cloexec};

use crate::fault::SystemError;
use crate::path::WorkspacePath;
use crate::private_files::lock_named;
use crate::read::stat_at;
use crate::state::State;

/// Key of a lock: a name in a directory, independent of the path that leads to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    device: u64,
    inode: u64,
    name: Vec<u8>,
}

impl Key {
    /// Returns the key of a path. If the parent directory does not exist, the key uses the nearest existing
    /// directory above it and the rest of the path.
    pub(crate) fn of(path: &WorkspacePath) -> Self {
        let relative = path.relative();
        let mut directory = relative.parent().unwrap_or(Path::new("")).to_path_buf();
        loop {
            match stat_at(path.root(), &directory) {
                Ok(stat) => return Self::new(stat.device, stat.inode, relative, &directory),
                Err(_) if directory.as_os_str().is_empty() => {
                    let (device, inode) = path.root().identity();
                    return Self::new(device, inode, relative, &directory);
                }
                Err(_) => {
                    directory = directory.parent().map(Path::to_path_buf).unwrap_or_default();
                }
            }
        }
    }

    fn new(device: u64, inode: u64, relative: &Path, directory: &Path) -> Self {
        let rest = relative.strip_prefix(directory).unwrap_or(relative).as_os_str().as_bytes();
        // Letter case is ignored, because some file systems ignore it. On other file systems, one lock for
        // two names is harmless.
        let name = match std::str::from_utf8(rest) {
            Ok(rest) => rest.to_lowercase().into_bytes(),
            Err(_) => rest.to_vec(),
        };
        Self { device, inode, name }
    }

    fn file(&self) -> String {
        let mut hasher = crate::hash::Hasher::default();
        hasher.update(&self.device.to_le_bytes());
        hasher.update(&self.inode.to_le_bytes());
        hasher.update(&self.name);
        hasher.finish().to_hex()[..32].to_owned()
    }
}

/// The locks of one [`PathLock`](crate::PathLock), released on drop.
#[derive(Debug)]
pub(crate) struct Locks {
    // Must be dropped first. Otherwise a waiting thread of this process could find its key free while the
    // lock file is still locked.
    files: Vec<LockFile>,
    _here: ProcessLocks,
    /// Error because of which other processes can change the locked paths. `None` if the locks exclude them,
    /// or if there is no state directory for lock files.
    pub(crate) without: Option<SystemError>,
}

/// Errors of acquiring locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockError {
    /// Another thread or process holds the lock of the key at this index.
    Held(usize),
    /// The process or the system has reached its limit on open files.
    TooMany(SystemError),
}

/// Number of file descriptors that must stay available after taking many locks.
const SPARE: usize = 64;

impl Locks {
    /// Acquires the locks of all keys, or none; waits until `deadline`. If lock files cannot be used, the locks exclude
    /// only this process, and `without` contains the error.
    pub(crate) fn take(keys: &[Key], state: Option<&State>, deadline: Instant) -> Result<Self, LockError> {
        let here = ProcessLocks::take(keys, deadline).map_err(LockError::Held)?;
        let mut locks = Self { files: Vec::new(), _here: here, without: None };
        let Some(state) = state else { return Ok(locks) };
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|position| &keys[*position]);
        order.dedup_by_key(|position| &keys[*position]);
        for position in order {
            match LockFile::take(state.locks(), keys[position].file(), deadline) {
                Ok(file) => locks.files.push(file),
                Err(Errno::WOULDBLOCK) => return Err(LockError::Held(position)),
                Err(errno @ (Errno::MFILE | Errno::NFILE)) => return Err(LockError::TooMany(errno.into())),
                Err(errno) => {
                    locks.without = Some(errno.into());
                    break;
                }
            }
        }
        if locks.files.len() > SPARE {
            let spare = (0..SPARE).map(|_| fcntl_dupfd_cloexec(state.locks(), 0));
            spare.collect::<Result<Vec<_>, _>>().map_err(|errno| LockError::TooMany(errno.into()))?;
        }
        Ok(locks)
    }
}

impl Drop for Locks {
    fn drop(&mut self) {
        self.files.clear();
    }
}

#[derive(Debug)]
struct LockFile {
    directory: Arc<OwnedFd>,
    name: String,
    _file: OwnedFd,
}

impl LockFile {
    fn take(directory: &Arc<OwnedFd>, name: String, deadline: Instant) -> Result<Self, Errno> {
        let mut pause = Duration::from_micros(200);
        loop {
            match lock_named(directory, &name) {
                Ok(file) => return Ok(Self { directory: Arc::clone(directory), name, _file: file }),
                Err(Errno::WOULDBLOCK) if Instant::now() < deadline => {}
                Err(Errno::STALE) => continue,
                Err(errno) => return Err(errno),
            }
            sleep(pause.min(deadline.saturating_duration_since(Instant::now())));
            pause = (pause * 2).min(Duration::from_millis(3));
        }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // The file is removed while it is still locked. A waiting process notices that its file has lost its
        // name, and opens a new one.
        let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
    }
}

/// Keys that a [`Locks`] value holds within this process, in any workspace; released on drop.
#[derive(Debug)]
struct ProcessLocks(Vec<Key>);

static TABLE: LazyLock<(Mutex<HashSet<Key>>, Condvar)> = LazyLock::new(Default::default);

impl ProcessLocks {
    fn take(keys: &[Key], deadline: Instant) -> Result<Self, usize> {
        let (table, freed) = &*TABLE;
        let mut held = table.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(position) = keys.iter().position(|key| held.contains(key)) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(position);
            }
            held = freed.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        held.extend(keys.iter().cloned());
        Ok(Self(keys.to_vec()))
    }
}

impl Drop for ProcessLocks {
    fn drop(&mut self) {
        let (table, freed) = &*TABLE;
        let mut held = table.lock().unwrap_or_else(PoisonError::into_inner);
        for key in &self.0 {
            held.remove(key);
        }
        freed.notify_all();
    }
}
