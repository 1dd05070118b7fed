//! The symbol index of a workspace, updated before each query and shared by concurrent queries.

mod changes;
mod scip_import;
mod store;
#[cfg(test)]
mod tests;
mod update;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use toolpost_workspace::{ContentHash, Workspace, WorkspacePath};

use crate::{ExternalAnswer, Graph};
use changes::PendingFile;
use store::Store;
use toolpost_index_lifecycle::{
    self as lifecycle, FileSignature, Lifecycle, PartialIndex, Patience, UpdateError, WatchState,
};

/// The index of a workspace. Clones are cheap and share their data.
#[derive(Clone)]
pub struct Index(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    state: RwLock<State>,
    lifecycle: Lifecycle<UpdateState>,
}

/// The state that an update needs.
struct UpdateState {
    /// The cache directory in which records are stored, if there is one.
    folder: Option<PathBuf>,
    /// The stored records; `None` before the first query.
    store: Option<Store>,
    watched: WatchState,
    /// The files to read, by displayed path.
    pending: BTreeMap<Arc<str>, PendingFile>,
    /// True while a scan of all files is not finished, because files are pending.
    unsettled: bool,
}

/// The data of the index that queries read.
#[derive(Default)]
struct State {
    graph: Graph,
    known: BTreeMap<String, IndexedFile>,
    left_out: LeftOut,
    /// The files that are not read yet, because the caller could not wait for them.
    waiting: Vec<WorkspacePath>,
    /// The modification time and the size of the SCIP index that was read last.
    scip: Option<(i128, u64)>,
}

/// The metadata and the content hash of a file when it was indexed.
struct IndexedFile {
    path: WorkspacePath,
    sign: FileSignature,
    hash: ContentHash,
}

/// The files that an index does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The displayed paths of source files and manifests that are too large to be parsed.
    pub large: Vec<String>,
    /// The displayed paths of files that are not UTF-8, have no known language, or could not be parsed.
    pub unparsed: Vec<String>,
    /// Files and directories that could not be read, with the reason.
    pub unreadable: Vec<String>,
}

/// A read lock on the index.
pub struct GraphGuard<'i>(RwLockReadGuard<'i, State>);

impl Index {
    /// Creates the index of a workspace. Its records are stored in a subdirectory of `folder`, or only in memory
    /// without one. Reads nothing before the first query.
    ///
    /// Several workspaces and processes may share `folder`.
    #[must_use]
    pub fn new(workspace: Workspace, folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|folder| folder.join(workspace.cache_name()));
        let turn = UpdateState {
            folder,
            store: None,
            watched: WatchState::default(),
            pending: BTreeMap::new(),
            unsettled: false,
        };
        Self(Arc::new(Inner { workspace, state: RwLock::default(), lifecycle: Lifecycle::new(turn) }))
    }

    /// Updates the index from the disk and locks it for reading. The update calls `stop` often, and ends when it
    /// returns true.
    ///
    /// # Errors
    ///
    /// If a root cannot be read, or the update was stopped.
    pub fn graph(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<GraphGuard<'_>, UpdateError> {
        self.lend_within(&Patience::whole(), stop)
    }

    /// Returns the numbers of read and of pending files, without waiting.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        self.0.lifecycle.progress()
    }

    /// Returns the number of files that this process parsed, rather than found in stored records.
    #[must_use]
    pub fn parsed(&self) -> usize {
        self.0.lifecycle.parsed()
    }

    /// Until [`Self::resume`], reads only the files that a query ranks as relevant. Tests use this to get an incomplete
    /// index of a small workspace.
    pub fn pause(&self) {
        self.0.lifecycle.pause();
    }

    /// Reads all files again.
    pub fn resume(&self) {
        self.0.lifecycle.resume();
    }

    /// Adds a language server's answers about names in the version of a file with this content hash.
    pub fn tell(&self, path: &str, hash: ContentHash, answers: Vec<(u32, ExternalAnswer)>) {
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        state.graph.tell(path, hash, answers);
    }

    /// Adds the implementations that a language server found for interfaces and their methods, in the version of a file
    /// with this content hash.
    pub fn tell_implementations(&self, path: &str, hash: ContentHash, answers: Vec<(u32, ExternalAnswer)>) {
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        state.graph.tell_implementations(path, hash, answers);
    }

    /// Returns the workspace whose files are indexed.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }
}

impl PartialIndex for Index {
    type Guard<'i> = GraphGuard<'i>;

    fn lend_within(
        &self,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<GraphGuard<'_>, UpdateError> {
        lifecycle::update(&self.0, patience, stop)?;
        Ok(GraphGuard(self.0.state.read().unwrap_or_else(PoisonError::into_inner)))
    }

    fn waiting<'l>(guard: &'l GraphGuard<'_>) -> &'l [WorkspacePath] {
        guard.waiting()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let turn = self.lifecycle.get_mut();
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &mut turn.store {
            store.flush(&mut state.graph, &state.known);
        }
    }
}

impl GraphGuard<'_> {
    /// Returns the files that the index does not cover.
    #[must_use]
    pub fn left_out(&self) -> &LeftOut {
        &self.0.left_out
    }

    /// Lists the files that are not read yet.
    #[must_use]
    pub fn waiting(&self) -> &[WorkspacePath] {
        &self.0.waiting
    }

    /// Returns the location of a file of the graph by its displayed path.
    #[must_use]
    pub fn path(&self, shown: &str) -> Option<&WorkspacePath> {
        self.0.known.get(shown).map(|known| &known.path)
    }

    /// Returns the hash of the indexed content of a file.
    #[must_use]
    pub fn hash(&self, shown: &str) -> Option<ContentHash> {
        self.0.known.get(shown).map(|known| known.hash)
    }
}

impl Deref for GraphGuard<'_> {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.0.graph
    }
}
