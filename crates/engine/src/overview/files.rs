//! Records of the files of a workspace, cached until the files change.

mod entries;
mod gather;
mod record;
mod write;

pub(crate) use gather::{Gathered, gather};
pub(crate) use record::{Limits, Record, Why};
pub(crate) use write::write;

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use toolpost_search::{Hidden, Prune, Rules};
use toolpost_workspace::{ContentHash, Watch, WatchChanges, Workspace, WorkspacePath, walk::Options};

/// The cached records of the files of a workspace.
#[derive(Default)]
pub(crate) struct Projects(Mutex<Known>, AtomicBool);

#[derive(Default)]
struct Known {
    watch: Option<(Rules, Watch)>,
    /// Files that have not changed since they were read.
    current: HashMap<WorkspacePath, ContentHash>,
    /// Records by content and file name; the same content can mean something else under another name.
    made: HashMap<Made, Arc<Record>>,
}

/// A content, under the name of its file.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Made {
    pub(crate) name: String,
    pub(crate) hash: ContentHash,
}

/// The number of contents that are kept in excess of the number of files.
const SPARE: usize = 2_000;

impl Projects {
    /// Returns the number of files that have a record, out of a total, and the number that do not.
    pub(crate) fn progress(&self, files: usize) -> (usize, usize) {
        let known = self.lock().current.len().min(files);
        (known, files - known)
    }

    /// Claims the work in the background; returns false if it is already in progress.
    pub(crate) fn begin(&self) -> bool {
        !self.1.swap(true, Ordering::AcqRel)
    }

    /// Releases the claim on the work in the background.
    pub(crate) fn end(&self) {
        self.1.store(false, Ordering::Release);
    }

    /// Drops the files that may have changed; changes to files that are read from now on will be noticed.
    pub(crate) fn refresh(&self, workspace: &Workspace, rules: Rules) {
        let mut known = self.lock();
        if known.watch.as_ref().is_none_or(|(own, _)| *own != rules) {
            let options =
                Options { rules, hidden: Hidden::Show, prune: Prune::Dependencies, ..Options::default() };
            known.current.clear();
            known.watch = Some((rules, Watch::start(workspace, &options)));
            return;
        }
        match known.watch.as_mut().map(|(_, watch)| watch.changed()) {
            Some(WatchChanges::Nothing) => {}
            Some(WatchChanges::Paths(paths)) => {
                let changed: HashSet<&std::path::Path> = paths.iter().map(WorkspacePath::raw).collect();
                known.current.retain(|path, _| !path.raw().ancestors().any(|above| changed.contains(above)));
            }
            Some(WatchChanges::Unknown(_)) | None => known.current.clear(),
        }
    }

    /// Returns the record of a file, if the file has not changed since.
    pub(crate) fn known(&self, path: &WorkspacePath, name: &str) -> Option<Arc<Record>> {
        let known = self.lock();
        let hash = *known.current.get(path)?;
        known.made.get(&Made { name: name.to_owned(), hash }).cloned()
    }

    /// Returns the record of a content.
    pub(crate) fn made(&self, made: &Made) -> Option<Arc<Record>> {
        self.lock().made.get(made).cloned()
    }

    /// Stores the record of a file.
    pub(crate) fn keep(&self, path: &WorkspacePath, made: Made, record: &Arc<Record>) {
        let mut known = self.lock();
        let told = path
            .parent()
            .is_some_and(|directory| known.watch.as_ref().is_some_and(|(_, watch)| watch.covers(&directory)));
        if told {
            known.current.insert(path.clone(), made.hash);
        }
        known.made.insert(made, record.clone());
    }

    /// Drops the records of contents that no file has any more, once there are many.
    pub(crate) fn tidy(&self, files: usize) {
        let mut known = self.lock();
        if known.made.len() > 2 * files.max(known.current.len()) + SPARE {
            let used: HashSet<ContentHash> = known.current.values().copied().collect();
            known.made.retain(|made, _| used.contains(&made.hash));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
