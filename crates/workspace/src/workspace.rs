//! The workspace: its open roots and its state directory.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Mode;

use crate::access::{AccessError, AccessKind, Stat};
use crate::hash::Hasher;
use crate::openat::{READ_DIRECTORY, open_at};
use crate::options::Durability;
use crate::path::WorkspacePath;
use crate::read::{Entry, OpenFile, Snapshot, entries, open_regular, stat_at};
use crate::root::Root;
use crate::state::State;

/// The open roots of a workspace; cheap to clone.
#[derive(Clone)]
pub struct Workspace(Arc<Shared>);

struct Shared {
    roots: Vec<Root>,
    home: Option<PathBuf>,
    durability: Durability,
    state: Option<State>,
}

impl Workspace {
    pub(crate) fn new(
        roots: Vec<Root>,
        home: Option<PathBuf>,
        durability: Durability,
        state: Option<State>,
    ) -> Self {
        Self(Arc::new(Shared { roots, home, durability, state }))
    }

    /// Returns the roots; relative paths start from the first one.
    pub fn roots(&self) -> &[Root] {
        &self.0.roots
    }

    /// Returns the name of the workspace in caches: a hash of the paths of its roots.
    pub fn cache_name(&self) -> String {
        let mut hasher = Hasher::default();
        for root in self.roots() {
            hasher.update(root.path().as_os_str().as_encoded_bytes());
            hasher.update(&[0]);
        }
        hasher.finish().to_hex()[..16].to_owned()
    }

    /// Returns the path of the state directory; `None` if the workspace has none.
    #[must_use]
    pub fn state_folder(&self) -> Option<&Path> {
        self.state().map(State::path)
    }

    /// Returns the path of the state directory, or a line that lists what is missing without one.
    pub fn state_report(&self) -> String {
        state_report(self.state_folder())
    }

    /// Converts an absolute path that was resolved before, for example one in a journal; `None` if no root
    /// contains it.
    pub(crate) fn known(&self, absolute: &Path) -> Option<WorkspacePath> {
        let root = Root::nearest(self.roots(), absolute)?;
        let relative = absolute.strip_prefix(root.path()).ok()?;
        let plain = relative.components().all(|component| matches!(component, Component::Normal(_)));
        plain.then(|| WorkspacePath::beneath(root, relative))
    }

    /// Returns the metadata of a path, without following links.
    pub fn stat(&self, path: &WorkspacePath) -> Result<Stat, AccessError> {
        stat_at(path.root(), path.relative()).map_err(|why| why.at(path))
    }

    /// Opens a regular file for reading. Fails for anything else, such as a pipe, without blocking.
    pub fn open_file(&self, path: &WorkspacePath) -> Result<OpenFile, AccessError> {
        open_regular(path.root(), path.relative()).map_err(|why| why.at(path))
    }

    /// Reads a whole file of at most `limit` bytes.
    pub fn read(&self, path: &WorkspacePath, limit: u64) -> Result<Snapshot, AccessError> {
        let opened = self.open_file(path)?;
        opened.snapshot(limit).map_err(|why| why.at(path))
    }

    /// Lists the entries of a directory, sorted by the bytes of their names.
    pub fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, AccessError> {
        let directory = open_at(path.root(), path.relative(), READ_DIRECTORY, Mode::empty());
        directory
            .map_err(AccessKind::from)
            .and_then(|directory| entries(&directory))
            .map_err(|why| why.at(path))
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.0.home.as_deref()
    }

    pub(crate) fn durability(&self) -> Durability {
        self.0.durability
    }

    pub(crate) fn state(&self) -> Option<&State> {
        self.0.state.as_ref()
    }
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Workspace").field(&self.0.roots).finish()
    }
}

/// Returns the path of the state directory, or a line that lists what is missing without one.
fn state_report(directory: Option<&Path>) -> String {
    match directory {
        Some(directory) => toolpost_text::escape::name(directory.as_os_str().as_encoded_bytes()).into_owned(),
        None => {
            "none, so there are no locks between processes, no recovery of interrupted changes and no undo"
                .to_owned()
        }
    }
}
