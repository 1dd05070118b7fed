//! The files that a sandbox plan asks to report if they change: their state when a program started, compared
//! with the current state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, statat};
use toolpost_sandbox::{Access, Plan, Sandbox, reported_files};

/// The files that a sandbox plan asks to report if they change, with their state when a program started.
#[derive(Debug, Default)]
pub(crate) struct ReportedFiles {
    /// The plan that lists the files to report; `None` if no file is reported.
    plan: Option<Plan>,
    before: BTreeMap<PathBuf, Print>,
}

/// The metadata of a file that shows whether it has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Print {
    inode: u64,
    size: i64,
    changed: (i64, u64),
}

impl ReportedFiles {
    /// Records the state of the files that a sandbox plan asks to report. Records none without a sandbox, or
    /// if the program has only read access.
    pub(crate) fn new(sandbox: &Sandbox) -> Self {
        match sandbox {
            Sandbox::On(plan) if plan.access != Access::Read => {
                let nested = plan.nested.for_each_search();
                Self { before: prints(plan), plan: Some(Plan { nested, ..plan.clone() }) }
            }
            Sandbox::On(_) | Sandbox::Off => Self::default(),
        }
    }

    /// Lists those of the files that were created or changed since the program started. Searches the roots, so
    /// it blocks.
    pub(crate) fn changed(&self) -> Vec<PathBuf> {
        let now = self.plan.as_ref().map(prints).unwrap_or_default();
        let changed = now.into_iter().filter(|(path, print)| self.before.get(path) != Some(print));
        changed.map(|(path, _)| path).collect()
    }
}

/// Returns the state of the existing files that a plan wants reported.
fn prints(plan: &Plan) -> BTreeMap<PathBuf, Print> {
    let prints = reported_files(plan).into_iter();
    prints.filter_map(|path| Print::of(&path).map(|print| (path, print))).collect()
}

impl Print {
    fn of(path: &Path) -> Option<Self> {
        let stat = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Self { inode: stat.st_ino, size: stat.st_size, changed: (stat.st_ctime, stat.st_ctime_nsec) })
    }
}
