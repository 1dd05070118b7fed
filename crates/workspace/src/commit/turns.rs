//! Directory locks, which serialise commits of processes that do not share a state directory.
//!
//! Two users of one repository have two state directories, so the path locks of one do not affect the other.
//! Without directory locks, one process could overwrite a version that the other has written between the
//! check of a file and its replacement.

use std::collections::{BTreeMap, HashSet};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, fstat};
use rustix::io::Result;

use super::planned_step::PlannedStep;
use crate::dir_entry::DirEntry;
use crate::openat::{READ_DIRECTORY, open_at};
use crate::path::WorkspacePath;
use crate::private_files::lock_until;

/// Maximum number of directories of one commit that are locked.
const DIRECTORIES: usize = 32;

/// Maximum wait for the locks of all directories. Then the commit continues without the missing locks,
/// because another program may hold one for a long time.
const PATIENCE: Duration = Duration::from_millis(500);

/// The locked parent directories of the files of a commit.
pub(super) struct Turns {
    _locks: Vec<OwnedFd>,
}

impl Turns {
    /// Locks up to [`DIRECTORIES`] parent directories of the files of a commit, in the same order in all processes.
    /// Skips those that cannot be locked within [`PATIENCE`].
    pub(super) fn take(works: &[PlannedStep]) -> Self {
        let paths = works.iter().flat_map(|work| [Some(&work.path), work.to.as_ref()]).flatten();
        let mut directories = BTreeMap::new();
        for path in one_of_each_parent(paths) {
            if directories.len() == DIRECTORIES {
                break;
            }
            // Two paths can lead to the same directory, which is locked once.
            if let Ok((key, directory)) = parent(path) {
                directories.entry(key).or_insert(directory);
            }
        }
        let deadline = Instant::now() + PATIENCE;
        let is_locked = |directory: &OwnedFd| {
            lock_until(directory, FlockOperation::NonBlockingLockExclusive, deadline).is_ok()
        };
        let locks = directories.into_values().filter(is_locked);
        Self { _locks: locks.collect() }
    }
}

/// Returns the first path in each parent directory, so that a directory with many changed files is opened only
/// once.
fn one_of_each_parent<'p>(
    paths: impl Iterator<Item = &'p WorkspacePath>,
) -> impl Iterator<Item = &'p WorkspacePath> {
    let mut known = HashSet::new();
    paths.filter(move |path| known.insert(path.parent()))
}

fn parent(path: &WorkspacePath) -> Result<((u64, u64), OwnedFd)> {
    let entry = DirEntry::open(path)?;
    // An `O_PATH` descriptor cannot be locked, so the directory is opened again.
    let directory = open_at(&entry.directory, Path::new("."), READ_DIRECTORY, Mode::empty())?;
    Ok((crate::root::identity(&fstat(&directory)?), directory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, HistoryLimits, Options, Scope, Workspace};

    #[test]
    fn one_path_is_selected_per_parent_directory() {
        let base = tempfile::tempdir().unwrap();
        let options = Options {
            roots: vec![base.path().into()],
            state: None,
            home: None,
            durability: Durability::Kill,
            scope: Scope::Any,
            history: HistoryLimits::default(),
        };
        let workspace = Workspace::open(options).unwrap().0;
        let paths = ["a/1", "a/2", "b/1", "top", "a/3", "other"].map(|path| workspace.resolve(path).unwrap());
        let selected: Vec<String> = one_of_each_parent(paths.iter()).map(WorkspacePath::display).collect();
        assert_eq!(selected, ["a/1", "b/1", "top"]);
    }
}
