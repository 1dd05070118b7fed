//! The state directory: locks, journals with the backups of rewritten files, signs of life, and the history.
#![expect(clippy::disallowed_types, reason = "the disk door")]

use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Dir, FlockOperation, Mode, OFlags, flock, fstat, fsync, open, openat, renameat, statat, unlinkat,
};
use rustix::io::{Errno, Result, retry_on_intr};

use crate::fault::Fault;
use crate::history::Store;
use crate::options::HistoryLimits;
use crate::owner::{Owner, unique};
use crate::root::identity;
use crate::system::sync_bytes;

/// The state directory of this user, open, and this workspace's sign of life in it.
pub(crate) struct State {
    path: PathBuf,
    locks: Arc<OwnedFd>,
    journals: OwnedFd,
    live: OwnedFd,
    id: String,
    /// Locked as long as this process uses the directory; the lock goes with the process.
    _sign: Option<OwnedFd>,
    next: AtomicU64,
    history: std::result::Result<Option<Store>, Fault>,
}

/// Whether the process that a file of the state directory belongs to is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    Living,
    Dead,
    /// Locks do not tell: ask for its process number.
    Unknown,
}

impl State {
    /// Returns who else owns a state directory or may write to it; nothing if nobody does, or if it does not exist.
    ///
    /// What stands there is believed: records of changes that can be undone, and journals of changes to complete.
    pub(crate) fn shared_with(path: &Path) -> Option<String> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let stat = open(path, flags, Mode::empty()).and_then(fstat).ok()?;
        let own = rustix::process::geteuid().as_raw();
        if stat.st_uid != own {
            return Some(format!("it belongs to user {}, and this process runs as user {own}", stat.st_uid));
        }
        let others = stat.st_mode & (Mode::WGRP | Mode::WOTH).as_raw_mode();
        (others != 0).then(|| format!("others may write to it (mode {:04o})", stat.st_mode & 0o7777))
    }

    pub(crate) fn open(path: &Path, history: HistoryLimits) -> std::result::Result<Self, Fault> {
        let part = |name: &str| -> std::result::Result<OwnedFd, Fault> {
            let part = path.join(name);
            DirBuilder::new().recursive(true).mode(0o700).create(&part)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(retry_on_intr(|| open(&part, flags, Mode::empty()))?)
        };
        let (locks, journals, live) = (part("locks")?, part("journals")?, part("live")?);
        let id = format!("{}-{}", Owner::this().pid, unique());
        let sign = sign_of_life(&live, &id)?;
        let history = match history.bytes {
            0 => Ok(None),
            _ => open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
                .and_then(|top| Store::open(top.as_fd(), history))
                .map(Some)
                .map_err(Fault::from),
        };
        let next = AtomicU64::new(0);
        Ok(Self { path: path.into(), locks: locks.into(), journals, live, id, _sign: sign, next, history })
    }

    /// Returns the history, where one is kept and can be.
    pub(crate) fn history(&self) -> Option<&Store> {
        self.history.as_ref().ok().and_then(Option::as_ref)
    }

    /// Returns the history, where one is kept, or why it cannot be.
    pub(crate) fn history_or_fault(&self) -> std::result::Result<Option<&Store>, Fault> {
        self.history.as_ref().map(Option::as_ref).map_err(|fault| *fault)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn locks(&self) -> &Arc<OwnedFd> {
        &self.locks
    }

    pub(crate) fn journals(&self) -> BorrowedFd<'_> {
        self.journals.as_fd()
    }

    /// Returns where a file of the journals lies, for a person.
    pub(crate) fn shown(&self, name: &str) -> String {
        toolpost_text::escape::name(self.path.join("journals").join(name).as_os_str().as_bytes()).into_owned()
    }

    /// Returns the name of a new journal: who it belongs to, then a number.
    pub(crate) fn journal_name(&self) -> String {
        format!("{}.{}", self.id, self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Writes a file of the journals; it appears whole or not at all.
    pub(crate) fn write(&self, name: &str, bytes: &[u8], sync: Sync) -> Result<()> {
        let fresh = format!("{name}.new");
        let written = (|| {
            let mut file = File::from(openat(&self.journals, &fresh, CREATE | OFlags::TRUNC, PRIVATE)?);
            file.write_all(bytes).map_err(|error| Fault::from(error).errno())?;
            if sync != Sync::Cache {
                sync_bytes(&file)?;
            }
            renameat(&self.journals, &fresh, &self.journals, name)?;
            if sync == Sync::DiskAndName { self.sync_journals() } else { Ok(()) }
        })();
        if written.is_err() {
            let _ = unlinkat(&self.journals, &fresh, AtFlags::empty());
        }
        written
    }

    /// Makes the names of the journals survive the loss of power.
    pub(crate) fn sync_journals(&self) -> Result<()> {
        fsync(&self.journals)
    }

    /// Reads a file of the journals.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>> {
        let opened = crate::read::open_regular(&self.journals, Path::new(name)).map_err(|why| why.errno())?;
        opened.snapshot(u64::MAX - 1).map(|snapshot| snapshot.bytes).map_err(|why| why.errno())
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<()> {
        renameat(&self.journals, from, &self.journals, to)
    }

    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        unlinkat(&self.journals, name, AtFlags::empty())
    }

    /// Names all files of the journals, sorted.
    pub(crate) fn journal_files(&self) -> Vec<String> {
        names(self.journals()).unwrap_or_default()
    }

    /// Says whether the workspace that a journal's name begins with is still open somewhere.
    pub(crate) fn life(&self, journal: &str) -> Life {
        let id = journal.split('.').next().unwrap_or_default();
        if id == self.id {
            return Life::Living;
        }
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let Ok(sign) = openat(&self.live, id, flags, Mode::empty()) else { return Life::Unknown };
        match lock(&sign) {
            Ok(()) => Life::Dead,
            Err(Errno::WOULDBLOCK) => Life::Living,
            Err(_) => Life::Unknown,
        }
    }

    /// Removes the signs and lock files of processes that are gone.
    pub(crate) fn sweep(&self) {
        for (directory, journals) in
            [(self.live.as_fd(), self.journal_files()), (self.locks.as_fd(), Vec::new())]
        {
            for name in names(directory).unwrap_or_default() {
                let needed = journals.iter().any(|journal| journal.split('.').next() == Some(name.as_str()));
                if name == self.id || needed {
                    continue;
                }
                let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
                let Ok(file) = openat(directory, &name, flags, Mode::empty()) else { continue };
                // Meanwhile another process may have made and locked a new file of that name.
                if lock(&file).is_ok() && is_named(directory, &name, &file) {
                    let _ = unlinkat(directory, &name, AtFlags::empty());
                }
            }
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _ = unlinkat(&self.live, &self.id, AtFlags::empty());
    }
}

/// Whether something written must be on the disk before going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sync {
    /// It need not be: where a change is one stroke, there is nothing to put right.
    Cache,
    Disk,
    /// Its name too, as only the loss of power asks for.
    DiskAndName,
}

pub(crate) const CREATE: OFlags =
    OFlags::RDWR.union(OFlags::CREATE).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
pub(crate) const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);

/// Takes the lock of an open file, or says at once that another has it.
fn lock(file: impl AsFd) -> Result<()> {
    retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive))
}

/// Takes the lock of a named file, making the file if need be.
///
/// `ESTALE` says that the file lost its name before it could be locked, `EAGAIN` that another has the lock.
pub(crate) fn lock_named(directory: impl AsFd, name: &str) -> Result<OwnedFd> {
    let file = openat(&directory, name, CREATE, PRIVATE)?;
    lock(&file)?;
    if is_named(&directory, name, &file) { Ok(file) } else { Err(Errno::STALE) }
}

/// Says whether an open file is the one that has a name.
fn is_named(directory: impl AsFd, name: &str, file: &OwnedFd) -> bool {
    let named = statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW);
    named.is_ok_and(|named| fstat(file).is_ok_and(|held| identity(&held) == identity(&named)))
}

/// Makes and locks the file that says that this workspace is open; without locks there is nothing to hold.
fn sign_of_life(live: &OwnedFd, id: &str) -> std::result::Result<Option<OwnedFd>, Fault> {
    loop {
        match lock_named(live, id) {
            Ok(sign) => return Ok(Some(sign)),
            // Somebody sweeps right now, and took the new file for a dead one.
            Err(Errno::STALE | Errno::WOULDBLOCK) => std::thread::yield_now(),
            Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Names what is in a directory, sorted.
pub(crate) fn names(directory: BorrowedFd<'_>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        names.extend(entry?.file_name().to_str().ok().map(str::to_owned));
    }
    names.retain(|name| name != "." && name != "..");
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn the_sweep_takes_no_lock_that_is_held() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(directory.path(), HistoryLimits::default()).unwrap();
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    state.sweep();
                }
            });
            let mut lost = 0;
            for _ in 0..20_000 {
                let Ok(held) = lock_named(state.locks(), "a") else { continue };
                std::thread::yield_now();
                lost += usize::from(!is_named(state.locks(), "a", &held));
                let _ = unlinkat(state.locks(), "a", AtFlags::empty());
            }
            ended.store(true, Ordering::Relaxed);
            assert_eq!(lost, 0);
        });
    }
}
