//! Files whose change is reported: what they were like when a program started, compared with what they are like now.

use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, statat};

use crate::sandbox::{Access, Sandbox, UNFINISHED};

/// The files that are looked at, as they were when a program started.
#[derive(Debug, Default)]
pub(crate) struct ReportedFiles {
    before: Vec<(PathBuf, Option<Print>)>,
}

/// By this it is known whether a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Print {
    inode: u64,
    size: i64,
    changed: (i64, u64),
}

impl ReportedFiles {
    /// Records the state of the files that a plan wants reported. Without a sandbox, or if the program may change nothing, there are none.
    pub(crate) fn new(sandbox: &Sandbox) -> Self {
        let Sandbox::On(plan) = sandbox else { return Self::default() };
        if plan.access == Access::Read {
            return Self::default();
        }
        let unfinished = UNFINISHED.iter().map(PathBuf::from);
        let names: Vec<PathBuf> = plan.reported.iter().cloned().chain(unfinished).collect();
        let paths = plan.roots.iter().flat_map(|root| names.iter().map(|name| root.join(name)));
        Self { before: paths.map(|path| (path.clone(), Print::of(&path))).collect() }
    }

    /// Lists what was created or changed since.
    pub(crate) fn changed(&self) -> Vec<PathBuf> {
        let is_changed = |(path, before): &&(PathBuf, Option<Print>)| {
            let now = Print::of(path);
            now.is_some() && now != *before
        };
        self.before.iter().filter(is_changed).map(|(path, _)| path.clone()).collect()
    }
}

impl Print {
    fn of(path: &Path) -> Option<Self> {
        let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Self { inode: stat.st_ino, size: stat.st_size, changed: (stat.st_ctime, stat.st_ctime_nsec) })
    }
}
