//! Records of the symbols and entry points of files, cached until the files change.

mod entries;
mod gather;
mod record;
mod write;

pub(crate) use gather::{ProjectFiles, gather};
pub(crate) use record::{Limits, Record, Why};
pub(crate) use write::write;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};
use toolpost_search::{HiddenFiles, Prune, Rules};
use toolpost_workspace::{ContentHash, Watch, WatchChanges, Workspace, WorkspacePath, walk::Options};

/// The cached records (symbols and entry points) of the files of a workspace, and a flag that is set while a background
/// thread reads files.
#[derive(Default)]
pub(crate) struct Projects(Mutex<RecordCache>, Arc<AtomicBool>);

#[derive(Default)]
struct RecordCache {
    watch: Option<(Rules, Watch)>,
    /// Files that have not changed since they were read, with the hashes of their contents.
    current: HashMap<WorkspacePath, ContentHash>,
    /// Records by content and file name; the file name determines the language.
    made: HashMap<RecordKey, Arc<Record>>,
}

/// The key of a cached record: the name of the file and the hash of its content.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct RecordKey {
    pub(crate) name: String,
    pub(crate) hash: ContentHash,
}

/// The number by which cached records may exceed twice the number of files before unused records are dropped.
const SPARE: usize = 2_000;

impl Projects {
    /// Estimates how many of `files` files have a record that is up to date, and how many do not.
    pub(crate) fn progress(&self, files: usize) -> (usize, usize) {
        let known = self.lock().current.len().min(files);
        (known, files - known)
    }

    /// Returns the flag that is set while a background thread reads files.
    pub(crate) fn reading(&self) -> &Arc<AtomicBool> {
        &self.1
    }

    /// Marks as outdated the records of files that may have changed; all of them if the watcher is new or lost events.
    /// Starts a watcher if there is none for these ignore rules.
    pub(crate) fn refresh(&self, workspace: &Workspace, rules: Rules) {
        let mut known = self.lock();
        if known.watch.as_ref().is_none_or(|(own, _)| *own != rules) {
            let options = Options {
                rules,
                hidden: HiddenFiles::Show,
                prune: Prune::Dependencies,
                ..Options::default()
            };
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

    /// Returns the cached record of a file, if the file has not changed since it was read.
    pub(crate) fn known(&self, path: &WorkspacePath, name: &str) -> Option<Arc<Record>> {
        let known = self.lock();
        let hash = *known.current.get(path)?;
        known.made.get(&RecordKey { name: name.to_owned(), hash }).cloned()
    }

    /// Returns the cached record for this file name and content, if there is one.
    pub(crate) fn made(&self, made: &RecordKey) -> Option<Arc<Record>> {
        self.lock().made.get(made).cloned()
    }

    /// Stores the record of a file. The file counts as current only if the watcher covers its directory.
    pub(crate) fn keep(&self, path: &WorkspacePath, made: RecordKey, record: &Arc<Record>) {
        let mut known = self.lock();
        let told = path
            .parent()
            .is_some_and(|directory| known.watch.as_ref().is_some_and(|(_, watch)| watch.covers(&directory)));
        if told {
            known.current.insert(path.clone(), made.hash);
        }
        known.made.insert(made, record.clone());
    }

    /// Drops the records of outdated file contents, if too many records are cached.
    pub(crate) fn tidy(&self, files: usize) {
        let mut known = self.lock();
        if known.made.len() > 2 * files.max(known.current.len()) + SPARE {
            let used: HashSet<ContentHash> = known.current.values().copied().collect();
            known.made.retain(|made, _| used.contains(&made.hash));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, RecordCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
