//! Directories for the temporary files of sandboxed programs, one for each session.
//!
//! Confined programs of a session see its directory as `/tmp`, or with Landlock only, as `TMPDIR`.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, flock, fstat, mkdirat, openat, statat};
use rustix::io::Errno;

use crate::session::SessionKey;

/// Prefix of the directory names, by which the directories of killed servers are found.
const BEGINS: &str = "toolpost-tmp-";

/// The temporary directories of a server. They are removed when the server exits or, if it was killed, by the
/// next server.
#[derive(Debug)]
pub(crate) struct Temporaries {
    place: PathBuf,
    server: String,
    made: Mutex<HashMap<SessionKey, Temporary>>,
}

/// A session's temporary directory, and the lock that marks it as in use.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    _lock: OwnedFd,
}

impl Temporaries {
    /// Creates an empty table for directories in `place`, whose names contain the name `server` of this server.
    /// Removes the temporary directories of exited servers from `place`.
    pub(crate) fn new(place: &Path, server: &str) -> Self {
        sweep(place);
        Self { place: place.to_owned(), server: server.to_owned(), made: Mutex::default() }
    }

    /// Returns the temporary directory of a session, and creates it if needed; `None` if it cannot be
    /// created.
    pub(crate) fn of(&self, session: &SessionKey) -> Option<PathBuf> {
        let mut made = self.lock();
        if let Some(temporary) = made.get(session) {
            return Some(temporary.path.clone());
        }
        let number = made.len();
        let names = (0..8).map(|again| format!("{BEGINS}{}-{number}-{again}", self.server));
        let temporary = names.map(|name| self.place.join(name)).find_map(|path| make(path).ok())?;
        let path = temporary.path.clone();
        made.insert(session.clone(), temporary);
        Some(path)
    }

    /// Removes the temporary directory of a session.
    pub(crate) fn forget(&self, session: &SessionKey) {
        if let Some(temporary) = self.lock().remove(session) {
            remove(&temporary.path);
        }
    }

    /// Removes the temporary directories of all sessions.
    pub(crate) fn forget_all(&self) {
        for (_, temporary) in self.lock().drain() {
            remove(&temporary.path);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Temporary>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Temporaries {
    fn drop(&mut self) {
        self.forget_all();
    }
}

fn make(path: PathBuf) -> Result<Temporary, Errno> {
    mkdirat(CWD, &path, Mode::RWXU)?;
    let lock = open(&path)?;
    // Another server may take the new directory for an abandoned one. If it holds the lock, locking fails. If it
    // has removed the directory, the locked directory is no longer the one at `path`.
    flock(&lock, FlockOperation::NonBlockingLockShared)?;
    let (here, opened) = (statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW)?, fstat(&lock)?);
    if (here.st_dev, here.st_ino) == (opened.st_dev, opened.st_ino) {
        Ok(Temporary { path, _lock: lock })
    } else {
        Err(Errno::NOENT)
    }
}

/// Removes the temporary directories of exited servers: unlocked directories of this user with the prefix
/// `BEGINS`.
fn sweep(place: &Path) {
    let Ok(entries) = open(place).and_then(Dir::read_from) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy();
        if !name.starts_with(BEGINS) {
            continue;
        }
        let path = place.join(&*name);
        let Ok(left) = open(&path) else { continue };
        let is_ours = fstat(&left).is_ok_and(|stat| stat.st_uid == rustix::process::geteuid().as_raw());
        if is_ours && flock(&left, FlockOperation::NonBlockingLockExclusive).is_ok() {
            remove(&path);
        }
    }
}

fn open(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty())
}

/// Removes a directory with its content; the next server retries anything that cannot be removed.
#[expect(clippy::disallowed_methods, reason = "the directory belongs to this crate and is in no root")]
fn remove(path: &Path) {
    let _ = std::fs::remove_dir_all(path);
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests look at the disk")]

    use super::*;
    use std::fs;

    #[test]
    fn temporary_directories_are_removed_with_session_and_server() {
        let place = tempfile::tempdir().unwrap();
        let left = |number: usize| assert_eq!(fs::read_dir(place.path()).unwrap().count(), number);
        let session = |name: &str| SessionKey(name.to_owned());
        let first = Temporaries::new(place.path(), "one");
        let a = first.of(&session("a")).unwrap();
        assert_eq!(first.of(&session("a")), Some(a.clone()));
        assert_ne!(first.of(&session("b")), Some(a.clone()));
        fs::create_dir_all(a.join("x/y")).unwrap();
        left(2);
        // A locked directory stays; a directory without a lock is removed.
        fs::create_dir_all(place.path().join("toolpost-tmp-dead/x")).unwrap();
        fs::create_dir(place.path().join("another")).unwrap();
        let second = Temporaries::new(place.path(), "two");
        left(3);
        second.of(&session("a")).unwrap();
        left(4);
        first.forget(&session("a"));
        left(3);
        drop(first);
        left(2);
        second.forget_all();
        left(1);
        assert_eq!(Temporaries::new(Path::new("/no/such"), "three").of(&session("a")), None);
    }
}
