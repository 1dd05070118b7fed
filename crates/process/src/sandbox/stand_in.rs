//! Stand-ins for protected names that are missing: they hold the name while a program runs, and go with it.
//!
//! A name can only be kept from a program by something that stands there. A stand-in is an empty directory that nobody
//! may write to, with the sticky bit: version control does not see it. Within a repository's own directory it is a
//! file that changes nothing. Whoever has stand-ins in a root shares a lock on it; who can have it alone is the last
//! and takes them away, also those that somebody left who was killed.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, ResolveFlags, Stat, flock, fstat, linkat, mkdirat,
    openat, openat2, unlinkat,
};
use rustix::io::Errno;

use crate::sandbox::host;
use crate::sandbox::pins::Belongs;

/// How long somebody who takes stand-ins away is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// By this a stand-in is known: the sticky bit, and no right to write.
const MARK: u32 = 0o1000;
const MARKED: u32 = 0o1222;

/// The stand-ins of one root, and the lock on it.
#[derive(Debug)]
pub(crate) struct StandIns {
    root: OwnedFd,
    names: Vec<CString>,
}

/// What became of the wish to hold a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// Something stands there.
    Held,
    /// Nobody could make it anyway, or what would give it a meaning is missing too.
    NotNeeded,
}

impl StandIns {
    /// Takes part in the lock on a root.
    pub(crate) fn new(root: OwnedFd) -> Result<Self, Errno> {
        let start = Instant::now();
        loop {
            match flock(&root, FlockOperation::NonBlockingLockShared) {
                Err(Errno::AGAIN) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                locked => return locked.map(|()| Self { root, names: Vec::new() }),
            }
        }
    }

    /// Says whether there is nothing to take away.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Gives the descriptor that holds the lock.
    pub(crate) fn lock(&self) -> RawFd {
        self.root.as_raw_fd()
    }

    /// Puts a stand-in where a name is missing.
    pub(crate) fn hold(&mut self, path: &Path, belongs: Belongs) -> Result<Made, Errno> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)?;
        let above = path.parent().unwrap_or(Path::new(""));
        let above = match host::beneath(&self.root, above) {
            Ok(above) => above,
            // Without a repository there is nothing that would read it.
            Err(Errno::NOENT) if belongs == Belongs::ToRepository => return Ok(Made::NotNeeded),
            Err(errno) => return Err(errno),
        };
        let last = path.file_name().map(OsStrExt::as_bytes).and_then(|last| CString::new(last).ok());
        let last = last.ok_or(Errno::INVAL)?;
        let made = if belongs == Belongs::ToRepository && !path.ends_with("hooks") {
            file(&above, &last, content(path))
        } else {
            mkdirat(&above, &last, Mode::from_raw_mode(0o1555))
        };
        match made {
            // If somebody was faster, it stands there too; whether it is a stand-in is asked when all have gone.
            Ok(()) | Err(Errno::EXIST) => {
                self.names.push(name);
                Ok(Made::Held)
            }
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Ok(Made::NotNeeded),
            Err(errno) => Err(errno),
        }
    }

    /// Also takes away what stands there already, if it was left by somebody.
    pub(crate) fn adopt(&mut self, path: &Path) {
        let is_left = host::beneath(&self.root, path)
            .and_then(|file| fstat(&file))
            .is_ok_and(|stat| is_stand_in(&stat));
        if let Some(name) = CString::new(path.as_os_str().as_bytes()).ok().filter(|_| is_left) {
            self.names.push(name);
        }
    }

    /// Takes the stand-ins away unless somebody else still needs them; allocates nothing.
    pub(crate) fn release(&self) {
        if flock(&self.root, FlockOperation::NonBlockingLockExclusive).is_err() {
            return;
        }
        for name in self.names.iter().rev() {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            let Ok(file) = openat2(&self.root, name.as_c_str(), flags, Mode::empty(), resolve) else {
                continue;
            };
            let Ok(stat) = fstat(&file) else { continue };
            if is_stand_in(&stat) {
                let is_directory = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
                let flags = if is_directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
                // A directory that somebody filled is no stand-in any more, and stays.
                let _ = unlinkat(&self.root, name.as_c_str(), flags);
            }
        }
    }
}

fn is_stand_in(stat: &Stat) -> bool {
    let is_small = FileType::from_raw_mode(stat.st_mode) == FileType::Directory || stat.st_size <= 2;
    stat.st_mode & MARKED == MARK && is_small && stat.st_uid == rustix::process::geteuid().as_raw()
}

/// A repository's directory that says of itself that it is the common one is as if it said nothing.
fn content(path: &Path) -> &'static [u8] {
    if path.ends_with("commondir") { b".\n" } else { b"" }
}

/// Makes a file that has its content and its mark from the beginning.
fn file(above: &OwnedFd, name: &CStr, content: &[u8]) -> Result<(), Errno> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = openat(above, c".", flags, Mode::from_raw_mode(0o1444))?;
    rustix::io::write(&file, content)?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(rustix::fs::CWD, path, above, name, AtFlags::SYMLINK_FOLLOW)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests look at the disk")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn open(path: &Path) -> OwnedFd {
        fs::File::open(path).unwrap().into()
    }

    fn belongs(name: &str) -> Belongs {
        if name.contains('/') { Belongs::ToRepository } else { Belongs::Elsewhere }
    }

    fn listed(path: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(path)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let mode = entry.metadata().unwrap().permissions().mode();
                format!("{} {:o}", entry.file_name().to_string_lossy(), mode & 0o1222)
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_last_one_takes_them_away() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(".git")).unwrap();
        fs::create_dir(root.path().join(".idea")).unwrap();
        let names = [".envrc", ".git/commondir", ".git/hooks", ".hg/hgrc"];
        let hold = |path: &Path| {
            let mut held = StandIns::new(open(path)).unwrap();
            let made = names.map(|name| held.hold(Path::new(name), belongs(name)).unwrap());
            assert_eq!(made, [Made::Held, Made::Held, Made::Held, Made::NotNeeded]);
            assert_eq!(held.hold(Path::new("no/such"), Belongs::Elsewhere), Err(Errno::NOENT));
            held
        };
        let (first, second) = (hold(root.path()), hold(root.path()));
        let with = [".envrc 1000", ".git 200", ".idea 200"];
        assert_eq!(listed(root.path()), with);
        assert_eq!(listed(&root.path().join(".git")), ["commondir 1000", "hooks 1000"]);
        assert_eq!(fs::read(root.path().join(".git/commondir")).unwrap(), b".\n");
        first.release();
        drop(first);
        assert_eq!(listed(root.path()), with);
        second.release();
        assert_eq!(listed(root.path()), [".git 200", ".idea 200"]);
        assert_eq!(listed(&root.path().join(".git")), Vec::<String>::new());
    }

    #[test]
    fn what_was_left_is_found_and_what_is_the_users_stays() {
        let root = tempfile::tempdir().unwrap();
        let mut left = StandIns::new(open(root.path())).unwrap();
        left.hold(Path::new(".envrc"), Belongs::Elsewhere).unwrap();
        left.hold(Path::new(".idea"), Belongs::Elsewhere).unwrap();
        // It was killed; and somebody has made a stand-in his own.
        drop(left);
        fs::set_permissions(root.path().join(".idea"), fs::Permissions::from_mode(0o755)).unwrap();
        let mut next = StandIns::new(open(root.path())).unwrap();
        next.adopt(Path::new(".envrc"));
        next.adopt(Path::new(".idea"));
        next.release();
        assert_eq!(listed(root.path()), [".idea 200"]);
    }
}
