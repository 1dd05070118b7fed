//! The keyword index of a workspace, updated before each query and shared by concurrent queries.

mod changes;
mod fold;
mod insertion;
mod store;
#[cfg(test)]
mod tests;
mod update;

pub(crate) use insertion::LARGEST;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use encoding_rs::Encoding;
use toolpost_workspace::walk::SkippedEntries;
use toolpost_workspace::{ContentHash, Hasher, Root, Workspace, WorkspacePath};

use crate::table::Table;
use store::Store;
use toolpost_index_lifecycle::{
    self as lifecycle, FileSignature, Lifecycle, PartialIndex, Patience, ScannedFile, UpdateError,
    WatchState, lies_at,
};

/// The keyword index of a workspace. Clones are cheap and share their data.
#[derive(Clone)]
pub struct Index(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    encoding: Option<&'static Encoding>,
    /// The cache directory for the indexes of all workspaces, if there is one.
    folder: Option<PathBuf>,
    covers: IndexCoverage,
    state: RwLock<State>,
    lifecycle: Lifecycle<UpdateState>,
    /// Set if the next update must scan all files.
    doubted: AtomicBool,
    /// The numbers of the segments that are damaged.
    broken: Mutex<BTreeSet<u32>>,
    /// Separate indexes of searched directories that this index excludes, the most recently used one last.
    places: Mutex<Vec<(WorkspacePath, Index)>>,
}

/// The files that an index covers.
#[derive(Clone)]
enum IndexCoverage {
    /// The workspace, without ignored files.
    Workspace,
    /// A file or directory that the workspace's index excludes, including ignored files.
    Place(WorkspacePath),
    /// A package (a dependency) outside the workspace, whose content rarely changes.
    Package(WorkspacePath),
}

/// The maximum number of separate indexes of excluded directories; the least recently used one is dropped.
const PLACES: usize = 4;

/// The state that only an update of the index uses.
struct UpdateState {
    /// The cache directory of this index, until an update opens it; `None` afterwards, or if the index is only in
    /// memory.
    folder: Option<PathBuf>,
    store: Option<Store>,
    watched: WatchState,
    /// The new and changed files that have to be read, by displayed path.
    pending: BTreeMap<Arc<str>, ScannedFile>,
    /// While this process waits for another one that reads the pending files: the start of the wait, or the time at
    /// which the last new segment of that process was found. `None` if it does not wait.
    others: Option<Instant>,
}

/// The indexed data, which queries read.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) table: Table,
    /// The files that are not text, by displayed path.
    others: HashMap<Arc<str>, (FileSignature, ContentHash)>,
    left_out: LeftOut,
    /// The new and changed files that are not in the index yet, because a caller did not wait for them.
    waiting: Vec<WorkspacePath>,
}

/// The files that an index does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files that are larger than the maximum for indexed files.
    pub large: BTreeSet<String>,
    /// Files that are not text.
    pub binary: BTreeSet<String>,
    /// Files and directories that could not be read, as `path: reason`.
    pub unreadable: BTreeSet<String>,
    /// Files and directories that ignore rules exclude.
    pub skipped: SkippedEntries,
}

/// A read lock on the index, through which queries read it.
pub struct IndexGuard<'i> {
    state: RwLockReadGuard<'i, State>,
    inner: &'i Inner,
}

impl Index {
    /// Creates the index of a workspace. Reads nothing before the first query.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self::over(workspace, None, IndexCoverage::Workspace, None)
    }

    /// Creates the index of a package outside the workspace, with the encoding of this index. It is stored in a
    /// subdirectory of `folder`, which all projects that use the package share, or only in memory without one.
    #[must_use]
    pub fn of_package(&self, package: WorkspacePath, folder: Option<PathBuf>) -> Self {
        Self::over(self.0.workspace.clone(), folder, IndexCoverage::Package(package), self.0.encoding)
    }

    /// Returns a new index of the same workspace that is stored in a subdirectory of `folder`, or only in memory
    /// without one. Several workspaces and processes may share `folder`.
    #[must_use]
    pub fn kept_in(&self, folder: Option<PathBuf>) -> Self {
        Self::over(self.0.workspace.clone(), folder, IndexCoverage::Workspace, self.0.encoding)
    }

    /// Returns a new index of the same workspace with another default encoding, which applies to files that have no BOM
    /// and are not UTF-8.
    #[must_use]
    pub fn with_encoding(&self, encoding: Option<&'static Encoding>) -> Self {
        Self::over(self.0.workspace.clone(), self.0.folder.clone(), IndexCoverage::Workspace, encoding)
    }

    fn over(
        workspace: Workspace,
        folder: Option<PathBuf>,
        covers: IndexCoverage,
        encoding: Option<&'static Encoding>,
    ) -> Self {
        let own = folder.as_ref().map(|folder| folder.join(name(&workspace, &covers, encoding)));
        let turn = UpdateState {
            folder: own,
            store: None,
            watched: WatchState::default(),
            pending: BTreeMap::new(),
            others: None,
        };
        Self(Arc::new(Inner {
            workspace,
            encoding,
            folder,
            covers,
            state: RwLock::default(),
            lifecycle: Lifecycle::new(turn),
            doubted: AtomicBool::new(false),
            broken: Mutex::default(),
            places: Mutex::default(),
        }))
    }

    /// Returns the index that covers a path: this one, or a separate one if this one excludes the path.
    ///
    /// # Errors
    ///
    /// The same as for [`Index::lend`].
    pub fn covering(
        &self,
        base: &WorkspacePath,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, UpdateError> {
        if base.is_root() {
            return Ok(self.clone());
        }
        lifecycle::scan(&*self.0, stop)?;
        if self.borrow().covers(base) {
            return Ok(self.clone());
        }
        let mut places = self.0.places.lock().unwrap_or_else(PoisonError::into_inner);
        let known = places.iter().position(|(place, _)| place == base).map(|at| places.remove(at).1);
        let index = known.unwrap_or_else(|| {
            Self::over(self.0.workspace.clone(), None, IndexCoverage::Place(base.clone()), self.0.encoding)
        });
        if places.len() >= PLACES {
            places.remove(0);
        }
        places.push((base.clone(), index.clone()));
        Ok(index)
    }

    /// Updates the index to the current state of the disk, and locks it for reading. Calls `stop` often, and fails if
    /// it returns true.
    ///
    /// # Errors
    ///
    /// If a root cannot be read, or the update was stopped.
    pub fn lend(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<IndexGuard<'_>, UpdateError> {
        lifecycle::update(&self.0, &Patience::whole(), stop)?;
        Ok(self.borrow())
    }

    fn borrow(&self) -> IndexGuard<'_> {
        IndexGuard { state: self.0.state.read().unwrap_or_else(PoisonError::into_inner), inner: &self.0 }
    }

    /// Returns the directory in which this index is stored, if there is one.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        let inner = &*self.0;
        inner.folder.as_ref().map(|folder| folder.join(name(&inner.workspace, &inner.covers, inner.encoding)))
    }

    /// Returns the number of files that were read, and of those that still have to be. Never waits for an update.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        self.0.lifecycle.progress()
    }

    /// Returns the number of files that this process has parsed; files found in stored segments are not parsed.
    #[must_use]
    pub fn parsed(&self) -> usize {
        self.0.lifecycle.parsed()
    }

    /// Until [`Self::resume`], reads only the files to which a caller gives a rank (`Patience::for_ranked`). Tests use this
    /// to get an incomplete index without a large workspace.
    pub fn pause(&self) {
        self.0.lifecycle.pause();
    }

    /// Reads all files again.
    pub fn resume(&self) {
        self.0.lifecycle.resume();
    }

    /// Returns whether two [`Index`] values are clones of the same index.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }

    /// Makes the next update scan all files, because a file was found that differs from the index.
    pub fn doubt(&self) {
        self.0.doubted.store(true, Ordering::Relaxed);
    }
}

impl PartialIndex for Index {
    type Guard<'i> = IndexGuard<'i>;

    fn lend_within(
        &self,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<IndexGuard<'_>, UpdateError> {
        lifecycle::update(&self.0, patience, stop)?;
        Ok(self.borrow())
    }

    fn waiting<'l>(guard: &'l IndexGuard<'_>) -> &'l [WorkspacePath] {
        guard.waiting()
    }
}

impl State {
    /// Returns the signature (size and times) that a file had when it was indexed; `None` if it is not indexed.
    fn sign(&self, shown: &str) -> Option<FileSignature> {
        let text = self.table.by_path(shown).map(|file| file.sign);
        text.or_else(|| self.others.get(shown).map(|(sign, _)| *sign))
    }

    /// Removes a file from the index, because it does not exist any more.
    fn forget(&mut self, shown: &str) {
        self.table.remove(shown);
        self.others.remove(shown);
        self.left_out.binary.remove(shown);
        self.left_out.large.remove(shown);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.fold_at_end();
    }
}

/// Returns the name of the cache directory for the index of a workspace or package: a hash of the paths of its roots
/// and the default encoding.
fn name(workspace: &Workspace, covers: &IndexCoverage, encoding: Option<&'static Encoding>) -> String {
    let mut hasher = Hasher::default();
    let (sort, roots) = match covers {
        IndexCoverage::Package(package) => {
            ("package", vec![package.raw(), Path::new(package.root().label().unwrap_or_default())])
        }
        IndexCoverage::Workspace | IndexCoverage::Place(_) => {
            ("words", workspace.roots().iter().map(Root::path).collect())
        }
    };
    for root in roots {
        hasher.update(root.as_os_str().as_encoded_bytes());
        hasher.update(&[0]);
    }
    hasher.update(encoding.map_or("", Encoding::name).as_bytes());
    format!("{sort}-{}", &hasher.finish().to_hex()[..16])
}

impl IndexGuard<'_> {
    /// Returns the files of the workspace that the index does not cover.
    #[must_use]
    pub fn left_out(&self) -> &LeftOut {
        &self.state.left_out
    }

    /// Returns a fingerprint of the paths and contents of all indexed files, which changes with any of them.
    #[must_use]
    pub fn print(&self) -> u64 {
        self.state.table.print
    }

    /// Returns the new and changed files that are not in the index yet, because the caller did not wait for them.
    #[must_use]
    pub fn waiting(&self) -> &[WorkspacePath] {
        &self.state.waiting
    }

    /// Counts the indexed text files at or below a path.
    #[must_use]
    pub fn files_at(&self, base: &WorkspacePath) -> usize {
        self.state.table.files().filter(|(_, file)| base.contains(&file.path)).count()
    }

    /// Makes the next update drop damaged segments and read their files again.
    pub(crate) fn drop_segments(&self, numbers: &BTreeSet<u32>) {
        self.inner.broken.lock().unwrap_or_else(PoisonError::into_inner).extend(numbers);
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.inner.workspace
    }

    pub(crate) fn encoding(&self) -> Option<&'static Encoding> {
        self.inner.encoding
    }

    /// Returns whether the index knows a file at or below a path, even if the file is not indexed because it is large,
    /// for example.
    fn covers(&self, base: &WorkspacePath) -> bool {
        let shown = base.display();
        let below = |path: &str| lies_at(path, &shown);
        self.state.sign(&shown).is_some()
            || self.state.waiting.iter().any(|path| base.contains(path))
            || self.state.table.files().any(|(_, file)| below(&file.shown))
            || self.state.others.keys().any(|path| below(path))
            || self.state.left_out.large.iter().any(|path| below(path))
    }
}
