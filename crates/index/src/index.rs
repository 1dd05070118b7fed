//! The index of a workspace: brought up to date before it is asked, and lent to many at once.

mod hear;
mod patrol;
mod put;
mod store;
mod take;
#[cfg(test)]
mod tests;
mod update;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use toolpost_workspace::{ContentHash, Hasher, Workspace, WorkspacePath};

use crate::files::{Sign, Unswept, Watched};
use crate::lifecycle::{self, Lifecycle, Patience};
use crate::{Answer, Graph};
use store::Store;
use take::Pending;

/// The index of a workspace; cheap to clone, and shared by all that do so.
#[derive(Clone)]
pub struct Index(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    state: RwLock<State>,
    lifecycle: Lifecycle<Turn>,
}

/// The state that an update needs.
struct Turn {
    /// The directory of the records, if there is one.
    folder: Option<PathBuf>,
    /// The stored records; `None` before the first query.
    store: Option<Store>,
    watched: Watched,
    /// The files that have to be read, by how they are shown.
    pending: BTreeMap<Arc<str>, Pending>,
    /// True while a look at all files is not finished, because files are pending.
    unsettled: bool,
}

/// The indexed data.
#[derive(Default)]
struct State {
    graph: Graph,
    known: BTreeMap<String, Known>,
    left_out: LeftOut,
    /// The files that are not read yet, because the caller could not wait for them.
    waiting: Vec<WorkspacePath>,
    /// When the index of a compiler was made that was read, and how long it is.
    scip: Option<(i128, u64)>,
}

/// The state of a file.
struct Known {
    path: WorkspacePath,
    sign: Sign,
    hash: ContentHash,
}

/// The files that an index does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files that are too large.
    pub large: Vec<String>,
    /// Files that are no text, or that could not be parsed.
    pub unparsed: Vec<String>,
    /// Files and directories that could not be read, with why.
    pub unreadable: Vec<String>,
}

/// The reason for which an index cannot be updated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// A root cannot be read.
    #[error("{root} cannot be read: {why}")]
    Root {
        /// The displayed path of the root.
        root: String,
        /// The reason.
        why: String,
    },
    /// The update was stopped.
    #[error("it was stopped before all files were looked at")]
    Stopped,
}

impl From<Unswept> for Trouble {
    fn from(unswept: Unswept) -> Self {
        match unswept {
            Unswept::Stopped => Self::Stopped,
            Unswept::Place(root, why) => Self::Root { root, why },
        }
    }
}

/// A read lock on the index.
pub struct Lent<'i>(RwLockReadGuard<'i, State>);

impl Index {
    /// Creates the index of a workspace, with its records in `folder`. Reads nothing before the first query.
    ///
    /// Several workspaces and processes may share the folder.
    #[must_use]
    pub fn new(workspace: Workspace, folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|folder| folder.join(name(&workspace)));
        let turn = Turn {
            folder,
            store: None,
            watched: Watched::default(),
            pending: BTreeMap::new(),
            unsettled: false,
        };
        Self(Arc::new(Inner { workspace, state: RwLock::default(), lifecycle: Lifecycle::new(turn) }))
    }

    /// Updates the index from the disk and locks it for reading. Calls `stop` often.
    ///
    /// # Errors
    ///
    /// If a root cannot be read, or the update was stopped.
    pub fn graph(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Lent<'_>, Trouble> {
        self.graph_within(&Patience::whole(), stop)
    }

    /// The same, but waits no longer than the patience lasts: the files that are not read by then are counted as waiting, and are
    /// read in the background.
    ///
    /// # Errors
    ///
    /// As [`Index::graph`].
    pub fn graph_within(
        &self,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Lent<'_>, Trouble> {
        lifecycle::update(&self.0, patience, stop)?;
        Ok(Lent(self.0.state.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Returns how many files are read, and how many are not yet. It never waits.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        self.0.lifecycle.progress()
    }

    /// Returns the number of files that this process parsed, rather than found in stored records.
    #[must_use]
    pub fn parsed(&self) -> usize {
        self.0.lifecycle.parsed()
    }

    /// Reads only the files that a caller ranks while `paused`: a test of an incomplete index needs no large workspace
    /// then.
    pub fn pause(&self, paused: bool) {
        self.0.lifecycle.pause(paused);
    }

    /// Adds a language server's answers about names in a content of a file.
    pub fn tell(&self, path: &str, hash: ContentHash, answers: Vec<(u32, Answer)>) {
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        state.graph.tell(path, hash, answers);
    }

    /// Adds a language server's implementations of the interfaces, and their methods, in a content of a file.
    pub fn tell_implementations(&self, path: &str, hash: ContentHash, answers: Vec<(u32, Answer)>) {
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        state.graph.tell_implementations(path, hash, answers);
    }

    /// Returns the workspace.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.0.workspace
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

/// Names the folder of a workspace, by where its roots lie.
fn name(workspace: &Workspace) -> String {
    let mut hasher = Hasher::default();
    for root in workspace.roots() {
        hasher.update(root.path().as_os_str().as_encoded_bytes());
        hasher.update(&[0]);
    }
    hasher.finish().to_hex()[..16].to_owned()
}

impl Lent<'_> {
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

    /// Returns the location of a file of the graph.
    #[must_use]
    pub fn path(&self, shown: &str) -> Option<&WorkspacePath> {
        self.0.known.get(shown).map(|known| &known.path)
    }

    /// Returns the hash of the content behind a file's record.
    #[must_use]
    pub fn hash(&self, shown: &str) -> Option<ContentHash> {
        self.0.known.get(shown).map(|known| known.hash)
    }
}

impl Deref for Lent<'_> {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.0.graph
    }
}
