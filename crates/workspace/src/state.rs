//! The state directory: locks, journals with backups, the history, and liveness files (locked while a
//! workspace is open).
#![expect(clippy::disallowed_types, reason = "this module accesses the disk")]

use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, fsync, open, openat, renameat, unlinkat};
use rustix::io::{Errno, Result, retry_on_intr};

use crate::fault::SystemError;
use crate::journal::{Journal, LONGEST};
use crate::options::HistoryLimits;
use crate::private_files::{CREATE, PRIVATE, is_named, lock, lock_named, names, read_file};
use crate::process_id::{ProcessId, unique};
use crate::seal::{Seal, SealKey};
use crate::store::Store;
use crate::system::sync_bytes;

/// The open state directory, with a liveness file that stays locked as long as this workspace is open.
pub(crate) struct State {
    path: PathBuf,
    locks: Arc<OwnedFd>,
    journals: OwnedFd,
    live: OwnedFd,
    id: String,
    /// The liveness file. The system releases its lock when the process ends.
    _sign: Option<OwnedFd>,
    next: AtomicU64,
    key: SealKey,
    history: std::result::Result<Option<Store>, SystemError>,
}

/// State of the workspace that has written a journal: still open, or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Liveness {
    Alive,
    Dead,
    /// The liveness file is missing or cannot be locked; the caller checks the PID of the owner instead.
    Unknown,
}

impl State {
    /// Describes the access of other users to a state directory; `None` if only this user can write to it, or it cannot
    /// be opened, for example because it does not exist.
    ///
    /// No other user may write there, because Toolpost trusts the records and journals in the directory when it
    /// undoes or recovers changes.
    pub(crate) fn shared_with(path: &Path) -> Option<String> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let stat = open(path, flags, Mode::empty()).and_then(rustix::fs::fstat).ok()?;
        let own = rustix::process::geteuid().as_raw();
        if stat.st_uid != own {
            return Some(format!("it belongs to user {}, and this process runs as user {own}", stat.st_uid));
        }
        let others = stat.st_mode & (Mode::WGRP | Mode::WOTH).as_raw_mode();
        (others != 0).then(|| format!("other users can write to it (mode {:04o})", stat.st_mode & 0o7777))
    }

    pub(crate) fn open(path: &Path, history: HistoryLimits) -> std::result::Result<Self, SystemError> {
        let part = |name: &str| -> std::result::Result<OwnedFd, SystemError> {
            let part = path.join(name);
            DirBuilder::new().recursive(true).mode(0o700).create(&part)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(retry_on_intr(|| open(&part, flags, Mode::empty()))?)
        };
        let (locks, journals, live) = (part("locks")?, part("journals")?, part("live")?);
        let id = format!("{}-{}", ProcessId::this().pid, unique());
        let sign = sign_of_life(&live, &id)?;
        let top = open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let key = SealKey::open(&top)?;
        let history = match history.bytes {
            0 => Ok(None),
            _ => Store::open(top.as_fd(), history, key.clone()).map(Some).map_err(SystemError::from),
        };
        let next = AtomicU64::new(0);
        let (path, locks) = (path.into(), locks.into());
        Ok(Self { path, locks, journals, live, id, _sign: sign, next, key, history })
    }

    /// Returns the history, if it is enabled and usable.
    pub(crate) fn history(&self) -> Option<&Store> {
        self.history.as_ref().ok().and_then(Option::as_ref)
    }

    /// Returns the history if it is enabled, or the error that makes it unusable.
    pub(crate) fn history_or_fault(&self) -> std::result::Result<Option<&Store>, SystemError> {
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

    /// Returns the path of a file in the journal directory, for messages.
    pub(crate) fn shown(&self, name: &str) -> String {
        toolpost_text::escape::name(self.path.join("journals").join(name).as_os_str().as_bytes()).into_owned()
    }

    /// Returns the name of a new journal: the id of the open workspace and a number.
    pub(crate) fn journal_name(&self) -> String {
        format!("{}.{}", self.id, self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Writes a file into the journal directory atomically.
    pub(crate) fn write(&self, name: &str, bytes: &[u8], sync: Sync) -> Result<()> {
        let fresh = format!("{name}.new");
        let written = (|| {
            let mut file = File::from(openat(&self.journals, &fresh, CREATE | OFlags::TRUNC, PRIVATE)?);
            file.write_all(bytes).map_err(|error| SystemError::from(error).errno())?;
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

    /// Syncs the directory of journals to the disk.
    pub(crate) fn sync_journals(&self) -> Result<()> {
        fsync(&self.journals)
    }

    /// Reads a file in the journal directory.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>> {
        read_file(&self.journals, name, u64::MAX - 1)
    }

    /// Writes a journal with its seal. Fails with `EFBIG` if the journal is too long to be read again.
    pub(crate) fn write_journal(&self, name: &str, journal: &Journal, sync: Sync) -> Result<()> {
        let bytes = self.key.seal(&serde_json::to_vec(journal).map_err(|_| Errno::INVAL)?);
        if bytes.len() as u64 > LONGEST {
            return Err(Errno::FBIG);
        }
        self.write(name, &bytes, sync)
    }

    /// Reads a journal, and checks its seal.
    pub(crate) fn read_journal(&self, name: &str) -> Result<(Vec<u8>, Seal)> {
        let bytes = read_file(&self.journals, name, LONGEST)?;
        let seal = self.key.check(&bytes);
        Ok((bytes, seal))
    }

    /// Replaces a journal with one that contains the remaining steps. If that fails, the earlier journal still contains
    /// these steps.
    pub(crate) fn write_down(&self, journal: &Journal, file: &str) {
        let _ = self.write_journal(file, journal, Sync::Disk);
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<()> {
        renameat(&self.journals, from, &self.journals, to)
    }

    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        unlinkat(&self.journals, name, AtFlags::empty())
    }

    /// Returns the names of all files in the journal directory, sorted; none if it cannot be read.
    pub(crate) fn journal_files(&self) -> Vec<String> {
        names(self.journals()).unwrap_or_default()
    }

    /// Returns the state of the workspace that has written a journal: open, closed or unknown.
    pub(crate) fn liveness(&self, journal: &str) -> Liveness {
        let id = journal.split('.').next().unwrap_or_default();
        if id == self.id {
            return Liveness::Alive;
        }
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let Ok(sign) = openat(&self.live, id, flags, Mode::empty()) else { return Liveness::Unknown };
        match lock(&sign) {
            Ok(()) => Liveness::Dead,
            Err(Errno::WOULDBLOCK) => Liveness::Alive,
            Err(_) => Liveness::Unknown,
        }
    }

    /// Removes the liveness files, except those of workspaces that left journals, and the lock files of processes that
    /// have ended.
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
                // Another process may have replaced the file with a new one of the same name, and locked the new file.
                // The new file must not be removed.
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

/// Required durability of a file in the journal directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sync {
    /// The file is not synced: it survives a crash of this process, but may not survive a power loss.
    Cache,
    /// The content is synced, so that it survives a power loss, but the name may not.
    Disk,
    /// The content and the name of the file are synced, so that both survive a power loss.
    DiskAndName,
}

/// Creates and locks the liveness file; `None` if the file system has no locks.
fn sign_of_life(live: &OwnedFd, id: &str) -> std::result::Result<Option<OwnedFd>, SystemError> {
    loop {
        match lock_named(live, id) {
            Ok(sign) => return Ok(Some(sign)),
            // A sweep (the removal of files of dead processes) mistook the new file for an abandoned one, so the loop
            // creates it again.
            Err(Errno::STALE | Errno::WOULDBLOCK) => std::thread::yield_now(),
            Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn sweep_does_not_remove_a_held_lock_file() {
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
