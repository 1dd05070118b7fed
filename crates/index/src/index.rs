//! The index of a workspace: brought up to date before it is asked, and lent to many at once.

mod sweep;
mod take;

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use toolpost_workspace::{ContentHash, Workspace, WorkspacePath};

use crate::Graph;
use sweep::Sign;

/// The index of a workspace; cheap to clone, and shared by all that do so.
#[derive(Clone)]
pub struct Index(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    state: RwLock<State>,
    /// Held by whoever brings the index up to date.
    turn: Mutex<()>,
}

/// What is known of the workspace.
#[derive(Default)]
struct State {
    graph: Graph,
    known: HashMap<String, Known>,
    left_out: LeftOut,
}

/// What is known of a file.
struct Known {
    path: WorkspacePath,
    sign: Sign,
    hash: ContentHash,
}

/// What an index does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files that are too large.
    pub large: Vec<String>,
    /// Files that are no text, or that could not be parsed.
    pub unparsed: Vec<String>,
    /// Files and directories that could not be read, with why.
    pub unreadable: Vec<String>,
}

/// Why an index cannot be brought up to date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// A root cannot be read.
    #[error("{root} cannot be read: {why}")]
    Root {
        /// The root, as it is shown.
        root: String,
        /// Why.
        why: String,
    },
    /// It was told to stop.
    #[error("it was stopped before all files were looked at")]
    Stopped,
}

/// The index while it is lent; nobody changes it meanwhile.
pub struct Lent<'i>(RwLockReadGuard<'i, State>);

impl Index {
    /// Makes an index of a workspace; nothing is read before it is asked.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self(Arc::new(Inner { workspace, state: RwLock::default(), turn: Mutex::default() }))
    }

    /// Brings the index up to date with what is on the disk, and lends it; `stop` is asked often.
    ///
    /// # Errors
    ///
    /// When a root cannot be read, or when it was told to stop.
    pub fn graph(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Lent<'_>, Trouble> {
        let inner = &*self.0;
        {
            let _turn = inner.turn.lock().unwrap_or_else(PoisonError::into_inner);
            inner.refresh(stop)?;
        }
        Ok(Lent(inner.state.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Gives the workspace.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }
}

impl Lent<'_> {
    /// Tells what the index does not cover.
    #[must_use]
    pub fn left_out(&self) -> &LeftOut {
        &self.0.left_out
    }

    /// Gives where a file of the graph lies.
    #[must_use]
    pub fn path(&self, shown: &str) -> Option<&WorkspacePath> {
        self.0.known.get(shown).map(|known| &known.path)
    }

    /// Gives the hash of the content of which a file's record was made.
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
