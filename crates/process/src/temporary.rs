//! Directories for temporary files, one for each session: its confined programs find it as `/tmp`.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, flock, fstat, mkdirat, openat, statat};
use rustix::io::Errno;

use crate::session::SessionKey;

/// Prefix of their names, by which directories of killed servers are found.
const BEGINS: &str = "toolpost-tmp-";

/// The directories of a server; they are gone with it, or when the next one comes.
#[derive(Debug)]
pub(crate) struct Temporaries {
    place: PathBuf,
    server: String,
    made: Mutex<HashMap<SessionKey, Temporary>>,
}

/// A directory, and the lock that marks it as used.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    _lock: OwnedFd,
}

impl Temporaries {
    /// Creates an empty table, and removes the directories of servers that have ended.
    pub(crate) fn new(place: &Path, server: &str) -> Self {
        sweep(place);
        Self { place: place.to_owned(), server: server.to_owned(), made: Mutex::default() }
    }

    /// Returns the directory of a session; nothing if none can be made.
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

    /// Removes the directory of a session.
    pub(crate) fn forget(&self, session: &SessionKey) {
        if let Some(temporary) = self.lock().remove(session) {
            remove(&temporary.path);
        }
    }

    /// Removes all.
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
    // Somebody who takes it for left has the lock already, or has removed it.
    flock(&lock, FlockOperation::NonBlockingLockShared)?;
    let (here, opened) = (statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW)?, fstat(&lock)?);
    if (here.st_dev, here.st_ino) == (opened.st_dev, opened.st_ino) {
        Ok(Temporary { path, _lock: lock })
    } else {
        Err(Errno::NOENT)
    }
}

/// Removes what is ours by its name and its owner, and has no lock.
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

/// Removes a directory with all in it; what cannot be removed is met again by the next server.
#[expect(clippy::disallowed_methods, reason = "it belongs to this crate and lies in no root")]
fn remove(path: &Path) {
    let _ = std::fs::remove_dir_all(path);
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests look at the disk")]

    use super::*;
    use std::fs;

    #[test]
    fn they_are_gone_with_their_session_and_server() {
        let place = tempfile::tempdir().unwrap();
        let left = |number: usize| assert_eq!(fs::read_dir(place.path()).unwrap().count(), number);
        let session = |name: &str| SessionKey(name.to_owned());
        let first = Temporaries::new(place.path(), "one");
        let a = first.of(&session("a")).unwrap();
        assert_eq!(first.of(&session("a")), Some(a.clone()));
        assert_ne!(first.of(&session("b")), Some(a.clone()));
        fs::create_dir_all(a.join("x/y")).unwrap();
        left(2);
        // A locked directory stays, and one without a lock is removed.
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
